/* The open calls and requests in the record of one rank, and what they wait for. */
#pragma once

#include "profile/gather.h"
#include "verdict/situation.h"

/* One rank's record, and the situation to which it is added. */
struct reading {
    struct situation *s;
    const struct hosts *hosts;
    struct gather g; /* into S->names */
    double now;      /* clock_now(), or the time when the process ended; negative if unknown */
    size_t first;    /* index of its first row in S->awaited */
};

/* Adds the open requests of R's record, its oldest open call or last poll, and what its rank does
 * outside of MPI. Needs NOW; sets FIRST. */
void open_calls_add(struct reading *r);

/* What a request or a collective X of the record has of the call that posted it. */
#define CALL_OF(x)                                                                                 \
    .comm_id = (x)->comm_id, .comm = (x)->comm, .bytes = (x)->bytes, .operation = (x)->operation,  \
    .site = (x)->site, .sequence = (x)->sequence, .root = (x)->root

/* What call C waits for; for MPI_Sendrecv its receive, or (SENDS) its send. The peer is the rank in
 * the communicator until all records are read, then the world rank. */
struct awaited open_calls_awaited(struct reading *r, const struct ledger_call *c, bool sends);
