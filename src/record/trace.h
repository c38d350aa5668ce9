/* The event log of this rank, with --trace: calls that wait or make others wait, in the order of
 * their exit, and what happened in the transport under MPI (--trace=transport). It has a fixed
 * size: a run that is too long for it is thinned out to windows of common time (timeline_thinner).
 *
 * Callers of the functions for calls ask layer.trace first. C is the call, ON its communicator,
 * never NULL where a message is meant. */
#ifndef COLLPROF_RECORD_TRACE_H
#define COLLPROF_RECORD_TRACE_H

#include "record/requests.h"

/* An MPI call that is passing through a wrapper; call.h is what is done with it. */
struct call {
    uint64_t entry, exit; /* ticks */
    uint64_t from;        /* ticks when the wrapper was entered, of some calls; 0: not read */
    uint32_t operation, site;
    struct comm *comm; /* NULL: none, or not seen before */
    uint64_t bytes;    /* as its arguments say; LEDGER_UNKNOWN_BYTES: see call_bytes() */
    bool traced;       /* an event says what it did */
};

/* Starts the log if the settings want it, and listens to the transport. NOW: the common time, in
 * ns. */
void trace_start(int64_t now);

/* Stops listening to the transport. */
void trace_stop(void);

/* Forgets all events (MPI_Pcontrol(2)). */
void trace_reset(void);

/* Polls before recording was switched on again belong to no call. */
void trace_forget_polls(void);

/* The end of every call, counted in E (NULL: there was no room): one of which nothing more is known
 * is an event by itself. */
void trace_left(const struct call *c, struct ledger_entry *e);

/* A blocking send. */
void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes);

/* A blocking receive; PROBED is given for one whose message was probed before. */
void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct request *probed);

/* Messages of non-blocking calls: posted, and completed by the call C. */
void trace_posted(struct call *c, struct comm *on, struct request *r);
void trace_completed(struct call *c, struct comm *on, struct request *r, const MPI_Status *status,
                     uint64_t bytes, bool cancelled);

/* No rank will know whether this receive has brought a message. */
void trace_lost(const struct request *r);

/* A message was seen; KEPT, where it is for no other call, takes over its place in its channel. */
void trace_probed(struct call *c, struct comm *on, const MPI_Status *status, struct request *kept);

void trace_collective_posted(struct comm *on, struct request *r);
void trace_collective(struct call *c, struct comm *on, uint64_t sequence, int root, uint64_t bytes);

#endif
