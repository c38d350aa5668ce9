#include "base/launcher.h"
#include "layer/parts.h"
#include "profile/profile.h"
#include "sync/politely.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Messages of 4 KiB carry their data. Larger ones are read by the receiver out of the sender's
 * memory, which the system forbids where one of the two has changed its user: MPI then ends the
 * process. */
enum { TAG_SIZE = 1, TAG_PART = 2, TAG_PROFILE = 3, PART = 1 << 28, SMALL_PART = 1 << 12 };

static struct user {
    uid_t real, effective;
    gid_t real_group, effective_group;
} started_as;

static struct user user_now(void)
{
    return (struct user){getuid(), geteuid(), getgid(), getegid()};
}

void merge_prepare(void)
{
    started_as = user_now();
}

/* Memory for merging: bytes of a profile for each call of the ledger, and for each packed byte. */
enum { BYTES_OF_ENTRY = 3072, BYTES_OF_PACKED = 12 };

/* Bytes that this rank may take now: its part of what its host has left, when every second rank
 * merges (DISTANCE 1), every fourth (2), and so on. */
static uint64_t room(int distance)
{
    int here = launcher_read(NULL).local_size;
    uint64_t merging = (uint64_t)(here ? here : layer.size) / (2 * (uint64_t)distance);
    return memory_available("/proc", "/sys/fs/cgroup") / (merging ? merging : 1) / 2;
}

bool merge_has_room(const struct ledger *l)
{
    return BYTES_OF_ENTRY * (uint64_t)l->header->section[LEDGER_ENTRIES].count <= room(1);
}

static uint64_t part_possible(void)
{
    struct user now = user_now();
    return memcmp(&now, &started_as, sizeof now) ? SMALL_PART : PART;
}

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

/* A size of 0 stands for a profile that there is not; parts of 0, for no room. */
static int send_profile(struct profile *p, int to, MPI_Comm comm)
{
    struct packing x = {.p = p};
    uint64_t part = 0;
    bool packed = p && memory_try(pack, &x) && x.packed;
    uint64_t announced[2] = {packed ? x.size : 0, part_possible()};
    int rc = PMPI_Send(announced, 2, MPI_UINT64_T, to, TAG_SIZE, comm);
    if (!rc && packed) {
        MPI_Request request;
        int posted = PMPI_Irecv(&part, 1, MPI_UINT64_T, to, TAG_PART, comm, &request);
        rc = wait_politely(posted, &request);
    }
    for (size_t at = 0; part && at < x.size; at += part) {
        size_t left = x.size - at;
        int sent = PMPI_Send(x.packed + at, (int)(left < part ? left : part), MPI_BYTE, to,
                             TAG_PROFILE, comm);
        rc = rc ? rc : sent; /* the other side waits for all parts, whatever became of one */
    }
    free(x.packed);
    return rc;
}

/* To be freed; NULL if there is none, or no room for it. */
static char *receive_packed(int from, int distance, MPI_Comm comm, uint64_t *size)
{
    MPI_Request request;
    uint64_t announced[2] = {0, 0}, part = part_possible();
    int posted = PMPI_Irecv(announced, 2, MPI_UINT64_T, from, TAG_SIZE, comm, &request);
    *size = wait_politely(posted, &request) ? 0 : announced[0];
    if (!*size)
        return NULL;
    char *packed = *size <= room(distance) / BYTES_OF_PACKED ? malloc(*size) : NULL;
    part = packed ? (announced[1] < part ? announced[1] : part) : 0;
    int rc = PMPI_Send(&part, 1, MPI_UINT64_T, from, TAG_PART, comm);
    for (size_t at = 0; part && at < *size; at += part) {
        size_t left = *size - at;
        int received = PMPI_Recv(packed + at, (int)(left < part ? left : part), MPI_BYTE, from,
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
            char *packed = receive_packed(rank + distance, distance, comm, &packed_size);
            struct merging x = {mine, packed, packed_size};
            mine = mine && packed && memory_try(merge, &x) ? x.mine : NULL;
            free(packed);
        }
    }
    return mine;
}
