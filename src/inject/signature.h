/* Signatures of one communicator: operation, root and bytes of calls that are measured alike, and
 * how they are measured. Benchmark mode and tuning keep a table each. All members count alike. */
#pragma once

#include "inject/injection.h"

enum { SIGNATURES_MAX = 64, ARRIVALS = 8 };

struct signature {
    const struct operation *operation;
    int root;
    uint64_t bytes, calls;
    double entered[ARRIVALS]; /* global seconds of this rank's entries; call k is at k % ARRIVALS */
    bool done;                /* for the injection, as the next */
    json_t *found;            /* on rank 0; NULL if there is none */
};

/* What injection.keeps is for. */
struct signatures {
    struct signature at[SIGNATURES_MAX];
    int n;
};

/* The signature of C in the table of SELF, made if it is not there. NULL: there are too many. */
struct signature *signature_of(const struct injection *self, const struct collective *c);

/* Counts C: for injection.due. Keeps the entry times of the last ARRIVALS calls before a call whose
 * number, counted from 0, is a power of two. NULL: there are too many signatures. */
struct signature *signature_count(const struct injection *self, const struct collective *c);

/* The operation of a call, to be measured on the layer's communicator with the application's
 * arguments: the library's broadcast, or a replica. Must not move. */
struct subject {
    struct internal_comm *on;
    bool is_broadcast;
    struct latency_case c; /* all but the plan */
    struct replica replica;
};

/* Collective. False on all ranks if one could not prepare it. Call subject_close() in any case. */
bool subject_open(struct subject *u, const struct collective *c);
void subject_close(struct subject *u);

/* Collective: makes one operation; *ONE: seconds that it takes on the slowest rank. *LEFT, equal on
 * all ranks: what it leaves of BUDGET seconds for measuring U; 0 if LEAST operations, each of
 * *ONE + WAIT seconds, do not fit into BUDGET. Rank 0 decides. Returns an MPI error code. */
int subject_budget(const struct subject *u, double budget, int least, double wait, double *left,
                   double *one);

/* Collective. *AFTER: how much later than the first rank this one usually enters, by the median of
 * the last ARRIVALS calls; *APART: the largest of all ranks. Returns an MPI error code. */
int subject_arrivals(const struct subject *u, const struct signature *g, double *after,
                     double *apart);
