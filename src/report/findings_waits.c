/* Findings about waiting for other ranks. One cause is one finding: what a trace names, and what
 * follows from the times of ranks outside of MPI, is put together here. */
#include "base/array.h"
#include "base/format.h"
#include "profile/arrivals.h"
#include "report/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- imbalance: time outside of MPI per rank --- */

static bool is_slow(const struct view *v, size_t i)
{
    return efficiency_compute(v->p, i) >= (v->where.mean + v->where.most) / 2;
}

static bool is_slow_rank(const struct view *v, uint32_t rank)
{
    for (size_t i = 0; i < v->p->ranks.n; i++)
        if (v->p->ranks.at[i].rank == (int32_t)rank)
            return is_slow(v, i);
    return false;
}

/* By how much RANK was outside of MPI for longer than the mean of the members of the collective
 * from event I to END, since the one before it; NaN: unknown. */
static double excess_before(const struct profile *p, size_t i, size_t end, int32_t rank)
{
    double own = NAN, sum = 0;
    size_t n = end - i;
    for (; i < end; i++) {
        const struct profile_event *e = &p->events.at[i];
        double outside = e->outside_ns < 0 ? NAN : (double)e->outside_ns;
        sum += outside;
        own = e->rank == (uint32_t)rank ? outside : own;
    }
    return n == p->ranks.n ? own - sum / (double)n : NAN;
}

/* Lower end of the 95 % interval of the share of the longest rank's excess that repeats over parts
 * of the collectives that all ranks took part in; NaN: there are too few of these. */
static double repeated_share(const struct view *v)
{
    const struct profile *p = v->p;
    int32_t longest = p->ranks.n ? p->ranks.at[v->where.longest_rank].rank : 0;
    double part[NOISE_PARTS] = {0}, sum = 0;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < p->events.n; i = events_next(p, i))
        n += !isnan(excess_before(p, i, events_next(p, i), longest));
    if (n < NOISE_PARTS)
        return NAN;
    for (size_t i = 0; i < p->events.n; i = events_next(p, i)) {
        double excess = excess_before(p, i, events_next(p, i), longest);
        if (isnan(excess))
            continue;
        part[at++ * NOISE_PARTS / n] += excess;
        sum += excess;
    }
    return sum > 0 ? noise_least(part) / sum : 0;
}

void find_imbalance(struct finding_context *c)
{
    const struct efficiency *e = &c->v->where;
    const struct profile *p = c->v->p;
    struct imbalance *b = &c->imbalance;
    double delay = noise_of_rank(p, e->longest_rank);
    if (!e->known || p->ranks.n < 2)
        return;
    b->cost = e->most - e->mean;
    b->low = b->cost * repeated_share(c->v);
    b->found = noise_matters(b->cost, b->low, c->run) &&
               (!(delay > 0) || noise_matters(b->cost - delay, NAN, c->run));
    for (size_t i = 0; i < p->ranks.n; i++) {
        bool slow = is_slow(c->v, i);
        b->n_slow += slow;
        *(slow ? &b->slow : &b->others) += efficiency_compute(p, i);
    }
    b->slow /= (double)b->n_slow;
    b->others /= c->ranks - (double)b->n_slow;
    c->explained = b->found ? b->cost : 0;
}

/* The call in which the others wait longest for the slow ranks, as far as the profile shows it:
 * where a slow rank is the one that spends least time in it, by more than that; where it is a call
 * of others alone, by all. NULL: none is known. */
static const struct profile_group *where_awaited(const struct view *v)
{
    const struct profile *p = v->p;
    const struct profile_group *found = NULL;
    double most = 0;
    for (size_t i = 0; i < p->groups.n; i++) {
        const struct profile_group *g = &p->groups.at[i];
        const struct spread *s = &g->spread;
        bool with_slow = is_slow_rank(v, s->best);
        double waited = (double)s->sum - (with_slow ? (double)s->ranks * (double)s->min : 0);
        if ((g->site == PROFILE_NONE && p->stack_depth) || !s->ranks ||
            p->operations.at[g->operation].family == FAMILY_LIFECYCLE ||
            (!with_slow && (s->ranks == p->ranks.n || is_slow_rank(v, s->worst))))
            continue;
        if (waited > most) {
            most = waited;
            found = g;
        }
    }
    return found;
}

void find_untraced_imbalance(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    const struct imbalance *b = &c->imbalance;
    char longer[32], list[200] = "", call[CALL_LABEL] = "MPI_Finalize", advice[900];
    if (!b->found || c->imbalance_reported)
        return;
    int32_t *rank = memory_alloc(b->n_slow * sizeof *rank);
    size_t n = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (is_slow(c->v, i))
            rank[n++] = p->ranks.at[i].rank;
    rank_list(list, sizeof list, rank, n);
    const struct profile_group *g = where_awaited(c->v);
    if (g)
        call_label(c->v, g->operation, g->site, call);
    struct finding f = finding_of_cost(c, "imbalance", b->cost, b->low);
    f.site = g ? call : NULL;
    f.ranks = rank;
    f.n_ranks = n;
    f.number[0] = (struct finding_number){"longer_seconds", b->slow - b->others};
    f.advice = advice;
    snprintf(advice, sizeof advice,
             "balance the work before %s: rank%s %s take%s %.2f x the time of the others", call,
             n > 1 ? "s" : "", list, n > 1 ? "" : "s",
             b->others > 0 ? b->slow / b->others : INFINITY);
    format_time(longer, 1e9 * (b->slow - b->others));
    document_finding(c->d, &f,
                     "Rank%s %s %s %s longer than the mean of the others, which wait for %s in %s.",
                     n > 1 ? "s" : "", list, n > 1 ? "each compute" : "computes", longer,
                     n > 1 ? "them" : "it", call);
    free(rank);
}

/* --- a trace: what calls waited for --- */

static const struct {
    const char *key, *does;
} states[WAIT_STATES] = {
    [WAIT_NONE] = {"wait", "arrives late"},
    [WAIT_LATE_SENDER] = {"late_sender", "sends late"},
    [WAIT_WRONG_ORDER] = {"wrong_order", "sends late, while earlier messages are unreceived"},
    [WAIT_LATE_RECEIVER] = {"late_receiver", "receives late"},
    [WAIT_N_TO_N] = {"n_to_n", "arrives late"},
    [WAIT_LATE_ROOT] = {"late_root", "is the root and arrives late"},
    [WAIT_EARLY_ROOT] = {"early_root", "arrives later than the root, which waits for it"},
    [WAIT_PREFIX] = {"prefix", "arrives late in a prefix operation"},
};

static int by_site(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation) ?: ORDER(x->rank, y->rank)
        ?: ORDER(y->wait_ns, x->wait_ns);
}

/* What the calls of one operation at one site waited for. */
struct waiting {
    const struct wait *first; /* of N rows, sorted by rank */
    size_t n;
    const struct wait *most; /* the longest of the rank that is waited for most */
    double sum, of_most;     /* ns: of all; of that rank */
};

static struct waiting waiting_at(const struct wait *w, const struct wait *end)
{
    struct waiting at = {.first = w};
    for (double one = 0;
         &w[at.n] < end && w[at.n].site == w->site && w[at.n].operation == w->operation; at.n++) {
        const struct wait *x = &w[at.n];
        one = (at.n && x[-1].rank == x->rank ? one : 0) + (double)x->wait_ns;
        at.sum += (double)x->wait_ns;
        if (one > at.of_most) {
            at.of_most = one;
            at.most = at.n && at.most && at.most->rank == x->rank ? at.most : x;
        }
    }
    return at;
}

/* Whether RANK sends at least one message to PEER. */
static bool sends_to(const struct profile *p, uint32_t rank, uint32_t peer)
{
    for (size_t i = 0; i < p->peers.n; i++)
        if (!p->peers.at[i].received && p->peers.at[i].rank == rank && p->peers.at[i].peer == peer)
            return true;
    return false;
}

/* How many ranks receive at W's call site from its rank, and send to that rank, too. */
static size_t clients_of(const struct profile *p, const struct wait *w)
{
    size_t clients = 0;
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *m = &p->peers.at[i];
        clients += m->received && m->peer == w->rank && m->site == w->site &&
                   m->operation == w->operation && sends_to(p, m->rank, w->rank);
    }
    return clients;
}

static double mean_bytes(const struct profile *p, const struct wait *w)
{
    double bytes = 0, calls = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].site == w->site && p->entries.at[i].operation == w->operation) {
            bytes += (double)p->entries.at[i].bytes;
            calls += (double)p->entries.at[i].calls;
        }
    return calls > 0 ? bytes / calls : 0;
}

/* Ranks that are waited for in an operation of all: of three and more none takes half. In what
 * order do they come? By chance the same one as the time before would follow at most half of them.
 * NULL: neither in turn nor by chance. */
static const char *order_of(const struct waiting *at)
{
    enum { LEAST = 8, LATE_RANKS = 3, TURN_PERCENT = 90, CHANCE_PERCENT = 60 };
    uint64_t followed = 0, in_turn = 0;
    for (size_t i = 0; i < at->n; i++) {
        followed += at->first[i].followed;
        in_turn += at->first[i].in_turn;
    }
    if (at->most->state != WAIT_N_TO_N || at->n < LATE_RANKS || 2 * at->of_most > at->sum ||
        followed < LEAST)
        return NULL;
    return in_turn * 100 >= TURN_PERCENT * followed     ? "diffuse_procedure"
           : in_turn * 100 <= CHANCE_PERCENT * followed ? "random_barrier"
                                                        : NULL;
}

static void add_wait(struct finding_context *c, const struct waiting *at, double cost, bool slow)
{
    enum { CLIENTS = 3, BIG = 64 << 10 };
    const struct profile *p = c->v->p;
    const struct wait *w = at->most;
    const char *order = order_of(at);
    char call[CALL_LABEL], time[32], share[32], size[32], more[100] = "", also[120] = "";
    char advice[4600];
    struct finding f = finding_of_cost(c, order ? order : states[w->state].key, cost, NAN);
    call_label(c->v, w->operation, w->site, call);
    f.site = call;
    f.number[0] = (struct finding_number){"late_ranks", (double)at->n};
    f.number[1] = (struct finding_number){"share_of_rank_percent", 100 * at->of_most / at->sum};
    format_time(time, 1e9 * cost);
    if (order) {
        document_finding(
            c->d, &f, "Ranks wait in %s (%s per rank) for %zu ranks that are the last %s.", call,
            time, at->n,
            strcmp(order, "random_barrier") ? "in turn, as if a slow procedure went round"
                                            : "by chance");
        return;
    }
    size_t clients = w->state == WAIT_LATE_SENDER ? clients_of(p, w) : 0;
    double bytes = mean_bytes(p, w);
    if (clients >= CLIENTS) {
        f.key = "intensive_server";
        f.number[2] = (struct finding_number){"clients", (double)clients};
        snprintf(more, sizeof more, ": it serves %zu ranks, which send to it and wait", clients);
    } else if (w->state == WAIT_LATE_RECEIVER && bytes >= BIG) {
        f.key = "big_message";
        f.number[2] = (struct finding_number){"bytes", bytes};
        snprintf(more, sizeof more, ": messages of %s wait for their receive",
                 format_bytes(size, bytes));
    }
    f.ranks = &(int){(int)w->rank};
    f.n_ranks = 1;
    if (slow)
        snprintf(also, sizeof also,
                 " Outside of MPI it takes %s longer than the mean of the others.",
                 format_time(share, 1e9 * (c->imbalance.slow - c->imbalance.others)));
    snprintf(advice, sizeof advice, "look at the longest wait: collprof plot --picture=timeline %s",
             c->directory ? c->directory : "");
    f.advice = c->directory ? advice : NULL;
    document_finding(c->d, &f,
                     "Ranks wait in %s (%s per rank), %s of that for rank %u, which %s%s.%s", call,
                     time, format_share(share, at->of_most, at->sum), w->rank,
                     states[w->state].does, more, also);
}

/* Whether the trace's windows are too short to show for which rank most is waited. */
static bool windows_hide(struct finding_context *c)
{
    static const double too_much_unseen = 0.10;
    double unseen = noise_unseen_waits(c->v->p);
    char share[32], window[32], command[RUN_AGAIN], advice[RUN_AGAIN + 60];
    if (unseen < too_much_unseen)
        return false;
    run_again(c, c->ranks, "--trace --memory=SIZE ", command);
    snprintf(advice, sizeof advice, "trace with longer windows: %s", command);
    document_finding(
        c->d,
        &(struct finding){.key = "trace_windows", .severity = SEVERITY_DOUBT, .advice = advice},
        "The trace does not show for which rank most is waited: calls that are too long for its "
        "windows of %s take %s of the time in calls that may wait.",
        format_time(window, noise_window_ns(c->v->p)), format_share(share, unseen, 1));
    return true;
}

/* Ranks that are waited for and compute no longer than others pass a delay on: what a trace says of
 * them follows from the imbalance. What it says of a slow rank is the imbalance. */
void find_waits(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    const double follows = 1.5;
    if (!p->trace.on || !p->waits.n || p->trace.covered <= 0 || windows_hide(c))
        return;
    c->traced = true;
    struct wait *w = memory_alloc(p->waits.n * sizeof *w), *end = w + p->waits.n;
    memcpy(w, p->waits.at, p->waits.n * sizeof *w);
    qsort(w, p->waits.n, sizeof *w, by_site);
    const struct wait *slowest = NULL;
    double most = 0;
    for (const struct wait *x = w; c->imbalance.found && x < end;) {
        struct waiting at = waiting_at(x, end);
        if (at.sum > most && at.most && !order_of(&at) && is_slow_rank(c->v, at.most->rank)) {
            most = at.sum;
            slowest = x;
        }
        x += at.n;
    }
    for (const struct wait *x = w; x < end;) {
        struct waiting at = waiting_at(x, end);
        double cost = 1e-9 * at.sum / c->ranks / p->trace.covered;
        bool slow = x == slowest, passed_on = c->imbalance.found && !slow && at.most &&
                                              !order_of(&at) && cost <= follows * c->imbalance.cost;
        x += at.n;
        if (!passed_on && at.most && noise_matters(cost, NAN, c->run)) {
            add_wait(c, &at, cost, slow);
            c->imbalance_reported = c->imbalance_reported || slow;
        }
    }
    free(w);
}

/* --- collectives: waiting for the last, by what it costs --- */

void find_late_arrivals(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    const struct profile_arrival *most = NULL;
    double wait = 0, time = 0, cost = 0, low = 0;
    char share[32], of_rank[32], call[CALL_LABEL], cause[100], command[RUN_AGAIN],
        advice[RUN_AGAIN + 60];
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        if (arrivals_kind(p, a->operation) == COLLECTIVE_OTHER)
            continue;
        wait += 1e-9 * (double)a->wait_ns / c->ranks;
        time += 1e-9 * (double)a->time_ns / c->ranks;
        most = !most || a->wait_ns > most->wait_ns ? a : most;
    }
    double all = wait - c->explained;
    if (!most || c->traced || !noise_matters(all, NAN, c->run))
        return;
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        if (a->cost_rank != most->cost_rank || arrivals_kind(p, a->operation) == COLLECTIVE_OTHER)
            continue;
        cost += 1e-9 * (double)a->cost_ns / c->ranks;
        low += a->cost_low_ns < 0 ? NAN : 1e-9 * (double)a->cost_low_ns / c->ranks;
    }
    bool one = 2 * cost > wait && (isnan(low) || low >= NOISE_MATTERS * c->run);
    struct finding f = finding_of_cost(c, "late_arrival", all, one ? low : NAN);
    call_label(c->v, most->operation, most->site, call);
    f.site = call;
    f.ranks = &(int){(int)most->cost_rank};
    f.n_ranks = one;
    f.number[0] = (struct finding_number){"share_of_collectives_percent", 100 * wait / time};
    run_again(c, c->ranks, "--trace ", command);
    snprintf(advice, sizeof advice, "see what late ranks do: %s", command);
    f.advice = p->trace.on ? NULL : advice;
    if (one)
        snprintf(cause, sizeof cause, "rank %u causes %s of it", most->cost_rank,
                 format_share(of_rank, cost, wait));
    document_finding(
        c->d, &f, "%s of the time in collectives is waiting for a late rank, most of it in %s; %s.",
        format_share(share, wait, time), call, one ? cause : "no rank alone causes it");
}

/* --- non-blocking requests --- */

void find_requests(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    const struct profile_entry *most = NULL;
    double wait = 0, completed = 0, done = 0;
    char share[32], call[CALL_LABEL], advice[4600];
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        wait += 1e-9 * (double)e->wait_ns / c->ranks;
        completed += (double)e->completed;
        done += (double)e->hidden;
        most = !most || e->wait_ns > most->wait_ns ? e : most;
    }
    double cost = wait - c->explained;
    if (completed <= 0 || c->traced || !noise_matters(cost, NAN, c->run))
        return;
    struct finding f = finding_of_cost(c, "request_wait", cost, NAN);
    call_label(c->v, most->operation, most->site, call);
    snprintf(advice, sizeof advice,
             "do more work between post and wait: collprof report --table=requests %s",
             c->directory ? c->directory : "DIR");
    f.site = call;
    f.number[0] = (struct finding_number){"complete_percent", 100 * done / completed};
    f.advice = advice;
    document_finding(c->d, &f,
                     "Completing calls wait for non-blocking requests, most of all for those of "
                     "%s; %s of all requests were complete before the wait.",
                     call, format_share(share, done, completed));
}
