/* A signature is the operation, root and bytes of a communicator's calls: benchmark mode and tuning
 * measure signatures, not single calls. They have a table of signatures for each communicator,
 * equal on all members. */
#pragma once

#include "inject/injection.h"

enum { SIGNATURES_MAX = 64, ARRIVALS = 8 };

struct signature {
    const struct operation *operation;
    int root;
    uint64_t bytes, calls;
    double entered[ARRIVALS]; /* this rank's entries on the common clock: call k at k % ARRIVALS */
    bool done;                /* set by the injection if no further measurement is needed */
    json_t *found;            /* the injection's finding, on rank 0; otherwise NULL */
};

struct signatures { /* an injection's data in internal_comm.kept[] */
    struct signature at[SIGNATURES_MAX];
    int n;
};

/* The signature of C in SELF's table of signatures, added if new; NULL if the table is full. */
struct signature *signature_of(const struct injection *self, const struct collective *c);

/* As signature_of(), for injection.due(): also counts the call. Records this rank's entry time in
 * the last ARRIVALS calls up to each call whose number (from 0) is a power of two. */
struct signature *signature_count(const struct injection *self, const struct collective *c);

/* What is measured for a call, on the internal communicator: the library's broadcast with the
 * application's arguments, or a replica. The struct must not move, since C points into REPLICA. */
struct subject {
    struct internal_comm *on;
    bool is_broadcast;
    struct latency_case c; /* without a plan, which the caller sets */
    struct replica replica;
};

/* Collective. Prepares U for call C; false on all ranks if a rank cannot. Call subject_close() in
 * any case. */
bool subject_open(struct subject *u, const struct collective *c);
void subject_close(struct subject *u);

/* Collective. Makes one operation. *ONE: the seconds that it takes on the slowest rank. *LEFT: the
 * seconds of BUDGET that remain for measuring U, as rank 0 decides for all; 0 if LEAST operations
 * of *ONE + WAIT seconds exceed BUDGET. Returns an MPI error code. */
int subject_budget(const struct subject *u, double budget, int least, double wait, double *left,
                   double *one);

/* Collective. *AFTER: this rank's arrival delay in seconds: its median over the last ARRIVALS
 * calls, minus the lowest median of all ranks. *APART: the largest *AFTER. Returns an MPI error
 * code. */
int subject_arrivals(const struct subject *u, const struct signature *g, double *after,
                     double *apart);
