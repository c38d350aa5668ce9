/* Finds why a run does not progress, from all calls that are open at one moment. Pure functions on
 * a table, for a running job as well as for the records of one that has ended.
 *
 * A fixpoint on the wait-for graph (judge.c) finds the ranks that can progress, or be released by
 * ranks that can. All others are stuck. At fault is a strongly connected component of these that
 * waits for nothing outside of itself: the core. */
#pragma once

#include "verdict/situation.h"

/* In the order of priority: the first kind that applies is reported. */
enum verdict_kind {
    VERDICT_GONE,      /* a process has ended unexpectedly */
    VERDICT_STOPPED,   /* a process is stopped */
    VERDICT_MISMATCH,  /* different collectives, or different arguments, with the same number */
    VERDICT_UNMATCHED, /* an awaited message is never sent, or an awaited receive never posted */
    VERDICT_CROSSED,   /* collectives of several communicators in opposite order */
    VERDICT_CYCLE,     /* messages awaited in a cycle */
    VERDICT_MISSING,   /* a member does not enter a collective, and it is unknown whether it can */
    VERDICT_COMPUTES,  /* a rank is outside of MPI */
    VERDICT_POLLING,   /* ranks poll endlessly without success */
    VERDICT_UNKNOWN, /* calls have been open for long, for an unknown reason; or a rank that others
                        wait for was killed before them or with them */
    VERDICT_MOVING,  /* no call has been open for long */
    VERDICT_KINDS
};

/* How each kind is called and reported. */
struct verdict_rule {
    const char *name;    /* stable: "gone", "mismatch", ... */
    const char *problem; /* begins the sentence; "": the calls of the ranks at fault do */
    bool in_calls;       /* ranks wait in calls for each other, not for a process */
    bool pair;           /* the sentence has two calls that disagree */
};
extern const struct verdict_rule verdict_rules[VERDICT_KINDS];

struct verdict {
    enum verdict_kind kind;
    bool proven;    /* the wait can never end: no rank outside of the core can release a rank in it,
                       or ranks wait for a process that has ended or is stopped */
    bool *at_fault; /* by rank: N of them; released by verdict_free() */
    size_t n;
    size_t n_waiting; /* ranks outside of the core that wait for it */
    /* VERDICT_UNMATCHED: FIRST never arrives; VERDICT_MISMATCH, VERDICT_CROSSED: two that disagree,
     * FIRST from the core; otherwise what ranks wait for. NULL: none, or unknown */
    const struct awaited *first, *second;
    const struct awaited **why; /* by rank: what it waits for that never comes; NULL: unknown */
    struct message_count near;  /* VERDICT_UNMATCHED: the unreceived message most similar to FIRST;
                                   all 0 if there is none */
};

/* Free the result by verdict_free(). It points into S, which must outlive it. */
struct verdict *verdict_of(const struct situation *s);
void verdict_free(struct verdict *v);
