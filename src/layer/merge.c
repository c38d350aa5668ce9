#include "layer/life.h"
#include "report/profile.h"
#include "sync/politely.h"

#include <stdlib.h>

enum { TAG_SIZE = 1, TAG_PROFILE = 2, CHUNK = 1 << 28 };

static int send_profile(struct profile *p, int to, MPI_Comm comm)
{
    size_t size = 0;
    char *packed = profile_pack(p, &size);
    uint64_t announced = packed ? size : 0;
    int rc = PMPI_Send(&announced, 1, MPI_UINT64_T, to, TAG_SIZE, comm);
    for (size_t at = 0; at < announced && !rc; at += CHUNK) {
        size_t left = size - at;
        rc = PMPI_Send(packed + at, (int)(left < CHUNK ? left : CHUNK), MPI_BYTE, to, TAG_PROFILE,
                       comm);
    }
    free(packed);
    return rc;
}

static struct profile *receive_profile(int from, MPI_Comm comm)
{
    uint64_t size = 0;
    MPI_Request request;
    int posted = PMPI_Irecv(&size, 1, MPI_UINT64_T, from, TAG_SIZE, comm, &request);
    if (wait_politely(posted, &request) || !size)
        return NULL;
    char *packed = malloc(size);
    int rc = packed ? MPI_SUCCESS : MPI_ERR_OTHER;
    for (size_t at = 0; at < size && !rc; at += CHUNK) {
        size_t left = size - at;
        rc = PMPI_Recv(packed + at, (int)(left < CHUNK ? left : CHUNK), MPI_BYTE, from, TAG_PROFILE,
                       comm, MPI_STATUS_IGNORE);
    }
    struct profile *p = rc ? NULL : profile_unpack(packed, size);
    free(packed);
    return p;
}

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
            struct profile *theirs = receive_profile(rank + distance, comm);
            if (theirs)
                profile_merge(mine, theirs);
            else
                profile_warn(mine, "the records of ranks %d to %d were lost while merging",
                             rank + distance,
                             (rank + 2 * distance < size ? rank + 2 * distance : size) - 1);
        }
    }
    return mine;
}
