#include "base/memory.h"
#include "layer/parts.h"
#include "profile/profile.h"
#include "sync/politely.h"

#include <string.h>
#include <unistd.h>

/* Messages of 4 KiB carry their data. Larger ones are read by the receiver out of the sender's
 * memory, which the system forbids where one of the two has changed its user: MPI then ends the
 * process. */
enum { TAG_OFFER = 1, TAG_ANSWER, TAG_LEDGER };
enum { PART = 1 << 28, SMALL_PART = 1 << 12 };

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

static uint64_t part_possible(void)
{
    struct user now = user_now();
    return memcmp(&now, &started_as, sizeof now) ? SMALL_PART : PART;
}

/* What a rank has for rank 0: a ledger of so many elements, in messages of at most PART bytes. */
struct offer {
    uint64_t part;
    uint32_t count[LEDGER_SECTIONS];
};

/* Memory of a profile for each entry of a ledger. */
enum { BYTES_OF_ENTRY = 3072 };

/* Whether rank 0 can take the ledger in: beyond what the host and its control groups have left the
 * kernel would end the application. */
static bool has_room(const uint32_t count[LEDGER_SECTIONS])
{
    return ledger_bytes(count) + (uint64_t)BYTES_OF_ENTRY * count[LEDGER_ENTRIES] <=
           memory_available("/proc", "/sys/fs/cgroup") / 2;
}

static void count_elements(const struct ledger *l, uint32_t count[LEDGER_SECTIONS])
{
    for (int s = 0; s < LEDGER_SECTIONS; s++)
        count[s] = l->header->section[s].count;
}

/* In messages of PART bytes, from rank 0 or to it. */
static int move(char *at, size_t bytes, uint64_t part, int from, MPI_Comm comm)
{
    int rc = 0;
    for (size_t n; bytes && !rc; bytes -= n, at += n) {
        n = bytes < part ? bytes : part;
        rc = from ? PMPI_Recv(at, (int)n, MPI_BYTE, from, TAG_LEDGER, comm, MPI_STATUS_IGNORE)
                  : PMPI_Send(at, (int)n, MPI_BYTE, 0, TAG_LEDGER, comm);
    }
    return rc;
}

static int send_ledger(const struct ledger *mine, MPI_Comm comm)
{
    struct ledger_header header = *mine->header;
    struct ledger l = *mine;
    struct offer o = {.part = part_possible()};
    uint64_t part = 0;
    MPI_Request request;
    l.header = &header;
    count_elements(&l, o.count);
    int rc = PMPI_Send(&o, sizeof o, MPI_BYTE, 0, TAG_OFFER, comm);
    int posted = PMPI_Irecv(&part, 1, MPI_UINT64_T, 0, TAG_ANSWER, comm, &request);
    rc = rc ? rc : wait_politely(posted, &request);
    for (int i = 0; i < LEDGER_PARTS && !rc && part; i++)
        rc = move(ledger_part(&l, i), ledger_part_bytes(i, o.count), part, 0, comm);
    return rc;
}

/* WANTED: else the rank is answered, and keeps its ledger. L is to be closed in any case. */
static bool receive_ledger(struct ledger *l, int from, MPI_Comm comm, bool wanted)
{
    struct offer o = {0};
    MPI_Request request;
    int posted = PMPI_Irecv(&o, sizeof o, MPI_BYTE, from, TAG_OFFER, comm, &request);
    int rc = wait_politely(posted, &request);
    wanted = wanted && !rc && has_room(o.count) && ledger_make_room(l, o.count);
    uint64_t part = !wanted ? 0 : o.part < part_possible() ? o.part : part_possible();
    rc = rc ? rc : PMPI_Send(&part, 1, MPI_UINT64_T, from, TAG_ANSWER, comm);
    for (int i = 0; i < LEDGER_PARTS && !rc && part; i++)
        rc = move(ledger_part(l, i), ledger_part_bytes(i, o.count), part, from, comm);
    return part && !rc && !ledger_check(l);
}

struct adding {
    struct profile *all;
    const struct ledger *l;
};

static void add(void *arg)
{
    struct adding *a = arg;
    struct profile *one = profile_from_ledger(a->l);
    if (a->all)
        profile_merge(a->all, one);
    else
        a->all = one;
}

/* One ledger missing makes the profile useless: it would pass for that of all ranks. The other
 * ranks are answered nevertheless, since they wait. */
struct profile *merge_ranks(const struct ledger *mine, MPI_Comm comm)
{
    struct adding a = {NULL, mine};
    uint32_t own[LEDGER_SECTIONS];
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank != 0) {
        send_ledger(mine, comm);
        return NULL;
    }
    count_elements(mine, own);
    bool good = has_room(own) && memory_try(add, &a);
    for (int from = 1; from < size; from++) {
        struct ledger theirs = {0};
        a.l = &theirs;
        good = receive_ledger(&theirs, from, comm, good) && memory_try(add, &a);
        ledger_close(&theirs);
    }
    return good ? a.all : NULL; /* without memory it may be half changed, and is not freed */
}
