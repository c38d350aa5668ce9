/* Findings about how ranks ended, and about why figures are incomplete or uncertain. To add a
 * doubt: a function, and its line in find_doubts(). */
#include "base/format.h"
#include "base/try.h"
#include "report/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One finding for all ranks that ended in the same way. */
void find_ends(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    FREED int32_t *rank = memory_alloc((p->ranks.n + 1) * sizeof *rank);
    for (EACH(const struct profile_rank, r, p->ranks)) {
        char end[160], list[200] = "";
        size_t n = 0;
        for (size_t k = 0; k < p->ranks.n; k++)
            if (p->ranks.at[k].state == r->state && p->ranks.at[k].state_detail == r->state_detail)
                rank[n++] = p->ranks.at[k].rank;
        if (r->state == LEDGER_FINALIZED || rank[0] != r->rank)
            continue;
        rank_list(list, sizeof list, rank, n);
        end_text(r->state, r->state_detail, end, sizeof end);
        document_finding(c->d, FINDING("rank_ended", ERROR, .ranks = rank, .n_ranks = n),
                         "rank%s %s: %s; counts end there", n > 1 ? "s" : "", list, end);
    }
}

/* Number of records lost because a table of the ledger was full; at least 1 if the ledger could not
 * grow. Collectives and stacks do not count, as they are sampled by design; messages have a finding
 * of their own. */
static uint64_t missing(const struct profile_rank *r)
{
    uint64_t sum = r->untracked_requests; /* counts rows dropped of LEDGER_REQUESTS, too */
    for (int s = 0; s < LEDGER_SECTIONS; s++)
        sum += s == LEDGER_INSTANCES || s == LEDGER_MESSAGES || s == LEDGER_REQUESTS ||
                       s == LEDGER_SAMPLES
                   ? 0
                   : r->dropped[s];
    return sum ?: r->grow_error != 0;
}

static void find_missing(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    FREED int32_t *rank = memory_alloc((p->ranks.n + 1) * sizeof *rank);
    char list[200] = "";
    uint64_t sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->ranks.n; i++) {
        const uint64_t lost = missing(&p->ranks.at[i]);
        sum += lost;
        if (lost)
            rank[n++] = p->ranks.at[i].rank;
    }
    rank_list(list, sizeof list, rank, n);
    if (n)
        document_finding(
            c->d,
            FINDING("record_full", DOUBT, .ranks = rank, .n_ranks = n,
                    .number = {{"count", (double)sum}}),
            "The record of rank%s %s was full: %s call sites, calls, communicators or "
            "requests are missing in the figures (use: --memory, or a smaller --stack).",
            n > 1 ? "s" : "", list, AS_COUNT(sum));
}

/* Reports calls that returned an error: a program that continues may compute with wrong data. */
static void find_failures(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    struct profile_entry most = {0};
    uint64_t all = 0;
    char rank[40];
    struct profile *sums = profile_sums(p, true);
    for (EACH(const struct profile_entry, e, sums->entries)) {
        all += e->errors;
        most = e->errors > most.errors ? *e : most;
    }
    profile_free(sums);
    if (!all)
        return;
    const bool all_here = most.errors == all;
    const struct profile_group *g = profile_group_find(p, most.site, most.operation);
    const bool one = all_here && g && g->spread.ranks == 1;
    const int only = one ? (int)g->spread.best : -1;
    snprintf(rank, sizeof rank, " on rank %d", only);
    const char *call = AS_CALL(c->v, most.operation, most.site, NULL);
    document_finding(c->d,
                     FINDING("failed_calls", ERROR, .site = call, .ranks = &only, .n_ranks = one,
                             .number = {{"count", (double)all}}),
                     "%s call%s returned an error%s: %s%s.", AS_COUNT(all), all == 1 ? "" : "s",
                     one ? rank : "", call, all_here ? "" : " most often");
}

static void find_excluded(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    double injected = 0, run = 0;
    bool any = false;
    for (EACH(const struct profile_entry, e, p->entries))
        any = any || e->excluded;
    for (size_t i = 0; i < p->ranks.n; i++) {
        injected += 1e-9 * (double)p->ranks.at[i].injected_ns;
        run += p->ranks.at[i].wall;
    }
    if (any || injected > 0.001 * run)
        document_finding(
            c->d,
            FINDING("excluded", NOTE, .number = {{"measuring_percent", 100 * injected / run}}),
            "Experiments took %s per rank, %s of the run; percentages refer to the rest. Calls "
            "that they may "
            "have delayed count for the efficiency and the ranks' times, but not for times of call "
            "sites.",
            AS_TIME(1e9 * injected / c->ranks), AS_SHARE(injected, run));
}

static void find_limits(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    if (p->hosts.n > 1 && !p->synchronized)
        document_finding(c->d, FINDING("clocks_differ", DOUBT),
                         "The clocks of %zu hosts were not synchronized: it is unknown which ranks "
                         "arrive late at collectives.",
                         p->hosts.n);
    if (p->peers_dropped)
        document_finding(c->d, FINDING("dropped_messages", DOUBT),
                         "%" PRIu64 " messages are not in the communication matrix: it was full.",
                         p->peers_dropped);
    for (size_t i = 0; i < p->entries.n; i++)
        if (!strncmp(p->operations.at[p->entries.at[i].operation].name, "MPI_Comm_spawn",
                     strlen("MPI_Comm_spawn"))) {
            document_finding(c->d, FINDING("spawned", DOUBT),
                             "Processes that MPI_Comm_spawn starts are not in this profile.");
            break;
        }
}

void find_doubts(struct finding_context *c)
{
    for (size_t i = 0; i < c->v->p->warnings.n; i++) {
        const char *text = c->v->p->warnings.at[i].text;
        const bool missing = !strncmp(text, PROFILE_NOTHING, strlen(PROFILE_NOTHING));
        document_finding(c->d,
                         &(struct finding){.key = "remark",
                                           .severity = missing ? SEVERITY_NOTE : SEVERITY_DOUBT},
                         "%s", text);
    }
    find_missing(c);
    find_failures(c);
    find_excluded(c);
    find_limits(c);
}
