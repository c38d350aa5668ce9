#include "measure/latency/broadcast.h"

#include "base/try.h"
#include "measure/crew.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The data is packed in pieces of about this size, so that the check of a large message needs no
 * second copy of it. */
enum { PIECE_BYTES = 1 << 20 };

/* A buffer walked in pieces of EACH elements through a packed copy. */
struct walk {
    char *buffer;
    int count, each;
    MPI_Aint extent;
    MPI_Datatype type;
    MPI_Comm comm;
    char *packed;
    int room;
};

static int piece_count(const struct walk *w, int from)
{
    return w->count - from < w->each ? w->count - from : w->each;
}

/* Sets w->packed, or leaves it NULL where the data cannot be packed: MPICH packs nothing from
 * MPI_BOTTOM. That has to be known before the ranks agree on a check, since one that fell out of it
 * would leave the others waiting. */
static int walk_start(struct walk *w, void *buffer, int count, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Aint low;
    MPI_Count one;
    int position = 0;
    *w = (struct walk){.buffer = buffer, .count = count, .each = 1, .type = type, .comm = comm};
    TRY(PMPI_Type_get_extent(type, &low, &w->extent));
    TRY(PMPI_Type_size_x(type, &one));
    if (one > INT_MAX / 2)
        return MPI_SUCCESS;
    if (one < PIECE_BYTES)
        w->each = PIECE_BYTES / (one > 0 ? (int)one : 1);
    TRY(PMPI_Pack_size(w->each, type, comm, &w->room));
    w->packed = malloc((size_t)w->room + 1);
    if (w->packed &&
        PMPI_Pack(buffer, piece_count(w, 0), type, w->packed, w->room, &position, comm)) {
        free(w->packed);
        w->packed = NULL;
    }
    return MPI_SUCCESS;
}

static int spoil(struct walk *w)
{
    memset(w->packed, 0xA5, (size_t)w->room);
    for (int from = 0; from < w->count; from += w->each) {
        int position = 0;
        TRY(PMPI_Unpack(w->packed, w->room, &position, w->buffer + from * w->extent,
                        piece_count(w, from), w->type, w->comm));
        if (w->count - from <= w->each)
            break;
    }
    return MPI_SUCCESS;
}

/* FNV-1a over the packed data. */
static int digest(struct walk *w, uint64_t *hash)
{
    *hash = 0xcbf29ce484222325u;
    for (int from = 0; from < w->count; from += w->each) {
        int position = 0;
        TRY(PMPI_Pack(w->buffer + from * w->extent, piece_count(w, from), w->type, w->packed,
                      w->room, &position, w->comm));
        for (int i = 0; i < position; i++)
            *hash = (*hash ^ (unsigned char)w->packed[i]) * 0x100000001b3u;
        if (w->count - from <= w->each)
            break;
    }
    return MPI_SUCCESS;
}

static int compare(struct walk *w, int root, int *wrong)
{
    uint64_t mine, roots;
    TRY(digest(w, &mine));
    roots = mine;
    TRY(PMPI_Bcast(&roots, 1, MPI_UINT64_T, root, w->comm));
    int differs = mine != roots;
    return PMPI_Allreduce(&differs, wrong, 1, MPI_INT, MPI_SUM, w->comm);
}

static int check(struct walk *w, struct broadcast *b, bool can, int *wrong)
{
    int rank;
    TRY(PMPI_Comm_rank(w->comm, &rank));
    if (can && rank != b->root)
        TRY(spoil(w));
    TRY(broadcast_run(b, b->root));
    return can ? compare(w, b->root, wrong) : MPI_SUCCESS;
}

int broadcast_check(void *arg, int *wrong, bool *checked)
{
    struct broadcast *b = arg;
    struct walk w;
    *wrong = 0;
    TRY(walk_start(&w, b->buffer, b->count, b->type, b->comm));
    int can = w.packed != NULL, all = 0;
    int error = PMPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, b->comm);
    *checked = all;
    if (error == MPI_SUCCESS)
        error = check(&w, b, all, wrong);
    free(w.packed);
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
