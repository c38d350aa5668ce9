/* profile.json, as collprof-profile(5) describes it: written row by row, so that it takes no memory
 * at the end of an application. */
#include "base/clock.h"
#include "base/quote.h"
#include "profile/model.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Rows that are texts and no objects. */
static bool is_text(enum profile_table t)
{
    return profile_tables[t].fields.at->kind == FIELD_STRING && !profile_tables[t].fields.at->key;
}

/* --- writing --- */

/* What cannot be written is an error of OUT, which write_profile() sees, and no lack of memory. */
static void put_value(json_t *value, FILE *out)
{
    if (!value || (json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY) && !ferror(out)))
        memory_out();
    json_decref(value);
}

static json_t *row_json(const struct profile *p, enum profile_table t, size_t i)
{
    const struct fields *fields = &profile_tables[t].fields;
    char *const *text = row_at(p, t, i);
    return is_text(t) ? json_text(*text, SIZE_MAX) : fields_json(fields, text);
}

static void put_table(const struct profile *p, enum profile_table t, FILE *out)
{
    fprintf(out, ",\n\"%s\":[", profile_tables[t].key);
    for (size_t i = 0; i < rows_in(p, t)->n; i++) {
        fputs(i ? ",\n" : "", out);
        put_value(row_json(p, t, i), out);
    }
    fputc(']', out);
}

static void put_run(const struct profile *p, FILE *out)
{
    json_t *run = fields_json(&fields_run, p);
    for (enum profile_table t = 0; t < TABLES; t++) {
        json_t *rows = profile_tables[t].how & TABLE_OF_RUN ? json_array() : NULL;
        for (size_t i = 0; rows && i < rows_in(p, t)->n; i++)
            json_push(rows, row_json(p, t, i));
        if (rows)
            json_put(run, profile_tables[t].key, rows);
    }
    fputs(",\n\"run\":", out);
    put_value(run, out);
}

/* Members in one flat array of six numbers each: a run has tens of thousands of them. */
static void put_instance(const struct profile *p, size_t from, size_t to, FILE *out)
{
    const struct profile_event *first = &p->events.at[from];
    json_t *members = json_array(), *outside = json_array();
    char id[24];
    snprintf(id, sizeof id, "0x%016llx", (unsigned long long)first->comm_id);
    for (const struct profile_event *e = first; e < p->events.at + to; e++) {
        json_push(members, json_integer(e->rank));
        json_push(members, json_integer(e->comm_rank));
        json_push(members, json_index(e->site));
        json_push(members, json_integer((json_int_t)e->bytes));
        json_push(members, json_integer(e->entry_ns));
        json_push(members, json_integer(e->exit_ns));
        json_push(outside, e->outside_ns < 0 ? json_null() : json_integer(e->outside_ns));
    }
    put_value(json_pack("{s:s, s:I, s:I, s:I, s:i, s:o, s:o}", "communicator_id", id, "sequence",
                        (json_int_t)first->sequence, "communicator", (json_int_t)first->comm,
                        "operation", (json_int_t)first->operation, "root", (int)first->root,
                        "members", members, "outside_ns", outside),
              out);
}

static void put_instances(const struct profile *p, FILE *out)
{
    fprintf(out, ",\n\"instances\":{\"analysed_one_in\":%" PRIu64 ",\"list\":[",
            (uint64_t)p->sample_mask + 1);
    for (size_t i = 0, next; i < p->events.n; i = next) {
        next = events_next(p, i);
        fputs(i ? ",\n" : "", out);
        put_instance(p, i, next, out);
    }
    fputs("]}", out);
}

static void put_findings(const struct profile *p, FILE *out)
{
    json_t *kinds = json_object();
    for (size_t i = 0; i < p->findings.n; i++) {
        const struct profile_finding *f = &p->findings.at[i];
        json_t *copy = json_copy(f->value);
        if (f->comm != PROFILE_NONE)
            json_put(copy, "communicator_index", json_integer(f->comm));
        if (!json_object_get(kinds, f->kind))
            json_put(kinds, f->kind, json_array());
        json_push(json_object_get(kinds, f->kind), copy);
    }
    fputs(",\n\"findings\":", out);
    put_value(kinds, out);
}

/* What writing takes is the last member, and measured up to there: into *WRITING_NS, unless that is
 * NULL. */
static bool write_profile(const struct profile *p, FILE *out, uint64_t *writing_ns)
{
    double start = clock_now();
    errno = 0;
    fprintf(out, "{\"schema\":\"" PROFILE_SCHEMA "\",\"collprof\":\"%s\"", PACKAGE_VERSION);
    put_run(p, out);
    for (enum profile_table t = 0; t < TABLES; t++)
        if (profile_tables[t].key && !(profile_tables[t].how & TABLE_OF_RUN))
            put_table(p, t, out);
    put_instances(p, out);
    put_findings(p, out);
    fputs(",\n\"trace\":", out);
    put_value(fields_json(&fields_trace, &p->trace), out);
    bool good = !fflush(out);
    if (writing_ns) {
        *writing_ns = whole_count(1e9 * (clock_now() - start));
        fprintf(out, ",\n\"writing_ns\":%" PRIu64, *writing_ns);
    }
    return fputs("}\n", out) >= 0 && good && !fflush(out) && !ferror(out);
}

json_t *profile_json(const struct profile *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    bool good = write_profile(p, out, NULL);
    good = !fclose(out) && good;
    json_t *json = good ? json_loads(text, 0, NULL) : NULL;
    free(text);
    if (!json)
        memory_out();
    return json;
}

int profile_save(struct profile *p, int directory)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".profile.json.%016llx.%d", (unsigned long long)p->run_id,
             (int)getpid());
    int fd =
        openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return error;
    }
    int error = write_profile(p, out, &p->writing_ns) ? 0 : (errno ? errno : EIO);
    if (fclose(out) && !error)
        error = errno;
    if (!error && renameat(directory, temporary, directory, "profile.json"))
        error = errno;
    if (error)
        unlinkat(directory, temporary, 0);
    return error;
}

/* --- reading --- */

static bool read_text(struct profile *p, enum profile_table t, const json_t *value)
{
    if (json_is_string(value))
        profile_add_text(p, t, json_string_value(value));
    return json_is_string(value);
}

/* A missing table is empty: earlier versions lack some. */
static bool read_table(struct profile *p, enum profile_table t, const json_t *array)
{
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(array); i++) {
        const json_t *from = json_array_get(array, i);
        good = is_text(t) ? read_text(p, t, from)
                          : fields_read(from, &profile_tables[t].fields,
                                        array_push(rows_in(p, t), profile_tables[t].size));
    }
    return good;
}

static bool read_members(struct profile *p, const struct profile_event *instance,
                         const json_t *members, const json_t *outside)
{
    bool good = true;
    for (size_t m = 0; good && m + 5 < json_array_size(members); m += 6) {
        struct profile_event *e = PUSH(&p->events);
        *e = *instance;
        e->rank = (uint32_t)json_between(json_array_get(members, m), 0, INT32_MAX, &good);
        e->comm_rank = (uint32_t)json_between(json_array_get(members, m + 1), 0, INT32_MAX, &good);
        good = json_set_index(&e->site, json_array_get(members, m + 2)) && good;
        e->bytes = (uint64_t)json_between(json_array_get(members, m + 3), 0, INT64_MAX, &good);
        e->entry_ns = json_between(json_array_get(members, m + 4), -FAR_NS, FAR_NS, &good);
        e->exit_ns = json_between(json_array_get(members, m + 5), -FAR_NS, FAR_NS, &good);
        const json_t *known = json_array_get(outside, m / 6); /* not in earlier profiles */
        e->outside_ns = json_is_integer(known) ? json_between(known, 0, FAR_NS, &good) : -1;
    }
    return good;
}

static bool read_instances(struct profile *p, const json_t *instances)
{
    const json_t *list = json_object_get(instances, "list");
    json_int_t one_in = json_integer_value(json_object_get(instances, "analysed_one_in"));
    bool good = one_in >= 0 && one_in <= (json_int_t)UINT32_MAX + 1 && (one_in & (one_in - 1)) == 0;
    p->sample_mask = good && one_in > 0 ? (uint32_t)(one_in - 1) : 0;
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        struct profile_event e = {.comm_id = json_hex(json_object_get(from, "communicator_id")),
                                  .sequence = (uint32_t)json_between(
                                      json_object_get(from, "sequence"), 0, UINT32_MAX, &good),
                                  .root = (int32_t)json_between(json_object_get(from, "root"),
                                                                INT32_MIN, INT32_MAX, &good)};
        good = good && json_set_index(&e.comm, json_object_get(from, "communicator")) &&
               json_set_index(&e.operation, json_object_get(from, "operation"));
        good = good && read_members(p, &e, json_object_get(from, "members"),
                                    json_object_get(from, "outside_ns"));
    }
    return good;
}

static void read_findings(struct profile *p, const json_t *findings)
{
    const char *kind;
    json_t *list;
    json_object_foreach((json_t *)findings, kind, list)
    {
        for (size_t i = 0; i < json_array_size(list); i++)
            profile_add_finding(p, kind, json_incref(json_array_get(list, i)));
    }
}

static bool rows_good(struct profile *p)
{
    bool good = true;
    for (size_t i = 0; i < p->ranks.n; i++)
        good = good && p->ranks.at[i].rank >= 0;
    for (size_t i = 0; i < p->entries.n; i++) {
        struct profile_entry *e = &p->entries.at[i];
        good = good && e->size_class <= 63;
        if (e->site == PROFILE_NONE) /* calls whose site was not recorded */
            e->site = profile_add_site(p, &(struct profile_site){0});
    }
    return good;
}

static bool read_all(struct profile *p, const json_t *json)
{
    const json_t *run = json_object_get(json, "run"), *trace = json_object_get(json, "trace");
    bool good = true;
    p->has_arrivals = true;
    p->writing_ns =
        (uint64_t)json_between(json_object_get(json, "writing_ns"), 0, INT64_MAX, &good);
    good = good && fields_read(run, &fields_run, p) &&
           (!trace || fields_read(trace, &fields_trace, &p->trace));
    for (enum profile_table t = 0; t < TABLES; t++)
        if (profile_tables[t].key)
            good = good &&
                   read_table(p, t,
                              json_object_get(profile_tables[t].how & TABLE_OF_RUN ? run : json,
                                              profile_tables[t].key));
    read_findings(p, json_object_get(json, "findings"));
    good = good && read_instances(p, json_object_get(json, "instances")) && positions_valid(p);
    if (good)
        profile_reindex(p);
    return good && rows_good(p);
}

void json_make_plain(json_t *json)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_string(json)) {
        char *text = memory_strdup(json_string_value(json));
        quote_plain(text);
        if (strcmp(text, json_string_value(json)) != 0)
            json_string_set(json, text);
        free(text);
    } else if (json_is_object(json)) {
        json_object_foreach(json, key, value) json_make_plain(value);
    } else {
        json_array_foreach(json, i, value) json_make_plain(value);
    }
}

struct profile *profile_from_json(json_t *json, const char **reason)
{
    static char text[160];
    const char *schema = json_string_value(json_object_get(json, "schema"));
    *reason = "no collprof profile";
    if (!schema || strncmp(schema, PROFILE_SCHEMA, strcspn(PROFILE_SCHEMA, "/") + 1))
        return NULL;
    *reason = "a profile of another version of collprof (this one reads " PROFILE_SCHEMA ")";
    if (strcmp(schema, PROFILE_SCHEMA))
        return NULL;
    json_make_plain(json);
    struct profile *p = profile_new();
    bool good = read_all(p, json);
    const char *what = good ? profile_impossible(p) : NULL, *key = fields_fault();
    *reason = NULL;
    if (good && !what)
        return p;
    snprintf(text, sizeof text, "a damaged profile%s%s%s", what || key ? ": " : "",
             what  ? what
             : key ? key
                   : "",
             key && !what ? " has an impossible value" : "");
    *reason = text;
    profile_free(p);
    return NULL;
}
