#include "measure/latency/broadcast.h"

#include "base/try.h"
#include "measure/crew.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The data packed: what belongs to its type, and no holes. */
struct packed {
    char *data; /* NULL: cannot be packed */
    int bytes, room;
};

/* MPICH packs nothing from MPI_BOTTOM. That has to be known before the ranks agree on a check. */
static int pack(const struct broadcast *b, struct packed *p)
{
    MPI_Count one;
    *p = (struct packed){0};
    TRY(PMPI_Type_size_x(b->type, &one));
    if (one * b->count > INT_MAX / 2)
        return MPI_SUCCESS;
    TRY(PMPI_Pack_size(b->count, b->type, b->comm, &p->room));
    p->data = malloc((size_t)p->room + 1);
    if (p->data && PMPI_Pack(b->buffer, b->count, b->type, p->data, p->room, &p->bytes, b->comm)) {
        free(p->data);
        p->data = NULL;
    }
    return MPI_SUCCESS;
}

/* FNV-1a. */
static uint64_t hash_of(const struct packed *p)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < p->bytes; i++)
        hash = (hash ^ (unsigned char)p->data[i]) * 0x100000001b3u;
    return hash;
}

static int spoil(const struct broadcast *b, struct packed *p)
{
    int position = 0;
    memset(p->data, 0xA5, (size_t)p->room);
    return PMPI_Unpack(p->data, p->room, &position, b->buffer, b->count, b->type, b->comm);
}

static int compare(const struct broadcast *b, struct packed *p, int *wrong)
{
    p->bytes = 0;
    TRY(PMPI_Pack(b->buffer, b->count, b->type, p->data, p->room, &p->bytes, b->comm));
    uint64_t mine = hash_of(p), roots = mine;
    TRY(PMPI_Bcast(&roots, 1, MPI_UINT64_T, b->root, b->comm));
    int differs = mine != roots;
    return PMPI_Allreduce(&differs, wrong, 1, MPI_INT, MPI_SUM, b->comm);
}

static int check(struct broadcast *b, struct packed *p, bool can, int *wrong)
{
    int rank;
    TRY(PMPI_Comm_rank(b->comm, &rank));
    if (can && rank != b->root)
        TRY(spoil(b, p));
    TRY(broadcast_run(b, b->root));
    return can ? compare(b, p, wrong) : MPI_SUCCESS;
}

int broadcast_check(void *arg, int *wrong, bool *checked)
{
    struct broadcast *b = arg;
    struct packed p;
    *wrong = 0;
    TRY(pack(b, &p));
    int can = p.data != NULL, all = 0;
    int error = PMPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, b->comm);
    *checked = all;
    if (error == MPI_SUCCESS)
        error = check(b, &p, all, wrong);
    free(p.data);
    return error;
}

int broadcast_run(void *arg, int root)
{
    const struct broadcast *b = arg;
    return b->bcast->run(b->buffer, b->count, b->type, root, b->comm, b->bcast->arg);
}

/* The root's: only data without holes, which need not even be memory. */
void broadcast_before(void *arg)
{
    const struct broadcast *b = arg;
    MPI_Aint lower, extent, from, span;
    MPI_Count one;
    int rank;
    if (PMPI_Comm_rank(b->comm, &rank) || rank != b->root ||
        PMPI_Type_get_extent(b->type, &lower, &extent) ||
        PMPI_Type_get_true_extent(b->type, &from, &span) || PMPI_Type_size_x(b->type, &one))
        return;
    if (one == span && one == extent && b->count > 0)
        crew_write_anew((char *)b->buffer + from, (size_t)b->count * (size_t)extent);
}

struct latency_case broadcast_case(struct broadcast *b)
{
    return (struct latency_case){.comm = b->comm,
                                 .run = broadcast_run,
                                 .before = b->fresh ? broadcast_before : NULL,
                                 .check = broadcast_check,
                                 .arg = b,
                                 .kind = COLLECTIVE_FROM_ROOT,
                                 .root = b->root};
}
