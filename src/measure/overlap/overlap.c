#include "measure/overlap/overlap.h"

#include "base/clock.h"
#include "measure/overlap/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARMUP = 3,
    BATCH = 5,     /* runs between two looks at what the other ranks say */
    PATIENCE = 6,  /* tries for one run that counts, on the average, before giving up */
    BASE_RUNS = 51 /* everything else rests on these */
};

/* Denis and Trahay, III-D: blocks of 32 bytes at a stride of 64. */
enum { BLOCK = 32, STRIDE = 64 };

void overlap_say(const struct overlap_side *s, int to, int tag)
{
    PMPI_Send(NULL, 0, MPI_BYTE, to, tag, s->comm);
}

void overlap_hear(const struct overlap_side *s, int from, int tag)
{
    PMPI_Recv(NULL, 0, MPI_BYTE, from, tag, s->comm, MPI_STATUS_IGNORE);
}

double overlap_less_latency(double sequence, double latency)
{
    return sequence - latency;
}

double overlap_half(double sequence, double latency)
{
    (void)latency;
    return sequence / 2;
}

double overlap_whole(double sequence, double latency)
{
    (void)latency;
    return sequence;
}

const struct overlap_benchmark *overlap_find(const char *name)
{
    for (size_t i = 0; i < n_overlap_benchmarks; i++)
        if (strcmp(overlap_benchmarks[i]->name, name) == 0)
            return overlap_benchmarks[i];
    return NULL;
}

static bool all_have(MPI_Comm comm, bool have)
{
    int mine = have, all = 0;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

bool overlap_open(struct overlap_stage *stage)
{
    size_t room = 2 * stage->largest + STRIDE;
    PMPI_Comm_rank(stage->comm, &stage->rank);
    PMPI_Comm_size(stage->comm, &stage->size);
    stage->send = malloc(room);
    stage->recv = malloc(room);
    if (!all_have(stage->comm, stage->send && stage->recv)) {
        overlap_close(stage);
        return false;
    }
    memset(stage->send, 0x5a, room);
    memset(stage->recv, 0xa5, room);
    return true;
}

void overlap_close(struct overlap_stage *stage)
{
    free(stage->send);
    free(stage->recv);
    stage->send = stage->recv = NULL;
}

/* Contiguous bytes, or the paper's vector; a remainder of less than a block is left out. */
static void set_type(struct overlap_side *s, bool vector)
{
    if (vector && s->bytes >= BLOCK) {
        PMPI_Type_vector((int)(s->bytes / BLOCK), BLOCK, STRIDE, MPI_CHAR, &s->type);
        PMPI_Type_commit(&s->type);
        s->count = 1;
    } else {
        s->type = MPI_BYTE;
        s->count = (int)s->bytes;
    }
}

static void free_type(struct overlap_side *s)
{
    if (s->type != MPI_BYTE)
        PMPI_Type_free(&s->type);
}

static struct overlap_side side_of(const struct overlap_stage *stage, size_t bytes)
{
    return (struct overlap_side){.comm = stage->comm,
                                 .rank = stage->rank,
                                 .size = stage->size,
                                 .peer = stage->rank == 0 ? 1 : 0,
                                 .bytes = bytes,
                                 .send = stage->send,
                                 .recv = stage->recv,
                                 .bind = stage->bind,
                                 .bind_arg = stage->bind_arg};
}

/* Samples of one kind; room for as many as are wanted. */
struct kept {
    double *value;
    int n, room;
};

static void keep(struct kept *k, double value)
{
    if (k->n < k->room)
        k->value[k->n++] = value;
}

/* What one cell is measured with. */
struct rounds {
    const struct overlap_benchmark *benchmark;
    const struct overlap_stage *stage;
    struct overlap_side *side, *without; /* the latter has no work */
    double latency, cost;
    bool needs_comm;
    struct kept measured, comm, comp; /* rank 0's */
    int disturbed;
    double least_disturbed; /* the shortest of the runs that do not count */
};

/* The work alone, before every communication: it is sampled if nothing came in between. */
static void work_alone(struct rounds *r, const struct work *work)
{
    if (work->units == 0)
        return;
    long before = work_interruptions();
    double time = work_time(work);
    if (work_interruptions() == before)
        keep(&r->comp, time);
}

/* One sequence of this rank. *DISTURBED: it lost its processor. */
static double one_round(const struct rounds *r, struct overlap_side *side, double *disturbed)
{
    double sequence = 0;
    long before = work_interruptions();
    if (side->rank == 0)
        sequence = r->benchmark->first(side) - r->cost;
    else
        r->benchmark->others(side);
    *disturbed = !r->benchmark->by_threads && work_interruptions() != before;
    return r->benchmark->measured(sequence, r->latency);
}

/* BATCH runs; what counts of them is for all ranks to say. False when rank 0's time is up. */
static bool one_batch(struct rounds *r, double until)
{
    double run[BATCH], comm[BATCH], flag[2 * BATCH + 1] = {0};
    for (int i = 0; i < BATCH; i++) {
        if (r->needs_comm) {
            if (r->side->rank == 0)
                work_alone(r, &r->side->work);
            comm[i] = one_round(r, r->without, &flag[BATCH + i]);
        }
        if (r->side->rank == 0)
            work_alone(r, &r->side->work);
        run[i] = one_round(r, r->side, &flag[i]);
    }
    flag[2 * BATCH] = r->side->rank == 0 && clock_now() > until;
    PMPI_Allreduce(MPI_IN_PLACE, flag, 2 * BATCH + 1, MPI_DOUBLE, MPI_MAX, r->stage->comm);
    for (int i = 0; i < BATCH; i++) {
        r->disturbed += flag[i] > 0;
        if (flag[i] == 0)
            keep(&r->measured, run[i]);
        else
            r->least_disturbed = fmin(r->least_disturbed, run[i]);
        if (r->needs_comm && flag[BATCH + i] == 0)
            keep(&r->comm, comm[i]);
    }
    return flag[2 * BATCH] == 0;
}

/* The same on all ranks, since all count the same runs. */
static void all_rounds(struct rounds *r, int runs, double budget)
{
    double ignored, until = clock_now() + (budget > 0 ? budget : INFINITY);
    for (int i = 0; i < WARMUP; i++)
        one_round(r, r->side, &ignored);
    for (int tries = 0; tries < PATIENCE * runs; tries += BATCH)
        if (!one_batch(r, until) || r->measured.n >= runs)
            return;
}

/* Room for RUNS of each kind, rounded up to batches. Local. */
static bool rounds_open(struct rounds *r, int runs)
{
    int room = runs + BATCH;
    double *x = calloc(4 * (size_t)room, sizeof *x);
    r->measured = (struct kept){x, 0, room};
    r->comm = (struct kept){x + room, 0, room};
    r->comp = (struct kept){x + 2 * room, 0, 2 * room};
    r->cost = clock_cost();
    r->least_disturbed = INFINITY;
    return x != NULL;
}

static void rounds_close(struct rounds *r)
{
    free(r->measured.value);
}

/* Half a ping-pong. */
static double ping(struct overlap_side *s)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
    PMPI_Recv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, MPI_STATUS_IGNORE);
    return clock_now() - start;
}

static void pong(struct overlap_side *s)
{
    MPI_Request request;
    if (s->rank > 1)
        return;
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
}

/* The processor's time of a blocking send. */
static double blocking_send(struct overlap_side *s)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
    double time = clock_now() - start;
    overlap_hear(s, s->peer, OVERLAP_TAG_ACK);
    return time;
}

static void blocking_receive(struct overlap_side *s)
{
    if (s->rank == 1)
        overlap_sender_others(s);
}

static const struct overlap_benchmark base_benchmarks[N_BASE_KINDS] = {
    [BASE_CONTIGUOUS] = {.first = ping, .others = pong, .measured = overlap_half},
    [BASE_VECTOR] = {.vector = true, .first = ping, .others = pong, .measured = overlap_half},
    [BASE_CPU] = {.first = blocking_send, .others = blocking_receive, .measured = overlap_whole},
};

static double base_time(const struct overlap_benchmark *b, const struct overlap_stage *stage,
                        size_t bytes)
{
    struct overlap_side s = side_of(stage, bytes);
    struct rounds r = {.benchmark = b, .stage = stage, .side = &s};
    double time = NAN;
    int runs = stage->runs > BASE_RUNS ? stage->runs : BASE_RUNS;
    set_type(&s, b->vector);
    if (all_have(stage->comm, rounds_open(&r, runs))) {
        all_rounds(&r, runs, stage->budget);
        /* The figure is needed even on a machine that leaves no long run alone. */
        time =
            r.measured.n ? stats_median(r.measured.value, (size_t)r.measured.n) : r.least_disturbed;
    }
    rounds_close(&r);
    free_type(&s);
    return time;
}

struct base_point overlap_base_point(struct overlap_stage *stage, size_t bytes)
{
    struct base_point point = {.bytes = bytes};
    for (int k = 0; k < N_BASE_KINDS; k++) {
        bool possible = k != BASE_VECTOR || bytes >= BLOCK;
        point.time[k] = possible ? base_time(&base_benchmarks[k], stage, bytes) : NAN;
    }
    return point;
}

static double half_interval(const struct summary *s)
{
    return s->n ? (s->median_high - s->median_low) / 2 : 0;
}

static void judge(const struct rounds *r, double t_comm, struct overlap_cell *cell)
{
    struct summary m = stats_summarize(r->measured.value, (size_t)r->measured.n);
    struct summary comm = stats_summarize(r->comm.value, (size_t)r->comm.n);
    struct summary comp = stats_summarize(r->comp.value, (size_t)r->comp.n);
    bool threads = r->benchmark->by_threads;
    double error = hypot(half_interval(&m), hypot(half_interval(&comm), half_interval(&comp)));
    cell->runs = r->measured.n;
    cell->disturbed = r->disturbed;
    cell->t_measured = m.median;
    cell->t_comm = r->needs_comm ? comm.median : t_comm;
    cell->t_comp = threads ? 0 : comp.median;
    cell->ratio =
        threads ? m.median / cell->t_comm : overlap_ratio(m.median, cell->t_comm, cell->t_comp);
    cell->error = error / (threads ? cell->t_comm : fmin(cell->t_comm, cell->t_comp));
}

bool overlap_measure(const struct overlap_benchmark *b, struct overlap_stage *stage, size_t bytes,
                     const struct work *work, int threads, const struct base_round *base,
                     struct overlap_cell *cell)
{
    struct overlap_side s = side_of(stage, bytes), without;
    struct rounds r = {.benchmark = b, .stage = stage, .side = &s, .without = &without};
    *cell = (struct overlap_cell){.bytes = bytes, .ratio = NAN, .error = NAN};
    set_type(&s, b->vector);
    s.threads = threads;
    bool begun = rounds_open(&r, stage->runs) && (!b->begin || b->begin(&s));
    bool possible = all_have(stage->comm, begun);
    without = s;
    if (work)
        s.work = *work;
    if (possible) {
        bool from_base = b->by_threads || (stage->comm_from_base && b->base != NO_BASE);
        r.needs_comm = !from_base;
        r.latency = base->latency;
        all_rounds(&r, stage->runs, stage->budget);
        if (s.rank == 0)
            judge(&r, from_base ? base_round_time(base, (enum base_kind)b->base, (double)bytes) : 0,
                  cell);
    }
    if (begun && b->end)
        b->end(&s);
    rounds_close(&r);
    free_type(&s);
    return possible;
}
