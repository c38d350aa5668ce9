/* Pair by pair, without a common clock: the held acknowledgement turned round. The observer j
 * sends "go" to the source i, i holds for D while everybody else waits in the call, then enters.
 * From the go to j's exit are its way, D, and what is wanted: i's entry to j's exit. */
#include "measure/collective/collective_inner.h"
#include "measure/ping.h"
#include "measure/scout.h"
#include "sync/sync.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_GO = 0x676f, TAG_HELD = 0x6768 };

struct mirror {
    struct collective_run run;
    int from, to; /* the pair in progress */
    double gap;   /* the collector's: the interval between operations, half of the first hold */
    struct collective_mirrored *out;
    struct scout look; /* the collector's, as all below: pair i * size + j */
    int *pair, pairs;  /* to be measured, in this order */
    int tried;         /* of these */
    double *stamp;     /* room for two times of each rank */
};

/* Back-to-back operations: the slowest rank's interval is how long the busiest one is busy. */
static int batch_gap(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct mirror *m = arg;
    const struct collective_run *r = &m->run;
    double mine, slowest;
    TRY(crew_gap(r->c->comm, r->c->run, r->c->arg, b->repetitions, r->clock_cost, &mine));
    TRY(PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, r->c->comm));
    if (r->collects) {
        value[0] = *loop = slowest;
        *n = 1;
    }
    return MPI_SUCCESS;
}

/* The source: waits for the go, holds, enters. HELD gets what its own clock says. */
static int be_source(const struct mirror *m, const struct batch *b, double *held)
{
    const struct collective_run *r = &m->run;
    struct ack go;
    for (int k = -1; k < b->repetitions; k++) {
        TRY(PMPI_Recv(&go, ACK_DOUBLES, MPI_DOUBLE, m->to, TAG_GO, r->c->comm, MPI_STATUS_IGNORE));
        double start = clock_now();
        collective_before(r);
        clock_hold(b->hold);
        double end = clock_now();
        TRY(collective_once(r));
        if (k >= 0)
            held[k] = end - start + r->clock_cost;
    }
    return PMPI_Send(held, b->repetitions, MPI_DOUBLE, m->to, TAG_HELD, r->c->comm);
}

/* The observer holds as well, before it sends the go: it may have left the operation before long
 * before the source does, and then the go would wait for the source and not the source for it. */
static int be_observer(const struct mirror *m, const struct batch *b, double *value)
{
    const struct collective_run *r = &m->run;
    struct ack go = {0, 0};
    double *held = value + b->repetitions;
    for (int k = -1; k < b->repetitions; k++) {
        collective_before(r);
        clock_hold(b->hold);
        double start = clock_now();
        TRY(PMPI_Send(&go, ACK_DOUBLES, MPI_DOUBLE, m->from, TAG_GO, r->c->comm));
        clock_hold(b->hold / 4); /* what it sends in the operation must not slow the go down */
        TRY(collective_once(r));
        if (k >= 0)
            value[k] = clock_now() - start - r->clock_cost;
    }
    TRY(PMPI_Recv(held, b->repetitions, MPI_DOUBLE, m->from, TAG_HELD, r->c->comm,
                  MPI_STATUS_IGNORE));
    for (int k = 0; k < b->repetitions; k++)
        value[k] -= held[k];
    return MPI_SUCCESS;
}

/* A source that observes itself needs no messages: its own time in the call. */
static int be_both(const struct mirror *m, const struct batch *b, double *in_call)
{
    const struct collective_run *r = &m->run;
    for (int k = -1; k < b->repetitions; k++) {
        collective_before(r);
        clock_hold(2 * b->hold); /* as an observer's, then as a source's */
        double start = clock_now();
        TRY(collective_once(r));
        if (k >= 0)
            in_call[k] = clock_now() - start - r->clock_cost;
    }
    return MPI_SUCCESS;
}

/* Enters half a hold after it left: what it sends then must neither meet what the observer still
 * waits for, nor be under way when the go is. So the first hold is of two gaps. */
static int be_other(const struct mirror *m, const struct batch *b)
{
    for (int k = -1; k < b->repetitions; k++) {
        collective_before(&m->run);
        clock_hold(b->hold / 2);
        TRY(collective_once(&m->run));
    }
    return MPI_SUCCESS;
}

static int batch_mirror(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct mirror *m = arg;
    struct collective_run *r = &m->run;
    TRY(PMPI_Barrier(r->c->comm));
    if (r->rank == m->to && r->rank == m->from)
        TRY(be_both(m, b, r->mine));
    else if (r->rank == m->to)
        TRY(be_observer(m, b, r->mine));
    else if (r->rank == m->from)
        TRY(be_source(m, b, r->mine));
    else
        TRY(be_other(m, b));
    *n = b->repetitions;
    return values_to_keeper(r->c->comm, m->to, r->c->collector, r->mine, value, *n, loop);
}

static double common_now(void *arg)
{
    const struct collective_case *c = arg;
    return c->clock ? sync_now(c->clock) : clock_now();
}

/* The way of the go, or half a round trip; 0 for a source that observes itself. */
static int measure_way(struct mirror *m, double share, struct estimate *way)
{
    struct collective_run *r = &m->run;
    struct series s;
    bool exact = sync_shows_ways(r->c->clock);
    struct ping p = {.what = exact ? PING_OUT : PING_HALF,
                     .now = exact ? common_now : NULL,
                     .now_arg = (void *)r->c,
                     .comm = r->c->comm,
                     .timer = m->to,
                     .peer = m->from,
                     .keeper = r->c->collector,
                     .clock_cost = r->clock_cost,
                     .scratch = r->mine};
    *way = (struct estimate){0, 0, 0};
    if (m->from == m->to)
        return MPI_SUCCESS;
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, share, 0, batch_ping, &p, &s));
    *way = series_estimate(&s);
    series_free(&s);
    return MPI_SUCCESS;
}

static void pair_keep(struct mirror *m, const struct series *s, const struct curve *curve,
                      struct estimate way)
{
    struct collective_mirrored *out = m->out;
    const struct collective_pair *slowest = collective_slowest(out);
    struct estimate e = series_estimate(s);
    if (!estimate_known(e))
        return;
    e.value -= way.value;
    e.low -= way.high;
    e.high -= way.low;
    out->pair[(size_t)m->from * (size_t)m->run.size + (size_t)m->to] =
        (struct collective_pair){e, curve->point[curve->believed].hold, curve->settled,
                                 sync_shows_ways(m->run.c->clock) ? 0 : way.value};
    out->measured++;
    out->over_budget += s->over_budget;
    /* Of equals, but for what their clocks' digits hold, one that has settled. */
    bool equal = slowest && fabs(e.value - slowest->time.value) < 1e-9;
    if (!slowest || (equal ? curve->settled && !slowest->settled : e.value > slowest->time.value)) {
        out->slowest_from = m->from;
        out->slowest_to = m->to;
    }
}

static int measure_pair(struct mirror *m, double share)
{
    struct collective_run *r = &m->run;
    struct series s;
    struct curve curve;
    struct estimate way;
    TRY(measure_way(m, share / 4, &way));
    TRY(series_settle(r->c->comm, r->c->collector, &r->c->plan, share * 3 / 4, 2 * m->gap,
                      batch_mirror, m, &s, &curve));
    if (r->collects)
        pair_keep(m, &s, &curve, way);
    series_free(&s);
    return MPI_SUCCESS;
}

static bool coupled(const struct collective_case *c, int from, int to)
{
    switch (c->pattern) {
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

/* A look at one source: it enters last, and the exits of all are seen on the common clock. SEEN has
 * room for one time of each rank. */
static int look_from(struct mirror *m, int from, double hold, double *seen)
{
    const struct collective_run *r = &m->run;
    double mine[2];
    TRY(PMPI_Barrier(r->c->comm));
    collective_before(r);
    if (r->rank == from)
        clock_hold(hold);
    mine[0] = common_now((void *)r->c);
    TRY(collective_once(r));
    mine[1] = common_now((void *)r->c);
    clock_hold(hold / 2); /* what is sent next must not meet what others still wait for */
    TRY(PMPI_Gather(mine, 2, MPI_DOUBLE, m->stamp, 2, MPI_DOUBLE, r->c->collector, r->c->comm));
    for (int to = 0; r->collects && to < r->size; to++)
        seen[to] = m->stamp[2 * to + 1] - m->stamp[2 * from] - r->clock_cost;
    return MPI_SUCCESS;
}

/* Looks at all sources, three times or as often as a third of the budget allows. */
static int look_at_all(struct mirror *m)
{
    struct collective_run *r = &m->run;
    struct scout *s = &m->look;
    double share = collective_part(r, 1 / 3.0), started = clock_now(), hold = 2 * m->gap;
    int k = 0;
    TRY(PMPI_Bcast(&hold, 1, MPI_DOUBLE, r->c->collector, r->c->comm));
    for (; k < SCOUT_LOOKS * r->size; k++) {
        int from = k % r->size, go = clock_now() - started < share;
        if (r->c->pattern == COLLECTIVE_FROM_ROOT && from != r->c->root)
            continue;
        TRY(PMPI_Bcast(&go, 1, MPI_INT, r->c->collector, r->c->comm));
        if (!go)
            break;
        TRY(look_from(m, from, hold, s->exit ? s->exit + (size_t)k * (size_t)r->size : NULL));
    }
    s->looks = k / r->size;
    return r->c->clock ? sync_check(r->c->clock, r->c->comm, &s->error) : MPI_SUCCESS;
}

static int look(struct mirror *m)
{
    struct collective_run *r = &m->run;
    m->look.size = r->size * r->size;
    if (r->collects)
        m->look.exit = malloc(SCOUT_LOOKS * (size_t)m->look.size * sizeof *m->look.exit);
    TRY(crew_agree(r->c->comm, !r->collects || m->look.exit));
    if (r->c->clock && r->c->clock->comm == r->c->comm)
        TRY(sync_again(r->c->clock));
    TRY(look_at_all(m));
    if (m->look.looks > 0) {
        scout_sort(&m->look, m->pair, m->pairs);
    } else {
        free(m->look.exit);
        m->look.exit = NULL;
    }
    return MPI_SUCCESS;
}

/* By distance, so that a budget that ends early has seen every source; those with themselves last.
 */
static void list_pairs(struct mirror *m)
{
    const struct collective_run *r = &m->run;
    for (int k = 0; k < r->size * r->size; k++) {
        int from = k % r->size, to = (k + 1 + k / r->size) % r->size;
        if (coupled(r->c, from, to))
            m->pair[m->pairs++] = from * r->size + to;
    }
}

/* The collector's: seconds that a pair takes to settle with an interval. By both ranks two gaps of
 * hold for nine operations, then four for seven; as much again by a third for the way; and a spare.
 */
static double least_of_pair(const struct mirror *m)
{
    return 1.25 * 4 / 3 * (9 * (2 * 2 + 1) + 7 * (2 * 4 + 1)) * m->gap;
}

/* The collector's: the share of the K-th pair, or 0 for no more. An even part of what is left, or
 * more if that is too little and a look says that the first matter most. */
static double share_next(const struct mirror *m, int k)
{
    const struct collective_pair *slowest = collective_slowest(m->out);
    double left = collective_part(&m->run, 1), least = m->look.exit ? least_of_pair(m) : 0;
    int may = m->pairs - k;
    if (slowest && m->look.exit)
        may = scout_may_be_slower(&m->look, m->pair, k, m->pairs, slowest->time);
    if (may == 0 || (k > 0 && left <= fmax(least, 1e-9)))
        return 0;
    return fmin(fmax(left / may, least), left);
}

static int measure_pairs(struct mirror *m)
{
    struct collective_run *r = &m->run;
    const struct collective_case *c = r->c;
    bool limited = c->plan.budget > 0;
    int looks = r->collects && limited && !c->every &&
                m->pairs * least_of_pair(m) > collective_part(r, 0.8);
    TRY(PMPI_Bcast(&looks, 1, MPI_INT, c->collector, c->comm));
    if (looks)
        TRY(look(m));
    for (int k = 0;; k++) {
        double share = 0;
        int next = -1;
        if (r->collects && k < m->pairs && (!limited || (share = share_next(m, k)) > 0))
            next = m->pair[k];
        TRY(PMPI_Bcast(&next, 1, MPI_INT, c->collector, c->comm));
        if (next < 0)
            return MPI_SUCCESS;
        m->tried = k + 1;
        m->from = next / r->size;
        m->to = next % r->size;
        TRY(measure_pair(m, share));
    }
}

/* What was left out, and whether it may be the slowest. */
static void judge_left_out(struct mirror *m)
{
    struct collective_mirrored *out = m->out;
    const struct collective_pair *slowest = collective_slowest(out);
    int n = m->tried;
    out->asked = m->pairs;
    out->at_least = n < m->pairs;
    if (slowest && m->look.exit) {
        out->at_least = scout_may_be_slower(&m->look, m->pair, n, m->pairs, slowest->time) > 0;
        out->chance = scout_chance(&m->look, m->pair, n, m->pairs);
    }
}

static int mirrored_measure(struct mirror *m)
{
    struct collective_run *r = &m->run;
    struct series s;
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, collective_part(r, 0.05), 0,
                       batch_gap, m, &s));
    /* A short row may be through before its first operation has arrived: then it is no gap, and the
     * batch, which ends when all have, is a better one, with its barriers. */
    bool is_gap = s.summary.min > 0.1 * s.per_operation;
    m->gap = r->collects ? fmax(is_gap ? s.summary.min : s.per_operation, gap_least) : 0;
    series_free(&s);
    if (r->collects)
        list_pairs(m);
    TRY(measure_pairs(m));
    if (r->collects)
        judge_left_out(m);
    return MPI_SUCCESS;
}

static bool mirrored_allocate(struct mirror *m)
{
    struct collective_mirrored *out = m->out;
    size_t n = (size_t)m->run.size * (size_t)m->run.size;
    m->stamp = malloc(2 * (size_t)m->run.size * sizeof *m->stamp);
    if (!m->run.collects)
        return m->stamp;
    out->size = m->run.size;
    out->pair = malloc(n * sizeof *out->pair);
    for (size_t k = 0; out->pair && k < n; k++)
        out->pair[k] = (struct collective_pair){{NAN, NAN, NAN}, NAN, false, 0};
    m->pair = malloc(n * sizeof *m->pair);
    return out->pair && m->pair && m->stamp;
}

int collective_measure_mirrored(const struct collective_case *c, struct collective_mirrored *out)
{
    struct mirror m = {.out = out};
    *out = (struct collective_mirrored){.slowest_from = -1, .slowest_to = -1};
    int error = collective_start(&m.run, c);
    if (error == MPI_SUCCESS)
        error = crew_agree(c->comm, mirrored_allocate(&m));
    if (error == MPI_SUCCESS)
        error = mirrored_measure(&m);
    collective_end(&m.run);
    free(m.look.exit);
    free(m.pair);
    free(m.stamp);
    if (error != MPI_SUCCESS || !m.run.collects)
        collective_mirrored_free(out);
    return error;
}

void collective_mirrored_free(struct collective_mirrored *m)
{
    free(m->pair);
    *m = (struct collective_mirrored){.slowest_from = -1, .slowest_to = -1};
}
