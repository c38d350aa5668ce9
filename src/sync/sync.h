/* One clock for all ranks of a communicator (doc/methods.md, section 6).
 *
 * Ranks that read the same clock form a domain: same host, same boot, same time namespace. With one
 * domain, detected by one reduction, no clock is measured and no time converted. Otherwise one rank
 * per domain, its leader, follows the clock of rank FIRST along the tree of leaders with the
 * smallest sums of round trips (sync_tree()). A parent is measured before its children. The other
 * ranks of a domain copy their leader's result.
 *
 * "Local" is clock_now() of this rank, "global" clock_now() of rank FIRST, both in seconds.
 * Functions that return int return an MPI error code. Unless a comment says otherwise, they are
 * collective over the communicator given to sync_start(). */
#pragma once

#include "sync/estimate.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts the clock of this process: the host's or, in a build for the simulator
 * (COLLPROF_SIMULATED), the simulated one. Call once, before anything that reads a clock. */
void local_clock_start(void);

/* Returns the argument DOMAIN for sync_start(): 0 on real hosts, where the kernel shows which ranks
 * share a clock. In a simulation with the variable SIM_DRIFT it identifies the simulated host,
 * whose clock rate is off by up to SIM_DRIFT ppm. */
uint64_t local_clock_domain(void);

struct sync_clock {
    struct sync_line line; /* from local to global time; all 0 if they are equal */
    /* From local time to the parent's local time; LINE is OWN composed with the parent's LINE. Only
     * OWN is fitted to POINTS, since it depends on just two oscillators. */
    struct sync_line own;
    struct sync_point points[SYNC_POINTS_MAX];
    int n_points;
    int leader;  /* rank of this domain's leader among the leaders; 0 with one domain */
    int parent;  /* the leader that LEADER follows; -1: none, it is the first; -2: not chosen yet */
    int domains; /* number of domains; with 1 nothing is measured */
    double missed; /* error bound between the last two points even if a rate changed, seconds */
    double floor;  /* half the sum of round trips on the path to the global clock, seconds: a lower
                      limit of the error bound, since one direction may take a whole round trip */
    double worst_bound, worst_floor; /* largest LINE.BOUND and FLOOR of all ranks; the clocks of two
                                        ranks may differ by twice as much */
    MPI_Comm comm;                   /* COMM, DOMAIN and FIRST: as given to sync_start() */
    uint64_t domain;
    int first;
};

/* Whether CLOCK (NULL: clock_now()) can measure one-way latencies: only with one domain, since
 * otherwise the clock itself assumes symmetric latencies. */
static inline bool sync_measures_one_way(const struct sync_clock *clock)
{
    return !clock || clock->domains <= 1;
}

/* The largest error code, or status, of all ranks. A rank that returned alone would leave the
 * others blocked in the next collective, so each rank keeps its error until all agree here and all
 * return. MPI_SUCCESS is the lowest code. */
static inline int sync_agree(int error, MPI_Comm comm)
{
    int all = error, failed = PMPI_Allreduce(&error, &all, 1, MPI_INT, MPI_MAX, comm);
    return failed ? failed : all;
}

/* Returns, on all ranks, MPI_SUCCESS if HAVE is true on all ranks, otherwise MPI_ERR_NO_MEM. */
static inline int sync_all_have(MPI_Comm comm, bool have)
{
    return sync_agree(have ? MPI_SUCCESS : MPI_ERR_NO_MEM, comm);
}

/* Finds the domains and measures a first point. Ranks of one host with the same DOMAIN share a
 * clock; with 0 the kernel identifies the domain, and in a simulation all ranks are in one. The
 * clock of rank FIRST is the global one: pass the root at whose entry the measured times begin. */
int sync_start(struct sync_clock *clock, MPI_Comm comm, uint64_t domain, int first);

/* Measures one more point and fits the line through all points. Call it again late in a long run,
 * since points that are further apart give a more precise drift, and convert times afterwards. Does
 * nothing with one domain. */
int sync_remeasure(struct sync_clock *clock);

static inline double sync_global(const struct sync_clock *clock, double local)
{
    const struct sync_line *l = &clock->line;
    return local + l->offset + l->drift * (local - l->origin);
}

double sync_now(const struct sync_clock *clock);

/* Upper bound of the error of sync_global(clock, local), in seconds. */
double sync_bound(const struct sync_clock *clock, double local);

/* Measures one more point. *APART, equal on all ranks: upper bound of the difference between the
 * clocks of rank FROM (-1: of any rank) and of another rank since the previous point. It holds even
 * if a clock rate has changed meanwhile, which sync_bound() cannot know. If COMM is not the clock's
 * own communicator, no point is measured and sync_bound() gives the bound. */
int sync_check(struct sync_clock *clock, MPI_Comm comm, int from, double *apart);

/* Local: waits until the global MOMENT, busily unless --yield is given. False if it had passed. */
bool sync_wait(const struct sync_clock *clock, double moment);
