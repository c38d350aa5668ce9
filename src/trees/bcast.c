#include "trees/bcast.h"

#include "base/try.h"
#include "trees/schedule_run.h"

#include <stdlib.h>
#include <string.h>

/* Everything here runs on a communicator of our own, where nobody else uses this tag. */
enum { TAG = 0x6263 };

/* One call's arguments with this rank's place, counted from the root. */
struct place {
    void *buffer;
    int count;
    MPI_Datatype type;
    MPI_Comm comm;
    int root, size;
    int me; /* 0 is the root */
};

static int place_find(struct place *p, void *buffer, int count, MPI_Datatype type, int root,
                      MPI_Comm comm)
{
    int rank;
    *p = (struct place){.buffer = buffer, .count = count, .type = type, .comm = comm, .root = root};
    TRY(PMPI_Comm_size(comm, &p->size));
    TRY(PMPI_Comm_rank(comm, &rank));
    p->me = (rank - root + p->size) % p->size;
    return MPI_SUCCESS;
}

static int place_rank(const struct place *p, int relative)
{
    return (relative + p->root) % p->size;
}

static int receive_from(const struct place *p, int relative)
{
    return PMPI_Recv(p->buffer, p->count, p->type, place_rank(p, relative), TAG, p->comm,
                     MPI_STATUS_IGNORE);
}

static int send_to(const struct place *p, int relative)
{
    return PMPI_Send(p->buffer, p->count, p->type, place_rank(p, relative), TAG, p->comm);
}

static int native(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                  const void *arg)
{
    (void)arg;
    return PMPI_Bcast(buffer, count, type, root, comm);
}

/* MPICH's: a task's parent is itself without its lowest bit, its children have one lower bit more,
 * the largest subtree first. */
static int binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                    const void *arg)
{
    (void)arg;
    struct place p;
    TRY(place_find(&p, buffer, count, type, root, comm));
    int bit = 1;
    while (bit < p.size && !(p.me & bit))
        bit <<= 1;
    if (p.me != 0)
        TRY(receive_from(&p, p.me - bit));
    for (bit >>= 1; bit > 0; bit >>= 1)
        if (p.me + bit < p.size)
            TRY(send_to(&p, p.me + bit));
    return MPI_SUCCESS;
}

/* The paper's section 3: the task before i is i - 1. */
static int linear(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                  const void *arg)
{
    (void)arg;
    struct place p;
    TRY(place_find(&p, buffer, count, type, root, comm));
    if (p.me != 0)
        TRY(receive_from(&p, p.me - 1));
    if (p.me + 1 < p.size)
        TRY(send_to(&p, p.me + 1));
    return MPI_SUCCESS;
}

/* The paper's section 3: the task before i is i + 1 modulo P. */
static int backward(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                    const void *arg)
{
    (void)arg;
    struct place p;
    TRY(place_find(&p, buffer, count, type, root, comm));
    if (p.me != 0)
        TRY(receive_from(&p, (p.me + 1) % p.size));
    if (p.me != 1 && p.size > 1)
        TRY(send_to(&p, (p.me - 1 + p.size) % p.size));
    return MPI_SUCCESS;
}

static int flat(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                const void *arg)
{
    (void)arg;
    struct place p;
    TRY(place_find(&p, buffer, count, type, root, comm));
    if (p.me != 0)
        return receive_from(&p, 0);
    for (int i = 1; i < p.size; i++)
        TRY(send_to(&p, i));
    return MPI_SUCCESS;
}

/* Two segments at a time each way, so that a slow task holds up the chain and not its neighbour's
 * memory. */
static int chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 const void *arg)
{
    struct place p;
    TRY(place_find(&p, buffer, count, type, root, comm));
    struct schedule_part *part = malloc(sizeof *part + sizeof *part->child);
    if (!part)
        return MPI_ERR_NO_MEM;
    *part = (struct schedule_part){.root = root,
                                   .parent = p.me > 0 ? place_rank(&p, p.me - 1) : -1,
                                   .n_children = p.me + 1 < p.size,
                                   .window = 2,
                                   .sends = 2,
                                   .segment = *(const size_t *)arg};
    part->child[0] = place_rank(&p, p.me + 1);
    int error = schedule_bcast(part).run(buffer, count, type, root, comm, part);
    free(part);
    return error;
}

/* Large enough that a message's own latency does not dominate, small enough that 64 KiB over 8
 * ranks is already pipelined. */
static const size_t chain_segment = 8192;

const struct bcast bcasts[] = {
    {"native", "the library's own MPI_Bcast", native, NULL},
    {"binomial", "binomial tree, largest subtree first (MPICH's for short messages)", binomial,
     NULL},
    {"linear", "task i receives from i-1 and sends to i+1", linear, NULL},
    {"backward", "task i receives from i+1 and sends to i-1", backward, NULL},
    {"flat", "the root sends to every other task, in the order of ranks", flat, NULL},
    {"chain", "linear, pipelined in segments of 8 KiB", chain, &chain_segment},
};
const size_t n_bcasts = sizeof bcasts / sizeof *bcasts;

const struct bcast *bcast_find(const char *name)
{
    for (size_t i = 0; i < n_bcasts; i++)
        if (strcmp(bcasts[i].name, name) == 0)
            return &bcasts[i];
    return NULL;
}
