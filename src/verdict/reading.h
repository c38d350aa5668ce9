/* Reads one rank's record: what its calls and requests wait for. */
#ifndef COLLPROF_VERDICT_READING_H
#define COLLPROF_VERDICT_READING_H

#include "profile/gather.h"
#include "verdict/hosts.h"
#include "verdict/situation.h"

struct reading {
    struct situation *s;
    const struct hosts *hosts;
    struct gather g; /* into S->names */
    double now;      /* clock_now(), or the time when the process ended; negative if unknown */
    size_t first;    /* index of its first row in S->awaited */
};

/* The index in S->comms of the communicator with the member list ID; S->comms.n if none. */
uint32_t reading_find_comm(const struct situation *s, uint64_t id);

/* As reading_find_comm(); adds the list if it is new. ROW: its communicator in the record, or
 * LEDGER_NO_COMM. */
uint32_t reading_find_or_add_comm(struct reading *r, uint64_t id, uint32_t row);

/* What call C waits for; for MPI_Sendrecv its receive, or (SENDS) its send. PEER is the rank in the
 * communicator until all records are read, then the world rank. In an intercommunicator, ranks of
 * the second group are counted after those of the first. */
struct awaited reading_awaited(struct reading *r, const struct ledger_call *c, bool sends);

/* Adds the rank's open requests and calls to the situation; stores its last call and its failed
 * call in S->rank. */
void reading_add_calls(struct reading *r);

#endif
