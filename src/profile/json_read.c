#include "base/quote.h"
#include "profile/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Missing ones are empty. False at the first element that is wrong. */
static bool read_list(struct profile *p, const struct list *l, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!fields_read(json_array_get(array, i), l->fields, list_push(p, l)))
            return false;
    return true;
}

/* No index of anything. */
#define INDEX_WRONG (PROFILE_NONE - 1)

static uint32_t index_of(const json_t *value)
{
    json_int_t i = json_integer_value(value);
    if (!json_is_integer(value))
        return PROFILE_NONE;
    return i >= 0 && i < INDEX_WRONG ? (uint32_t)i : INDEX_WRONG;
}

/* An integer that is not there is 0; one that is not from LOW to HIGH is LOW, and not *GOOD. */
static json_int_t integer_of(const json_t *value, json_int_t low, json_int_t high, bool *good)
{
    json_int_t i = json_integer_value(value);
    if (i >= low && i <= high)
        return i;
    *good = false;
    return low;
}

static uint64_t hex_of(const json_t *value)
{
    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 16) : 0;
}

static void read_texts(const json_t *array, struct profile *p,
                       void (*add)(struct profile *, const char *))
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text)
            add(p, text);
    }
}

static void add_warning(struct profile *p, const char *text)
{
    profile_warn(p, "%s", text);
}

static bool ranks_good(struct profile *p, const json_t *ranks)
{
    for (size_t i = 0; i < p->ranks.n; i++) {
        if (!json_object_get(json_array_get(ranks, i), "load")) /* of before it was recorded */
            p->ranks.at[i].load = -1;
        if (p->ranks.at[i].rank < 0)
            return false;
    }
    return true;
}

/* Of calls without a place. */
static bool entries_good(struct profile *p)
{
    for (size_t i = 0; i < p->entries.n; i++) {
        if (p->entries.at[i].size_class > 63)
            return false;
        if (p->entries.at[i].site == PROFILE_NONE)
            p->entries.at[i].site = profile_add_site(p, &(struct profile_site){0});
    }
    return true;
}

static char *text_of(const json_t *value)
{
    return json_is_string(value) ? memory_strdup(json_string_value(value)) : NULL;
}

static bool read_sites(struct profile *p, const json_t *array)
{
    bool good = true;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *frames = json_object_get(json_array_get(array, i), "frames");
        struct profile_site *s = PUSH(&p->sites);
        if (json_array_size(frames) > LEDGER_MAX_DEPTH)
            return false;
        s->depth = (uint32_t)json_array_size(frames);
        s->in_part = json_is_true(json_object_get(json_array_get(array, i), "in_part"));
        for (uint32_t k = 0; k < s->depth; k++) {
            const json_t *from = json_array_get(frames, k);
            struct profile_frame *f = &s->frame[k];
            f->module = index_of(json_object_get(from, "module"));
            f->address = hex_of(json_object_get(from, "address"));
            f->offset = (uint64_t)integer_of(json_object_get(from, "offset"), 0, INT64_MAX, &good);
            f->function = text_of(json_object_get(from, "function"));
            f->inlined = json_is_true(json_object_get(from, "inlined"));
            f->file = text_of(json_object_get(from, "file"));
            f->line = (uint32_t)integer_of(json_object_get(from, "line"), 0, INT32_MAX, &good);
            if (!good)
                return false;
        }
    }
    return true;
}

static bool read_members(struct profile *p, const struct profile_event *instance,
                         const json_t *members, const json_t *outside)
{
    bool good = true;
    for (size_t m = 0; good && m + 5 < json_array_size(members); m += 6) {
        struct profile_event *e = PUSH(&p->events);
        *e = *instance;
        e->rank = (uint32_t)integer_of(json_array_get(members, m), 0, INT32_MAX, &good);
        e->comm_rank = (uint32_t)integer_of(json_array_get(members, m + 1), 0, INT32_MAX, &good);
        e->site = index_of(json_array_get(members, m + 2));
        e->bytes = (uint64_t)integer_of(json_array_get(members, m + 3), 0, INT64_MAX, &good);
        e->entry_ns = integer_of(json_array_get(members, m + 4), -FAR_NS, FAR_NS, &good);
        e->exit_ns = integer_of(json_array_get(members, m + 5), -FAR_NS, FAR_NS, &good);
        const json_t *known = json_array_get(outside, m / 6); /* not in earlier profiles */
        e->outside_ns = json_is_integer(known) ? integer_of(known, 0, FAR_NS, &good) : -1;
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
        struct profile_event e = {.comm_id = hex_of(json_object_get(from, "communicator_id")),
                                  .sequence = (uint32_t)integer_of(
                                      json_object_get(from, "sequence"), 0, UINT32_MAX, &good),
                                  .comm = index_of(json_object_get(from, "communicator")),
                                  .operation = index_of(json_object_get(from, "operation")),
                                  .root = (int32_t)integer_of(json_object_get(from, "root"),
                                                              INT32_MIN, INT32_MAX, &good)};
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

/* A profile of an earlier version lacks some lists, and the trace. */
static bool read_all(struct profile *p, const json_t *json)
{
    const json_t *run = json_object_get(json, "run"), *trace = json_object_get(json, "trace");
    read_texts(json_object_get(run, "programs"), p, profile_add_program);
    read_texts(json_object_get(run, "mpi"), p, profile_add_library);
    read_texts(json_object_get(json, "warnings"), p, add_warning);
    read_findings(p, json_object_get(json, "findings"));
    bool good = true;
    p->writing_ns = (uint64_t)integer_of(json_object_get(json, "writing_ns"), 0, INT64_MAX, &good);
    good = good && fields_read(run, &fields_run, p) &&
           (!trace || fields_read(trace, &fields_trace, &p->trace));
    for (const struct list *l = profile_lists; l < profile_lists + n_profile_lists; l++)
        good = good && (!l->key || read_list(p, l, json_object_get(json, l->key)));
    p->has_arrivals = true;
    good = good && read_sites(p, json_object_get(json, "sites")) &&
           read_instances(p, json_object_get(json, "instances")) && positions_valid(p) &&
           ranks_good(p, json_object_get(json, "ranks"));
    if (good)
        profile_reindex(p);
    return good && entries_good(p);
}

/* Every text in it, to be shown as it is: see quote_plain(). */
static void make_plain(json_t *json)
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
        json_object_foreach(json, key, value) make_plain(value);
    } else {
        json_array_foreach(json, i, value) make_plain(value);
    }
}

/* Figures that can be each by itself, and not beside each other. */
static bool entry_possible(const struct profile_entry *e)
{
    return e->errors <= e->calls && e->apart <= e->calls && e->hidden <= e->completed &&
           (e->time_ns == 0 || e->max_ns == 0 || e->time_ns / e->max_ns <= e->calls);
}

/* Where one thread at a time calls MPI, calls do not take longer than the run. Twice and a second
 * more: a rank's clock is read by two rates. */
static bool rank_possible(const struct profile *p, const struct profile_rank *r)
{
    double run = 1e9 * r->wall + (double)r->init_ns + (double)r->lifecycle_ns, most = 2 * run + 1e9;
    if (isnan(r->wall)) /* it was beyond all numbers, and is shown as not known */
        return true;
    if (!(r->wall >= 0 && r->wall < 1e-9 * (double)FAR_NS))
        return false;
    return r->state != LEDGER_FINALIZED ||
           ((p->threads_at_once || (double)r->mpi_ns <= most) && (double)r->delayed_ns <= most);
}

/* No time, size or number of measurements is larger, whatever its unit. */
static bool finding_possible(const json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;
    bool good = !json_is_number(value) || fabs(json_number_value(value)) <= 1e15;
    json_object_foreach((json_t *)value, key, part) good = good && finding_possible(part);
    json_array_foreach(value, i, part) good = good && finding_possible(part);
    return good;
}

/* What is impossible in P; NULL: nothing. */
static const char *impossible(const struct profile *p)
{
    double calls = 0, waits = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (!rank_possible(p, &p->ranks.at[i]))
            return "a rank was longer in MPI, or without a processor, than it ran";
    for (size_t i = 0; i < p->entries.n; i++) {
        if (!entry_possible(&p->entries.at[i]))
            return "calls of one place took longer, or failed more often, than there were any";
        calls += (double)p->entries.at[i].time_ns + (double)p->entries.at[i].apart_ns;
    }
    for (size_t i = 0; i < p->arrivals.n; i++)
        if (p->arrivals.at[i].wait_ns > p->arrivals.at[i].time_ns)
            return "collectives of one place waited for longer than they took";
    for (size_t i = 0; i < p->findings.n; i++)
        if (!finding_possible(p->findings.at[i].value))
            return "a measurement has a number that none can have";
    for (size_t i = 0; i < p->waits.n; i++)
        waits += (double)p->waits.at[i].wait_ns;
    if (calls > (double)FAR_NS || waits > 1.001 * (double)p->trace.calls_ns)
        return "the sum of times is longer than the run";
    return NULL;
}

/* What is wrong with a profile that could not be read. */
static const char *damage(const char *what, const char *key)
{
    static char text[160];
    if (what || key)
        snprintf(text, sizeof text, "a damaged profile: %s%s", what ? what : key,
                 what ? "" : " is not what it can be");
    return what || key ? text : "a damaged profile";
}

struct profile *profile_from_json(json_t *json, const char **reason)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    *reason = "no collprof profile";
    if (!schema || strncmp(schema, "collprof-profile/", 17))
        return NULL;
    *reason = "a profile of another version of collprof (this one reads collprof-profile/1)";
    if (strcmp(schema, "collprof-profile/1"))
        return NULL;
    make_plain(json);
    struct profile *p = profile_new();
    bool good = read_all(p, json);
    const char *what = good ? impossible(p) : NULL;
    if (!good || what) {
        profile_free(p);
        *reason = damage(what, fields_fault());
        return NULL;
    }
    *reason = NULL;
    return p;
}
