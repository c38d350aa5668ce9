/* With --trace: this rank's event log, the section EVENTS of the ledger, with MPI calls in the
 * order of their return and (--trace=transport) the transport's calls. When the section is full,
 * only events in some windows of time are kept, the same windows on all ranks (timeline_thinner()).
 *
 * The functions that record events may be called only if layer.trace is set. C: the call; ON: its
 * communicator, not NULL. */
#pragma once

#include "record/requests.h"

/* An MPI call in a wrapper: see call.h. */
struct call {
    uint64_t entry, exit; /* ticks */
    uint64_t from;        /* ticks when the wrapper began, if its cost is timed; otherwise 0 */
    uint32_t operation, site;
    struct comm *comm; /* NULL: the call has none, or comm_add() was not yet called */
    uint64_t bytes;    /* payload of its arguments; LEDGER_UNKNOWN_BYTES: datatype not cached */
    bool traced;       /* an event was recorded, or a test or probe found nothing */
};

/* Starts the log if the settings request it, and registers with libcollprof-transport.so. NOW: the
 * time common to all ranks, in ns. */
void trace_start(int64_t now);

/* Ends the recording of transport events. */
void trace_stop(void);

/* Return of any call: records an event EVENT_CALL unless C already has an event. */
void trace_left(const struct call *c);

/* Records a blocking send. */
void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes);

/* Records a blocking receive. PROBED: for MPI_Mrecv, the record of MPI_Mprobe; otherwise NULL. */
void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct ledger_request *probed);

/* Records that C has posted the message R, or completed the request R. */
void trace_posted(struct call *c, struct comm *on, struct ledger_request *r);
void trace_completed(struct call *c, struct comm *on, struct ledger_request *r,
                     const MPI_Status *status, uint64_t bytes, bool cancelled);

/* Records that a probe has found a message. KEPT: for a matched probe (MPI_Mprobe), the record that
 * gets the message's channel and ordinal; otherwise NULL. */
void trace_probed(struct call *c, struct comm *on, const MPI_Status *status,
                  struct ledger_request *kept);

/* Sets the posted collective R's channel; trace_completed() records R. */
void trace_collective_posted(struct comm *on, struct ledger_request *r);

/* Records a blocking collective; SEQUENCE: its number on the communicator. */
void trace_collective(struct call *c, struct comm *on, uint64_t sequence, int root, uint64_t bytes);
