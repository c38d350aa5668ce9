/* Injections: what the layer does in an application's collectives in addition to recording them
 * (acknowledgements, benchmark mode, tuning, another broadcast). All members decide from equal
 * data, so they decide alike. What an injection cannot handle is left to the MPI library. */
#pragma once

#include "inject/replica.h"
#include "record/call.h"

#include <jansson.h>

struct sync_clock;

/* Whether any injection is on. Then the wrappers must call the functions below even where recording
 * is switched off, since injections of the other members wait for this rank. */
static inline bool inject_wanted(void)
{
    return UNLIKELY(layer.inject);
}

/* Starts the injections that layer.settings request; collective over layer.comm if there are any.
 * The caller owns CLOCK, the common clock of all ranks, and keeps it until inject_end(). */
void inject_start(struct sync_clock *clock);

/* Runs what injections do before collective C, such as a measurement, and sets c->entry to now. */
void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes,
                   const struct operands *operands);

/* Makes the application's broadcast by injections: true if they made it, with MPI's code in *RC and
 * c->exit set; false if the caller must call the library. */
bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc);

/* Collective over layer.comm, in MPI_Finalize after a barrier: ends all injections. */
void inject_end(void);

/* The results for the profile: an array, owned by the caller, of {"kind": "ack", "benchmark",
 * "broadcast" or "tune", "value": a finding} and {"warning": text}. "communicator_index" in a
 * finding is the index of its communicator in this rank's ledger. */
json_t *inject_findings(void);
