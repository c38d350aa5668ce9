/* One situation of communication beside computation, again and again, to look at in a timeline
 * (collprof-report(1)): those of Denis and Trahay's figures 5 to 10.
 *
 *   overlap SITUATION BYTES MICROSECONDS TIMES
 *
 * Rank 0 sends to rank 1. Computed for so long is between post and wait:
 *
 *   sender    on the sending side; the receiver waits at once
 *   receiver  on the receiving side; the sender waits at once
 *   both      on both sides, there and back
 *   vector    as sender, with blocks of 32 bytes at stride 64 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32, STRIDE = 64 };

struct setting {
    int rank, count;
    MPI_Datatype type;
    char *data;
    double seconds;
};

static void compute(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

static void send_over(const struct setting *s, double seconds)
{
    MPI_Request request;
    MPI_Isend(s->data, s->count, s->type, 1 - s->rank, 1, MPI_COMM_WORLD, &request);
    compute(seconds);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The token tells the sender that the receive is posted. */
static void receive_over(const struct setting *s, double seconds)
{
    MPI_Request request;
    MPI_Irecv(s->data, s->count, s->type, 1 - s->rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_BYTE, 1 - s->rank, 2, MPI_COMM_WORLD);
    compute(seconds);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void await_receiver(const struct setting *s)
{
    MPI_Recv(NULL, 0, MPI_BYTE, 1 - s->rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sender(const struct setting *s)
{
    if (s->rank == 0) {
        await_receiver(s);
        send_over(s, s->seconds);
    } else {
        receive_over(s, 0);
    }
}

static void receiver(const struct setting *s)
{
    if (s->rank == 0) {
        await_receiver(s);
        send_over(s, 0);
    } else {
        receive_over(s, s->seconds);
    }
}

static void both(const struct setting *s)
{
    for (int from = 0; from < 2; from++) {
        if (s->rank == from) {
            await_receiver(s);
            send_over(s, s->seconds);
        } else {
            receive_over(s, s->seconds);
        }
    }
}

static const struct situation {
    const char *name;
    void (*run)(const struct setting *s);
} situations[] = {{"sender", sender}, {"receiver", receiver}, {"both", both}, {"vector", sender}};

static int refuse(int rank, const char *why)
{
    if (rank == 0)
        fprintf(stderr, "overlap: %s\n", why);
    MPI_Finalize();
    return 2;
}

int main(int argc, char **argv)
{
    struct setting s = {.type = MPI_BYTE};
    const struct situation *chosen = NULL;
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++)
        if (argc == 5 && !strcmp(argv[1], situations[i].name))
            chosen = &situations[i];
    if (!chosen || size != 2)
        return refuse(s.rank, "SITUATION BYTES MICROSECONDS TIMES, on 2 ranks");
    s.count = atoi(argv[2]);
    s.seconds = atof(argv[3]) / 1e6;
    if (s.count < BLOCK || !(s.data = calloc(2, (size_t)s.count)))
        return refuse(s.rank, "no messages of that size");
    if (!strcmp(chosen->name, "vector")) {
        MPI_Type_vector(s.count / BLOCK, BLOCK, STRIDE, MPI_BYTE, &s.type);
        MPI_Type_commit(&s.type);
        s.count = 1;
    }
    for (int i = 0; i < atoi(argv[4]); i++)
        chosen->run(&s);
    if (s.type != MPI_BYTE)
        MPI_Type_free(&s.type);
    free(s.data);
    return MPI_Finalize();
}
