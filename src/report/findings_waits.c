/* One cause is one finding: what a trace names, and what
 * follows from the times of ranks outside of MPI, is put together here. */
#include "report/findings_waits.h"

#include "base/array.h"
#include "base/format.h"
#include "profile/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a trace: what calls waited for --- */

enum pattern { SINGLE, BIG_MESSAGE, SERVER, IN_TURN, BY_CHANCE };

static const struct {
    const char *key, *does;
} states[WAIT_STATES] = {
    [WAIT_NONE] = {"wait", "comes late"},
    [WAIT_LATE_SENDER] = {"late_sender", "sends late"},
    [WAIT_WRONG_ORDER] = {"wrong_order", "sends late, while earlier messages are unreceived"},
    [WAIT_LATE_RECEIVER] = {"late_receiver", "receives late"},
    [WAIT_N_TO_N] = {"n_to_n", "arrives late"},
    [WAIT_LATE_ROOT] = {"late_root", "is the root and arrives late"},
    [WAIT_EARLY_ROOT] = {"early_root", "arrives later than the root, which waits for it"},
    [WAIT_PREFIX] = {"prefix", "arrives late in a prefix operation"},
    [WAIT_LATE_NEIGHBOUR] = {"late_neighbour", "is a neighbour and arrives late"},
};

static int by_site(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation) ?: ORDER(x->rank, y->rank)
        ?: ORDER(y->wait_ns, x->wait_ns);
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

/* Of N ranks that are waited for at one call site none takes half: in what order do they come? By
 * chance the same one as the time before would follow at most half of them. */
static enum pattern order_of(const struct wait *w, size_t n)
{
    enum { LEAST = 8, TURN_PERCENT = 90, CHANCE_PERCENT = 60 };
    uint64_t followed = 0, in_turn = 0;
    for (size_t i = 0; i < n; i++) {
        followed += w[i].followed;
        in_turn += w[i].in_turn;
    }
    return followed < LEAST                             ? SINGLE
           : in_turn * 100 >= TURN_PERCENT * followed   ? IN_TURN
           : in_turn * 100 <= CHANCE_PERCENT * followed ? BY_CHANCE
                                                        : SINGLE;
}

static void add_wait_finding(struct making *m, const struct wait *site, size_t n, double sum)
{
    enum { CLIENTS = 3, LATE_RANKS = 3, BIG = 64 << 10 };
    const struct profile *p = m->v->p;
    const struct wait *w = site;
    double most = 0, cost = 1e-9 * sum / m->n / p->trace.covered;
    for (size_t i = 0, end; i < n; i = end) {
        double one = 0;
        for (end = i; end < n && site[end].rank == site[i].rank; end++)
            one += (double)site[end].wait_ns;
        if (one > most) {
            most = one;
            w = &site[i];
        }
    }
    char share[32], time[32], size[32];
    size_t clients = w->state == WAIT_LATE_SENDER ? clients_of(p, w) : 0;
    bool several = w->state == WAIT_N_TO_N && n >= LATE_RANKS && 2 * most <= sum;
    enum pattern order = several ? order_of(site, n) : SINGLE;
    double bytes = mean_bytes(p, w);
    struct diagnosis *d = finding_add(m, states[w->state].key, SEVERITY_FINDING, cost, NAN, "-");
    const char *place = finding_place(m, d, w->operation, w->site);
    finding_number(d, "late_ranks", (double)n);
    finding_number(d, "share_of_rank_percent", 100 * most / sum);
    format_time(time, 1e9 * cost);
    if (order != SINGLE) {
        d->f.key = order == IN_TURN ? "diffuse_procedure" : "random_barrier";
        snprintf(d->text, sizeof d->text,
                 "Ranks wait in %s (%s per rank) for %zu ranks that are the last %s.", place, time,
                 n, order == IN_TURN ? "in turn, as if a slow procedure went round" : "by chance");
        return;
    }
    finding_rank(d, (int)w->rank);
    int at = snprintf(d->text, sizeof d->text,
                      "Ranks wait in %s (%s per rank), %s of that for rank %u, which %s", place,
                      time, format_share(share, most, sum), w->rank, states[w->state].does);
    if (clients >= CLIENTS) {
        d->f.key = "intensive_server";
        snprintf(d->text + at, sizeof d->text - (size_t)at,
                 ": it serves %zu ranks, which send to it and wait.", clients);
        finding_number(d, "clients", (double)clients);
    } else if (w->state == WAIT_LATE_RECEIVER && bytes >= BIG) {
        d->f.key = "big_message";
        snprintf(d->text + at, sizeof d->text - (size_t)at,
                 ": messages of %s wait for their receive.", format_bytes(size, bytes));
        finding_number(d, "bytes", bytes);
    } else {
        snprintf(d->text + at, sizeof d->text - (size_t)at, ".");
    }
    if (m->directory)
        finding_advise(d, "look at the longest wait: collprof plot --picture=timeline %s",
                       m->directory);
}

static void doubt_windows(struct making *m, double unseen)
{
    char share[32], window[32];
    struct diagnosis *d = finding_add(
        m, "trace_windows", SEVERITY_DOUBT, NAN, NAN,
        "The trace does not show for which rank most is waited: calls that are too long for its "
        "windows of %s take %s of the time in calls that may wait.",
        format_time(window, noise_window_ns(m->v->p)), format_share(share, unseen, 1));
    finding_advise(d, "trace with longer windows: collprof run --trace --memory=...");
}

void find_waits(struct making *m)
{
    const struct profile *p = m->v->p;
    enum { MOST_SITES = 64 };
    static const double too_much_unseen = 0.10;
    double unseen = noise_unseen_waits(p);
    if (!p->trace.on || !p->waits.n || p->trace.covered <= 0)
        return;
    if (unseen >= too_much_unseen) {
        doubt_windows(m, unseen);
        return;
    }
    struct wait *w = memory_alloc(p->waits.n * sizeof *w);
    memcpy(w, p->waits.at, p->waits.n * sizeof *w);
    qsort(w, p->waits.n, sizeof *w, by_site);
    for (size_t i = 0, end; i < p->waits.n && m->all->n < MOST_SITES; i = end) {
        double sum = 0;
        for (end = i;
             end < p->waits.n && w[end].site == w[i].site && w[end].operation == w[i].operation;
             end++)
            sum += (double)w[end].wait_ns;
        if (noise_matters(1e-9 * sum / m->n / p->trace.covered, NAN, m->run))
            add_wait_finding(m, &w[i], end - i, sum);
    }
    free(w);
}

/* --- imbalance: time outside of MPI per rank --- */

/* Ranks that compute longer than half the way from the mean to the longest. */
static bool is_slow(const struct making *m, size_t i)
{
    const struct efficiency *e = &m->v->where;
    return efficiency_compute(m->v->p, i) >= (e->mean + e->most) / 2;
}

static bool is_slow_rank(const struct making *m, uint32_t rank)
{
    const struct profile *p = m->v->p;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].rank == (int32_t)rank)
            return is_slow(m, i);
    return false;
}

/* Lower end of the 95 % interval of the share of EXCESS that repeats over ten parts of the
 * collectives that all ranks took part in; NaN: there are too few of these. */
static double repeated_share(const struct making *m)
{
    enum { PARTS = 10 };
    const struct profile *p = m->v->p;
    const double student = 2.262; /* for 9 degrees of freedom */
    if (p->ranks.n == 0)
        return NAN;
    int32_t longest = p->ranks.at[m->v->where.longest_rank].rank;
    double part[PARTS] = {0}, sum = 0, squares = 0;
    size_t instances = 0, number = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, end; i < p->events.n; i = end) {
            double mine = NAN, mean = 0;
            end = events_next(p, i);
            for (size_t k = i; k < end; k++) {
                mean += (double)p->events.at[k].outside_ns / m->n;
                if (p->events.at[k].outside_ns < 0)
                    mean = NAN;
                if (p->events.at[k].rank == (uint32_t)longest)
                    mine = (double)p->events.at[k].outside_ns;
            }
            if (end - i != p->ranks.n || isnan(mine - mean))
                continue;
            if (pass)
                part[number++ * PARTS / instances] += mine - mean;
            else
                instances++;
        }
    if (instances < PARTS)
        return NAN;
    for (int i = 0; i < PARTS; i++)
        sum += part[i];
    for (int i = 0; i < PARTS; i++)
        squares += (part[i] - sum / PARTS) * (part[i] - sum / PARTS);
    return sum > 0 ? fmax(0, 1 - student * sqrt(squares * PARTS / (PARTS - 1)) / sum) : 0;
}

/* The call in which the others wait longest for the slow ranks, as far as the profile shows it: of
 * collectives by arrival, of other calls by the least time that a rank spends in them. */
static void where_awaited(const struct making *m, uint32_t *operation, uint32_t *site)
{
    const struct profile *p = m->v->p;
    double most = 0;
    *operation = *site = PROFILE_NONE;
    for (size_t i = 0; i < p->groups.n; i++) {
        const struct profile_group *g = &p->groups.at[i];
        const struct spread *s = &g->spread;
        bool with_all = s->ranks == p->ranks.n;
        if (g->site == PROFILE_NONE && p->stack_depth)
            continue;
        if (p->operations.at[g->operation].family == FAMILY_LIFECYCLE || !s->ranks ||
            (with_all ? !is_slow_rank(m, s->best) : is_slow_rank(m, s->worst)))
            continue;
        double waited = (double)s->sum - (with_all ? (double)s->ranks * (double)s->min : 0);
        if (waited > most) {
            most = waited;
            *operation = g->operation;
            *site = g->site;
        }
    }
}

/* Waits for ranks that pass a delay on: they compute no longer than others. What a trace says of
 * them follows from the imbalance; what it says of a slow rank is the imbalance. */
static struct diagnosis *merge_waits(struct making *m, double cost)
{
    struct diagnosis *same = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < m->all->n; i++) {
        struct diagnosis *d = m->all->at[i];
        bool wait = d->f.severity == SEVERITY_FINDING, one_rank = d->f.n_ranks == 1;
        if (wait && one_rank && is_slow_rank(m, (uint32_t)d->rank[0]) &&
            (!same || d->f.share > same->f.share)) {
            if (same)
                free(same);
            kept -= same && kept ? 1 : 0;
            same = d;
        } else if (wait && one_rank && d->f.cost.value <= 1.5 * cost) {
            free(d);
            continue;
        }
        m->all->at[kept++] = d;
    }
    m->all->n = kept;
    return same;
}

static void name_slow_ranks(const struct making *m, struct diagnosis *d, char *list, size_t room)
{
    const struct profile *p = m->v->p;
    int32_t *rank = memory_alloc((p->ranks.n + 1) * sizeof *rank);
    size_t n = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (is_slow(m, i))
            finding_rank(d, rank[n++] = p->ranks.at[i].rank);
    *list = '\0';
    rank_list(list, room, rank, n);
    free(rank);
    finding_number(d, "slow_ranks", (double)n);
}

void find_imbalance(struct making *m)
{
    const struct efficiency *e = &m->v->where;
    const struct profile *p = m->v->p;
    double cost = e->most - e->mean, others = 0, n_slow = 0, slow = 0;
    double delay = noise_of_rank(p, e->longest_rank), part = repeated_share(m);
    double low = isnan(part) ? NAN : cost * part;
    if (!e->known || p->ranks.n < 2 || !noise_matters(cost, low, m->run) ||
        (delay > 0 && !noise_matters(cost - delay, NAN, m->run)))
        return;
    for (size_t i = 0; i < p->ranks.n; i++) {
        double compute = efficiency_compute(p, i);
        n_slow += is_slow(m, i);
        slow += is_slow(m, i) ? compute : 0;
        others += is_slow(m, i) ? 0 : compute;
    }
    others /= m->n - n_slow;
    slow /= n_slow;
    m->explained = cost;
    struct diagnosis *d = merge_waits(m, cost);
    char longer[32], list[200];
    format_time(longer, 1e9 * (slow - others));
    if (d) {
        size_t at = strlen(d->text);
        snprintf(d->text + at, sizeof d->text - at,
                 " Outside of MPI it takes %s longer than the mean of the others.", longer);
        return;
    }
    d = finding_add(m, "imbalance", SEVERITY_FINDING, cost, low, "-");
    uint32_t operation, site;
    where_awaited(m, &operation, &site);
    name_slow_ranks(m, d, list, sizeof list);
    const char *place =
        operation == PROFILE_NONE ? "MPI_Finalize" : finding_place(m, d, operation, site);
    snprintf(d->text, sizeof d->text,
             n_slow > 1 ? "Ranks %s each compute %s longer than the mean of the others, which wait "
                          "for them in %s."
                        : "Rank %s computes %s longer than the mean of the others, which wait for "
                          "it in %s.",
             list, longer, place);
    finding_number(d, "longer_seconds", slow - others);
    finding_number(d, "times_the_others", others > 0 ? slow / others : NAN);
    finding_advise(d, "balance the work before %s: rank%s %s take%s %.2f x the time of the others",
                   place, n_slow > 1 ? "s" : "", list, n_slow > 1 ? "" : "s",
                   others > 0 ? slow / others : INFINITY);
}

/* --- collectives: waiting for the last, by what it costs --- */

void find_late_arrivals(struct making *m)
{
    const struct profile *p = m->v->p;
    const struct profile_arrival *most = NULL;
    double wait = 0, time = 0, cost = 0, low = 0, all;
    char share[32];
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        if (arrivals_kind(p, a->operation) == COLLECTIVE_OTHER)
            continue;
        wait += 1e-9 * (double)a->wait_ns / m->n;
        time += 1e-9 * (double)a->time_ns / m->n;
        if (!most || a->wait_ns > most->wait_ns)
            most = a;
    }
    all = wait - m->explained;
    if (!most || !noise_matters(all, NAN, m->run))
        return;
    if (p->trace.on && m->all->n && findings_find(m->all, "trace_windows") == NULL)
        return; /* the trace has said it */
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        if (a->cost_rank != most->cost_rank || arrivals_kind(p, a->operation) == COLLECTIVE_OTHER)
            continue;
        cost += 1e-9 * (double)a->cost_ns / m->n;
        low += a->cost_low_ns < 0 ? NAN : 1e-9 * (double)a->cost_low_ns / m->n;
    }
    bool one = 2 * cost > wait && (isnan(low) || low >= NOISE_MATTERS * m->run);
    struct diagnosis *d =
        finding_add(m, "late_arrival", SEVERITY_FINDING, all, one ? low : NAN, "-");
    const char *place = finding_place(m, d, most->operation, most->site);
    int n = snprintf(d->text, sizeof d->text,
                     "%s of the time in collectives is waiting for a late rank, most of it in %s",
                     format_share(share, wait, time), place);
    if (one)
        finding_rank(d, (int)most->cost_rank);
    if (one)
        snprintf(d->text + n, sizeof d->text - (size_t)n, "; rank %u causes %s of it.",
                 most->cost_rank, format_share(share, cost, wait));
    else
        snprintf(d->text + n, sizeof d->text - (size_t)n, "; no rank alone causes it.");
    finding_number(d, "share_of_collectives_percent", 100 * wait / time);
    if (!p->trace.on)
        finding_advise(d, "see what late ranks do: %s -n %.0f collprof run --trace ...",
                       *p->launcher ? p->launcher : "mpiexec", m->n);
}

/* --- non-blocking requests --- */

void find_requests(struct making *m)
{
    const struct profile *p = m->v->p;
    const struct profile_entry *most = NULL;
    double wait = 0, completed = 0, done = 0;
    char share[32];
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        wait += 1e-9 * (double)e->wait_ns / m->n;
        completed += (double)e->completed;
        done += (double)e->hidden;
        if (!most || e->wait_ns > most->wait_ns)
            most = e;
    }
    bool traced = p->trace.on && findings_find(m->all, "trace_windows") == NULL;
    double cost = wait - (traced ? wait : m->explained);
    if (completed <= 0 || !noise_matters(cost, NAN, m->run))
        return;
    struct diagnosis *d = finding_add(m, "request_wait", SEVERITY_FINDING, cost, NAN, "-");
    snprintf(d->text, sizeof d->text,
             "Completing calls wait for non-blocking requests, most of all for those of %s; %s of "
             "all requests were complete before the wait.",
             finding_place(m, d, most->operation, most->site),
             format_share(share, done, completed));
    finding_number(d, "complete_percent", 100 * done / completed);
    finding_advise(d, "do more work between post and wait: collprof report --table=requests %s",
                   m->directory ? m->directory : "DIR");
}
