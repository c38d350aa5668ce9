/* Does communication overlap with computation? Denis and Trahay; doc/methods.md, section 5.
 *
 * A benchmark is a declared value: what node 0 (rank 0) does in a round and is timed for, and what
 * node 1 (rank 1) does. All are in benchmarks.c, where one more needs two functions and a line.
 * Times are in seconds. Functions are collective over the stage's communicator of two ranks. */
#ifndef COLLPROF_MEASURE_OVERLAP_OVERLAP_H
#define COLLPROF_MEASURE_OVERLAP_OVERLAP_H

#include "base/overlap.h"
#include "measure/work.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The base round: communication alone, the paper's T_comm. */
enum overlap_base_kind {
    BASE_CONTIGUOUS, /* half a ping-pong of contiguous data */
    BASE_VECTOR,     /* the same in blocks of 32 bytes at a stride of 64 */
    BASE_CPU,        /* the time inside of a blocking send */
    N_BASES
};
struct overlap_base {
    size_t bytes;
    double time[N_BASES]; /* medians; NaN: not measured */
};

/* What a node works with. */
struct overlap_side {
    const struct overlap_benchmark *benchmark;
    MPI_Comm comm;
    int rank;
    MPI_Datatype type; /* COUNT of it are the data */
    int count;
    unsigned char *send, *recv;
    struct work work;  /* the computation; 0 units: none */
    double latency;    /* node 0: one way of 0 bytes */
    double clock_cost; /* of one reading */
    double began;      /* clock_now() when the round began to be timed */
};

/* One round as node 0 has timed it. */
struct overlap_round {
    double measured;  /* T_measured without the messages around it, as far as they cost time */
    double published; /* T_measured as the paper defines it */
    double late;      /* how much of the computation was over before the message could start */
};

struct overlap_benchmark {
    const char *name;            /* as in --benchmark=NAME */
    const char *summary;         /* one line for --help */
    enum overlap_base_kind base; /* the paper's T_comm of it */
    bool vector;                 /* blocks of 32 bytes at stride 64 instead of contiguous data */
    bool by_threads;             /* Y is the number of computing threads, and the figure is
                                    T_measured over T_comm, since there is no T_comp */
    struct overlap_round (*first)(struct overlap_side *s); /* node 0 */
    void (*others)(struct overlap_side *s);                /* node 1 */
};

extern const struct overlap_benchmark overlap_benchmarks[];
extern const size_t n_overlap_benchmarks;
extern const struct overlap_benchmark overlap_bases[N_BASES];

/* What all measurements of a run share. */
struct overlap_stage {
    MPI_Comm comm;
    size_t largest; /* bytes of a message */
    int runs;       /* for one cell; paper: 50 */
    double budget;  /* seconds for one cell, as rank 0 has it; 0: no limit */
    /* By overlap_open(): */
    int rank;
    unsigned char *send, *recv; /* touched; room for the largest at stride 2 */
    double latency;             /* rank 0: one way of 0 bytes */
    double latency_error;       /* rank 0: half of its 95 % interval */
};

/* False, on both ranks, if a rank has no memory; otherwise close it. */
bool overlap_open(struct overlap_stage *stage);
void overlap_close(struct overlap_stage *stage);

/* The base round of one size; complete on rank 0. */
struct overlap_base overlap_base_measure(struct overlap_stage *stage, size_t bytes);

struct overlap_cell {
    double t_comm, t_comp, t_measured; /* medians; T_COMP is NaN by threads */
    double ratio;                      /* by threads: T_measured over T_comm. NaN: there is none */
    double error;                      /* half of the ratio's 95 % interval */
    double published;                  /* median of T_measured as the paper defines it */
    double published_ratio;            /* of that and T_comm of the base round: the paper's */
    int runs;                          /* 0: not measured */
};

/* Measures one cell with BASE's bytes. T_comp is the same work alone, and T_comm the same sequence
 * without work (by threads: of the base round), both measured in turn with the runs, each
 * communication after a computation as in the run itself: in a row of communications alone one
 * is faster, and the serial control would read more than 1. All runs count, since those in
 * which a progress thread of the library takes the processor are what that library costs.
 *
 * WORK is each rank's own, NULL by threads. BASE and CELL are rank 0's, but for BASE's bytes.
 * False, on both ranks, where the benchmark cannot run here (no threads, no memory). */
bool overlap_measure(const struct overlap_benchmark *b, struct overlap_stage *stage,
                     const struct overlap_base *base, const struct work *work, int threads,
                     struct overlap_cell *cell);

/* A ratio that differs from its neighbours': half of its interval is at most this. */
#define OVERLAP_CERTAIN 0.5
static inline bool overlap_certain(const struct overlap_cell *c)
{
    return c->runs > 0 && isfinite(c->ratio) && c->error <= OVERLAP_CERTAIN;
}

#endif
