#include "report/filter.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ROW is an element of the array: whether KEEP says so. */
#define KEEP(array, row, keep)                                                                     \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < (array).n; i++) {                                                   \
            __typeof__((array).at) row = &(array).at[i];                                           \
            if (keep)                                                                              \
                (array).at[kept++] = *row;                                                         \
        }                                                                                          \
        (array).n = kept;                                                                          \
    } while (0)

static bool matches(const char *pattern, const char *name)
{
    return !fnmatch(pattern, name, FNM_CASEFOLD) ||
           !fnmatch(pattern, text_without_mpi(name), FNM_CASEFOLD);
}

static bool names(const struct profile *p, const struct filter *f, uint32_t operation)
{
    return !f->only ||
           (operation != PROFILE_NONE && matches(f->only, p->operations.at[operation].name));
}

static bool is_call(const struct profile *p, const struct profile_entry *e)
{
    return p->operations.at[e->operation].family != FAMILY_LIFECYCLE;
}

/* Of the ranks in a row only the one that spends most is known by number. */
static bool keeps(const struct profile *p, const struct filter *f, const struct profile_entry *e)
{
    const struct profile_group *g = profile_group_find(p, e->site, e->operation);
    return is_call(p, e) && names(p, f, e->operation) &&
           (!f->one_rank || (g && g->spread.ranks && g->spread.worst == (uint32_t)f->rank));
}

static void sum_up(const struct profile *p, uint64_t *calls, double *time)
{
    for (size_t i = 0; i < p->entries.n; i++) {
        if (!is_call(p, &p->entries.at[i]))
            continue;
        *calls += p->entries.at[i].calls;
        *time += (double)p->entries.at[i].time_ns;
    }
}

/* Measurements are of all members of a communicator together. */
static bool keeps_finding(const struct filter *f, const struct profile_finding *finding)
{
    const char *operation = json_string_value(json_object_get(finding->value, "operation"));
    if (!strcmp(finding->kind, "broadcast")) /* in place of it */
        operation = "MPI_Bcast";
    return !f->one_rank && (!f->only || (operation && matches(f->only, operation)));
}

static bool drop_entry(struct profile_entry *e)
{
    free(e->histogram);
    return false;
}

static bool drop_finding(struct profile_finding *f)
{
    free(f->kind);
    json_decref(f->value);
    return false;
}

static void keep_rows(struct profile *p, const struct filter *f)
{
    const uint32_t rank = (uint32_t)f->rank;
    const bool all = !f->one_rank;
    KEEP(p->entries, e, keeps(p, f, e) || drop_entry(e));
    KEEP(p->arrivals, a, names(p, f, a->operation) && (all || a->cost_rank == rank));
    KEEP(p->events, e, names(p, f, e->operation) && (all || e->rank == rank));
    KEEP(p->waits, w, names(p, f, w->operation) && (all || w->rank == rank));
    KEEP(p->peers, m, names(p, f, m->operation) && (all || m->rank == rank || m->peer == rank));
    KEEP(p->stands, s, names(p, f, s->operation) && (all || s->rank == f->rank));
    KEEP(p->findings, m, keeps_finding(f, m) || drop_finding(m));
}

/* The operations that were called; the one that PATTERN nearly is first. */
static void name_choices(const struct profile *p, const char *pattern, char *text, size_t room)
{
    size_t least = TEXT_SLIPS + 1, at = 0;
    const char *nearest = NULL;
    bool *called = memory_alloc(p->operations.n + 1);
    for (size_t i = 0; i < p->entries.n; i++)
        called[p->entries.at[i].operation] = is_call(p, &p->entries.at[i]);
    for (size_t i = 0; i < p->operations.n; i++) {
        const char *name = p->operations.at[i].name;
        size_t bare = text_slips(text_without_mpi(name), pattern),
               slips = text_slips(name, pattern);
        slips = bare < slips ? bare : slips;
        if (called[i] && slips < least) {
            least = slips;
            nearest = name;
        }
    }
    if (nearest)
        at += (size_t)snprintf(text, room, "did you mean %s? ", nearest);
    at += (size_t)snprintf(text + at, room - at, "The run called");
    for (size_t i = 0; i < p->operations.n && at + 60 < room; i++)
        if (called[i])
            at += (size_t)snprintf(text + at, room - at, " %s", p->operations.at[i].name);
    free(called);
}

bool filter_apply(struct profile *p, struct filter *f, char *why, size_t room)
{
    char choices[600];
    bool any = !f->only, rank = !f->one_rank;
    if (!filter_is_on(f))
        return true;
    for (size_t i = 0; i < p->entries.n; i++)
        any = any || (is_call(p, &p->entries.at[i]) && names(p, f, p->entries.at[i].operation));
    for (size_t i = 0; i < p->ranks.n; i++)
        rank = rank || p->ranks.at[i].rank == f->rank;
    if (!any) {
        name_choices(p, f->only, choices, sizeof choices);
        snprintf(why, room, "--only=%s: no call of that name: %s", f->only, choices);
        return false;
    }
    if (!rank) {
        snprintf(why, room, "--rank=%d: no such rank was recorded: expected 0 to %d", f->rank,
                 p->ranks.n ? p->ranks.at[p->ranks.n - 1].rank : 0);
        return false;
    }
    sum_up(p, &f->all_calls, &f->all_ns);
    keep_rows(p, f);
    sum_up(p, &f->calls, &f->time_ns);
    return true;
}

void filter_ranks(struct profile *p, const struct filter *f)
{
    if (f->one_rank)
        KEEP(p->ranks, r, r->rank == f->rank);
}

char *filter_sentences(const struct filter *f)
{
    char *text = NULL, calls[32], all[32], share[32], rank[40] = "";
    if (f->one_rank)
        snprintf(rank, sizeof rank, " --rank=%d", f->rank);
    if (asprintf(&text, "Only%s%s%s: %s of %s calls, %s of the time in MPI.%s\n",
                 f->only ? " --only=" : "", f->only ? f->only : "", rank,
                 format_count(calls, f->calls), format_count(all, f->all_calls),
                 format_share(share, f->time_ns, f->all_ns),
                 f->one_rank ? " Calls are of all ranks together: shown are call sites where this "
                               "rank spends most."
                             : "") < 0)
        memory_out();
    return text;
}
