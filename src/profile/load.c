/* Loads a directory of results: profile.json, or the raw records of a run that did not write it. */
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "profile/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool records_find(glob_t *records, const char *directory)
{
    FREED char *real = realpath(directory, NULL); /* if a link, the next run may change it */
    char inside[4200];
    snprintf(inside, sizeof inside, "%.4100s/.", real ? real : "");
    if (!real || access(inside, R_OK))
        return reason_give("%s: %s: use: mpiexec -n N collprof ./app, or another directory",
                           directory, strerror(errno));
    *records = input_list(real, "/" LEDGER_NAMES);
    return true;
}

void records_ignore(struct profile *p, const char *path, const char *fault)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s: left out", text_base_of(path), fault);
    quote_plain(line);
    profile_warn(p, "%s", line);
}

struct profile *profile_from_ledger(const struct ledger *l)
{
    struct profile *p = profile_new();
    struct gather g = gather_begin(p, l);
    gather_rows(&g);
    gather_samples(&g);
    if (g.rate > 0) {
        gather_trace(&g);
        gather_parts(&g);
    }
    gather_end(&g);
    return p;
}

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

/* The merged profile of the ledgers in DIRECTORY, which are in memory one at a time. The profile
 * has no ranks if no ledger is valid; NULL with a reason_give() if DIRECTORY cannot be read. */
static struct profile *merge_records(const char *directory, uint32_t sections)
{
    glob_t records;
    if (!records_find(&records, directory))
        return NULL;
    struct profile *p = profile_new();
    for (size_t i = 0; i < records.gl_pathc; i++) {
        struct ledger l;
        const char *fault = ledger_open(&l, records.gl_pathv[i], sections);
        if (fault) {
            records_ignore(p, records.gl_pathv[i], fault);
            continue;
        }
        struct profile *one = profile_from_ledger(&l);
        if (one->ranks.at[0].state == LEDGER_RUNNING && !ledger_is_alive(l.header))
            one->ranks.at[0].state = PROFILE_CUT_OFF;
        ledger_close(&l);
        profile_merge(p, one);
    }
    globfree(&records);
    return p;
}

static struct profile *load_json(const char *directory)
{
    char why[4600], path[4200];
    const char *reason = NULL;
    snprintf(path, sizeof path, "%.4000s/profile.json", directory);
    json_t *json = json_file_load(path, why, sizeof why);
    struct profile *p = json ? profile_from_json(json, &reason) : NULL;
    if (!json)
        reason_give("%s", why);
    else if (!p)
        reason_give("%s: %s", path, reason);
    json_decref(json);
    return p;
}

/* Completes P, merged from all ledgers in DIRECTORY. */
static void conclude(struct profile *p, const char *directory)
{
    say_missing(p);
    for (size_t i = 0; i < p->ranks.n; i++)
        p->crashed = p->crashed || p->ranks.at[i].state != LEDGER_FINALIZED;
    if (p->crashed) /* not for runs with MPI sessions alone, which end well without a profile */
        profile_warn(p, "made from the raw records in %s: the run did not write its profile",
                     directory);
    profile_symbolize(p);
}

static struct profile *load_records(const char *directory, bool traced)
{
    struct profile *p = merge_records(directory, LEDGER_ALL);
    if (p && p->ranks.n && (!traced || p->trace.on)) {
        conclude(p, directory);
        return p;
    }
    if (p)
        reason_give(traced
                        ? "%s: no trace: use records of `collprof run --trace`"
                        : "%s: neither profile.json nor a record rank-*.ledger that can be read: "
                          "use the directory that `collprof run -o` wrote",
                    directory);
    for (size_t i = 0; p && i < p->warnings.n && !traced; i++)
        reason_give("%s", p->warnings.at[i].text);
    profile_free(p);
    return NULL;
}

bool profile_exists(const char *directory)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/profile.json", directory);
    return !access(path, F_OK);
}

struct profile *profile_load(const char *directory)
{
    return profile_exists(directory) ? load_json(directory) : load_records(directory, false);
}

struct profile *profile_load_trace(const char *directory)
{
    return load_records(directory, true);
}

struct profile *profile_load_counts(const char *directory)
{
    const uint32_t without =
        1u << LEDGER_EVENTS | 1u << LEDGER_CHANNELS | 1u << LEDGER_MESSAGES | 1u << LEDGER_REQUESTS;
    struct profile *p = merge_records(directory, ~without);
    if (!p || !p->ranks.n) {
        profile_free(p);
        return NULL;
    }
    profile_sort(p);
    profile_name_sites(p);
    arrivals_find(p);
    return p;
}
