/* This rank's event log, with --trace: calls that wait or make others wait, in the order of their
 * exit, and transport events below MPI (--trace=transport). It has a fixed size: for a long run it
 * is thinned to windows of common time (timeline_thinner).
 *
 * Callers of the functions for calls first check layer.trace. C is the call, ON its communicator,
 * never NULL for a message. */
#pragma once

#include "record/requests.h"

/* An MPI call in a wrapper; call.h has the functions. */
struct call {
    uint64_t entry, exit; /* ticks */
    uint64_t from; /* ticks before the wrapper's work, to measure its cost; mostly 0: not read */
    uint32_t operation, site;
    struct comm *comm; /* NULL: none, or not seen before */
    uint64_t bytes;    /* according to its arguments; LEDGER_UNKNOWN_BYTES: see call_bytes() */
    bool traced;       /* it has an event already */
};

/* Starts the log if requested, and registers with the transport library. NOW: the common time, in
 * ns. */
void trace_start(int64_t now);

/* Ends the events from the transport library. */
void trace_stop(void);

/* Ends every call: one without an event so far, such as a message's, becomes an event itself. */
void trace_left(const struct call *c);

/* Records a blocking send. */
void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes);

/* Records a blocking receive; PROBED: for a message that was probed before. */
void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct ledger_request *probed);

/* Records messages of non-blocking calls: posted, and completed by the call C. */
void trace_posted(struct call *c, struct comm *on, struct ledger_request *r);
void trace_completed(struct call *c, struct comm *on, struct ledger_request *r,
                     const MPI_Status *status, uint64_t bytes, bool cancelled);

/* Records that a probe detected a message. KEPT, for a matched probe, gets the message's ordinal in
 * its channel. */
void trace_probed(struct call *c, struct comm *on, const MPI_Status *status,
                  struct ledger_request *kept);

void trace_collective_posted(struct comm *on, struct ledger_request *r);
void trace_collective(struct call *c, struct comm *on, uint64_t sequence, int root, uint64_t bytes);
