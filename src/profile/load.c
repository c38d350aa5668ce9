/* Loads a directory of results: profile.json, or the raw records of a run that did not write it. */
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "profile/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void records_remark(struct records *r, const char *path, const char *what)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s: left out", text_base_of(path), what);
    quote_plain(line);
    *PUSH(&r->remarks) = memory_strdup(line);
}

/* Warns about missing ranks. */
static void say_missing(struct profile *p)
{
    int32_t *missing = memory_alloc(((size_t)p->size + 1) * sizeof *missing), n = 0;
    for (int32_t i = 0; i < p->size; i++)
        if (rank_index(p, (uint32_t)i) == p->ranks.n)
            missing[n++] = i;
    if (n) {
        char text[200] = "";
        rank_list(text, sizeof text, missing, (size_t)n);
        profile_warn(p, "no record of %d of %d ranks: %s", n, p->size, text);
        p->crashed = true;
    }
    free(missing);
}

/* One after the other, so that only one record is in memory at a time. NULL if none can be used. */
static struct profile *merge_records(struct records *r, uint32_t sections)
{
    struct profile *p = NULL;
    for (size_t i = 0; i < r->list.n; i++) {
        struct ledger l;
        const char *fault = ledger_open(&l, r->list.at[i].path, sections);
        if (fault) {
            records_remark(r, r->list.at[i].path, fault);
            continue;
        }
        struct profile *one = profile_from_ledger(&l);
        if (one->ranks.at[0].state == LEDGER_RUNNING && !ledger_is_alive(l.header))
            one->ranks.at[0].state = PROFILE_CUT_OFF;
        ledger_close(&l);
        if (p)
            profile_merge(p, one);
        else
            p = one;
    }
    return p;
}

static struct profile *load_json(const char *path)
{
    char why[4600];
    const char *reason = NULL;
    json_t *json = json_file_load(path, why, sizeof why);
    struct profile *p = json ? profile_from_json(json, &reason) : NULL;
    if (!json)
        reason_give("%s", why);
    else if (!p)
        reason_give("%s: %s", path, reason);
    json_decref(json);
    return p;
}

bool records_find(struct records *r, const char *directory)
{
    char inside[4200];
    snprintf(inside, sizeof inside, "%.4100s/.", directory);
    if (access(inside, R_OK))
        return reason_give("%s: %s: use: mpiexec -n N collprof ./app, or another directory",
                           directory, strerror(errno));
    *r = (struct records){.files = input_list(directory, "/" LEDGER_NAMES)};
    for (size_t i = 0; i < r->files.gl_pathc; i++) {
        struct record record = {.path = r->files.gl_pathv[i]};
        const char *fault = ledger_peek(&record.header, record.path);
        if (fault)
            records_remark(r, record.path, fault);
        else
            *PUSH(&r->list) = record;
    }
    return true;
}

void records_free(struct records *r)
{
    for (size_t i = 0; i < r->remarks.n; i++)
        free(r->remarks.at[i]);
    free(r->list.at);
    free(r->remarks.at);
    globfree(&r->files);
}

/* What needs all records of the run in DIRECTORY. */
static void conclude(struct profile *p, const struct records *r, const char *directory)
{
    say_missing(p);
    for (size_t i = 0; i < p->ranks.n; i++)
        p->crashed = p->crashed || p->ranks.at[i].state != LEDGER_FINALIZED;
    for (size_t i = 0; i < r->remarks.n; i++)
        profile_warn(p, "%s", r->remarks.at[i]);
    if (p->crashed) /* otherwise the ranks could not merge while they ran, because of sessions */
        profile_warn(p, "made from the raw records in %s: the run did not write its profile",
                     directory);
    profile_symbolize(p);
}

static struct profile *load_records(const char *directory, bool traced)
{
    struct records r;
    if (!records_find(&r, directory))
        return NULL;
    struct profile *p = merge_records(&r, LEDGER_ALL);
    if (p && (!traced || p->trace.on)) {
        conclude(p, &r, directory);
    } else {
        profile_free(p);
        p = NULL;
        reason_give(traced
                        ? "%s: no trace: use records of `collprof run --trace`"
                        : "%s: neither profile.json nor a record rank-*.ledger that can be read: "
                          "use the directory that `collprof run -o` wrote",
                    directory);
    }
    for (size_t i = 0; i < r.remarks.n && !p && !traced; i++)
        reason_give("%s", r.remarks.at[i]);
    records_free(&r);
    return p;
}

/* A profile takes precedence over the records from which it was made. */
struct profile *profile_load(const char *directory)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/profile.json", directory);
    return access(path, F_OK) ? load_records(directory, false) : load_json(path);
}

struct profile *profile_load_trace(const char *directory)
{
    return load_records(directory, true);
}

struct profile *profile_load_counts(const char *directory)
{
    const uint32_t without =
        1u << LEDGER_EVENTS | 1u << LEDGER_CHANNELS | 1u << LEDGER_MESSAGES | 1u << LEDGER_REQUESTS;
    struct records r;
    if (!records_find(&r, directory))
        return NULL;
    struct profile *p = merge_records(&r, ~without);
    records_free(&r);
    if (!p)
        return NULL;
    profile_sort(p);
    profile_name_sites(p);
    arrivals_find(p);
    return p;
}
