#include "measure/overlap/overlap.h"

#include "base/clock.h"
#include "measure/crew.h"
#include "measure/overlap/overlap_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARMUP = 3,
    BASE_WARMUP = 24,
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

double *overlap_latencies(const struct overlap_side *s, int n)
{
    enum { TRIPS = 5 };
    double *latency = calloc((size_t)n + 1, sizeof *latency);
    for (int to = 1; to <= n; to++) {
        if (s->rank != 0 && s->rank != to)
            continue;
        double least = INFINITY;
        for (int k = 0; k < TRIPS; k++) {
            double start = clock_now();
            if (s->rank == 0)
                overlap_say(s, to, OVERLAP_TAG_READY);
            overlap_hear(s, s->rank == 0 ? to : 0, OVERLAP_TAG_READY);
            if (s->rank != 0)
                overlap_say(s, 0, OVERLAP_TAG_READY);
            least = fmin(least, overlap_elapsed(s, start) / 2);
        }
        if (latency)
            latency[to - 1] = least;
    }
    return latency;
}

double overlap_elapsed(const struct overlap_side *s, double start)
{
    return clock_now() - start - s->clock_cost;
}

double overlap_until_there(const struct overlap_side *s, double start, double waited)
{
    double heard = overlap_elapsed(s, start) - s->clock_cost; /* WAITED took a reading, too */
    return fmax(waited, heard - s->latency);
}

const struct overlap_benchmark *overlap_find(const char *name)
{
    for (size_t i = 0; i < n_overlap_benchmarks; i++)
        if (strcmp(overlap_benchmarks[i]->name, name) == 0)
            return overlap_benchmarks[i];
    return NULL;
}

bool overlap_all_have(MPI_Comm comm, bool have)
{
    return crew_agree(comm, have) == MPI_SUCCESS;
}

bool overlap_open(struct overlap_stage *stage)
{
    size_t room = 2 * stage->largest + STRIDE;
    PMPI_Comm_rank(stage->comm, &stage->rank);
    PMPI_Comm_size(stage->comm, &stage->size);
    stage->send = malloc(room);
    stage->recv = malloc(room);
    if (!overlap_all_have(stage->comm, stage->send && stage->recv)) {
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

static struct overlap_side side_of(const struct overlap_stage *stage,
                                   const struct overlap_benchmark *b, size_t bytes, double latency)
{
    return (struct overlap_side){.comm = stage->comm,
                                 .rank = stage->rank,
                                 .size = stage->size,
                                 .peer = stage->rank == 0 ? 1 : 0,
                                 .bytes = bytes,
                                 .send = stage->send,
                                 .recv = stage->recv,
                                 .bind = stage->bind,
                                 .bind_arg = stage->bind_arg,
                                 .latency = latency,
                                 .clock_cost = clock_cost(),
                                 .benchmark = b};
}

/* Times of one kind, each with what it lost its processor to (enum work_loss). */
struct kept {
    double *value;
    int *loss;
    int n, room;
};

static void keep(struct kept *k, double value, int loss)
{
    if (k->n == k->room)
        return;
    k->loss[k->n] = loss;
    k->value[k->n++] = value;
}

static int count_lost(const struct kept *k, enum work_loss loss)
{
    int n = 0;
    for (int i = 0; i < k->n; i++)
        n += k->loss[i] == (int)loss;
    return n;
}

/* Of those that count; of all, if ALL or if none does. */
static struct summary summary_of(const struct kept *k, bool all)
{
    double *x = malloc((size_t)(k->n ? k->n : 1) * sizeof *x);
    size_t n = 0;
    bool none = count_lost(k, WORK_LOST_TO_OTHERS) == k->n;
    for (int i = 0; x && i < k->n; i++)
        if (all || none || k->loss[i] != WORK_LOST_TO_OTHERS)
            x[n++] = k->value[i];
    struct summary s = stats_summarize(x, n);
    free(x);
    return s;
}

/* What one cell is measured with. */
struct rounds {
    const struct overlap_benchmark *benchmark;
    const struct overlap_stage *stage;
    struct overlap_side *side, *without; /* the latter has no work */
    bool needs_comm;
    struct kept measured, comm, comp, late; /* rank 0's */
};

/* The work alone, before every communication: it is sampled if nothing came in between. */
static void work_alone(struct rounds *r, const struct work *work)
{
    if (work->units == 0)
        return;
    struct work_watch before = work_watch();
    double time = work_time(work);
    keep(&r->comp, time, (int)work_lost(&before));
}

/* One sequence of this rank, ALONE or with the work. *LOSS: enum work_loss. */
static double one_round(const struct rounds *r, bool alone, double *loss)
{
    const struct overlap_benchmark *b = r->benchmark;
    struct overlap_side *side = alone ? r->without : r->side;
    bool other = alone && b->alone_first;
    double time = 0;
    struct work_watch before = work_watch();
    if (side->rank == 0)
        time = (other ? b->alone_first : b->first)(side);
    else
        (other ? b->alone_others : b->others)(side);
    *loss = b->by_threads ? WORK_UNDISTURBED : work_lost(&before);
    return time;
}

/* BATCH runs; what was lost in them is for all ranks to say. False when rank 0's time is up. */
static bool one_batch(struct rounds *r, double until)
{
    double run[BATCH], comm[BATCH], loss[2 * BATCH + 1] = {0};
    for (int i = 0; i < BATCH; i++) {
        if (r->needs_comm) {
            if (r->side->rank == 0)
                work_alone(r, &r->side->work);
            comm[i] = one_round(r, true, &loss[BATCH + i]);
        }
        if (r->side->rank == 0)
            work_alone(r, &r->side->work);
        run[i] = one_round(r, false, &loss[i]);
        keep(&r->late, r->side->late, WORK_UNDISTURBED);
    }
    loss[2 * BATCH] = r->side->rank == 0 && clock_now() > until;
    PMPI_Allreduce(MPI_IN_PLACE, loss, 2 * BATCH + 1, MPI_DOUBLE, MPI_MAX, r->stage->comm);
    for (int i = 0; i < BATCH; i++) {
        keep(&r->measured, run[i], (int)loss[i]);
        if (r->needs_comm)
            keep(&r->comm, comm[i], (int)loss[BATCH + i]);
    }
    return loss[2 * BATCH] == 0;
}

/* A message that is the first to reach a page of the shared memory that it goes through takes three
 * times as long as those behind it, and there are hundreds of these pages, not all in a row: warm
 * for as long as ROUNDS of them bring a page fault, for WARM_SECONDS at most. */
#define WARM_SECONDS 0.05
static void warm_up(const struct rounds *r, int rounds)
{
    double ignored, until = clock_now() + WARM_SECONDS;
    for (int cold = 1; cold;) {
        long before = work_page_faults();
        for (int i = 0; i < rounds; i++)
            one_round(r, false, &ignored);
        int more[2] = {work_page_faults() > before, r->side->rank == 0 && clock_now() > until};
        PMPI_Allreduce(MPI_IN_PLACE, more, 2, MPI_INT, MPI_MAX, r->stage->comm);
        cold = more[0] && !more[1];
    }
}

/* The same on all ranks, since all count the same runs. */
static void all_rounds(struct rounds *r, int warmup, int runs, double budget)
{
    double until = clock_now() + (budget > 0 ? budget : INFINITY);
    warm_up(r, warmup);
    for (int tries = 0; tries < PATIENCE * runs; tries += BATCH)
        if (!one_batch(r, until) ||
            r->measured.n - count_lost(&r->measured, WORK_LOST_TO_OTHERS) >= runs)
            return;
}

/* Room for all tries at RUNS. Local. */
static bool rounds_open(struct rounds *r, int runs)
{
    int room = PATIENCE * runs + BATCH;
    double *x = calloc(5 * (size_t)room, sizeof *x);
    int *loss = calloc(5 * (size_t)room, sizeof *loss);
    r->measured = (struct kept){x, loss, 0, room};
    r->comm = (struct kept){x + room, loss + room, 0, room};
    r->comp = (struct kept){x + 2 * room, loss + 2 * room, 0, 2 * room};
    r->late = (struct kept){x + 4 * room, loss + 4 * room, 0, room};
    return x && loss;
}

static void rounds_close(struct rounds *r)
{
    free(r->measured.value);
    free(r->measured.loss);
}

static double half_interval(const struct summary *s)
{
    return s->n ? (s->median_high - s->median_low) / 2 : 0;
}

double overlap_ping(struct overlap_side *s)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
    PMPI_Recv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, MPI_STATUS_IGNORE);
    return overlap_elapsed(s, start) / 2;
}

void overlap_pong(struct overlap_side *s)
{
    if (s->rank > 1)
        return;
    overlap_receive(s);
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
}

/* The processor's time of a blocking send. */
double overlap_blocking_send(struct overlap_side *s)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
    double time = overlap_elapsed(s, start);
    overlap_hear(s, s->peer, OVERLAP_TAG_ACK);
    return time;
}

static void blocking_receive(struct overlap_side *s)
{
    if (s->rank == 1)
        overlap_sender_others(s);
}

static const struct overlap_benchmark base_benchmarks[N_BASE_KINDS] = {
    [BASE_CONTIGUOUS] = {.first = overlap_ping, .others = overlap_pong},
    [BASE_VECTOR] = {.vector = true, .first = overlap_ping, .others = overlap_pong},
    [BASE_CPU] = {.first = overlap_blocking_send, .others = blocking_receive},
};

static struct summary base_time(const struct overlap_benchmark *b,
                                const struct overlap_stage *stage, size_t bytes)
{
    struct overlap_side s = side_of(stage, b, bytes, 0);
    struct rounds r = {.benchmark = b, .stage = stage, .side = &s};
    struct summary time = {.median = NAN};
    int runs = stage->runs > BASE_RUNS ? stage->runs : BASE_RUNS;
    set_type(&s, b->vector);
    if (overlap_all_have(stage->comm, rounds_open(&r, runs))) {
        all_rounds(&r, BASE_WARMUP, runs, stage->budget);
        time = summary_of(&r.measured, false);
        /* The figure is needed even on a machine that leaves no run alone. */
        if (count_lost(&r.measured, WORK_LOST_TO_OTHERS) == r.measured.n)
            time.median = time.median_low = time.median_high = time.min;
    }
    rounds_close(&r);
    free_type(&s);
    return time;
}

double overlap_base_latency(struct overlap_stage *stage, double *error)
{
    struct summary s = base_time(&base_benchmarks[BASE_CONTIGUOUS], stage, 0);
    *error = half_interval(&s);
    return s.median;
}

struct base_point overlap_base_point(struct overlap_stage *stage, size_t bytes)
{
    struct base_point point = {.bytes = bytes};
    for (int k = 0; k < N_BASE_KINDS; k++) {
        bool possible = k != BASE_VECTOR || bytes >= BLOCK;
        point.time[k] = possible ? base_time(&base_benchmarks[k], stage, bytes).median : NAN;
    }
    return point;
}

/* Where the message starts late, T_MEASURED and the computation count from there. */
static double ratio_of(const struct rounds *r, const struct overlap_cell *cell, double late,
                       double measured)
{
    if (r->benchmark->by_threads)
        return measured / cell->t_comm;
    return overlap_ratio(measured, cell->t_comm, cell->t_comp - late);
}

static void judge(const struct rounds *r, const struct base_round *base, struct overlap_cell *cell)
{
    const struct overlap_benchmark *b = r->benchmark;
    struct summary m = summary_of(&r->measured, false), all = summary_of(&r->measured, true);
    struct summary comm = summary_of(&r->comm, false), comp = summary_of(&r->comp, false);
    double late = summary_of(&r->late, true).median;
    cell->own = count_lost(&r->measured, WORK_LOST_TO_OWN_THREADS);
    cell->disturbed = count_lost(&r->measured, WORK_LOST_TO_OTHERS);
    cell->runs = r->measured.n - cell->disturbed;
    cell->t_measured = m.median;
    cell->t_comm = r->needs_comm
                       ? comm.median
                       : base_round_time(base, (enum base_kind)b->base, (double)cell->bytes);
    cell->t_comp = b->by_threads ? 0 : comp.median;
    cell->ratio = ratio_of(r, cell, late, m.median);
    cell->ratio_all = ratio_of(r, cell, late, all.median);
    double shorter = b->by_threads ? cell->t_comm : fmin(cell->t_comm, cell->t_comp - late);
    double known = hypot(half_interval(&comm), half_interval(&comp));
    known = hypot(known, b->starts_late ? base->latency_error : 0);
    cell->error = shorter > 0 ? hypot(half_interval(&m), known) / shorter : NAN;
}

/* As far as the control may be from 1. */
#define MARGIN 0.05

const char *overlap_note(const struct overlap_benchmark *b, const struct overlap_cell *c)
{
    if (c->runs + c->disturbed == 0)
        return "not measured";
    if (c->t_comm < 0)
        return "the latency that is taken off was disturbed";
    if (!isfinite(c->ratio) && b->starts_late && c->t_comp > 0)
        return "the computation is over before the message starts";
    if (!isfinite(c->ratio))
        return "a time is missing";
    if (c->runs == 0)
        return "other processes disturbed every run";
    if (b->by_threads)
        return "";
    if (!(c->error <= OVERLAP_CERTAIN))
        return "not certain";
    if (c->ratio > 1 + MARGIN + c->error)
        return "slower than one after the other";
    if (c->ratio < -MARGIN - c->error)
        return "faster than the longer of the two alone";
    return "";
}

bool overlap_side_open(struct overlap_side *s, const struct overlap_benchmark *b,
                       const struct overlap_stage *stage, size_t bytes, int threads, double latency)
{
    *s = side_of(stage, b, bytes, latency);
    s->threads = threads;
    set_type(s, b->vector);
    bool begun = !b->begin || b->begin(s);
    if (overlap_all_have(stage->comm, begun))
        return true;
    if (begun && b->end)
        b->end(s);
    free_type(s);
    return false;
}

void overlap_side_close(struct overlap_side *s)
{
    if (s->benchmark->end)
        s->benchmark->end(s);
    free_type(s);
}

bool overlap_measure(const struct overlap_benchmark *b, struct overlap_stage *stage, size_t bytes,
                     const struct work *work, int threads, const struct base_round *base,
                     struct overlap_cell *cell)
{
    struct overlap_side s, without;
    struct rounds r = {.benchmark = b, .stage = stage, .side = &s, .without = &without};
    *cell = (struct overlap_cell){.bytes = bytes, .ratio = NAN, .error = NAN, .ratio_all = NAN};
    bool possible = overlap_all_have(stage->comm, rounds_open(&r, stage->runs)) &&
                    overlap_side_open(&s, b, stage, bytes, threads, base->latency);
    if (possible) {
        without = s;
        if (work)
            s.work = *work;
        r.needs_comm = !b->by_threads && !(stage->comm_from_base && b->base != NO_BASE);
        all_rounds(&r, WARMUP, stage->runs, stage->budget);
        if (s.rank == 0)
            judge(&r, base, cell);
        overlap_side_close(&s);
    }
    rounds_close(&r);
    return possible;
}
