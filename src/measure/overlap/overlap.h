/* Does communication overlap with computation? The benchmarks of Denis and Trahay ("the paper") and
 * some more; doc/methods.md, section 5.
 *
 * A benchmark declares the steps of one round for node 0 (rank 0), which is timed, and for the
 * other ranks; all are in benchmarks.c. Times are in seconds. Functions are collective over the
 * stage's communicator unless a comment says otherwise. */
#pragma once

#include "base/overlap.h"
#include "measure/work.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { OVERLAP_MESSAGES = 8 }; /* most messages pending at once */

/* The base round: communication without computation, whose time is the paper's T_comm. */
enum overlap_base_kind {
    BASE_CONTIGUOUS, /* half a ping-pong of contiguous data */
    BASE_VECTOR,     /* half a ping-pong of blocks of 32 bytes at a stride of 64 */
    BASE_CPU,        /* the time inside a blocking send */
    N_BASES,
    BASE_NONE = N_BASES /* no base round: benchmarks that the paper does not have */
};
struct overlap_base {
    size_t bytes;
    double time[N_BASES]; /* medians; NaN if not measured */
};

/* One round as timed by node 0. */
struct overlap_round {
    double measured;  /* T_measured without the messages that start and end the round */
    double published; /* T_measured as the paper defines it */
    double late;      /* benchmark "receiver": seconds computed before the message could start */
};

/* A benchmark's state on this rank. */
struct overlap_side {
    const struct overlap_benchmark *benchmark;
    const struct overlap_stage *stage;
    MPI_Datatype type; /* COUNT elements of TYPE hold the data */
    int count;
    const struct work *work;        /* the computation; NULL for none */
    int first;                      /* the first rank that node 0 sends to */
    double clock_cost;              /* of one clock reading */
    double began;                   /* clock_now() when the timed part of the round began */
    struct work_threads *computing; /* threads that compute, if BY_THREADS; else NULL */
    /* The round in progress. PEERS: number of ranks that node 0 sends to; PARTS: messages to each;
     * PENDING: requests that are not complete. */
    int peers, parts, pending;
    MPI_Request request[OVERLAP_MESSAGES];
    struct overlap_round round;
};

struct overlap_benchmark {
    const char *name;            /* as in --benchmark=NAME */
    enum overlap_base_kind base; /* which base round is its T_comm */
    bool vector;                 /* blocks of 32 bytes at stride 64 instead of contiguous data */
    bool by_threads;             /* threads compute all the time, so there is no T_comp: the result
                                    is T_measured / T_comm for each number of threads */
    int messages;                /* number of messages that share the data equally; 0 means 1 */
    bool to_many;                /* all data to each of up to OVERLAP_MESSAGES other ranks */
    /* The steps of a round, private to benchmarks.c. FIRST: of node 0; WITHOUT_WORK: of node 0 if
     * it does not compute, NULL: as FIRST; OTHERS: of the other ranks. */
    const int *first, *without_work, *others;
};

extern const struct overlap_benchmark overlap_benchmarks[];
extern const size_t n_overlap_benchmarks;
extern const struct overlap_benchmark overlap_bases[N_BASES];
/* Runs one round of S's benchmark, with WORK as its computation (NULL for none). Only node 0 gets
 * the times. */
struct overlap_round overlap_play(struct overlap_side *s, const struct work *work);
/* Whether B can run on RANKS ranks: TO_MANY needs 3 or more, the others exactly 2. */
static inline bool overlap_fits(const struct overlap_benchmark *b, int ranks)
{
    return b->to_many ? ranks > 2 : ranks == 2;
}

/* What all measurements share. A cell is a choice of benchmark, size and computation. */
struct overlap_stage {
    MPI_Comm comm;
    size_t largest; /* bytes of the largest message */
    int runs;       /* most rounds timed for one cell; paper: 50 */
    double budget;  /* seconds for one cell, used on rank 0; 0: no limit */
    /* Set by overlap_open(): */
    int rank, size;
    unsigned char *send, *recv; /* room for LARGEST bytes in blocks with gaps of equal size */
    double *latency;            /* rank 0: one-way latency of 0 bytes to each rank */
    double latency_error;       /* rank 0: half of the 95 % interval of LATENCY[1] */
};

/* Allocates buffers and measures latencies. False, on all ranks, if some rank has no memory; after
 * success call overlap_close(). */
bool overlap_open(struct overlap_stage *stage);
void overlap_close(struct overlap_stage *stage);

/* Times the base rounds of one size between ranks 0 and 1; only rank 0 gets the times. */
struct overlap_base overlap_base_measure(struct overlap_stage *stage, size_t bytes);

struct overlap_cell {
    double t_comm, t_comp, t_measured; /* medians; T_COMP is NaN with BY_THREADS */
    double ratio;     /* overlap_ratio() of them; BY_THREADS: T_measured / T_comm; NaN: none */
    double error;     /* half of the ratio's 95 % interval */
    double published; /* median of T_measured as the paper defines it; NaN if none */
    double published_ratio; /* ratio by PUBLISHED and the base round's T_comm, as in the paper */
    int runs;               /* 0: not measured */
};

/* Measures one cell with messages of base->bytes. T_comp is the time of the work alone, T_comm the
 * time of the same steps without work (BY_THREADS: of the base round). Both precede each run, and
 * each communication follows a computation, as in the run itself: right after another communication
 * it would be faster, and the control "serial" would show a ratio above 1. No run is discarded: if
 * the library's progress thread takes processor time, that is a cost of the library.
 *
 * WORK is calibrated on each rank; NULL with BY_THREADS. Only rank 0 uses BASE (except its bytes)
 * and CELL. False, on all ranks, if the benchmark cannot run here (no threads, no memory). */
bool overlap_measure(const struct overlap_benchmark *b, struct overlap_stage *stage,
                     const struct overlap_base *base, const struct work *work, int threads,
                     struct overlap_cell *cell);

/* Whether the ratio is precise enough to distinguish overlap from none: its error is at most 0.5.
 */
#define OVERLAP_CERTAIN 0.5
static inline bool overlap_certain(const struct overlap_cell *c)
{
    return c->runs > 0 && isfinite(c->ratio) && c->error <= OVERLAP_CERTAIN;
}
