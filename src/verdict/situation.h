/* The calls of all ranks that are open at one moment: what src/verdict/judge.h judges. The judge
 * uses neither NAMES nor what is marked "for texts". */
#pragma once

#include "base/array.h"
#include "base/names.h"

#include <jansson.h>
#include <stdbool.h>

/* The state of a process. */
enum rank_state {
    RANK_RUNNING,     /* running, or unknown */
    RANK_SLEEPING,    /* sleeping in an interruptible system call */
    RANK_SYSTEM_CALL, /* in an uninterruptible system call, mostly on files */
    RANK_STOPPED,     /* stopped by a signal or a debugger */
    RANK_GONE,        /* process ended without MPI_Finalize */
    RANK_FINISHED,    /* in MPI_Finalize, or past it */
    RANK_UNSEEN       /* no record of the rank exists */
};

/* The call that a rank has entered and not left; if several threads are in calls, the oldest. */
struct open_call {
    bool open;           /* false: the rank is in no call */
    bool any;            /* the call returns when one part is complete: MPI_Waitany */
    bool polls;          /* the call returns at once: MPI_Test, MPI_Iprobe */
    ARRAY(size_t) parts; /* what the call waits for: indices in situation.awaited; for free() */
    double seconds; /* time (s) since entry or, if it polls, the last success; negative: unknown */
    double longest; /* longest completed call (s) of this operation and call site; 0: none */
    uint64_t since; /* time stamp that distinguishes it from other calls of its rank */
};

struct rank_view {
    enum rank_state state;
    struct open_call call;
    bool threads; /* the rank has other threads that may call MPI */
    /* For texts and for the watchdog: */
    bool alive, other_host;
    bool unseen;  /* the rank is on another host, from which nothing recent is known */
    bool moving;  /* on another host, whose watchdog found no rank that waits for long */
    bool outside; /* the rank is outside of MPI */
    bool killed;  /* killed while outside of MPI, before the other ranks or with them */
    int64_t pid;
    uint32_t ended; /* enum ledger_state */
    int32_t detail; /* signal or error code with which the process ended */
    uint32_t operation,
        site;       /* of the rank's open or, without one, last call; PROFILE_NONE: unknown */
    double seconds; /* seconds since its last call returned; negative: unknown */
};

enum {
    AWAIT_ANY = -1,
    AWAIT_UNKNOWN = -2,
    AWAIT_INVALID = -3 /* the communicator does not have such a rank */
};
#define JUDGE_UNKNOWN_BYTES UINT64_MAX

/* A message or collective that a rank waits for, has posted or has left. In a table, sorted by
 * rank; of one rank in the order of posting: requests, then the parts of blocking calls. */
struct awaited {
    enum awaited_what {
        AWAIT_SEND,
        AWAIT_RECEIVE,
        AWAIT_COLLECTIVE,
        AWAIT_INIT, /* MPI_Init: needs all ranks */
        AWAIT_ALL,  /* may need any rank: MPI_Finalize; calls on windows and files */
        AWAIT_OTHER
    } what;
    int32_t rank;     /* the rank that waits; all ranks in this table are those of MPI_COMM_WORLD */
    uint32_t comm;    /* the communicator's index in situation.comms */
    int32_t peer;     /* the other rank, or AWAIT_ANY, AWAIT_UNKNOWN, AWAIT_INVALID */
    int32_t tag;      /* the message's tag, or AWAIT_ANY */
    uint64_t posted;  /* time of posting (a send may be complete already); 0: no request */
    uint64_t request; /* handle of the request; 0: no request */
    uint64_t sequence; /* of a collective: its number on the communicator, from 0 */
    bool left;         /* RANK has left this collective, in which other members still are */
    /* All members of a collective must agree in the following; unknown values match any: */
    uint32_t operation; /* the same for operations that match each other */
    int32_t root;       /* root of a collective; -1: none, or not comparable */
    uint64_t bytes;     /* size; JUDGE_UNKNOWN_BYTES: unknown, or ranks may differ */
    uint32_t signature; /* datatype and reduction, see LEDGER_SIGNATURE() */
    enum collective_kind kind;
    uint32_t name, site; /* operation and call site of the posting call, for texts */
};

/* The members of a communicator, and how many collectives each has entered (-1: unknown). All
 * members count the same collectives, so those of equal number match. */
struct member_list {
    int32_t *
        member; /* ranks of the N members in MPI_COMM_WORLD; negative: unknown; release by free() */
    int64_t *entered;
    size_t n;
    uint64_t id, group; /* identify the communicator and its group, as in the records */
    uint64_t lowest;    /* smallest number of a collective that is open or posted */
};

/* N messages that were sent and not received. */
struct message_count {
    uint32_t comm;
    int32_t from, to, tag;
    uint64_t n;
};

struct situation {
    size_t n_ranks;
    struct rank_view *rank;
    ARRAY(struct member_list) comms;
    ARRAY(struct awaited) awaited; /* sorted by rank, but collectives with LEFT are at the end */
    ARRAY(struct message_count) sent;
    bool counted;   /* SENT is complete: all sends and receives of the run were recorded */
    double settled; /* a call that is open for a shorter time (s) counts as moving */
    bool live;      /* a process of the run is alive */
    bool unseen;  /* it is unknown if processes live, since some are on hosts that cannot be seen */
    json_t *kept; /* the verdict for which the watchdog ended the run; NULL: none */
    struct profile *names; /* names of operations, call sites, communicators (as in COMMS) and hosts
                              (with UNSEEN ranks); its warnings list what is unknown */
};

/* A call of collective NAME with what all members must agree on. TWO_GROUPS: on an
 * intercommunicator, where only operations are compared. Large-count forms are the same operation.
 * BYTES are compared if all must pass the same number, even with MPI_IN_PLACE. */
struct awaited awaited_collective(const char *name, bool two_groups, int32_t root, uint64_t bytes);

/* Whether A and B, which have the same number on one communicator, match, so that both ranks can
 * proceed. A value that is unknown for A or B matches any value. */
bool awaited_agree(const struct awaited *a, const struct awaited *b);

/* As awaited_agree(), but ignores sizes, datatypes and reductions, since MPI may complete
 * operations that differ in these. */
bool awaited_agree_in_kind(const struct awaited *a, const struct awaited *b);

/* Default of situation.settled, s. */
#define VERDICT_SETTLED 1.0

/* Reads the records in DIRECTORY of the run that started last. Living processes do not cooperate:
 * their mapped records are read. A living run is read twice, 0.15 s apart: calls that changed
 * meanwhile count as moving. SETTLED: as in struct situation. NULL with a reason_give() if no
 * record can be read. Release by situation_free(). */
struct situation *situation_read(const char *directory, double settled);

/* File in a run's directory with the verdict for which the watchdog ended the run. */
#define VERDICT_FILE "verdict.json"

/* A situation of N ranks without calls. Release by situation_free(). */
struct situation *situation_new(size_t n);
void situation_free(struct situation *s);

/* The index in S->comms of the communicator ID; S->comms.n if none. */
uint32_t situation_find_comm(const struct situation *s, uint64_t id);

/* Sets the open call of RANK to one that waits for all N elements of AWAITED. To wait for any of
 * them, the caller sets ANY in the result. */
struct open_call *situation_call(struct situation *s, int32_t rank, const struct awaited *awaited,
                                 size_t n);
