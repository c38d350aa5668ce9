/* profile.json, as collprof-profile(5) describes it. */
#include "base/clock.h"
#include "profile/fields.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All from L to that of KEY; returns the next. */
static const struct list *put_lists(json_t *whole, const struct profile *p, const struct list *l,
                                    const char *key)
{
    for (bool last = false; !last; l++) {
        last = l->key && !strcmp(l->key, key);
        json_t *array = l->key ? json_array() : NULL;
        for (size_t i = 0; l->key && i < list_in(p, l)->n; i++)
            json_push(array, fields_json(l->fields, list_at(p, l, i)));
        if (l->key)
            json_put(whole, l->key, array);
    }
    return l;
}

static json_t *texts(char *const *text, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_push(array, json_text(text[i], SIZE_MAX));
    return array;
}

static json_t *index_or_null(uint32_t i)
{
    return i == PROFILE_NONE ? json_null() : json_integer(i);
}

static json_t *frame_of(const struct profile_frame *f)
{
    char address[24];
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)f->address);
    json_t *object = json_object();
    json_put(object, "module", index_or_null(f->module));
    json_put(object, "address", json_string(address));
    json_put(object, "offset", json_integer((json_int_t)f->offset));
    if (f->function)
        json_put(object, "function", json_text(f->function, SIZE_MAX));
    if (f->inlined)
        json_put(object, "inlined", json_true());
    if (f->file) {
        json_put(object, "file", json_text(f->file, SIZE_MAX));
        json_put(object, "line", json_integer(f->line));
    }
    return object;
}

static json_t *sites_of(const struct profile *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->sites.n; i++) {
        json_t *frames = json_array();
        for (uint32_t f = 0; f < p->sites.at[i].depth; f++)
            json_push(frames, frame_of(&p->sites.at[i].frame[f]));
        json_t *site = json_pack("{s:o}", "frames", frames);
        if (p->sites.at[i].in_part)
            json_object_set_new(site, "in_part", json_true());
        json_push(array, site);
    }
    return array;
}

/* Members in one flat array of six numbers each: a run has tens of thousands of them. */
static void append_member(json_t *members, const struct profile_event *e)
{
    json_push(members, json_integer(e->rank));
    json_push(members, json_integer(e->comm_rank));
    json_push(members, index_or_null(e->site));
    json_push(members, json_integer((json_int_t)e->bytes));
    json_push(members, json_integer(e->entry_ns));
    json_push(members, json_integer(e->exit_ns));
}

static json_t *instances_of(const struct profile *p)
{
    uint32_t mask = p->sample_mask;
    size_t kept = SIZE_MAX;
    while (kept > PROFILE_MAX_SAVED_EVENTS && mask != UINT32_MAX) {
        mask = kept == SIZE_MAX ? mask : mask << 1 | 1;
        kept = 0;
        for (size_t i = 0; i < p->events.n; i++)
            kept += event_is_sampled(&p->events.at[i], mask);
    }
    json_t *list = json_array(), *members = NULL, *outside = NULL;
    const struct profile_event *last = NULL;
    for (size_t i = 0; i < p->events.n; i++) {
        const struct profile_event *e = &p->events.at[i];
        char id[24];
        if (!event_is_sampled(e, mask))
            continue;
        if (!last || last->comm_id != e->comm_id || last->sequence != e->sequence) {
            members = json_array();
            outside = json_array();
            snprintf(id, sizeof id, "0x%016llx", (unsigned long long)e->comm_id);
            json_push(list,
                      json_pack("{s:s, s:I, s:I, s:I, s:i, s:o, s:o}", "communicator_id", id,
                                "sequence", (json_int_t)e->sequence, "communicator",
                                (json_int_t)e->comm, "operation", (json_int_t)e->operation, "root",
                                (int)e->root, "members", members, "outside_ns", outside));
        }
        append_member(members, e);
        json_push(outside, e->outside_ns < 0 ? json_null() : json_integer(e->outside_ns));
        last = e;
    }
    return json_pack("{s:I, s:I, s:o}", "kept_one_in", (json_int_t)mask + 1, "analysed_one_in",
                     (json_int_t)p->sample_mask + 1, "list", list);
}

static json_t *findings_of(const struct profile *p)
{
    json_t *object = json_object();
    for (size_t i = 0; i < p->findings.n; i++) {
        const struct profile_finding *f = &p->findings.at[i];
        if (!json_object_get(object, f->kind))
            json_put(object, f->kind, json_array());
        json_push(json_object_get(object, f->kind), finding_json(f));
    }
    return object;
}

json_t *profile_json(const struct profile *p)
{
    json_t *run = fields_json(&fields_run, p), *whole = json_object();
    const struct list *next = profile_lists;
    json_put(run, "programs", texts(p->programs.at, p->programs.n));
    json_put(run, "mpi", texts(p->libraries.at, p->libraries.n));
    json_put(whole, "schema", json_string("collprof-profile/1"));
    json_put(whole, "collprof", json_string(PACKAGE_VERSION));
    json_put(whole, "run", run);
    json_put(whole, "warnings", texts(p->warnings.at, p->warnings.n));
    next = put_lists(whole, p, next, "regions");
    json_put(whole, "sites", sites_of(p));
    next = put_lists(whole, p, next, "arrivals");
    json_put(whole, "instances", instances_of(p));
    json_put(whole, "findings", findings_of(p));
    next = put_lists(whole, p, next, "matrix");
    json_put(whole, "trace", fields_json(&fields_trace, &p->trace));
    put_lists(whole, p, next, "transport");
    return whole;
}

/* What writing takes stands in the last member, and is measured up to there. */
static int write_json(struct profile *p, FILE *out)
{
    double start = clock_now();
    p->writing_ns = 0;
    json_t *json = profile_json(p);
    errno = 0;
    bool good = json && !json_dumpf(json, out, JSON_COMPACT | JSON_PRESERVE_ORDER) &&
                !fseek(out, -1, SEEK_CUR); /* back before the closing brace; flushes */
    p->writing_ns = (uint64_t)(1e9 * (clock_now() - start));
    good = good && fprintf(out, ",\"writing_ns\":%" PRIu64 "}\n", p->writing_ns) > 0;
    int error = good ? 0 : (errno ? errno : EIO);
    json_decref(json);
    if (fclose(out) && !error)
        error = errno;
    return error;
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
    int error = write_json(p, out);
    if (!error && renameat(directory, temporary, directory, "profile.json"))
        error = errno;
    if (error)
        unlinkat(directory, temporary, 0);
    return error;
}
