#include "layer/life.h"
#include "profile/profile.h"
#include "sync/politely.h"

#include <stdlib.h>

enum { TAG_SIZE = 1, TAG_ROOM = 2, TAG_PROFILE = 3, CHUNK = 1 << 28 };

struct packing {
    struct profile *p;
    char *packed;
    size_t size;
};

static void pack(void *arg)
{
    struct packing *x = arg;
    x->packed = profile_pack(x->p, &x->size);
}

/* A size of 0 stands for a profile that there is not. */
static int send_profile(struct profile *p, int to, MPI_Comm comm)
{
    struct packing x = {.p = p};
    int room = 0;
    bool packed = p && profile_try(pack, &x) && x.packed;
    uint64_t announced = packed ? x.size : 0;
    int rc = PMPI_Send(&announced, 1, MPI_UINT64_T, to, TAG_SIZE, comm);
    if (!rc && announced) {
        MPI_Request request;
        int posted = PMPI_Irecv(&room, 1, MPI_INT, to, TAG_ROOM, comm, &request);
        rc = wait_politely(posted, &request);
    }
    for (size_t at = 0; room && at < announced; at += CHUNK) {
        size_t left = x.size - at;
        int sent = PMPI_Send(x.packed + at, (int)(left < CHUNK ? left : CHUNK), MPI_BYTE, to,
                             TAG_PROFILE, comm);
        rc = rc ? rc : sent; /* the other side waits for all parts, whatever became of one */
    }
    free(x.packed);
    return rc;
}

/* To be freed; NULL if there is none, or no room for it. */
static char *receive_packed(int from, MPI_Comm comm, uint64_t *size)
{
    MPI_Request request;
    *size = 0;
    int posted = PMPI_Irecv(size, 1, MPI_UINT64_T, from, TAG_SIZE, comm, &request);
    if (wait_politely(posted, &request) || !*size)
        return NULL;
    char *packed = malloc(*size);
    int room = packed != NULL;
    int rc = PMPI_Send(&room, 1, MPI_INT, from, TAG_ROOM, comm);
    for (size_t at = 0; room && at < *size; at += CHUNK) {
        size_t left = *size - at;
        int received = PMPI_Recv(packed + at, (int)(left < CHUNK ? left : CHUNK), MPI_BYTE, from,
                                 TAG_PROFILE, comm, MPI_STATUS_IGNORE);
        rc = rc ? rc : received;
    }
    if (!rc)
        return packed;
    free(packed);
    return NULL;
}

struct merging {
    struct profile *mine;
    const char *packed;
    size_t size;
};

static void merge(void *arg)
{
    struct merging *x = arg;
    struct profile *theirs = profile_unpack(x->packed, x->size);
    if (theirs)
        profile_merge(x->mine, theirs);
    else
        x->mine = NULL;
}

/* One profile missing makes the whole one useless: it would pass for all ranks. The others are
 * received nevertheless, since their senders wait. */
struct profile *merge_over_tree(struct profile *mine, MPI_Comm comm)
{
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    for (int distance = 1; distance < size; distance *= 2) {
        if (rank & distance) {
            send_profile(mine, rank - distance, comm);
            profile_free(mine);
            return NULL;
        }
        if (rank + distance < size) {
            uint64_t packed_size;
            char *packed = receive_packed(rank + distance, comm, &packed_size);
            struct merging x = {mine, packed, packed_size};
            mine = mine && packed && profile_try(merge, &x) ? x.mine : NULL;
            free(packed);
        }
    }
    return mine;
}
