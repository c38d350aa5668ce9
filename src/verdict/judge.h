/* Why a run does not go on: a judgement of all calls that are open at one moment. Pure functions of
 * a table: the same for a run that lives and for the records of one that died.
 *
 * The wait-for graph follows the AND/OR model: a call needs all of what it waits for, or one of it
 * (MPI_Waitany), and of each that all, or any, of some ranks act. Who can be released by a rank
 * that can still act is found by a fixpoint; what is left is stuck, and at fault is a strongly
 * connected component of it that waits for nothing else: the core. */
#ifndef COLLPROF_VERDICT_JUDGE_H
#define COLLPROF_VERDICT_JUDGE_H

#include "verdict/situation.h"

/* In falling order of what is said first. */
enum verdict_kind {
    VERDICT_GONE,      /* a process has ended that should not have */
    VERDICT_STOPPED,   /* is stopped */
    VERDICT_MISMATCH,  /* different collectives, or different arguments, at one number */
    VERDICT_UNMATCHED, /* a message is awaited that is not sent, or a receive that is not posted */
    VERDICT_CROSSED,   /* collectives of several communicators in crossed order */
    VERDICT_CYCLE,     /* messages awaited in a circle */
    VERDICT_MISSING,   /* a member does not enter a collective, and is not known to be able to */
    VERDICT_COMPUTES,  /* a rank is outside of MPI */
    VERDICT_POLLING,   /* ranks ask for ever, and nothing comes */
    VERDICT_UNKNOWN,   /* calls are open for long, and nothing that they need is known to lack */
    VERDICT_MOVING,    /* nothing has been open for long */
    VERDICT_KINDS
};

/* Stable names: "gone", "mismatch", ... */
extern const char *const verdict_names[VERDICT_KINDS];

struct verdict {
    enum verdict_kind kind;
    bool proven;   /* it never ends: no rank outside of the core can release a rank of it, or ranks
                      wait for a process that has ended or is stopped */
    int32_t *core; /* N ranks at fault, ascending; for free() */
    size_t n;
    size_t n_waiting; /* others that wait for it */
    /* What is awaited. VERDICT_UNMATCHED: what never comes, and the message not received that is
     * most like it; VERDICT_MISMATCH, VERDICT_CROSSED: two that disagree, the first of the core.
     * NULL: none, or unknown. */
    const struct awaited *first, *second;
    struct message_count near; /* sent and not received; none: 0 */
};

/* For verdict_free(). It points into S. S->awaited and S->calls are not changed. */
struct verdict *verdict_of(const struct situation *s);
void verdict_free(struct verdict *v);

#endif
