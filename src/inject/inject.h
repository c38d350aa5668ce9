/* What the layer does in addition to recording: acknowledgements, benchmark mode, another
 * broadcast. Every decision uses only data that all members of the communicator share, so every
 * rank decides alike. A call that cannot be treated goes to the library. */
#pragma once

#include "inject/replica.h"
#include "record/call.h"

#include <jansson.h>

struct sync_clock;

/* Whether an injection is requested. Then a rank must take part even if its recording is switched
 * off. */
static inline bool inject_wanted(void)
{
    return UNLIKELY(layer.inject);
}

/* Reads layer.settings; collective over the layer's communicator if they request an injection. The
 * caller owns CLOCK, which must live as long as the layer. */
void inject_start(struct sync_clock *clock);

/* Before a collective: benchmark mode measures some calls of each signature. Resets c->entry. */
void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes,
                   const struct operands *operands);

/* Replaces MPI_Bcast: true if the broadcast was made, with its return code in *RC and c->exit set;
 * false if the caller must call the library. */
bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc);

/* Ends all injections while MPI still works. All ranks call it, after a barrier. */
void inject_end(void);

/* The results for the profile, as an array of the caller's: {"kind": "ack", "benchmark",
 * "broadcast" or "tune", "value": a finding}, and {"warning": text}. A finding names its
 * communicator by "communicator_index", an index in the ledger. */
json_t *inject_findings(void);
