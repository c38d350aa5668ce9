/* Reads one rank's record: what its calls and requests wait for. */
#ifndef COLLPROF_VERDICT_READING_H
#define COLLPROF_VERDICT_READING_H

#include "profile/gather.h"
#include "profile/profile.h"
#include "verdict/hosts.h"
#include "verdict/situation.h"

struct evidence_rank {
    bool alive, other_host;
    bool unseen;   /* on another host, of which nothing recent is known */
    bool moving;   /* on another host, whose watchdog saw no rank that waits for long */
    uint32_t host; /* position in the hosts of NAMES */
    int64_t pid;
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    bool outside;                 /* it is outside of MPI */
    uint32_t operation, site;     /* its last call; PROFILE_NONE if unknown */
    double seconds;               /* since that call returned; negative if unknown */
    uint32_t failed, failed_site; /* a call that returned an error; PROFILE_NONE if none */
};

struct evidence {
    struct situation *s;
    struct profile *names;      /* tables of the operations, call sites and communicators to which S
                                   refers; its warnings list what is unknown */
    bool live;                  /* a process of the run is alive */
    struct evidence_rank *rank; /* one for each rank in S */
};

struct reading {
    struct evidence *e;
    const struct host_summaries *hosts;
    struct gather g;
    double now;   /* clock_now(), or the time when the process ended; negative if unknown */
    size_t first; /* index of its first row in situation.awaited */
};

/* The index of communicator ID in names->comms, or names->comms.n if there is none. */
uint32_t reading_find_comm(const struct profile *names, uint64_t id);

/* The index of the member list ID in situation.comms. ROW: its communicator in the record, or
 * LEDGER_NO_COMM. */
uint32_t reading_comm(struct reading *r, uint64_t id, uint32_t row);

/* How many calls of OPERATION (a hash of its name) on the communicator ROW have returned; -1 if
 * unknown. */
int64_t reading_calls(const struct reading *r, uint32_t operation, uint32_t row);

bool reading_is_persistent(const struct reading *r, const struct ledger_request *q);

/* What call C waits for; for MPI_Sendrecv its receive, or (SENDS) its send. PEER is the rank in the
 * communicator until all records are read, then the world rank. In an intercommunicator, ranks of
 * the second group are counted after those of the first. */
struct awaited reading_awaited(struct reading *r, const struct ledger_call *c, bool sends);

/* Adds the rank's open requests and calls to the situation; stores its last call and its failed
 * call in evidence.rank. */
void reading_add_calls(struct reading *r);

#endif
