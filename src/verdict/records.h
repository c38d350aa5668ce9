/* What the records of a run say about the calls that are open, as a table to be judged. Records of
 * processes that live are read as they are at that moment, without their help. */
#ifndef COLLPROF_VERDICT_RECORDS_H
#define COLLPROF_VERDICT_RECORDS_H

#include "profile/profile.h"
#include "verdict/judge.h"

/* Unless there is a reason for another time: a call that is open for so long (s) is judged. */
#define VERDICT_SETTLED 1.0

struct evidence_rank {
    bool alive, other_host;
    int64_t pid;
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    bool outside;             /* of MPI, since its last call: */
    uint32_t operation, site; /* PROFILE_NONE: unknown */
    double seconds;           /* so long; negative: unknown */
};

struct evidence {
    struct situation *s;
    struct profile *names;      /* of the operations, call sites and communicators in S, by their
                                   positions there; warnings: what is unknown */
    bool live;                  /* a process of the run is alive */
    struct evidence_rank *rank; /* of each in S */
};

/* The records in DIRECTORY of the run that started last. SETTLED: as in struct situation. Of a run
 * that lives it takes a moment: what has changed meanwhile may go on. NULL with a reason_give() if
 * there are no records that can be read. For evidence_free(). */
struct evidence *evidence_now(const char *directory, double settled);
void evidence_free(struct evidence *e);

#endif
