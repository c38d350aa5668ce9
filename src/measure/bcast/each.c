/* Destination by destination: the loop over them, and the acknowledged broadcast of figure 9 that
 * ol and held share. */
#include "measure/bcast/run.h"
#include "measure/ping.h"

#include <math.h>

/* The K-th rank to measure. */
static int nth_destination(const struct bcast_run *r, int k)
{
    if (r->c->destinations)
        return r->c->destinations[k];
    return k < r->c->root ? k : k + 1;
}

/* Those that the budget does not reach are left out; the first never is. */
int run_each(struct bcast_run *r, struct bcast_result *result, bool with_root,
             int (*one)(struct bcast_run *, double))
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
        TRY(one(r, run_part(r, 1.0 / (n - k))));
        result->measured++;
    }
    return MPI_SUCCESS;
}

void figure_take(struct bcast_run *r, int part, struct series *s)
{
    if (!r->roots)
        return;
    struct bcast_timed *t = &run_figure(r)->timed[part];
    t->at = series_estimate(s);
    samples_free(&t->raw);
    t->raw = s->samples;
    if (part == TIMED_OPERATION) {
        r->result->over_budget |= s->over_budget;
        r->result->attempts += s->attempts;
    }
}

static void keep_larger(double *x, double y)
{
    if (!(*x >= y))
        *x = y;
}

void figure_value(struct bcast_run *r, struct estimate value, double loop)
{
    struct bcast_result *result = r->result;
    struct bcast_figure *f = run_figure(r);
    f->value = value;
    f->loop = loop;
    if (f->curve.n > 0 && !f->curve.settled) {
        result->over_budget = true;
        result->unsettled++;
    }
    keep_larger(&result->loop_mean, loop);
    if (result->slowest < 0 || value.value > result->value.value) {
        result->value = value;
        result->slowest = r->destination;
    }
}

int run_trip(struct bcast_run *r, double share, double *loop)
{
    struct series s;
    struct ping p = {.comm = r->c->comm,
                     .timer = r->c->root,
                     .peer = r->destination,
                     .keeper = r->c->root,
                     .clock_cost = r->clock_cost,
                     .scratch = r->scratch};
    TRY(series_measure(r->c->comm, r->c->root, &r->c->plan, share, 0, batch_ping, &p, &s));
    *loop = s.loop_mean;
    figure_take(r, TIMED_TRIP, &s);
    return MPI_SUCCESS;
}

struct estimate latency_of(struct estimate e, struct estimate trip)
{
    return (struct estimate){e.value - trip.value / 2, e.low - trip.high / 2,
                             e.high - trip.low / 2};
}

/* The acknowledgement carries how long it was held, on the destination's own clock: the hold, and
 * one reading of the clock, half of which lies before it and half behind. */
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

static int bcast_then_ack(struct bcast_run *r, struct ack *ack)
{
    TRY(run_operation(r));
    return PMPI_Recv(ack, ACK_DOUBLES, MPI_DOUBLE, r->destination, TAG_ACK, r->c->comm,
                     MPI_STATUS_IGNORE);
}

/* The root's side of E_i; the hold is subtracted operation by operation. Where the destination
 * has looked at the clock anyway, its exit is seen directly beside. */
static int time_acks(struct bcast_run *r, const struct batch *b, double *value, double *loop)
{
    struct samples *seen = &run_figure(r)->timed[TIMED_SEEN].raw;
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

int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    if (r->roots) {
        *n = b->repetitions;
        return time_acks(r, b, value, loop);
    }
    for (int k = 0; k <= b->repetitions; k++) {
        TRY(run_operation(r));
        if (r->rank == r->destination)
            TRY(acknowledge(r, b->hold));
    }
    return MPI_SUCCESS;
}
