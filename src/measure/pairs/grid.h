/* The broadcast "grid" for a communicator: measures (or reads) latencies, builds a schedule from
 * them, and tests it in a short trial. Used by `collprof run --bcast=grid` and collbench-tree. */
#pragma once

#include "measure/latency/latency.h"
#include "measure/pairs/data.h"
#include "sync/sync.h"
#include "trees/bcast.h"
#include "trees/schedule.h"
#include "trees/schedule_run.h"

#include <mpi.h>

/* What was measured on a communicator; only its rank 0 has the latencies. */
struct grid {
    MPI_Comm comm; /* the caller's; until bcast_grid_close() not to be freed or used otherwise */
    int rank, size;
    struct pairs pairs;
    /* Common clock of the ranks, set before bcast_grid_open(); NULL: all ranks are on one host. */
    struct sync_clock *clock;
    struct sync_clock then; /* CLOCK when the pairs were measured */
};

/* Collective. LOG: a latency log of COMM's ranks; NULL: measure now, in P - 1 rounds. BYTES: the N
 * message sizes that will be planned. They and the segment sizes below them are measured, since
 * libraries change protocols between sizes; NULL, 0: 64 B to 64 KiB. MOST: seconds for measuring,
 * not counting a pair that has begun; 0: no limit. Returns false on all ranks alike, with one line
 * in WHY on all of them, if the log cannot be used, time is up or an MPI call fails. */
bool bcast_grid_open(struct grid *g, MPI_Comm comm, const char *log, const size_t *bytes, int n,
                     double most, char *why, size_t size);

void bcast_grid_close(struct grid *g);

struct bcast_grid_plan {
    struct bcast bcast;        /* the broadcast to use; the plan owns its arg */
    char name[64];             /* "look-ahead, segments of 8192 B", or "native" */
    struct estimate predicted; /* schedule_predict_interval() of SCHEDULE; NaN for native */
    bool native; /* the library's own broadcast won the trial: see bcast_grid_plan() */
    struct estimate trial_grid,
        trial_native; /* seconds from the root's entry to the last exit; NaN if memory was short */
    struct schedule_part *part;
    struct schedule schedule; /* only on rank 0, otherwise empty */
};

/* Collective. Finds a schedule for broadcasts of BYTES from ROOT, built by BUILDER ("grid": any
 * candidate) in segments of SEGMENT bytes (0: no segments; SIZE_MAX: any size). The method "direct"
 * times the library's broadcast and at least three schedules, in ascending order of prediction, and
 * more as long as a prediction is below the best time. The library's broadcast is kept unless
 * bcast_grid_is_quicker(). Returns false on all ranks alike, with WHY as in bcast_grid_open(). Free
 * by bcast_grid_plan_free(). */
bool bcast_grid_plan(struct grid *g, int root, size_t bytes, const struct bcast *builder,
                     size_t segment, struct bcast_grid_plan *plan, char *why, size_t size);
void bcast_grid_plan_free(struct bcast_grid_plan *plan);

/* Whether broadcast A from ROOT is faster than B by outcomes of the method "direct": each rank's
 * exit is earlier than its own or the last one with B, by 2 % and by both intervals (5 % where
 * there is none). P: the pairs of ranks with several clocks, NULL if there is one. Then A must also
 * be at most 3 % slower whatever the errors of the clocks, which must not have been synchronized
 * between A and B; DRIFT: seconds by which two clocks may have moved apart since P was measured. */
bool bcast_grid_is_quicker(const struct latency_outcome *a, const struct latency_outcome *b,
                           int root, const struct pairs *p, double drift);
