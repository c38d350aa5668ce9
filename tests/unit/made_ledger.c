#include "made_ledger.h"

#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct ledger_operation operations[OPS] = {
    [OP_BCAST] = {"MPI_Bcast", FAMILY_COLLECTIVE, 0},
    [OP_ALLREDUCE] = {"MPI_Allreduce", FAMILY_COLLECTIVE, 0},
    [OP_ISEND] = {"MPI_Isend", FAMILY_ISEND, 0},
    [OP_WAIT] = {"MPI_Wait", FAMILY_COMPLETION, 0},
    [OP_BARRIER] = {"MPI_Barrier", FAMILY_COLLECTIVE, 0},
    [OP_SCAN] = {"MPI_Scan", FAMILY_COLLECTIVE, 0},
    [OP_ALLTOALL] = {"MPI_Alltoall", FAMILY_COLLECTIVE, 0},
    [OP_FINALIZE] = {"MPI_Finalize", FAMILY_LIFECYCLE, 0},
    [OP_SEND] = {"MPI_Send", FAMILY_SEND, 0},
    [OP_RECV] = {"MPI_Recv", FAMILY_RECV, 0},
    [OP_SENDRECV] = {"MPI_Sendrecv", FAMILY_SENDRECV, 0},
    [OP_IRECV] = {"MPI_Irecv", FAMILY_IRECV, 0},
    [OP_COMM_DUP] = {"MPI_Comm_dup", FAMILY_COMM, 0},
    [OP_COMM_CREATE_GROUP] = {"MPI_Comm_create_group", FAMILY_COMM, 0},
    [OP_WIN_FENCE] = {"MPI_Win_fence", FAMILY_ONE_SIDED, 0},
    [OP_UNUSED] = {"MPI_Unused", FAMILY_PLAIN, 0},
};

static void made_tables(struct ledger *l, int rank, int size)
{
    struct ledger_header *h = l->header;
    memcpy(l->operations, operations, sizeof operations);
    h->section[LEDGER_OPERATIONS].count = OPS;
    /* Loaded elsewhere in every process, as under ASLR: the bias differs, addresses do not. */
    l->modules[0] = (struct ledger_module){.bias = 0x1000000u * (unsigned)(rank + 1),
                                           .build_id = {0xab, 0xcd},
                                           .build_id_size = 20,
                                           .path = h->section[LEDGER_TEXTS].count};
    strcpy(l->texts + h->section[LEDGER_TEXTS].count, "/nowhere/application");
    h->section[LEDGER_TEXTS].count += (uint32_t)sizeof "/nowhere/application";
    h->section[LEDGER_MODULES].count = 1;
    l->comms[COMM_WORLD] = (struct ledger_comm){.id = 0x8877665544332211ull,
                                                .created = 1,
                                                .size = (uint32_t)size,
                                                .rank = (uint32_t)rank,
                                                .flags = LEDGER_COMM_WORLD,
                                                .name = "MPI_COMM_WORLD"};
    h->section[LEDGER_COMMS].count = 2;
    strcpy(l->regions[1].name, "solver");
    l->regions[1].entered = 3;
    l->regions[1].time_ns = 1000000;
    h->section[LEDGER_REGIONS].count = 2;
    for (uint32_t s = 1; s <= 2; s++) {
        l->sites[s].depth = 2;
        l->sites[s].frame[0].address = s * 0x1000;
        l->sites[s].frame[1].address = 0x500;
    }
    h->section[LEDGER_SITES].count = 3;
}

void made_ledger(struct ledger *l, const char *path, int rank, int size)
{
    char own[64];
    snprintf(own, sizeof own, "/tmp/collprof-made-%d.ledger", (int)getpid());
    unlink(path ?: own);
    if (ledger_create(l, AT_FDCWD, path ?: own, 2 << 20, OPS))
        abort();
    if (!path)
        unlink(own);
    struct ledger_header *h = l->header;
    h->rank = rank;
    h->size = size;
    h->pid = 100000000 + rank; /* more than any process has */
    h->run_id = 77;
    strcpy(h->host, "alpha");
    strcpy(h->program, "/nowhere/application");
    strcpy(h->mpi_library, "MPICH Version: 4.0.2");
    h->clock = CLOCK_SOURCE_MONOTONIC;
    h->started_unix = 1700000000 + 0.001 * rank;
    h->pair[0].ticks = 5000000000u;
    h->pair[0].seconds = 5;
    h->pair[1].ticks = 7000000000u;
    h->pair[1].seconds = 7;
    h->state = LEDGER_FINALIZED;
    h->stack_depth = 2;
    made_tables(l, rank, size);
}

struct ledger_entry *made_calls(struct ledger *l, uint32_t site, uint32_t operation, uint64_t bytes,
                                uint64_t calls, uint64_t ns)
{
    uint32_t n = l->header->section[LEDGER_ENTRIES].count++;
    struct ledger_entry *e = &l->entries[n];
    e->site = site;
    e->operation = operation;
    e->comm = COMM_WORLD;
    e->size_class = bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
    e->calls = calls;
    e->bytes = bytes * calls;
    e->time_ns = ns * calls;
    e->min_ns = e->max_ns = ns;
    e->histogram[histogram_bucket(ns)] = (uint32_t)calls;
    return e;
}

void made_instance(struct ledger *l, uint32_t operation, uint32_t sequence, int root,
                   uint64_t entry, uint64_t exit)
{
    uint32_t n = l->header->section[LEDGER_INSTANCES].count++;
    l->instances[n] = (struct ledger_instance){.comm_id = 42,
                                               .entry_ticks = 5000000000u + entry,
                                               .exit_ticks = 5000000000u + exit,
                                               .bytes = 1024,
                                               .sequence = sequence,
                                               .site = 1,
                                               .operation = operation & 0x7ffu,
                                               .comm = COMM_WORLD,
                                               .root = root};
}
