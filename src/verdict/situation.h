/* The table of all calls that are open at one moment, for src/verdict/judge.h, which needs neither
 * NAMES nor what is noted for texts. */
#pragma once

#include "base/array.h"
#include "base/names.h"

#include <jansson.h>
#include <stdbool.h>

/* The state of a process, without its open calls. */
enum rank_state {
    RANK_RUNNING,     /* or unknown */
    RANK_SLEEPING,    /* in an interruptible system call */
    RANK_SYSTEM_CALL, /* in an uninterruptible one: mostly file systems */
    RANK_STOPPED,     /* by a signal or a debugger */
    RANK_GONE,        /* ended without MPI_Finalize */
    RANK_FINISHED,    /* in MPI_Finalize, or past it */
    RANK_UNSEEN       /* it has no record */
};

/* The call that a rank has entered and not left; the oldest, if several threads are in calls. */
struct open_call {
    bool open;           /* false: there is none */
    bool any;            /* it returns when any one of its parts is complete: MPI_Waitany */
    bool polls;          /* it does not block: MPI_Test, MPI_Iprobe */
    ARRAY(size_t) parts; /* what it waits for: indices in situation.awaited; released by free() */
    double seconds;      /* since entry, for POLLS since the last success; negative if unknown */
    double longest;      /* seconds in the longest call of its operation at its call site that has
                            returned; 0 if there is none */
    uint64_t since;      /* distinguishes it from other calls of its rank */
};

struct rank_view {
    enum rank_state state;
    struct open_call call;
    bool threads; /* has other threads outside of MPI that may call it */
    /* For texts and for the watchdog: */
    bool alive, other_host;
    bool unseen;  /* on another host, of which nothing recent is known */
    bool moving;  /* on another host, whose watchdog saw no rank that waits for long */
    bool outside; /* of MPI */
    bool killed;  /* outside of MPI, before the other ranks or with them */
    int64_t pid;
    uint32_t ended;           /* enum ledger_state */
    int32_t detail;           /* signal or error code with which it ended */
    uint32_t operation, site; /* of its call, or its last one; PROFILE_NONE if unknown */
    double seconds;           /* since its last call returned; negative if unknown */
};

enum {
    AWAIT_ANY = -1,
    AWAIT_UNKNOWN = -2,
    AWAIT_INVALID = -3 /* not a rank of the communicator */
};
#define JUDGE_UNKNOWN_BYTES UINT64_MAX

/* A message or collective that a rank waits for, has posted or has left. Those of one rank are in
 * the order of posting: first requests, then the parts of its blocking calls. */
struct awaited {
    enum awaited_what {
        AWAIT_SEND,
        AWAIT_RECEIVE,
        AWAIT_COLLECTIVE,
        AWAIT_INIT, /* MPI_Init: needs all ranks */
        AWAIT_ALL,  /* may need any rank: MPI_Finalize; calls on windows and files */
        AWAIT_OTHER
    } what;
    int32_t rank;      /* the rank that waits. All ranks here are in MPI_COMM_WORLD */
    uint32_t comm;     /* index in situation.comms */
    int32_t peer;      /* or AWAIT_ANY, AWAIT_UNKNOWN, AWAIT_INVALID */
    int32_t tag;       /* or AWAIT_ANY */
    uint64_t posted;   /* time of posting of a request (a send may already be complete); 0: not a
                          request */
    uint64_t request;  /* handle of the request, to look it up; 0: not a request */
    uint64_t sequence; /* of a collective: its number in the member list, from 0 */
    bool left;         /* a collective that RANK has left, while other members are still in it */
    /* What a collective's members must agree on; unknown values agree with any: */
    uint32_t operation; /* equal for operations that match each other */
    int32_t root;       /* -1 if none or not comparable */
    uint64_t bytes;     /* JUDGE_UNKNOWN_BYTES if unknown or allowed to differ */
    uint32_t signature; /* see LEDGER_SIGNATURE() */
    enum collective_kind kind;
    uint32_t name, site; /* operation and call site of the post, for texts */
};

/* A sequence of collectives on one communicator with common numbering, and how many of them each
 * member has entered (-1: unknown). */
struct member_list {
    int32_t *member; /* world ranks of the N members; negative: unknown. Released by free() */
    int64_t *entered;
    size_t n;
    uint64_t id, group; /* of the communicator, and of its group, as in the records */
    uint64_t lowest;    /* smallest number of a collective that is open or posted here */
};

/* Messages that were sent and not received. */
struct message_count {
    uint32_t comm;
    int32_t from, to, tag;
    uint64_t n;
};

struct situation {
    size_t n_ranks;
    struct rank_view *rank;
    ARRAY(struct member_list) comms;
    ARRAY(struct awaited) awaited; /* sorted by rank; at the end those that are LEFT */
    ARRAY(struct message_count) sent;
    bool counted;          /* SENT is all of them */
    double settled;        /* a call that is open for a shorter time (s) may return at any moment */
    bool live;             /* a process of the run is alive */
    bool unseen;           /* that is unknown, since ranks are on hosts that cannot be seen */
    json_t *kept;          /* the verdict for which the watchdog ended the run, or NULL */
    struct profile *names; /* tables of the operations, call sites, communicators (those of COMMS)
                              and hosts (with UNSEEN ranks); its warnings list what is unknown */
};

/* What the members of the collective NAME must agree on, and its kind. TWO_GROUPS: on an
 * intercommunicator, where little is checked. Large-count forms count as the same operation. BYTES
 * are compared if every member must pass the same number, even with MPI_IN_PLACE. */
struct awaited awaited_collective(const char *name, bool two_groups, int32_t root, uint64_t bytes);

/* Whether A and B, with the same number on one communicator, match, so that both ranks can proceed.
 * Only properties that are known for both can mismatch. */
bool awaited_agree(const struct awaited *a, const struct awaited *b);

/* As awaited_agree(), but ignores sizes, datatypes and reductions: MPI may complete operations that
 * differ in them. */
bool awaited_agree_in_kind(const struct awaited *a, const struct awaited *b);

/* Default age in seconds from which an open call is judged. */
#define VERDICT_SETTLED 1.0

/* Reads the records in DIRECTORY of the run that started last; those of living processes are read
 * at that moment, without their cooperation. SETTLED: as in struct situation. A living run is read
 * twice, a moment apart: calls that changed meanwhile are considered moving. NULL with a
 * reason_give() if there are no readable records. Release by situation_free(). */
struct situation *situation_read(const char *directory, double settled);

/* The file in the directory of a run that keeps the verdict for which it was ended. */
#define VERDICT_FILE "verdict.json"

/* A situation of N ranks without calls. Release by situation_free(). */
struct situation *situation_new(size_t n);
void situation_free(struct situation *s);

/* The index in S->comms of the communicator ID; S->comms.n if none. */
uint32_t situation_find_comm(const struct situation *s, uint64_t id);

/* Sets the call of RANK to one that waits for all N elements of AWAITED. The caller may set ANY in
 * the result. */
struct open_call *situation_call(struct situation *s, int32_t rank, const struct awaited *awaited,
                                 size_t n);
