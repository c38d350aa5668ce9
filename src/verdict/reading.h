/* One rank's record: what its calls and requests wait for. */
#ifndef COLLPROF_VERDICT_READING_H
#define COLLPROF_VERDICT_READING_H

#include "profile/gather.h"
#include "profile/profile.h"
#include "verdict/situation.h"

struct evidence_rank {
    bool alive, other_host;
    int64_t pid;
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    bool outside;                 /* of MPI, since its last call: */
    uint32_t operation, site;     /* PROFILE_NONE: unknown */
    double seconds;               /* so long; negative: unknown */
    uint32_t failed, failed_site; /* a call that returned an error; PROFILE_NONE: none did */
};

struct evidence {
    struct situation *s;
    struct profile *names;      /* of the operations, call sites and communicators in S, by their
                                   positions there; warnings: what is unknown */
    bool live;                  /* a process of the run is alive */
    struct evidence_rank *rank; /* of each in S */
};

struct reading {
    struct evidence *e;
    struct gather g;
    double now;   /* of this host's clock, or when the process ended; negative: unknown */
    size_t first; /* where its rows in the situation's awaited begin */
};

/* The position of the communicator ID among NAMES; their number: it is not there. */
uint32_t reading_find_comm(const struct profile *names, uint64_t id);

/* The position of the member list ID in the situation, of whose communicator the record has ROW, or
 * LEDGER_NO_COMM. */
uint32_t reading_comm(struct reading *r, uint64_t id, uint32_t row);

/* How many calls of OPERATION, by its hash, on the communicator ROW have returned; -1: unknown. */
int64_t reading_calls(const struct reading *r, uint32_t operation, uint32_t row);

bool reading_is_persistent(const struct reading *r, const struct ledger_request *q);

/* What C waits for. Of MPI_Sendrecv it is what it receives, or SENDS. A peer's rank in
 * MPI_COMM_WORLD becomes known with the records of all: until then it is the one in the
 * communicator, where the ranks of a second group come behind those of the first. */
struct awaited reading_awaited(struct reading *r, const struct ledger_call *c, bool sends);

/* Adds the rank's open requests and calls to the situation, what its last call was, and what went
 * wrong. */
void reading_add_calls(struct reading *r);

#endif
