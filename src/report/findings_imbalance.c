/* Findings about waiting for other ranks, from times outside of MPI and arrivals at collectives,
 * which need no trace. Waiting that find_waits() has explained is left out. */
#include "base/format.h"
#include "report/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets SHARE to bounds of the share of the slow ranks' time outside of MPI that they spent on a
 * processor (the upper bound: or runnable). Only bounds are known, since processor time includes an
 * unknown part in MPI. False if none is known. */
static bool processor_share(const struct imbalance *b, const struct profile *p, double share[2])
{
    double outside = 0, least = 0, most = 0;
    bool known = true;
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        double time = rank_outside(r), used = 1e-9 * (double)r->cpu_ns;
        if (!b->slow[i])
            continue;
        known = known && r->cpu_ns >= 0;
        outside += time;
        least += fmin(time, fmax(0, used - 1e-9 * (double)r->mpi_ns));
        most += fmin(time, used + fmax(0, 1e-9 * (double)r->delayed_ns));
    }
    share[0] = least / outside;
    share[1] = most / outside;
    return known && outside > 0;
}

static void add_imbalance(struct finding_context *c, const struct imbalance *b)
{
    const struct profile *p = c->v->p;
    /* Of unequal groups the smaller is named: one rank with LESS work, not all others. */
    const bool less = 2 * b->n_slow > p->ranks.n;
    const size_t n = less ? p->ranks.n - b->n_slow : b->n_slow;
    const bool several = n > 1;
    static const double nearly_all = 0.9;
    char list[200] = "", more[120] = "", advice[CALL_LABEL + 300], code[SAMPLED_TEXT];
    double processor[2];
    int32_t *rank = memory_alloc(n * sizeof *rank);
    for (size_t i = 0, k = 0; i < p->ranks.n; i++)
        if (b->slow[i] != less)
            rank[k++] = p->ranks.at[i].rank;
    rank_list(list, sizeof list, rank, n);
    const bool known_call = b->at.cost > 0;
    const char *call = AS_CALL(c->v, b->at.operation, b->at.site, "MPI_Finalize");
    bool known = processor_share(b, p, processor);
    bool computes = known && processor[0] >= 0.5, idle = known && processor[1] < 0.9;
    if (idle && !less)
        snprintf(more, sizeof more,
                 " At most %s of %s time outside of MPI needed a processor: the rest is sleep, or "
                 "waiting for files.",
                 AS_SHARE(processor[1], 1), several ? "their" : "its");
    sampled_excess(c->v, b->slow, NULL, b->slow_time - b->others, code);
    /* A call that slow ranks do not make does not show where their work is. */
    const bool own = b->at.own || !known_call;
    snprintf(advice, sizeof advice, "%s %s%s: rank%s %s take%s %.2f x the time of the others",
             idle ? "shorten sleep and file access" : "balance the work",
             own           ? "before "
             : p->trace.on ? "outside of MPI"
                           : "between two calls (run with --trace to see which)",
             own ? call : "", several ? "s" : "", list, several ? "" : "s",
             b->others > 0 ? b->slow_time / b->others : INFINITY);
    if (less)
        snprintf(advice, sizeof advice,
                 "give rank%s %s a share of the work: a rank that only distributes it has none",
                 several ? "s" : "", list);
    document_finding(
        c->d,
        FINDING("imbalance", FINDING, COSTS(c, b->cost, b->low), .site = known_call ? call : NULL,
                .ranks = rank, .n_ranks = n, .advice = advice,
                .number = {{"longer_seconds", b->slow_time - b->others},
                           {"processor_percent", known ? 100 * processor[1] : NAN}}),
        "Rank%s %s %s%s %s %s than the mean of the others, %s %sin %s.%s%s", several ? "s" : "",
        list, several ? "each " : "",
        computes  ? several ? "compute" : "computes"
        : several ? "are outside of MPI for"
                  : "is outside of MPI for",
        AS_TIME(1e9 * (b->slow_time - b->others)),
        less      ? "less"
        : b->once ? "longer, once,"
                  : "longer",
        less      ? several ? "for which they wait" : "for which it waits"
        : !own    ? "which wait meanwhile"
        : several ? "which wait for them"
                  : "which wait for it",
        known_call && b->at.cost < nearly_all * b->cost ? "mostly " : "", call, code, more);
    free(rank);
}

void find_imbalances(struct finding_context *c)
{
    for (size_t i = 0; i < c->imbalances.n; i++)
        if (!c->imbalances.at[i].reported)
            add_imbalance(c, &c->imbalances.at[i]);
}

/* WAIT minus the imbalances' cost, seconds per rank; 0 if that is at most half of the cost. */
static double unexplained(const struct finding_context *c, double wait)
{
    double rest = wait - c->imbalances.cost;
    return rest > c->imbalances.cost / 2 ? rest : 0;
}

/* Adds a finding that WAIT of TIME in collectives (seconds per rank) is waiting, most of it at A.
 * ONE: for the late rank of A; otherwise for no particular rank. */
static void add_late(struct finding_context *c, const struct profile_arrival *a, double wait,
                     double time, double cost, double low, bool one)
{
    /* Most of the waiting is for one rank, but there are too few calls for an interval. */
    const bool chance = a->instances < NOISE_PARTS && 2 * a->cost_ns > a->wait_ns;
    const char *advice = AS_COMMAND(c, "see what late ranks do", "--trace "),
               *call = AS_CALL(c->v, a->operation, a->site, NULL), *share = AS_SHARE(wait, time),
               *of_rank = AS_SHARE((double)a->cost_ns, (double)a->wait_ns);
    const struct finding *f =
        FINDING("late_arrival", FINDING, COSTS(c, cost, low), .site = call,
                .ranks = &(int){(int)a->cost_rank}, .n_ranks = one || chance,
                .number = {{"share_of_collectives_percent", 100 * wait / time}},
                .advice = c->v->p->trace.on ? NULL : advice);
    if (one)
        document_finding(c->d, f,
                         "%s of the time in %s is waiting, %s of that for rank %u, which arrives "
                         "late.",
                         share, call, of_rank, a->cost_rank);
    else if (chance)
        document_finding(c->d, f,
                         "%s of the time in collectives is waiting for the last rank, most of it "
                         "in %s, %s of that for rank %u, in too few calls to exclude chance.",
                         share, call, of_rank, a->cost_rank);
    else
        document_finding(c->d, f,
                         "%s of the time in collectives is waiting for the last rank, most of it "
                         "in %s; no single rank is late beyond chance.",
                         share, call);
}

/* Seconds per rank of HERE, the waiting at A, that the lateness of A's COST_RANK does not explain:
 * waiting for the other ranks; for COST_RANK, as much as for the mean other rank; and COST_RANK's
 * excess time outside of MPI, which is an imbalance. */
static double arrival_others(const struct finding_context *c, const struct profile_arrival *a,
                             double here)
{
    const struct profile *p = c->v->p;
    const double one = 1e-9 * (double)a->cost_ns / c->ranks;
    const size_t rank = rank_index(p, a->cost_rank);
    const double longer =
        rank < p->ranks.n ? rank_outside(&p->ranks.at[rank]) - c->v->where.mean : 0;
    return here - one + (here - one) / fmax(1, c->ranks - 1) + fmax(0, longer);
}

/* Adds a finding for each call site at which more than half of the waiting is certainly for one
 * rank, unless an imbalance explains it. Waiting at all other call sites is one more finding,
 * limited to the typical wait: half of the median time from first to last arrival, which is the
 * mean wait if arrivals are uniformly distributed. */
void find_late_arrivals(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    const struct profile_arrival *most = NULL;
    double wait = 0, time = 0, typical = 0;
    for (size_t i = 0; i < p->arrivals.n && !c->traced; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        double here = 1e-9 * (double)a->wait_ns / c->ranks,
               all = 1e-9 * (double)a->time_ns / c->ranks,
               low = 1e-9 * (double)a->cost_low_ns / c->ranks, others = arrival_others(c, a, here);
        /* Contention in MPI counts, too, since it delays the rank's next call. */
        const double doubt = others + noise_doubt(p, a->cost_rank, true, 0);
        if (arrivals_kind(p, a->operation) == COLLECTIVE_OTHER ||
            imbalance_of_rank(&c->imbalances, p, a->cost_rank))
            continue;
        if (2 * low > here && unexplained(c, here) > 0 &&
            noise_matters(here, low, others, c->run) && finding_matters(c, here, low, doubt)) {
            add_late(c, a, here, all, here, noise_at_least(here, low, doubt), true);
            continue;
        }
        wait += here;
        time += all;
        typical += fmin(here, 1e-9 * (double)a->skew_median_ns / 2 * (double)a->population);
        most = !most || a->wait_ns > most->wait_ns ? a : most;
    }
    double doubt = noise_doubt(p, NOISE_ANY_RANK, true, c->v->where.mean),
           cost = unexplained(c, wait), likely = fmin(cost, typical);
    if (most && finding_matters(c, likely, NAN, doubt))
        add_late(c, most, wait, time, cost, likely - doubt, false);
}
