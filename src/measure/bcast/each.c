/* Destination by destination: the loop over them, and the acknowledged broadcast of figure 9 that
 * ol and held share. */
#include "measure/bcast/bcast_inner.h"

#include <math.h>
#include <stdlib.h>

/* Who is to be measured, in which order. The root's. */
struct agenda {
    int *rank; /* N of them */
    int n;
    bool all; /* there is time for all: none is left out */
};

/* How much of the time the least for all of them takes; where it is not known, more than there is.
 */
static double part_needed(const struct bcast_run *r, const struct agenda *a)
{
    double needed = 0;
    for (int k = 0; k < a->n; k++)
        needed += run_least(r, r->result->method, a->rank[k]);
    return needed > 0 && r->share > 0 ? needed / r->share : INFINITY;
}

static bool agenda_make(struct agenda *a, const struct bcast_run *r, bool with_root)
{
    const struct bcast_case *c = r->c;
    int n = c->destinations ? c->n_destinations : r->size - 1;
    a->n = 0;
    a->rank = malloc(((size_t)n + 1) * sizeof *a->rank);
    if (!a->rank)
        return false;
    if (with_root)
        a->rank[a->n++] = c->root;
    for (int k = 0; k < n; k++)
        a->rank[a->n++] = c->destinations ? c->destinations[k] : k < c->root ? k : k + 1;
    if (c->seed && !with_root)
        run_shuffle(a->rank, a->n, c->seed);
    double part = part_needed(r, a);
    a->all = with_root || !r->scout.exit || least_with_spare * part < 1;
    if (!with_root && r->scout.exit && !(c->seed && part < 0.5))
        scout_sort(&r->scout, a->rank, a->n);
    return true;
}

/* An even part of what is left, or more if that is too little to be safe; 0 without a limit. */
static double share_of(const struct bcast_run *r, int rank, int left)
{
    double least = least_with_spare * run_least(r, r->result->method, rank);
    return r->share > 0 ? fmin(fmax(run_part(r, 1.0 / left), least), run_part(r, 1)) : 0;
}

/* How many of those from the K-th on may be slower than the slowest so far, or are to be measured
 * whether or not. */
static int wanted(const struct bcast_run *r, const struct agenda *a, int k)
{
    if (a->all || r->c->every)
        return a->n - k;
    return scout_may_be_slower(&r->scout, a->rank, k, a->n, r->result->value);
}

/* Whether there is time for the K-th: the first is never left out. */
static bool has_time(const struct bcast_run *r, const struct agenda *a, int k)
{
    double left = r->share - (budget_now() - r->started);
    return r->share <= 0 || k == 0 || left > run_least(r, r->result->method, a->rank[k]);
}

/* What ol gives where its assumption fails no look can foresee. */
static void judge_left_out(const struct bcast_run *r, const struct agenda *a)
{
    struct bcast_result *result = r->result;
    int n = result->measured;
    result->asked = a->n;
    result->at_least =
        n < a->n && (result->method->meaning != BCAST_LATENCY ||
                     scout_may_be_slower(&r->scout, a->rank, n, a->n, result->value) > 0);
    if (result->method->meaning == BCAST_LATENCY)
        result->chance = scout_chance(&r->scout, a->rank, n, a->n);
}

/* The root tells who is next; -1: nobody. */
static int each_of(struct bcast_run *r, struct agenda *a, struct bcast_result *result,
                   int (*one)(struct bcast_run *, double))
{
    for (int k = 0;; k++) {
        double share = 0;
        if (r->roots) {
            int left = k < a->n ? wanted(r, a, k) : 0;
            bool time = left > 0 && has_time(r, a, k);
            result->over_budget |= left > 0 && !time;
            r->destination = time ? a->rank[k] : -1;
            share = time ? share_of(r, r->destination, left) : 0;
        }
        TRY(PMPI_Bcast(&r->destination, 1, MPI_INT, r->c->root, r->c->comm));
        if (r->destination < 0)
            return MPI_SUCCESS;
        int impossible = result->impossible;
        TRY(one(r, share));
        /* Where time was up before anything was timed, nothing was measured. */
        if (r->roots)
            result->measured +=
                estimate_known(run_figure(r)->value) || result->impossible > impossible;
    }
}

/* Those that the budget does not reach are left out; the first never is. */
int run_each(struct bcast_run *r, struct bcast_result *result, bool with_root,
             int (*one)(struct bcast_run *, double))
{
    struct agenda a = {0};
    bool have = !r->roots || agenda_make(&a, r, with_root);
    int error = crew_agree(r->c->comm, have);
    if (error == MPI_SUCCESS)
        error = each_of(r, &a, result, one);
    if (error == MPI_SUCCESS && r->roots)
        judge_left_out(r, &a);
    free(a.rank);
    return error;
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
    if (!estimate_known(value))
        return;
    if (value.value <= 0 && result->method->meaning != BCAST_OVERHEAD) {
        result->impossible++;
        return;
    }
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

/* Either way may be as short as nothing and as long as all of the round trip; and then another
 * destination may be the slowest, one that was only looked at, too. */
int result_way_error(const struct bcast_run *r, struct bcast_result *result, int part,
                     double factor)
{
    if (sync_shows_ways(r->c->clock) || !r->roots)
        return MPI_SUCCESS;
    for (int i = 0; i < r->size; i++) {
        const struct bcast_figure *f = &result->figure[i];
        double latest = f->value.value + factor * f->timed[part].at.value;
        if (isnan(latest) && r->scout.way && !result->at_least && i != r->c->root)
            latest = scouted(&r->scout, i) + r->scout.way[i];
        result->way_error = fmax(result->way_error, latest - result->value.value);
    }
    return MPI_SUCCESS;
}

double figure_seconds(const struct bcast_figure *f)
{
    return f->value.value;
}

static double common_now(void *arg)
{
    return run_global(arg, clock_now());
}

int run_pings(struct bcast_run *r, enum ping_what what, int part, double share, double *loop)
{
    struct series s;
    struct ping p = {.what = what,
                     .comm = r->c->comm,
                     .timer = r->c->root,
                     .peer = r->destination,
                     .keeper = r->c->root,
                     .clock_cost = r->clock_cost,
                     .now = what == PING_BACK ? common_now : NULL,
                     .now_arg = r,
                     .scratch = r->scratch};
    double most = fmax(share / 4, fmin(share / 2, least_of_pings(r)));
    TRY(series_measure(r->c->comm, r->c->root, &r->c->plan, most, 0, batch_ping, &p, &s));
    *loop = s.loop_mean;
    figure_take(r, part, &s);
    return MPI_SUCCESS;
}

struct estimate latency_of(struct estimate e, struct estimate way)
{
    return (struct estimate){e.value - way.value, e.low - way.high, e.high - way.low};
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

/* A broadcast, and when all have left it, each is asked how long ago it did. */
static int be_asked(struct bcast_run *r)
{
    struct ack ack;
    MPI_Comm comm = r->c->comm;
    TRY(run_operation(r));
    double start = clock_now();
    TRY(run_barrier(r));
    TRY(PMPI_Recv(&ack, ACK_DOUBLES, MPI_DOUBLE, r->c->root, TAG_ACK, comm, MPI_STATUS_IGNORE));
    ack.held = clock_now() - start + r->clock_cost;
    return PMPI_Send(&ack, ACK_DOUBLES, MPI_DOUBLE, r->c->root, TAG_ACK, comm);
}

/* The slowest first: clocks drift while the others wait, at most so much as is added to what they
 * say. */
static int ask_all(struct bcast_run *r, int look, const struct agenda *a)
{
    struct scout *s = &r->scout;
    struct ack ack = {0, 0};
    double start = clock_now();
    TRY(run_operation(r));
    TRY(run_barrier(r));
    for (int k = 0; k < a->n; k++) {
        int i = a->rank[k];
        double asked = clock_now();
        TRY(PMPI_Send(&ack, ACK_DOUBLES, MPI_DOUBLE, i, TAG_ACK, r->c->comm));
        TRY(PMPI_Recv(&ack, ACK_DOUBLES, MPI_DOUBLE, i, TAG_ACK, r->c->comm, MPI_STATUS_IGNORE));
        double now = clock_now(), way = (now - asked - r->clock_cost) / 2;
        s->way[i] = look ? fmin(s->way[i], way) : way;
        s->exit[(size_t)look * (size_t)s->size + (size_t)i] =
            now - start - r->clock_cost - (1 - SYNC_DRIFT_UNKNOWN) * ack.held;
    }
    return MPI_SUCCESS;
}

int run_scout_ways(struct bcast_run *r)
{
    struct scout *s = &r->scout;
    struct agenda a = {.rank = r->roots ? malloc((size_t)r->size * sizeof *a.rank) : NULL};
    s->way = a.rank && s->exit ? calloc((size_t)r->size, sizeof *s->way) : NULL;
    int go = s->way != NULL;
    TRY(PMPI_Bcast(&go, 1, MPI_INT, r->c->root, r->c->comm));
    for (int i = 0; s->way && i < r->size; i++)
        if (i != r->c->root)
            a.rank[a.n++] = i;
    if (s->way)
        scout_sort(s, a.rank, a.n);
    int error = MPI_SUCCESS;
    /* The first does not count: not all are inside yet when the root enters. */
    for (int k = -1; go && k < SCOUT_LOOKS && error == MPI_SUCCESS; k++)
        error = r->roots ? ask_all(r, k > 0 ? k : 0, &a) : be_asked(r);
    for (int k = 0; s->way && k < SCOUT_LOOKS; k++)
        for (int i = 0; i < r->size; i++)
            s->exit[(size_t)k * (size_t)s->size + (size_t)i] -= s->way[i];
    if (s->way) {
        s->looks = SCOUT_LOOKS;
        s->error = 0;
    }
    free(a.rank);
    return error;
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
