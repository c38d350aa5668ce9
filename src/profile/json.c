/* Writes and reads profile.json, as described in collprof-profile(5). It is written row by row,
 * since little memory may be left where the application ends. */
#include "base/text.h"
#include "profile/model.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Whether rows are written as texts instead of objects: those of struct profile_text. */
static bool is_text(enum profile_table t)
{
    return !profile_tables[t].fields()->at->key;
}

static json_t *row_json(const struct profile *p, enum profile_table t, size_t i)
{
    const struct fields *fields = profile_tables[t].fields();
    const void *row = row_at(p, t, i);
    return is_text(t) ? field_json(fields->at, row) : fields_json(fields, row);
}

static void put(FILE *out, const char *key, json_t *value)
{
    fprintf(out, ",\n\"%s\":", key);
    json_write(value, out, false);
}

static void put_table(const struct profile *p, enum profile_table t, FILE *out)
{
    fprintf(out, ",\n\"%s\":[", profile_tables[t].key);
    for (size_t i = 0; i < rows_in(p, t)->n; i++) {
        fputs(i ? ",\n" : "", out);
        json_write(row_json(p, t, i), out, false);
    }
    fputc(']', out);
}

static void put_run(const struct profile *p, FILE *out)
{
    json_t *run = fields_json(profile_fields(), p);
    for (enum profile_table t = 0; t < TABLES; t++) {
        json_t *rows = profile_tables[t].how & OF_RUN ? json_array() : NULL;
        for (size_t i = 0; rows && i < rows_in(p, t)->n; i++)
            json_push(rows, row_json(p, t, i));
        if (rows)
            json_put(run, profile_tables[t].key, rows);
    }
    put(out, "run", run);
}

static void put_findings(const struct profile *p, FILE *out)
{
    json_t *kinds = json_object();
    for (EACH(const struct profile_finding, f, p->findings)) {
        json_t *copy = json_copy(f->value);
        if (f->comm != PROFILE_NONE)
            json_put(copy, "communicator_index", json_integer(f->comm));
        if (!json_object_get(kinds, f->kind))
            json_put(kinds, f->kind, json_array());
        json_push(json_object_get(kinds, f->kind), copy);
    }
    put(out, "findings", kinds);
}

void profile_write(const struct profile *p, FILE *out, json_t *diagnosis)
{
    fprintf(out, "{\"schema\":\"" PROFILE_SCHEMA "\",\"collprof\":\"%s\"", PACKAGE_VERSION);
    put_run(p, out);
    for (enum profile_table t = 0; t < TABLES; t++)
        if (profile_tables[t].key && !(profile_tables[t].how & OF_RUN))
            put_table(p, t, out);
    put_findings(p, out);
    put(out, "trace", fields_json(profile_trace_fields(), &p->trace));
    if (diagnosis)
        put(out, "diagnosis", diagnosis);
    fputs("}\n", out);
}

int profile_save(const struct profile *p, int directory)
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
    errno = 0;
    profile_write(p, out, NULL);
    int error = fflush(out) || ferror(out) ? (errno ? errno : EIO) : 0;
    if (fclose(out) && !error)
        error = errno;
    if (!error && renameat(directory, temporary, directory, "profile.json"))
        error = errno;
    if (error)
        unlinkat(directory, temporary, 0);
    return error;
}

/* A missing table counts as empty. */
static bool read_table(struct profile *p, enum profile_table t, const json_t *array)
{
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(array); i++) {
        const struct fields *fields = profile_tables[t].fields();
        const json_t *from = json_array_get(array, i);
        void *row = array_push(rows_in(p, t), profile_tables[t].size);
        good = is_text(t) ? field_read(from, fields->at, row) : fields_read(from, fields, row);
    }
    return good;
}

static void read_findings(struct profile *p, const json_t *findings)
{
    const char *kind;
    json_t *list;
    json_object_foreach((json_t *)findings, kind, list) {
        for (size_t i = 0; i < json_array_size(list); i++)
            profile_add_finding(p, kind, json_incref(json_array_get(list, i)));
    }
}

static bool rows_good(struct profile *p)
{
    bool good = true;
    for (size_t i = 0; i < p->ranks.n; i++)
        good = good && p->ranks.at[i].rank >= 0;
    for (size_t i = 0; i < p->operations.n; i++)
        good =
            good && text_is_identifier(p->operations.at[i].name, sizeof p->operations.at[i].name);
    for (EACH(struct profile_entry, e, p->entries)) {
        good = good && e->size_class <= 63;
        if (e->site == PROFILE_NONE) /* calls whose call site was not recorded */
            e->site = profile_add_site(p, &(struct profile_site){0});
    }
    return good;
}

static bool read_all(struct profile *p, const json_t *json)
{
    const json_t *run = json_object_get(json, "run"), *trace = json_object_get(json, "trace");
    bool good = fields_read(run, profile_fields(), p) &&
                (!trace || fields_read(trace, profile_trace_fields(), &p->trace));
    p->has_arrivals = true;
    for (enum profile_table t = 0; t < TABLES; t++)
        if (profile_tables[t].key)
            good = good && read_table(p, t,
                                      json_object_get(profile_tables[t].how & OF_RUN ? run : json,
                                                      profile_tables[t].key));
    read_findings(p, json_object_get(json, "findings"));
    good = good && positions_valid(p);
    if (good)
        profile_reindex(p);
    return good && rows_good(p);
}

struct profile *profile_from_json(json_t *json, const char **reason)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    *reason = "no collprof profile";
    if (!schema || strncmp(schema, PROFILE_SCHEMA, strcspn(PROFILE_SCHEMA, "/") + 1))
        return NULL;
    *reason = "a profile of another version of collprof (this one reads " PROFILE_SCHEMA ")";
    if (strcmp(schema, PROFILE_SCHEMA))
        return NULL;
    json_make_printable(json);
    struct profile *p = profile_new();
    static char text[160];
    bool good = read_all(p, json);
    const char *what = good ? profile_impossible(p) : NULL;
    *reason = NULL;
    if (good && !what)
        return p;
    snprintf(text, sizeof text, "a damaged profile%s%s", what ? ": " : "", what ? what : "");
    *reason = text;
    profile_free(p);
    return NULL;
}
