/* Calls become events, and messages get their places. Only with --trace: callers ask layer.trace
 * first. C is the call, ON its communicator, never NULL where a message is meant. */
#ifndef COLLPROF_RECORD_TRACE_H
#define COLLPROF_RECORD_TRACE_H

#include "record/events.h"
#include "record/passing.h"
#include "record/requests.h"

struct ledger_entry;

/* The end of every call, counted in E (NULL: there was no room): one of which nothing more is known
 * is an event by itself. */
void trace_left(const struct call *c, struct ledger_entry *e);

/* A blocking send. */
void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes);

/* A blocking receive; PLACE is given for one whose message was probed before. */
void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct request *probed);

/* A request for messages in parts is made, or the last part of a message is handed over. */
void trace_made(struct comm *on, struct request *r);
void trace_ready(struct call *c, const struct request *r);

/* Messages of non-blocking calls: posted, and completed by the call C. */
void trace_posted(struct call *c, struct comm *on, struct request *r);
void trace_completed(struct call *c, struct comm *on, struct request *r, const MPI_Status *status,
                     uint64_t bytes, bool cancelled);

/* Nobody will know whether this receive has brought a message. */
void trace_lost(const struct request *r);

/* A message was seen; KEPT, where it is for nobody else, takes over its place. */
void trace_probed(struct call *c, struct comm *on, const MPI_Status *status, struct request *kept);

void trace_collective_posted(struct comm *on, struct request *r);
void trace_collective(struct call *c, struct comm *on, uint32_t sequence, int root, uint64_t bytes);

#endif
