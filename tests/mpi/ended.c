/* A program that ends well. "legal": what looks like an error and is none. "wrong" and "missing":
 * what is wrong with it. Four ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 64, TAGS = 3000 };
static int rank, size, left, right, values[ROOM], more[ROOM];
static MPI_Request request, several[4];

static void sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* v-forms: every rank has a count of its own. */
static void own_counts(void)
{
    int counts[4] = {1, 2, 3, 4}, at[4] = {0, 1, 3, 6};
    MPI_Gatherv(values, rank + 1, MPI_INT, more, counts, at, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(more, counts, at, MPI_INT, values, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(values, rank + 1, MPI_INT, more, counts, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(more, values, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Equal signatures: four integers and one type of four; two of two. */
static void equal_signatures(void)
{
    MPI_Datatype four, two;
    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_vector(2, 1, 1, MPI_INT, &two);
    MPI_Type_commit(&four);
    MPI_Type_commit(&two);
    MPI_Bcast(values, rank == 1 ? 1 : 4, rank == 1 ? four : MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(values, rank ? 2 : 4, rank ? two : MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(values, rank == 2 ? 1 : 4, rank == 2 ? four : MPI_INT, more, 1, four, 0,
               MPI_COMM_WORLD);
    MPI_Sendrecv(values, 2, MPI_INT, right, 3, more, 1, MPI_2INT, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(values, 1, four, right, 3, more, 4, MPI_INT, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&four);
    MPI_Type_free(&two);
}

/* What is not significant at all ranks. */
static void not_significant(void)
{
    MPI_Gather(values, 1, MPI_INT, more, rank ? 77 : 1, rank ? MPI_DOUBLE : MPI_INT, 0,
               MPI_COMM_WORLD);
    MPI_Scatter(values, rank ? 99 : 1, rank ? MPI_CHAR : MPI_INT, more, 1, MPI_INT, 0,
                MPI_COMM_WORLD);
    MPI_Reduce(rank ? values : MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allgather(rank ? values : MPI_IN_PLACE, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD);
}

static void packed(void)
{
    char buffer[200];
    int at = 0;
    MPI_Pack(values, 4, MPI_INT, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    MPI_Sendrecv(buffer, at, MPI_PACKED, right, 1, more, 4, MPI_INT, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Bcast(rank ? (void *)more : buffer, rank ? 4 : at, rank ? MPI_INT : MPI_PACKED, 0,
              MPI_COMM_WORLD);
}

/* An empty message is received as any type; signed and unsigned integers are often mixed. */
static void other_types(void)
{
    MPI_Sendrecv(values, 0, MPI_INT, right, 21, more, 1, MPI_DOUBLE, left, 21, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(values, 1, MPI_UNSIGNED_LONG, right, 22, more, 1, MPI_LONG, left, 22,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void larger_receive(void)
{
    MPI_Sendrecv(values, 2, MPI_INT, right, 2, more, ROOM, MPI_INT, left, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void own_operation(void)
{
    MPI_Op op, other;
    MPI_Op_create(sum, 1, &op);
    MPI_Op_create(sum, 1, &other);
    MPI_Allreduce(values, more, 2, MPI_INT, rank % 2 ? op : other, MPI_COMM_WORLD);
    MPI_Scan(values, more, 2, MPI_INT, rank ? op : MPI_SUM, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Op_free(&other);
}

static void no_process(void)
{
    MPI_Send(values, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
    MPI_Isend(values, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(values, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(values, 1, MPI_INT, rank ? MPI_PROC_NULL : 1, 3, more, 1, MPI_INT,
                 rank == 1 ? 0 : MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Recv_init(more, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &several[0]);
    MPI_Send_init(values, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &several[1]);
    MPI_Send_init(values, 1, MPI_INT, right, 5, MPI_COMM_WORLD,
                  &request); /* never started, never freed */
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, several);
        MPI_Waitall(2, several, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&several[0]);
    MPI_Request_free(&several[1]);
}

static void matched_probes(void)
{
    MPI_Message message;
    MPI_Status status;
    int found = 0;
    MPI_Isend(values, 3, MPI_INT, right, 6, MPI_COMM_WORLD, &several[0]);
    MPI_Isend(values, 3, MPI_INT, right, 7, MPI_COMM_WORLD, &several[1]);
    while (!found)
        MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &found, &message, &status);
    MPI_Mrecv(more, 3, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Imrecv(more, 3, MPI_INT, &message, &several[2]);
    MPI_Waitall(3, several, MPI_STATUSES_IGNORE);
}

static void wildcards(void)
{
    MPI_Isend(values, 1, MPI_INT, 0, 8 + rank, MPI_COMM_WORLD, &request);
    for (int i = 0; rank == 0 && i < size; i++)
        MPI_Recv(more, ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void two_groups(void)
{
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
    MPI_Bcast(values,
              rank % 2 ? 4
              : rank   ? 9
                       : 4,
              MPI_INT,
              rank % 2 ? 0
              : rank   ? MPI_PROC_NULL
                       : MPI_ROOT,
              inter);
    MPI_Sendrecv(values, 1, MPI_INT, rank / 2, 9, more, 1, MPI_INT, rank / 2, 9, inter,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(inter);
    for (int i = 0; i <= rank % 2; i++)
        MPI_Allreduce(values, more, 1 + rank % 2, MPI_INT, rank % 2 ? MPI_MAX : MPI_MIN, half);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void itself(void)
{
    MPI_Isend(values, 1, MPI_INT, rank, 10, MPI_COMM_WORLD, &request);
    MPI_Recv(more, 1, MPI_INT, rank, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < rank; i++)
        MPI_Allreduce(values, more, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

/* Made without a call site, and used in another order by each rank. */
static void crossed_use(void)
{
    MPI_Comm made[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &several[i]);
    MPI_Waitall(2, several, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Isend(values, 1, MPI_INT, right, 11, made[(i + rank) % 2], &several[i]);
    for (int i = 0; i < 2; i++)
        MPI_Recv(values, 1, MPI_INT, left, 11, made[(i + rank) % 2], MPI_STATUS_IGNORE);
    MPI_Waitall(2, several, MPI_STATUSES_IGNORE);
    MPI_Barrier(made[1]);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&made[i]);
}

static void own_communicators(void)
{
    MPI_Comm one, again;
    for (int i = 0; i < 6; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &one);
        MPI_Comm_split(one, rank < 2 ? 0 : MPI_UNDEFINED, rank, &again);
        if (rank < 2)
            MPI_Bcast(values, 1, MPI_INT, 0, again);
        if (i < 3)
            MPI_Allreduce(values, more, 1, MPI_INT, MPI_SUM, one);
        if (rank < 2)
            MPI_Comm_free(&again);
        MPI_Comm_free(&one);
    }
}

static void several_at_once(void)
{
    int at, done = 0, n, which[4];
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(&more[i], 1, MPI_INT, left, 12 + i, MPI_COMM_WORLD, &several[i]);
        MPI_Isend(&values[i], 1, MPI_INT, right, 13 - i, MPI_COMM_WORLD, &several[2 + i]);
    }
    MPI_Waitany(4, several, &at, MPI_STATUS_IGNORE);
    while (done < 3) {
        MPI_Testsome(4, several, &n, which, MPI_STATUSES_IGNORE);
        done += n == MPI_UNDEFINED ? 3 : n;
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &several[0]);
    MPI_Iallreduce(values, more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &several[1]);
    MPI_Wait(&several[1], MPI_STATUS_IGNORE);
    MPI_Wait(&several[0], MPI_STATUS_IGNORE);
}

/* A new tag for each message. */
static void tags(void)
{
    for (int i = 0; i < TAGS; i++)
        MPI_Sendrecv(values, 1, MPI_INT, right, 100 + i, more, 1, MPI_INT, left, 100 + i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* These hide other findings: alone. */
static void cancelled(void)
{
    MPI_Irecv(more, 1, MPI_INT, left, 14, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void freed(void)
{
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Irecv(more, 1, MPI_INT, left, 15, one, &several[0]);
    MPI_Isend(values, 1, MPI_INT, right, 15, one, &several[1]);
    MPI_Comm_free(&one);
    MPI_Waitall(2, several, MPI_STATUSES_IGNORE);
    MPI_Irecv(more, 1, MPI_INT, left, 16, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Isend(values, 1, MPI_INT, right, 16, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(1);
}

static void legal(void)
{
    own_counts();
    equal_signatures();
    not_significant();
    packed();
    larger_receive();
    other_types();
    own_operation();
    no_process();
    persistent();
    matched_probes();
    wildcards();
    two_groups();
    itself();
    crossed_use();
    own_communicators();
    several_at_once();
    tags();
}

static void wrong(void)
{
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Isend(values, 1, MPI_INT, right, 3, other, &request);
    MPI_Recv(more, 1, MPI_INT, left, 3, other, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Send(values, 1, MPI_INT, 1, 5, other);
    if (rank == 1)
        MPI_Irecv(values, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    if (rank == 2)
        MPI_Issend(values, 1, MPI_INT, 3, 9, MPI_COMM_WORLD, &request);
    if (rank == 3)
        MPI_Recv(values, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(values, more, 1, MPI_INT, rank ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    MPI_Bcast(values, 1, rank == 1 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(values, 1, MPI_FLOAT, 1, 10, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(values, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Gather(values, rank == 1 ? 2 : 3, MPI_INT, more, 3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    MPI_Send(values, 1, MPI_INT, size, 4, other);
}

static void missing(void)
{
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Barrier(other);
    if (rank == 1) /* and no call of this run completes any request */
        MPI_Irecv(values, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    if (rank == 3)
        MPI_Gather(values, 1, MPI_INT, more, 1, MPI_INT, 0, other);
}

/* By default an error ends the program. */
static void fatal(void)
{
    if (rank == 2)
        MPI_Send(values, 1, MPI_INT, size, 4, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    const struct {
        const char *name;
        void (*run)(void);
    } runs[] = {{"legal", legal}, {"cancelled", cancelled}, {"freed", freed},
                {"wrong", wrong}, {"missing", missing},     {"fatal", fatal}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (argc > 1 && !strcmp(argv[1], runs[i].name))
            runs[i].run();
    MPI_Finalize();
    return 0;
}
