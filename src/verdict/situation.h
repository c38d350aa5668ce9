/* The table of all calls that are open at one moment, for src/verdict/judge.h. */
#ifndef COLLPROF_VERDICT_SITUATION_H
#define COLLPROF_VERDICT_SITUATION_H

#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a process beside its open calls. */
enum rank_state {
    RANK_RUNNING,     /* or nothing is known */
    RANK_SLEEPING,    /* in an interruptible system call */
    RANK_SYSTEM_CALL, /* in an uninterruptible one: file systems, mostly */
    RANK_STOPPED,     /* by a signal or a debugger */
    RANK_GONE,        /* it has ended without MPI_Finalize */
    RANK_FINISHED,    /* it is in MPI_Finalize, or past it */
    RANK_UNSEEN       /* there is no record of it */
};

/* Whom a collective operation makes wait. */
enum collective_shape {
    SHAPE_ALL,       /* each member for all: MPI_Barrier, MPI_Allreduce */
    SHAPE_FROM_ROOT, /* each for the root: MPI_Bcast */
    SHAPE_TO_ROOT,   /* the root for all: MPI_Reduce */
    SHAPE_SCAN,      /* each for those before it */
    SHAPE_SOME       /* for some that are not known: neighbourhoods */
};

enum { AWAIT_ANY = -1, AWAIT_UNKNOWN = -2, AWAIT_INVALID = -3 /* no rank of the communicator */ };
#define JUDGE_UNKNOWN_BYTES UINT64_MAX
#define JUDGE_NONE SIZE_MAX

/* A message or collective that a rank waits for or has posted. Of a rank they are in the order in
 * which they were posted; a call's own come last. */
struct awaited {
    enum awaited_what {
        AWAIT_SEND,
        AWAIT_RECEIVE,
        AWAIT_COLLECTIVE,
        AWAIT_LOCK, /* of a window: another rank may hold it */
        AWAIT_INIT, /* MPI_Init: all ranks */
        AWAIT_OTHER
    } what;
    int32_t rank;      /* that waits; all ranks here are those of MPI_COMM_WORLD */
    uint32_t comm;     /* position in the situation's communicators */
    int32_t peer;      /* AWAIT_ANY, AWAIT_UNKNOWN, AWAIT_INVALID */
    int32_t tag;       /* AWAIT_ANY */
    uint64_t posted;   /* when a request was: a send may be complete already; 0: it is none */
    uint64_t request;  /* its handle, for those who look for it; 0: none */
    uint64_t sequence; /* of a collective: its number in the member list, from 0 */
    bool counted;      /* that is one among those of its operation alone */
    bool maybe;        /* it may wait for something else: a file system, a process that starts */
    /* What a collective's members must agree on; unknown parts agree with any: */
    uint32_t operation; /* equal numbers for what matches */
    int32_t root;       /* -1: none or not comparable */
    uint64_t bytes;     /* JUDGE_UNKNOWN_BYTES: unknown, or may differ */
    enum collective_shape shape;
    uint32_t name, site; /* operation and call site of the post, for those who write about it */
};

/* A call that a thread has entered and not left. */
struct open_call {
    int32_t rank;
    ARRAY(size_t) parts; /* what it waits for: positions in the situation's list; for free() */
    bool any;            /* one of them is enough */
    bool polls;          /* it returns by itself: MPI_Test, MPI_Iprobe */
    double seconds;      /* that it has been open; polls: without progress; negative: unknown */
    uint64_t since;      /* distinguishes it from other calls of its rank */
    uint32_t name, site; /* its operation and call site, for those who write about it */
};

/* The collectives that are numbered together on a communicator, and how many of them each member
 * has entered (-1: unknown). */
struct member_list {
    int32_t *member; /* of N, by rank in the communicator; negative: unknown. For free() */
    int64_t *entered;
    size_t n;
    uint64_t id, group; /* of the communicator; what its members are called in their records */
    uint32_t operation; /* those of this one alone, which has no number in the records; 0: others */
    bool world;
    uint64_t lowest; /* number of a collective that is open or posted here */
};

/* Messages from one rank to another. */
struct message_count {
    uint32_t comm;
    int32_t from, to, tag;
    uint64_t sent, received;
};

struct situation {
    size_t n_ranks;
    enum rank_state *state; /* by rank, for free() */
    bool *threads;          /* has other threads, outside of MPI, that may call it; for free() */
    bool *locks;            /* holds a lock of a window; for free() */
    ARRAY(struct member_list) comms;
    ARRAY(struct awaited) awaited; /* sorted by rank */
    ARRAY(struct awaited) left;    /* collectives that ranks have left */
    ARRAY(struct open_call) calls; /* sorted by rank */
    ARRAY(struct message_count) counts;
    bool counted;   /* counts has all messages */
    double settled; /* a call that is open for a shorter time (s) may return at any moment */
};

/* What NAME, of a collective, says of what its members must agree on, and whom it makes wait;
 * between TWO_GROUPS little is known. The large-count form of an operation is the operation; BYTES
 * are compared where each member gives the same number, in place or not. */
struct awaited awaited_collective(const char *name, bool two_groups, int32_t root, uint64_t bytes);

/* Whether two ranks that are in A and in B, of one number on one communicator, can both go on. Only
 * what is known of both can disagree. */
bool awaited_agree(const struct awaited *a, const struct awaited *b);

/* The same without sizes, on which MPI may go on though they differ. */
bool awaited_agree_in_kind(const struct awaited *a, const struct awaited *b);

/* Rows for N ranks, without any call. For situation_free(). */
struct situation *situation_new(size_t n);
void situation_free(struct situation *s);

/* Adds a call of RANK that waits for the N things AWAITED, in all or ANY. */
struct open_call *situation_call(struct situation *s, int32_t rank, const struct awaited *awaited,
                                 size_t n);

/* The first open call of RANK; NULL: it has none. */
const struct open_call *situation_find(const struct situation *s, int32_t rank);

#endif
