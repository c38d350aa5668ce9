/* Pair by pair, without a common clock: an operation that FROM enters last, up to the exit of TO,
 * which acknowledges it after a hold. FROM's next operation begins with the acknowledgement. */
#include "measure/latency/run.h"

#include <stdlib.h>

/* From a root it is enough that TO holds: the root's messages wait for those of no other rank.
 * Otherwise all others have to be inside when FROM enters, so it holds as long again. */
static bool holds_both(const struct latency_run *r)
{
    return r->c->kind != COLLECTIVE_FROM_ROOT;
}

/* --- one pair --- */

static int take_go(const struct latency_run *r, struct ack *go)
{
    return PMPI_Recv(go, ACK_DOUBLES, MPI_DOUBLE, r->to, TAG_GO, r->c->comm, MPI_STATUS_IGNORE);
}

/* VALUE: from its entry to the acknowledgement, less TO's hold. SEEN: to TO's exit, on the common
 * clock; as many. */
static int be_from(struct latency_run *r, const struct batch *b, double *value, double *seen)
{
    struct ack go;
    double own = holds_both(r) ? b->hold : 0;
    TRY(take_go(r, &go));
    double entry = clock_now();
    for (int k = -1; k < b->repetitions; k++) {
        entry = run_next(r, entry);
        if (own > 0) {
            clock_hold(own);
            entry = clock_now();
        }
        TRY(run_operation(r));
        TRY(take_go(r, &go));
        double now = clock_now();
        if (k >= 0) {
            value[k] = now - entry - go.held - r->clock_cost;
            seen[k] = go.exit - run_global(r, entry) - r->clock_cost;
        }
        entry = now;
    }
    return MPI_SUCCESS;
}

/* The acknowledgement carries how long it was held, on TO's own clock: the hold, and one reading of
 * the clock, half of which lies before it and half behind. */
static int be_to(struct latency_run *r, const struct batch *b)
{
    for (int k = -2; k < b->repetitions; k++) {
        struct ack go = {0, 0};
        if (k > -2)
            TRY(run_operation(r));
        if (b->hold > 0 || r->c->before) {
            double start = clock_now();
            clock_hold(b->hold);
            if (k + 1 < b->repetitions)
                run_before(r);
            go.held = clock_now() - start + r->clock_cost;
            go.exit = run_global(r, start);
        }
        TRY(PMPI_Send(&go, ACK_DOUBLES, MPI_DOUBLE, r->from, TAG_GO, r->c->comm));
        /* What it sends in the operation must not slow the acknowledgement down. */
        if (holds_both(r) && k + 1 < b->repetitions)
            clock_hold(b->hold / 4);
    }
    return MPI_SUCCESS;
}

/* A rank whose own exit is wanted needs no messages: its time in the call. */
static int be_both(struct latency_run *r, const struct batch *b, double *in_call)
{
    for (int k = -1; k < b->repetitions; k++) {
        run_before(r);
        clock_hold(2 * b->hold); /* as TO's, then as FROM's */
        double entry = clock_now();
        TRY(run_operation(r));
        if (k >= 0)
            in_call[k] = clock_now() - entry - r->clock_cost;
    }
    return MPI_SUCCESS;
}

/* Enters half a hold after it left: what it sends then must neither meet what TO still waits for,
 * nor be under way when the acknowledgement is. */
static int be_other(struct latency_run *r, const struct batch *b)
{
    for (int k = -1; k < b->repetitions; k++) {
        run_before(r);
        if (holds_both(r))
            clock_hold(b->hold / 2);
        TRY(run_operation(r));
    }
    return MPI_SUCCESS;
}

/* What TO's exits showed directly, of the last hold. ROOM: the collector's, for as many. */
static int keep_seen(struct latency_run *r, const struct batch *b, double *seen, double *room)
{
    double mean;
    TRY(values_to_keeper(r->c->comm, r->from, r->c->collector, seen, room, b->repetitions, &mean));
    struct samples *kept = r->keeps ? &run_figure(r)->timed[TIMED_SEEN].raw : NULL;
    if (kept && b->first)
        kept->n = 0;
    for (int k = 0; kept && k < b->repetitions; k++)
        samples_add(kept, room[k]);
    return MPI_SUCCESS;
}

int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct latency_run *r = arg;
    double *mine = r->scratch, *seen = mine + b->repetitions;
    TRY(PMPI_Barrier(r->c->comm));
    if (r->rank == r->from && r->rank == r->to)
        TRY(be_both(r, b, mine));
    else if (r->rank == r->from)
        TRY(be_from(r, b, mine, seen));
    else if (r->rank == r->to)
        TRY(be_to(r, b));
    else
        TRY(be_other(r, b));
    *n = b->repetitions;
    if (b->hold > 0 && r->from != r->to)
        TRY(keep_seen(r, b, seen, value));
    return values_to_keeper(r->c->comm, r->from, r->c->collector, mine, value, *n, loop);
}

static double common_now(void *arg)
{
    return run_global(arg, clock_now());
}

int run_pings(struct latency_run *r, bool round_trip, double share, double *left, double *loop)
{
    struct series s;
    bool shown = sync_shows_ways(r->c->clock);
    double started = budget_now(), least = 20 * r->pilot.barrier; /* ten round trips, each below */
    struct ping p = {.what = round_trip ? PING_TRIP
                             : shown    ? PING_BACK
                                        : PING_HALF,
                     .comm = r->c->comm,
                     .timer = r->from,
                     .peer = r->to,
                     .keeper = r->c->collector,
                     .clock_cost = r->clock_cost,
                     .now = shown && !round_trip ? common_now : NULL,
                     .now_arg = r,
                     .scratch = r->scratch};
    double most = fmax(share / 4, fmin(share / 2, least));
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, most, 0, batch_ping, &p, &s));
    *loop = s.loop_mean;
    figure_take(r, TIMED_WAY, &s);
    *left = share > 0 ? fmax(share - (budget_now() - started), 1e-9) : 0;
    return MPI_SUCCESS;
}

struct estimate latency_of(struct estimate e, struct estimate way)
{
    return (struct estimate){e.value - way.value, e.low - way.high, e.high - way.low};
}

/* Either way may be as short as nothing and as long as all of the round trip; and then another pair
 * may be the slowest. */
void result_way_error(const struct latency_run *r, struct latency_result *result, double factor)
{
    for (int k = 0; r->keeps && !sync_shows_ways(r->c->clock) && k < result->n_figures; k++) {
        const struct latency_figure *f = &result->figure[k];
        double way = f->from == f->to ? 0 : factor * f->timed[TIMED_WAY].at.value;
        result->way_error = fmax(result->way_error, f->value.value + way - result->value.value);
    }
}

/* Until two holds have an interval: the first takes an untimed operation, one alone, and seven,
 * the second, which is twice as long, eight. A round trip takes less than two barriers. */
double pair_least(const struct latency_run *r, int k, bool held)
{
    enum { ONE = 2 + 7, TWO = 8 };
    double one =
        pilot_time(&r->pilot, k) + r->pilot.barrier + budget_of_messages(r->size - 1, r->size);
    double hold = holds_both(r) ? 4 * r->gap : r->gap;
    double operations =
        held ? fmax(2 * ONE * (one + hold), ONE * (one + hold) + TWO * (one + 2 * hold))
             : ONE * (one + r->gap);
    return operations + 20 * r->pilot.barrier;
}

/* --- the pilot --- */

static bool is_coupled(const struct latency_run *r, int from, int to, bool with_self)
{
    const struct latency_case *c = r->c;
    if (from == to && !with_self)
        return false;
    switch (c->kind) {
    case COLLECTIVE_TO_ROOT:
        return to == c->root;
    case COLLECTIVE_FROM_ROOT:
        return from == c->root;
    case COLLECTIVE_PREFIX:
        return from <= to;
    default:
        return true;
    }
}

/* What the collector tells of the next look. */
struct look {
    double go, from, hold, silence; /* SILENCE: for so long who is out sends nothing, since that
                                       would delay what is still under way */
};

/* One operation that FROM enters last; the exits of all are seen on the common clock. */
static int look_once(struct latency_run *r, const struct look *look, double *stamp, double *barrier)
{
    double mine[2], start = clock_now();
    TRY(run_barrier(r));
    *barrier = clock_now() - start;
    run_before(r);
    if (r->rank == (int)look->from)
        clock_hold(look->hold + 2 * *barrier);
    mine[0] = run_global(r, clock_now());
    TRY(run_operation(r));
    mine[1] = run_global(r, clock_now());
    clock_hold(look->silence);
    return PMPI_Gather(mine, 2, MPI_DOUBLE, stamp, 2, MPI_DOUBLE, r->c->collector, r->c->comm);
}

/* Into the pilot's ROUND; returns the silence to be kept. */
static double take_look(struct latency_run *r, const double *stamp, int from, int round)
{
    struct pilot *p = &r->pilot;
    double first = INFINITY, last = -INFINITY;
    for (int to = 0; to < r->size; to++) {
        double exit = stamp[2 * to + 1];
        first = fmin(first, exit);
        last = fmax(last, exit);
        bool counts = round >= 0 && is_coupled(r, from, to, r->c->together);
        if (counts)
            p->time[(size_t)round * (size_t)p->n + (size_t)run_index(r, from, to)] =
                exit - stamp[2 * from] - r->clock_cost;
    }
    return 1.25 * (last - first) + 1e-6;
}

/* Every source PILOT_ROUNDS times, after one operation that does not count. */
static int look_at_all(struct latency_run *r, double share, double *stamp)
{
    struct pilot *p = &r->pilot;
    struct look look = {.go = 1, .hold = 2 * r->gap, .from = r->c->root};
    bool one = r->c->kind == COLLECTIVE_FROM_ROOT;
    int sources = one ? 1 : r->size, k = -1;
    double started = budget_now(), barrier;
    for (;; k++) {
        look.go = k < PILOT_ROUNDS * sources && (share <= 0 || budget_now() - started < share);
        if (k >= 0 && !one)
            look.from = k % sources;
        TRY(PMPI_Bcast(&look, 4, MPI_DOUBLE, r->c->collector, r->c->comm));
        if (look.go == 0)
            break;
        TRY(look_once(r, &look, stamp, &barrier));
        if (r->keeps)
            look.silence = take_look(r, stamp, (int)look.from, k < 0 ? -1 : k / sources);
        if (r->keeps && k >= 0)
            p->barrier = k ? fmin(p->barrier, barrier) : barrier;
    }
    p->barrier += budget_of_barrier(r->size);
    p->rounds = k > 0 ? k / sources : 0;
    return MPI_SUCCESS;
}

int run_pilot(struct latency_run *r, double share)
{
    struct pilot *p = &r->pilot;
    bool rooted = r->c->kind == COLLECTIVE_FROM_ROOT || r->c->kind == COLLECTIVE_TO_ROOT;
    *p = (struct pilot){.n = rooted ? r->size : r->size * r->size};
    double *stamp = r->keeps ? malloc(2 * (size_t)r->size * sizeof *stamp) : NULL;
    p->time = r->keeps ? calloc(PILOT_ROUNDS * (size_t)p->n, sizeof *p->time) : NULL;
    int error = crew_agree(r->c->comm, !r->keeps || (p->time && stamp));
    if (error == MPI_SUCCESS && r->c->clock && r->c->clock->comm == r->c->comm)
        error = sync_again(r->c->clock);
    if (error == MPI_SUCCESS)
        error = look_at_all(r, share, stamp);
    free(stamp);
    if (p->rounds == 0) {
        free(p->time);
        p->time = NULL;
    }
    double start = clock_now();
    if (error == MPI_SUCCESS && r->c->clock)
        error = sync_check(r->c->clock, r->c->comm, &p->error);
    p->clocks = clock_now() - start;
    return error;
}

/* --- all pairs --- */

/* Those to be measured, in this order. The collector's. */
struct agenda {
    int *pair, n; /* FROM * size + TO */
    int *index;   /* of their figures */
    bool all;     /* there is time for all: none is left out */
};

static double least_of(const struct latency_run *r, int index)
{
    const struct latency_method *m = r->result->method;
    return r->pilot.time && m->least ? m->least(r, index) : 0;
}

/* By distance, so that a budget that ends early has seen every source; or the slowest first. */
static bool agenda_make(struct agenda *a, const struct latency_run *r, bool with_self, bool ranks)
{
    size_t most = (size_t)r->size * (size_t)r->size;
    double needed = 0;
    a->pair = malloc(most * sizeof *a->pair);
    a->index = malloc(most * sizeof *a->index);
    if (!a->pair || !a->index)
        return false;
    for (int k = 0; k < r->size * r->size; k++) {
        int from = k % r->size, to = (k + 1 + k / r->size) % r->size;
        if (ranks ? k < r->size : is_coupled(r, from, to, with_self))
            a->index[a->n++] = ranks ? k : run_index(r, from, to);
    }
    if (!ranks && r->pilot.time)
        pilot_sort(&r->pilot, a->index, a->n);
    for (int k = 0; k < a->n; k++) {
        const struct latency_figure *f = &r->result->figure[a->index[k]];
        a->pair[k] = f->from * r->size + f->to;
        needed += ranks ? 0 : least_of(r, a->index[k]);
    }
    a->all = ranks || !r->pilot.time || (needed > 0 && 1.5 * needed < r->share);
    return true;
}

/* How many of those from the K-th on may be slower than the slowest so far, or are to be measured
 * whether or not. */
static int wanted(const struct latency_run *r, const struct agenda *a, int k)
{
    if (a->all || r->c->every || k == a->n)
        return a->n - k;
    return pilot_may_be_slower(&r->pilot, a->index, k, a->n, r->result->value);
}

/* The next, for all ranks, as a pair; -1: none. SHARE: an even part of what is left, or more if
 * that is too little for an interval; 0 without a limit. The first is always measured. */
static int agenda_next(const struct latency_run *r, const struct agenda *a, int k, double *share)
{
    int left = wanted(r, a, k);
    if (left == 0)
        return -1;
    double least = least_of(r, a->index[k]), rest = r->share - (budget_now() - r->started);
    if (r->share > 0 && k > 0 && rest <= least) {
        r->result->over_budget = true;
        return -1;
    }
    double room = r->c->every ? least : 1.5 * least; /* to spare, unless each is wanted */
    *share = r->share > 0 ? fmin(fmax(run_part(r, 1.0 / left), room), run_part(r, 1)) : 0;
    return a->pair[k];
}

static int run_agenda(struct latency_run *r, struct agenda *a,
                      int (*one)(struct latency_run *, double))
{
    struct latency_result *result = r->result;
    for (int k = 0;; k++) {
        double share = 0;
        int next = r->keeps ? agenda_next(r, a, k, &share) : -1;
        TRY(PMPI_Bcast(&next, 1, MPI_INT, r->c->collector, r->c->comm));
        if (next < 0)
            return MPI_SUCCESS;
        r->from = next / r->size;
        r->to = next % r->size;
        int impossible = result->impossible;
        TRY(one(r, share));
        /* Where time was up before anything was timed, nothing was measured. */
        if (r->keeps)
            result->measured +=
                estimate_known(run_figure(r)->value) || result->impossible > impossible;
    }
}

/* What "ol" gives where its assumption fails no pilot can foresee. */
static void judge_left_out(const struct latency_run *r, const struct agenda *a)
{
    struct latency_result *result = r->result;
    int n = result->measured;
    result->asked = a->n;
    result->at_least =
        n < a->n && (result->method->meaning != MEANS_LATENCY ||
                     pilot_may_be_slower(&r->pilot, a->index, n, a->n, result->value) > 0);
}

static int run_all(struct latency_run *r, bool with_self, bool ranks,
                   int (*one)(struct latency_run *, double))
{
    struct agenda a = {0};
    int error = crew_agree(r->c->comm, !r->keeps || agenda_make(&a, r, with_self, ranks));
    if (error == MPI_SUCCESS)
        error = run_agenda(r, &a, one);
    if (error == MPI_SUCCESS && r->keeps)
        judge_left_out(r, &a);
    free(a.pair);
    free(a.index);
    return error;
}

int run_pairs(struct latency_run *r, bool with_self, int (*one)(struct latency_run *, double))
{
    return run_all(r, with_self, false, one);
}

int run_ranks(struct latency_run *r, int (*one)(struct latency_run *, double))
{
    return run_all(r, true, true, one);
}
