/* Destination by destination: the paper's OL_i (figure 9), the same with the acknowledgement
 * held back, and o_i. */
#include "measure/bcast/run.h"
#include "measure/ping.h"

#include <math.h>

/* The acknowledgement carries how long it was held, on the destination's own clock. Between the
 * two readings lies the hold; the outer halves of the readings themselves are one cost. */
static int acknowledge(const struct bcast_run *r, double hold)
{
    struct ack ack = {0, 0};
    if (hold > 0) {
        double start = clock_now();
        clock_hold(hold);
        ack.held = clock_now() - start + r->clock_cost;
        ack.exit = run_global(r, start);
    }
    return PMPI_Send(&ack, ACK_DOUBLES, MPI_DOUBLE, r->c->root, TAG_ACK, r->c->comm);
}

static int bcast_then_ack(const struct bcast_run *r, struct ack *ack)
{
    TRY(run_once(r, r->c->root));
    return PMPI_Recv(ack, ACK_DOUBLES, MPI_DOUBLE, r->destination, TAG_ACK, r->c->comm,
                     MPI_STATUS_IGNORE);
}

/* The root's side of E_i; the hold is subtracted operation by operation. Where the destination
 * has looked at the clock anyway, its exit is seen directly beside. */
static int time_acks(const struct bcast_run *r, const struct batch *b, double *value, double *loop)
{
    struct samples *seen = &r->to[r->destination].seen_raw;
    struct ack ack;
    double sum = 0;
    if (b->first)
        seen->n = 0;
    TRY(bcast_then_ack(r, &ack));
    double last = run_refresh(r, clock_now());
    for (int k = 0; k < b->repetitions; k++) {
        TRY(bcast_then_ack(r, &ack));
        double now = clock_now();
        value[k] = now - last - ack.held - r->clock_cost;
        if (ack.exit > 0)
            samples_add(seen, ack.exit - run_global(r, last) - r->clock_cost);
        sum += value[k];
        last = run_refresh(r, now);
    }
    *loop = sum / b->repetitions;
    return MPI_SUCCESS;
}

static int batch_ack(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    if (r->roots) {
        *n = b->repetitions;
        return time_acks(r, b, value, loop);
    }
    for (int k = 0; k <= b->repetitions; k++) {
        TRY(run_once(r, r->c->root));
        if (r->rank == r->destination)
            TRY(acknowledge(r, b->hold));
    }
    return MPI_SUCCESS;
}

/* E_i (less any hold) and RTL_i as intervals: the widest that the two allow. */
static struct estimate latency(struct estimate e, struct estimate rtl)
{
    return (struct estimate){e.value - rtl.value / 2, e.low - rtl.high / 2, e.high - rtl.low / 2};
}

static void keep_larger(double *x, double y)
{
    if (!(*x >= y))
        *x = y;
}

/* The method's figure so far: the largest over the destinations. */
static void result_raise(struct bcast_result *result, int i, struct estimate e, double loop)
{
    keep_larger(&result->loop_mean, loop);
    if (result->slowest < 0 || e.value > result->value.value) {
        result->value = e;
        result->slowest = i;
    }
}

static int measure_rtl(struct bcast_run *r, double share, double *loop)
{
    struct series s;
    struct ping p = {.comm = r->c->comm,
                     .timer = r->c->root,
                     .peer = r->destination,
                     .keeper = r->c->root,
                     .clock_cost = r->clock_cost,
                     .scratch = r->scratch};
    TRY(series_measure(r->c->comm, r->c->root, &r->c->plan, share, 0, batch_ping, &p, &s));
    if (r->roots) {
        struct bcast_destination *to = &r->to[r->destination];
        to->rtl = series_estimate(&s);
        *loop = s.loop_mean;
        samples_free(&to->rtl_raw);
        to->rtl_raw = s.samples;
    }
    return MPI_SUCCESS;
}

static int ol_one(struct bcast_run *r, double share, struct bcast_result *result)
{
    struct series s;
    double rtl_loop = NAN;
    TRY(measure_rtl(r, share / 4, &rtl_loop));
    TRY(run_series(r, share * 3 / 4, batch_ack, &s));
    if (!r->roots)
        return MPI_SUCCESS;
    struct bcast_destination *to = &r->to[r->destination];
    to->e = series_estimate(&s);
    to->paper = latency(to->e, to->rtl);
    to->paper_loop = s.loop_mean - rtl_loop / 2;
    samples_free(&to->paper_raw);
    to->paper_raw = s.samples;
    result_raise(result, r->destination, to->paper, to->paper_loop);
    result->over_budget |= s.over_budget;
    result->attempts += s.attempts;
    return MPI_SUCCESS;
}

static void held_keep(struct bcast_destination *to, struct series *s, const struct curve *curve)
{
    to->held = latency(series_estimate(s), to->rtl);
    to->held_curve = *curve;
    for (int k = 0; k < curve->n; k++)
        to->held_curve.point[k].at = latency(curve->point[k].at, to->rtl);
    to->hold = curve->point[curve->believed].hold;
    struct summary seen = stats_summarize(to->seen_raw.value, to->seen_raw.n);
    to->seen = (struct estimate){seen.median, seen.median_low, seen.median_high};
    samples_free(&to->held_raw);
    to->held_raw = s->samples;
}

static int held_one(struct bcast_run *r, double share, struct bcast_result *result)
{
    struct series s;
    struct curve curve;
    double rtl_loop = NAN;
    TRY(measure_rtl(r, share / 4, &rtl_loop));
    TRY(series_settle(r->c->comm, r->c->root, &r->c->plan, share * 3 / 4, r->gap, batch_ack, r, &s,
                      &curve));
    if (!r->roots)
        return MPI_SUCCESS;
    struct bcast_destination *to = &r->to[r->destination];
    held_keep(to, &s, &curve);
    result_raise(result, r->destination, to->held, s.loop_mean - rtl_loop / 2);
    result->over_budget |= s.over_budget || !curve.settled;
    result->attempts += s.attempts;
    return MPI_SUCCESS;
}

/* o_i: every other rank has gone ahead while i was held, so that all it receives is there. Timed
 * at i, kept by the root. */
static int batch_overhead(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    MPI_Comm comm = r->c->comm;
    double *in_call = r->scratch;
    bool mine = r->rank == r->destination;
    TRY(PMPI_Barrier(comm));
    for (int k = -1; k < b->repetitions; k++) {
        if (mine)
            clock_hold(b->hold);
        double start = clock_now();
        TRY(run_once(r, r->c->root));
        if (mine && k >= 0)
            in_call[k] = clock_now() - start - r->clock_cost;
    }
    *n = b->repetitions;
    return values_to_keeper(comm, r->destination, r->c->root, in_call, value, *n, loop);
}

static int overhead_one(struct bcast_run *r, double share, struct bcast_result *result)
{
    struct series s;
    struct curve curve;
    TRY(series_settle(r->c->comm, r->c->root, &r->c->plan, share, r->gap, batch_overhead, r, &s,
                      &curve));
    if (!r->roots)
        return MPI_SUCCESS;
    struct bcast_destination *to = &r->to[r->destination];
    to->overhead = series_estimate(&s);
    samples_free(&to->overhead_raw);
    to->overhead_raw = s.samples;
    result_raise(result, r->destination, to->overhead, s.loop_mean);
    result->over_budget |= s.over_budget || !curve.settled;
    result->attempts += s.attempts;
    return MPI_SUCCESS;
}

/* The K-th rank to measure. */
static int nth_destination(const struct bcast_run *r, int k)
{
    if (r->c->destinations)
        return r->c->destinations[k];
    return k < r->c->root ? k : k + 1;
}

/* ONE for each destination, WITH_ROOT for the root before them. Those that the budget does not
 * reach are left out; the first never is. */
static int each(struct bcast_run *r, struct bcast_result *result, bool with_root,
                int (*one)(struct bcast_run *, double, struct bcast_result *))
{
    int n = r->c->destinations ? r->c->n_destinations : r->size - 1;
    result->asked = n + with_root;
    for (int k = -(int)with_root; k < n; k++) {
        int go = r->share <= 0 || result->measured == 0 || clock_now() - r->started < r->share;
        TRY(PMPI_Bcast(&go, 1, MPI_INT, r->c->root, r->c->comm));
        if (!go) {
            result->over_budget = true;
            break;
        }
        r->destination = k < 0 ? r->c->root : nth_destination(r, k);
        TRY(one(r, run_part(r, 1.0 / (n - k)), result));
        result->measured++;
    }
    return MPI_SUCCESS;
}

int run_ol(struct bcast_run *r, struct bcast_result *result)
{
    return each(r, result, false, ol_one);
}

int run_held(struct bcast_run *r, struct bcast_result *result)
{
    TRY(run_gap_once(r, run_part(r, 0.1)));
    return each(r, result, false, held_one);
}

int run_overhead(struct bcast_run *r, struct bcast_result *result)
{
    TRY(run_gap_once(r, run_part(r, 0.1)));
    return each(r, result, true, overhead_one);
}
