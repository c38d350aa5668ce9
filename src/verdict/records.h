/* What the records of a run say about the calls that are open, as a table to be judged. Records of
 * processes that live are read as they are at that moment, without their help. */
#ifndef COLLPROF_VERDICT_RECORDS_H
#define COLLPROF_VERDICT_RECORDS_H

#include "record/ledger.h"
#include "verdict/judge.h"

/* Without a reason for another: a call that is open for so long (s) is looked at. */
#define VERDICT_SETTLED 1.0

struct evidence_operation {
    char name[40];
    uint32_t family; /* enum call_family */
};

/* The innermost frame of a call site. */
struct evidence_site {
    char *path, *function; /* of its module; FUNCTION: of Python code, else empty. For free() */
    char build_id[49];
    uint64_t address;
    char *text; /* "at halo.c:41 exchange", once it was asked for; for free() */
};

struct evidence_rank {
    bool seen, alive, other_host;
    char host[64];
    int64_t pid;
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    bool outside;             /* of MPI, since its last call: */
    uint32_t operation, site; /* UINT32_MAX: unknown */
    double seconds;           /* so long; negative: unknown */
    uint64_t moved;           /* changes with each call that returns */
};

struct evidence {
    struct situation *s;
    int32_t size;
    bool live; /* a process of the run is alive */
    ARRAY(struct evidence_operation) operations;
    ARRAY(struct evidence_site) sites;
    ARRAY(struct evidence_rank) ranks; /* SIZE of them */
    ARRAY(uint64_t) comm_ids;          /* by position in the situation's communicators */
    ARRAY(char *) comm_names;
    ARRAY(uint64_t) since; /* by position in the situation's calls: ticks */
    ARRAY(char *) remarks; /* on files that were left out */
};

/* The records in DIRECTORY of the run that started last. SETTLED: as in struct situation. NULL with
 * a reason_give() if there are none that can be read. For evidence_free(). */
struct evidence *evidence_read(const char *directory, double settled);
void evidence_free(struct evidence *e);

/* The same, of two readings: what has changed in between may go on. Pauses for a moment where a
 * process of the run is alive. */
struct evidence *evidence_now(const char *directory, double settled);

/* E, as it is a moment after BEFORE: a call that is not the same in both may return. */
void evidence_settle(struct evidence *e, const struct evidence *before);

/* "at halo.c:41 exchange"; "" if the site is not known. It belongs to E. */
const char *evidence_site(struct evidence *e, uint32_t site);

#endif
