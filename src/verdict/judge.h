/* Finds why a run does not progress, from all calls that are open at one moment. Pure functions of
 * a table: the same for a running job and for the records of one that has ended.
 *
 * The wait-for graph follows the AND/OR model: a call needs all of its conditions, or one of them
 * (MPI_Waitany); each condition needs all, or any, of some ranks to act. A fixpoint finds the ranks
 * that can be released by ranks that can still act. All others are stuck. At fault is a strongly
 * connected component of these that waits for nothing outside of itself: the core. */
#ifndef COLLPROF_VERDICT_JUDGE_H
#define COLLPROF_VERDICT_JUDGE_H

#include "verdict/situation.h"

/* In the order of priority: the first kind that applies is reported. */
enum verdict_kind {
    VERDICT_GONE,      /* a process has ended that should not have */
    VERDICT_STOPPED,   /* is stopped */
    VERDICT_MISMATCH,  /* different collectives, or different arguments, at one number */
    VERDICT_UNMATCHED, /* a message is awaited that is not sent, or a receive that is not posted */
    VERDICT_CROSSED,   /* collectives of several communicators in crossed order */
    VERDICT_CYCLE,     /* messages awaited in a circle */
    VERDICT_MISSING,   /* a member does not enter a collective, and is not known to be able to */
    VERDICT_COMPUTES,  /* a rank is outside of MPI */
    VERDICT_POLLING,   /* ranks poll endlessly without success */
    VERDICT_UNKNOWN,   /* calls have been open for long, for no known reason */
    VERDICT_MOVING,    /* nothing has been open for long */
    VERDICT_KINDS
};

/* Stable names: "gone", "mismatch", ... */
extern const char *const verdict_names[VERDICT_KINDS];

struct verdict {
    enum verdict_kind kind;
    bool proven;   /* the wait can never end: no rank outside of the core can release one in it, or
                      ranks wait for a process that has ended or is stopped */
    int32_t *core; /* N ranks at fault, ascending; for free() */
    size_t n;
    size_t n_waiting; /* ranks outside of the core that wait for it */
    /* What is awaited. VERDICT_UNMATCHED: what never comes, and the message not received that is
     * most like it; VERDICT_MISMATCH, VERDICT_CROSSED: two that disagree, the first of the core.
     * NULL: none, or unknown. */
    const struct awaited *first, *second;
    struct message_count near; /* that message, sent and not received; all 0: none */
};

/* Free the result by verdict_free(). It points into S, which must outlive it. */
struct verdict *verdict_of(const struct situation *s);
void verdict_free(struct verdict *v);

#endif
