/* Broadcast algorithms, as values: what the methods measure, what replaces MPI_Bcast, and what is
 * built from latencies (schedule.h). base/names.h lists them; options, help and messages follow.
 *
 * All ranks of COMM call RUN with equal arguments, as for MPI_Bcast. It uses point-to-point
 * messages on COMM itself, so give it a communicator of your own, never the application's.
 * Returns an MPI error code. */
#ifndef COLLPROF_TREES_BCAST_H
#define COLLPROF_TREES_BCAST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct graph;
struct schedule;

struct bcast {
    const char *name;    /* as in --algorithm=NAME */
    const char *summary; /* one line for --help */
    /* As it is; NULL: it has to be built. */
    int (*run)(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const void *arg);
    const void *arg; /* a schedule, a segment size; NULL if it needs none */
    /* From latencies, by schedule_build(): sets parent and order. NULL: it looks at none. */
    bool (*build)(const struct graph *g, struct schedule *s);
    int max_n;    /* what BUILD takes; 0: any */
    bool relabel; /* children are put into the order of labels afterwards */
};

extern const struct bcast *const bcasts[];
extern const size_t n_bcasts;

/* The same tree from its leaves to ROOT: what each rank has in BUFFER is combined with that of all
 * ranks below it, and lies in the root's in the end; the other ranks' is then of no use. ROOM holds
 * as much. OP must not mind the order of its operands. Only where bcast_fans_in(). */
int bcast_fan_in(const struct bcast *b, void *buffer, void *room, int count, MPI_Datatype type,
                 MPI_Op op, int root, MPI_Comm comm);
bool bcast_fans_in(const struct bcast *b);

/* NULL if there is none of that name. */
const struct bcast *bcast_find(const char *name);

#endif
