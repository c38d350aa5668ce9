#include "base/memory.h"
#include "layer/parts.h"
#include "profile/profile.h"
#include "sync/yielding.h"

/* PART: ledgers are sent in messages of 4 KiB, by MPI's eager protocol. With larger ones MPI may
 * read the sender's memory (process_vm_readv), and aborts if that process has changed its user. */
enum { TAG_OFFER = 1, TAG_ANSWER, TAG_LEDGER, PART = 1 << 12 };

/* Bytes of memory that a profile needs for each entry of a ledger. */
enum { BYTES_OF_ENTRY = 3072 };

/* Whether a ledger with these SECTIONs and its profile fit into half of the memory that the host
 * and its control groups have available: if it ran out, the kernel would kill the application. */
static bool has_room(const struct ledger_table section[LEDGER_SECTIONS])
{
    return ledger_bytes(section) + (uint64_t)BYTES_OF_ENTRY * section[LEDGER_ENTRIES].count <=
           memory_available("/proc", "/sys/fs/cgroup") / 2;
}

/* Receives BYTES from rank FROM, or sends them to rank 0 if FROM is 0. Returns MPI's error code. */
static int move(char *at, size_t bytes, int from, MPI_Comm comm)
{
    int rc = 0;
    for (size_t n; bytes && !rc; bytes -= n, at += n) {
        n = bytes < PART ? bytes : PART;
        rc = from ? PMPI_Recv(at, (int)n, MPI_BYTE, from, TAG_LEDGER, comm, MPI_STATUS_IGNORE)
                  : PMPI_Send(at, (int)n, MPI_BYTE, 0, TAG_LEDGER, comm);
    }
    return rc;
}

static int move_ledger(const struct ledger *l, int from, MPI_Comm comm)
{
    int rc = move((char *)l->header, sizeof *l->header, from, comm);
    for (int s = 0; s < LEDGER_SECTIONS && !rc; s++)
        rc = move(*ledger_array(l, s),
                  (size_t)l->header->section[s].count * ledger_rules[s].element_size, from, comm);
    return rc;
}

static int send_ledger(const struct ledger *mine, MPI_Comm comm)
{
    struct ledger_header header = *mine->header;
    struct ledger l = *mine;
    int wanted = 0;
    MPI_Request request;
    l.header = &header;
    int rc = PMPI_Send(header.section, sizeof header.section, MPI_BYTE, 0, TAG_OFFER, comm);
    int posted = PMPI_Irecv(&wanted, 1, MPI_INT, 0, TAG_ANSWER, comm, &request);
    rc = rc ? rc : wait_yielding(posted, &request);
    return rc || !wanted ? rc : move_ledger(&l, 0, comm);
}

/* Answers the offer of rank FROM: if its ledger is WANTED and memory suffices, receives the ledger;
 * otherwise FROM sends nothing. False if L is not valid. The caller closes L in any case. */
static bool receive_ledger(struct ledger *l, int from, MPI_Comm comm, bool wanted)
{
    struct ledger_table section[LEDGER_SECTIONS] = {0};
    MPI_Request request;
    int posted = PMPI_Irecv(section, sizeof section, MPI_BYTE, from, TAG_OFFER, comm, &request);
    int rc = wait_yielding(posted, &request);
    int answer = wanted && !rc && has_room(section) && ledger_make_room(l, section);
    rc = rc ? rc : PMPI_Send(&answer, 1, MPI_INT, from, TAG_ANSWER, comm);
    rc = rc || !answer ? rc : move_ledger(l, from, comm);
    return answer && !rc && !ledger_check(l);
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

/* If one rank's ledger cannot be merged, returns NULL: a profile without it would look like one of
 * all ranks. Rank 0 still answers the remaining ranks, which wait for that. */
struct profile *merge_ranks(const struct ledger *mine, MPI_Comm comm)
{
    struct adding a = {NULL, mine};
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank != 0) {
        send_ledger(mine, comm);
        return NULL;
    }
    bool good = has_room(mine->header->section) && memory_try(add, &a);
    for (int from = 1; from < size; from++) {
        struct ledger theirs = {0};
        a.l = &theirs;
        good = receive_ledger(&theirs, from, comm, good) && memory_try(add, &a);
        ledger_close(&theirs);
    }
    return good ? a.all : NULL; /* a.all, perhaps half merged, is not freed */
}
