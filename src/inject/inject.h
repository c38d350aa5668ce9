/* What the layer does besides watching: acknowledgements, benchmark mode, another broadcast.
 * Every decision rests on what all members of the communicator know alike, so that every rank
 * decides the same way. A call that cannot be treated goes to the library. */
#ifndef COLLPROF_INJECT_INJECT_H
#define COLLPROF_INJECT_INJECT_H

#include "inject/replica.h"
#include "record/call.h"

#include <jansson.h>

struct sync_clock;

static inline bool inject_wanted(void)
{
    return UNLIKELY(layer.inject);
}

/* Whether members do something together, in which a rank that is switched off would be missing. */
bool inject_together(void);

/* Reads layer.settings; collective over the layer's communicator if they ask for an injection.
 * CLOCK stays the caller's and must live as long as the layer. */
void inject_start(struct sync_clock *clock);

/* Before a collective: benchmark mode measures here, at some calls of each signature.
 * Sets c->entry anew. */
void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes,
                   const struct operands *operands);

/* In place of MPI_Bcast: true if it has been done, with its return code in *RC and c->exit set;
 * false if the call is the library's. */
bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc);

/* Ends all injections while MPI still works. Called by all ranks. */
void inject_end(void);

/* The results, kind by kind ("ack", "benchmark", "broadcast"), for the profile: calls ADD for
 * every finding, which takes over the reference, and WARN for every remark. A finding has its
 * communicator as "communicator_index" in the ledger. */
void inject_findings(void (*add)(void *arg, const char *kind, json_t *finding),
                     void (*warn)(void *arg, const char *text), void *arg);

#endif
