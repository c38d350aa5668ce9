/* Finds why a run does not progress, from all calls that are open at one moment. Pure functions on
 * a struct situation, read from a running job or from an ended job's records.
 *
 * A fixpoint on the wait-for graph (waits.h) finds the ranks that can progress, or can be released
 * by ranks that can. All others are stuck. The ranks at fault are the core: a strongly connected
 * component of the graph that waits for no rank outside of itself. */
#pragma once

#include "verdict/situation.h"

/* In the order of priority. VERDICT_MISMATCH to VERDICT_MISSING: ranks at fault are in calls. */
enum verdict_kind {
    VERDICT_GONE,      /* a process has ended unexpectedly */
    VERDICT_STOPPED,   /* a process is stopped */
    VERDICT_MISMATCH,  /* collectives of the same number differ in operation or arguments */
    VERDICT_UNMATCHED, /* an awaited message is never sent, or an awaited receive never posted */
    VERDICT_CROSSED,   /* collectives of several communicators in opposite order */
    VERDICT_CYCLE,     /* messages awaited in a cycle */
    VERDICT_MISSING,   /* a member has not entered a collective; unknown whether the member can */
    VERDICT_COMPUTES,  /* a rank for which others wait is outside of MPI */
    VERDICT_POLLING,   /* ranks poll (MPI_Test) without success */
    VERDICT_UNKNOWN, /* calls have been open for long, for an unknown reason; or a rank that others
                        wait for was killed, maybe with them */
    VERDICT_MOVING,  /* no call has been open for long */
    VERDICT_KINDS
};

/* Name and text of each kind of verdict. */
struct verdict_rule {
    const char *name;    /* stable: "gone", "mismatch", ... */
    const char *problem; /* start of the sentence; "": the calls at fault are its start */
};
extern const struct verdict_rule verdict_rules[VERDICT_KINDS];

struct verdict {
    enum verdict_kind kind;
    bool proven; /* the wait can never end: no rank outside of the core can release a rank in it, or
                    ranks wait for a process that has ended or is stopped */
    bool *at_fault;   /* for each rank: it is at fault. Release by verdict_free() */
    size_t n;         /* ranks at fault; in VERDICT_MISMATCH those whose call is less
                         frequent, or all if equally frequent */
    size_t n_waiting; /* number of other ranks that wait for ranks at fault */
    /* VERDICT_UNMATCHED: FIRST has no partner; VERDICT_MISMATCH, VERDICT_CROSSED: the two calls
     * that disagree, FIRST's rank at fault; otherwise what ranks wait for. NULL: none, or unknown
     */
    const struct awaited *first, *second;
    const struct awaited **why; /* what each rank waits for that never comes; NULL: unknown */
    struct message_count near;  /* VERDICT_UNMATCHED: the unreceived message most similar to FIRST;
                                   all 0 if there is none */
};

/* The verdict on S; it points into S, which must outlive it. Release by verdict_free(). */
struct verdict *verdict_of(const struct situation *s);
void verdict_free(struct verdict *v);
