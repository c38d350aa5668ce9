/* The open calls and requests in one rank's record, and what they wait for. */
#pragma once

#include "profile/gather.h"
#include "verdict/situation.h"

/* One rank's record, and the situation to which its calls are added. */
struct reading {
    struct situation *s;
    const struct hosts *hosts;
    struct gather g; /* names go into S->names */
    double now;      /* clock_now() of its host, or when its process ended; negative: unknown */
    size_t first;    /* index of the rank's first row in S->awaited */
};

/* Adds to R->s: the open requests of the record, its oldest open call or last poll, and what its
 * rank does outside of MPI. Needs R->now; sets R->first. */
void open_calls_add(struct reading *r);

/* Initializes members of struct ledger_call from a request or collective X of the record. */
#define CALL_OF(x)                                                                                 \
    .comm_id = (x)->comm_id, .comm = (x)->comm, .bytes = (x)->bytes, .operation = (x)->operation,  \
    .site = (x)->site, .sequence = (x)->sequence, .root = (x)->root

/* What call C waits for; for MPI_Sendrecv: for its receive or, with SENDS, its send. Peer and root
 * are ranks in the communicator, until reading.c translates them. */
struct awaited open_calls_awaited(struct reading *r, const struct ledger_call *c, bool sends);
