/* What the layer does besides watching: acknowledgements, benchmark mode, another broadcast.
 * Decided per call from what all members of the communicator know alike, so that every rank
 * decides the same way. A call that cannot be treated goes to the library. */
#ifndef COLLPROF_INJECT_INJECT_H
#define COLLPROF_INJECT_INJECT_H

#include "inject/again.h"
#include "record/call.h"

#include <jansson.h>

struct sync_clock;

static inline bool inject_wanted(void)
{
    return UNLIKELY(layer.inject);
}

/* Whether members do something together that a rank which is switched off would be missed in. */
bool inject_together(void);

/* Reads what layer.settings ask for; collective over the layer's communicator if it is anything.
 * CLOCK stays the caller's and must live as long as the layer. */
void inject_start(struct sync_clock *clock);

/* Before a collective: benchmark mode measures here, at some calls of each signature.
 * Sets c->entry anew. */
void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes,
                   const struct operands *operands);

/* Where a collective is only started, or made ready to be. What is remembered of it goes with its
 * request: NULL, nothing. */
struct injected *inject_started(struct call *c, MPI_Comm comm, int root, uint64_t bytes);
/* After MPI_Start, and after the call that completed it. */
void inject_begun(struct injected *i, const struct call *c);
void inject_completed(struct injected *i, const struct call *c, bool tested, bool again);

/* In place of MPI_Bcast: true if it has been done, with its return code in *RC and c->exit set;
 * false if the call is the library's. */
bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc);

/* Ends it all while MPI still works. */
void inject_end(void);

/* What was found, kind by kind ("ack", "benchmark", "broadcast"), for the profile: calls ADD for
 * every finding, which takes over the reference, and WARN for every remark. The ledger knows the
 * finding's communicator by "communicator_index". */
void inject_findings(void (*add)(void *arg, const char *kind, json_t *finding),
                     void (*warn)(void *arg, const char *text), void *arg);

#endif
