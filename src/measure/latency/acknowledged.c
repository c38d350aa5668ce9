/* Measures one pair without a common clock. FROM enters the operation last. TO exits, waits for the
 * hold time, and sends FROM an acknowledgement, after which FROM begins the next operation. */
#include "measure/latency/run.h"

/* The data of an acknowledgement and of a ping. Both must have one size, since the time of a ping
 * is subtracted from that of an acknowledgement. */
struct ack {
    double held; /* seconds from TO's exit to its acknowledgement, on TO's clock */
    double sent; /* in the answer to a ping: when TO sent it, on the common clock */
};
enum { ACK_DOUBLES = 2 };

static int ack_receive(const struct latency_run *r, int from, int tag, struct ack *ack)
{
    return PMPI_Recv(ack, ACK_DOUBLES, MPI_DOUBLE, from, tag, r->c->comm, MPI_STATUS_IGNORE);
}

static int ack_send(const struct latency_run *r, int to, int tag, const struct ack *ack)
{
    return PMPI_Send(ack, ACK_DOUBLES, MPI_DOUBLE, to, tag, r->c->comm);
}

/* --- operations --- */

/* How long this rank waits before it enters an operation, as a multiple of the hold. An operation
 * from the root needs no wait, since all others wait for the root anyway. Otherwise FROM waits
 * longest: all others must be inside when it enters. The others wait, too, so that their messages
 * neither delay the acknowledgement nor arrive while TO still receives those of the previous
 * operation. A rank that is both TO and FROM waits the sum of both times. */
static double holds_before(const struct latency_run *r)
{
    if (r->from == r->to && r->rank == r->from)
        return 2;
    if (r->c->kind == COLLECTIVE_FROM_ROOT)
        return 0;
    return r->rank == r->from ? 1 : r->rank == r->to ? 0.25 : 0.5;
}

/* Waits for HOLD, then sends the acknowledgement, which contains the time waited by TO's own clock.
 * CLOCK_COST is added, since half a clock reading at either end is outside the interval. */
static int acknowledge(const struct latency_run *r, double hold)
{
    struct ack ack = {0, 0};
    if (hold > 0) {
        double start = clock_now();
        clock_hold(hold);
        ack.held = clock_now() - start + r->clock_cost;
    }
    return ack_send(r, r->from, TAG_ACK, &ack);
}

/* TIME: at FROM, for each repetition, the time from its entry to the arrival of the
 * acknowledgement, minus TO's hold. If FROM and TO are one rank, TIME is its time in the call, and
 * there is no acknowledgement. */
static int run_acknowledged(struct latency_run *r, const struct batch *b, double *time)
{
    const bool from = r->rank == r->from, to = r->rank == r->to;
    const double wait = b->hold * holds_before(r);
    struct ack ack = {0, 0};
    if (to && !from)
        TRY(acknowledge(r, b->hold));
    if (from && !to)
        TRY(ack_receive(r, r->to, TAG_ACK, &ack));
    double now = from ? clock_now() : 0;
    for (int k = -1; k < b->repetitions; k++) {
        double entry = run_next(r, now);
        if (wait > 0) {
            clock_hold(wait);
            entry = from ? clock_now() : 0;
        }
        TRY(run_operation(r));
        if (to && !from)
            TRY(acknowledge(r, b->hold));
        if (from && !to)
            TRY(ack_receive(r, r->to, TAG_ACK, &ack));
        now = from ? clock_now() : 0;
        if (from && k >= 0)
            time[k] = now - entry - ack.held - r->clock_cost;
    }
    return MPI_SUCCESS;
}

int batch_acknowledged(void *arg, const struct batch *b, double *value, int *n)
{
    struct latency_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    TRY(run_acknowledged(r, b, r->scratch));
    *n = b->repetitions;
    return values_to_rank_0(r, r->from, r->scratch, value, *n);
}

/* --- the acknowledgement measured by itself --- */

/* On rank TO: receives a ping from FROM and answers it. */
static int ping_answer(const struct latency_run *r)
{
    struct ack ack;
    TRY(ack_receive(r, r->from, TAG_PING, &ack));
    ack.sent = run_global(r, clock_now());
    return ack_send(r, r->from, TAG_PING, &ack);
}

/* On rank FROM: sends a ping to TO and receives the answer. Seconds: *TRIP, the round trip;
 * *ONE_WAY, the latency of the answer by the common clock. */
static int ping_ask(const struct latency_run *r, double *trip, double *one_way)
{
    struct ack ack = {0, 0};
    double start = clock_now();
    TRY(ack_send(r, r->to, TAG_PING, &ack));
    TRY(ack_receive(r, r->to, TAG_PING, &ack));
    double now = clock_now();
    *trip = now - start - r->clock_cost;
    *one_way = run_global(r, now) - ack.sent - r->clock_cost;
    return MPI_SUCCESS;
}

static int batch_pings(void *arg, const struct batch *b, double *value, int *n)
{
    struct latency_run *r = arg;
    bool shown = sync_measures_one_way(r->c->clock);
    TRY(PMPI_Barrier(r->c->comm));
    for (int k = -1; k < b->repetitions; k++) {
        double trip, one_way;
        if (r->rank == r->to)
            TRY(ping_answer(r));
        if (r->rank == r->from)
            TRY(ping_ask(r, &trip, &one_way));
        if (r->rank == r->from && k >= 0)
            r->scratch[k] = r->round_trip ? trip : shown ? one_way : trip / 2;
    }
    *n = b->repetitions;
    return values_to_rank_0(r, r->from, r->scratch, value, *n);
}

int run_measure_pings(struct latency_run *r, bool round_trip, struct plan *plan, double *loop)
{
    struct series s;
    struct plan quarter = *plan;
    double started = budget_now();
    quarter.budget /= 4;
    r->round_trip = round_trip;
    TRY(series_measure(r->c->comm, &quarter, 0, batch_pings, r, &s));
    *loop = s.loop_mean;
    figure_take(r, TIMED_PING, &s);
    if (plan->budget > 0) {
        double took = budget_now() - started;
        plan->budget = fmax(plan->budget - took, 1e-9);
        plan->budget_most = fmax(plan->budget_most - took, 1e-9);
    }
    return MPI_SUCCESS;
}

struct estimate latency_of(struct estimate e, struct estimate ack)
{
    return (struct estimate){e.value - ack.value, e.low - ack.high, e.high - ack.low};
}
