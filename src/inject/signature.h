/* Signatures of one communicator: operation, root and bytes of calls that are measured alike.
 * Benchmark mode and tuning keep a table each. All members count alike. */
#ifndef COLLPROF_INJECT_SIGNATURE_H
#define COLLPROF_INJECT_SIGNATURE_H

#include "inject/injection.h"

enum { SIGNATURES_MAX = 64 };

struct signature {
    unsigned operation; /* without its suffix, see replica_plain() */
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

/* Counts C and keeps its entry time: for injection.due. NULL: there are too many signatures. */
struct signature *signature_count(const struct injection *self, const struct collective *c);

#endif
