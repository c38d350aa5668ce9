/* What the layer does besides watching: acknowledgements, benchmark mode, another broadcast.
 * Decided per call; every rank decides the same way or none does. */
#ifndef COLLPROF_INJECT_INJECT_H
#define COLLPROF_INJECT_INJECT_H

#include "record/call.h"

static inline bool inject_wanted(void)
{
    return UNLIKELY(layer.inject);
}

/* Before a collective: benchmark mode measures here, at the first calls of each signature.
 * Sets c->entry anew. */
void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes);

/* In place of MPI_Bcast: true if it has been done, with its return code in *RC and c->exit set;
 * false if the call is the library's. */
bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc);

#endif
