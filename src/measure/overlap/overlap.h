/* Does communication overlap with computation? Denis and Trahay; doc/methods.md, section 5.
 *
 * A benchmark is a declared value: what node 0 does and is timed for, what the other nodes do, and
 * what its pure communication time is. Adding one is adding a file to measure/overlap/ and a
 * line to list.c. The receiver is always ready first, by an explicit message to node 0 that each
 * side's role contains; there is no barrier. Seconds. */
#ifndef COLLPROF_MEASURE_OVERLAP_OVERLAP_H
#define COLLPROF_MEASURE_OVERLAP_OVERLAP_H

#include "base/overlap.h"
#include "base/stats.h"
#include "measure/collective/operation.h"
#include "measure/work.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    OVERLAP_PENDING = 8, /* requests at a time, or destinations at most */
    NO_BASE = N_BASE_KINDS
};

/* What a role has to work with. */
struct overlap_side {
    MPI_Comm comm;
    int rank, size;
    int peer; /* node 0's partner is 1, everyone else's is 0 */
    size_t bytes;
    MPI_Datatype type; /* of one message: BYTES in all, contiguous or not */
    int count;
    unsigned char *send, *recv;
    struct work work;                    /* to be overlapped with; 0 units: none */
    int threads;                         /* N, where the benchmark has threads */
    void (*bind)(int thread, void *arg); /* of thread 0, 1, ...; may be NULL */
    void *bind_arg;
    double latency;    /* of 0 bytes, one way, as node 0 has it */
    double clock_cost; /* of one reading */
    double late;       /* set by first(): from node 0's computation to the start of the message */
    const struct overlap_benchmark *benchmark;
    void *own; /* the benchmark's, from begin() to end() */
};

struct overlap_benchmark {
    const char *name;    /* as in --benchmark=NAME */
    const char *title;   /* over its map */
    const char *summary; /* one line for --help */
    int base;            /* enum base_kind: the paper's T_comm of it; NO_BASE: the paper has none */
    int least_ranks, most_ranks; /* 0: no limit */
    int thread_level;            /* of MPI */
    bool vector;                 /* blocks of 32 bytes at stride 64 instead of contiguous data */
    bool by_threads;       /* computing threads instead of a computation: Y is N, and the figure is
                              T_measured / T_comm, since there is no T_comp */
    bool simulable;        /* no threads */
    bool starts_late;      /* the message starts after node 0's computation, of which so much
                              has nothing to hide: side->late is set */
    const char *operation; /* of a collective one */
    int (*post)(struct overlap_side *s, MPI_Request *request); /* instead: how many requests */
    bool comes_last;   /* ... in which node 0 is the last rank */
    bool only_by_name; /* "all" has it not */
    /* Once per cell, on all nodes; may be NULL. False if it cannot be had. */
    bool (*begin)(struct overlap_side *s);
    void (*end)(struct overlap_side *s);
    double (*first)(struct overlap_side *s); /* node 0: one round; T_measured */
    void (*others)(struct overlap_side *s);
    /* What T_comm is the time of; NULL: the same, without work. */
    double (*alone_first)(struct overlap_side *s);
    void (*alone_others)(struct overlap_side *s);
};

/* sender, receiver, both, vector, cpu, load: the paper's six; serial: the control that must read 1;
 * the others: what the paper left out. */
extern const struct overlap_benchmark *const overlap_benchmarks[];
extern const size_t n_overlap_benchmarks;
const struct overlap_benchmark *overlap_find(const char *name);

/* What all measurements of a run share. */
struct overlap_stage {
    MPI_Comm comm;
    int runs;            /* per cell; paper: 50 */
    double budget;       /* seconds per cell after the first few runs, as rank 0 has it */
    size_t largest;      /* bytes: of the buffers */
    bool comm_from_base; /* as the paper, instead of from each cell: see below */
    void (*bind)(int thread, void *arg);
    void *bind_arg;
    /* By overlap_open(): */
    int rank, size;
    unsigned char *send, *recv; /* touched; room for the largest at stride 2 */
};

/* Collective. False, on all ranks, if a rank has no memory for the buffers. */
bool overlap_open(struct overlap_stage *stage);
void overlap_close(struct overlap_stage *stage);

/* Half a ping-pong of 0 bytes, and half of its 95 % interval, on rank 0. */
double overlap_base_latency(struct overlap_stage *stage, double *error);

/* The base round, one size at a time: the medians of half a ping-pong of contiguous data, of the
 * same by the derived type, and of a blocking send. Complete on rank 0. Between ranks 0 and 1;
 * collective over all. */
struct base_point overlap_base_point(struct overlap_stage *stage, size_t bytes);

struct overlap_cell {
    size_t bytes;
    double t_comm, t_comp, t_measured; /* medians; t_comp is 0 by threads */
    double ratio;                      /* T_measured / T_comm for a benchmark by threads */
    double error;                      /* half of the ratio's 95 % interval */
    double ratio_all;                  /* from all runs, the disturbed ones too */
    int runs;                          /* that count: all but those disturbed by others */
    int own;       /* of these, in which a rank lost its processor while threads of its own ran */
    int disturbed; /* in which it lost its processor to others; they count if all are so */
};

/* What has to be said of the cell: why it has no ratio, or one that is not certain, or not between
 * 0 and 1; "" if nothing. */
const char *overlap_note(const struct overlap_benchmark *b, const struct overlap_cell *cell);

/* Of a ratio that can be told from its neighbours: half of its interval is at most this. */
#define OVERLAP_CERTAIN 0.5

/* One cell. T_comp is the same work alone, and T_comm the same sequence without work, both
 * measured between the runs, each communication after a computation as in the run itself. The
 * paper takes T_comm from the base round (BASE, with comm_from_base): but a communication that
 * follows a computation is slower than one in a row of many, by a fifth at 64 KiB where this was
 * written, and the serial control then reads 1.2. By threads it is from the base round always.
 *
 * A run in which a rank loses its processor is kept. Where it lost it to threads of its own process
 * it counts: a library that progresses by a thread has its price there. Where it lost it to others
 * it counts only if there is no other, and more runs are made. By threads all count, since the
 * scheduler is what is measured.
 *
 * WORK is each rank's own, NULL by threads. Collective; CELL and BASE are rank 0's. False, on all
 * ranks, where the benchmark cannot run here (threads in a simulation, no memory). */
bool overlap_measure(const struct overlap_benchmark *b, struct overlap_stage *stage, size_t bytes,
                     const struct work *work, int threads, const struct base_round *base,
                     struct overlap_cell *cell);

/* Why: some rounds of this cell more, of which is put into TEXT what was seen of the transport, and
 * when. Collective; true on rank 0 alone, and only where --trace=transport lets it be seen. */
bool overlap_watch(const struct overlap_benchmark *b, struct overlap_stage *stage, size_t bytes,
                   const struct work *work, char *text, size_t room);

/* For the roles. */
enum { OVERLAP_TAG_DATA = 1, OVERLAP_TAG_READY, OVERLAP_TAG_ACK };
void overlap_say(const struct overlap_side *s, int to, int tag);    /* 0 bytes */
void overlap_hear(const struct overlap_side *s, int from, int tag); /* 0 bytes */

/* On node 0, to be freed: the latency to each of the first N other nodes, half of the shortest of a
 * few round trips of 0 bytes. All of these call it; NULL if there is no memory. */
double *overlap_latencies(const struct overlap_side *s, int n);

/* Since START, the clock's cost taken off. */
double overlap_elapsed(const struct overlap_side *s, double start);

/* T_measured where an acknowledgement has just been heard, and WAITED had elapsed after the wait:
 * the data was there a latency before the acknowledgement, or while node 0 still computed or
 * waited. The paper takes the latency off in either case, though in the latter it cost nothing. */
double overlap_until_there(const struct overlap_side *s, double start, double waited);

#endif
