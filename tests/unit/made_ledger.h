/* Ledgers as a rank would leave them, made in a test. */
#pragma once

#include "record/ledger.h"
#include "unit.h"

enum {
    OP_BCAST,
    OP_ALLREDUCE,
    OP_ISEND,
    OP_WAIT,
    OP_BARRIER,
    OP_SCAN,
    OP_ALLTOALL,
    OP_FINALIZE,
    OP_SEND,
    OP_RECV,
    OP_SENDRECV,
    OP_IRECV,
    OP_COMM_DUP,
    OP_COMM_CREATE_GROUP,
    OP_WIN_FENCE,
    OP_UNUSED,
    OPS
};
enum { COMM_WORLD = 1 };

/* A rank of SIZE on HOST with operations, one module, MPI_COMM_WORLD, a region, and DEPTH-2 sites
 * at the addresses 0x1000 and 0x2000 (indices 1 and 2). Finalized after 2 s, ticks in ns. PATH
 * NULL: without a name. */
void made_ledger(struct ledger *l, const char *path, int rank, int size);

/* CALLS calls of NS each. */
struct ledger_entry *made_calls(struct ledger *l, uint32_t site, uint32_t operation, uint64_t bytes,
                                uint64_t calls, uint64_t ns);

/* An instance on MPI_COMM_WORLD; times in ns from the start of the run. */
void made_instance(struct ledger *l, uint32_t operation, uint32_t sequence, int root,
                   uint64_t entry, uint64_t exit);
