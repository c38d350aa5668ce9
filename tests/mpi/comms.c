/* An application with many communicators, and attributes whose callbacks count, or refuse to be
 * copied twice: whatever the layer does on communicators must not be seen.
 *
 *   comms many N     N communicators at a time, a broadcast on each and twenty on the last
 *   comms callbacks  attributes on a communicator that is used, duplicated and freed
 *   comms names      copies of MPI_COMM_WORLD with names and without, kept and freed
 *   comms killed     one rank is killed, while the others wait for it on a copy
 *
 * Prints what it counted, and "right". */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, copies, deletions, wrong;

static void broadcast(MPI_Comm comm, int root, int value)
{
    int data = rank == root ? value : -1;
    MPI_Bcast(&data, 1, MPI_INT, root, comm);
    wrong |= data != value;
}

static void many(int n)
{
    MPI_Comm *comm = malloc((size_t)n * sizeof *comm);
    for (int k = 0; comm && k < n; k++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[k]);
        broadcast(comm[k], k % 2, k);
    }
    for (int i = 0; comm && i < 20; i++)
        broadcast(comm[n - 1], 0, i);
    for (int k = 0; comm && k < n; k++)
        MPI_Comm_free(&comm[k]);
    free(comm);
}

/* A second copy is refused. */
static int copied(MPI_Comm comm, int keyval, void *extra, void *from, void *to, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    *(void **)to = from;
    *flag = 1;
    return ++copies > 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static void callbacks(void)
{
    MPI_Comm first, second;
    int keyval;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &first);
    MPI_Comm_create_keyval(copied, deleted, &keyval, NULL);
    MPI_Comm_set_attr(first, keyval, &keyval);
    for (int i = 0; i < 20; i++) {
        int sum, data = 0;
        MPI_Bcast(&data, 1, MPI_INT, i % 2, first);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, first);
    }
    MPI_Comm_set_errhandler(first, MPI_ERRORS_RETURN);
    wrong |= MPI_Comm_dup(first, &second) != MPI_SUCCESS;
    for (int i = 0; i < 20; i++) {
        int data = 0;
        MPI_Bcast(&data, 1, MPI_INT, 0, second);
    }
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&keyval);
}

/* As a library does: a copy of its own, made in one place whoever asks. */
static MPI_Comm copy(const char *name)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (name)
        MPI_Comm_set_name(comm, name);
    return comm;
}

static void names(void)
{
    static const char *const given[] = {"solver", "output", "solver", NULL};
    MPI_Comm comm, halves, later;
    for (int i = 0; i < 4; i++) {
        comm = copy(given[i]);
        broadcast(comm, 0, i);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 9; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, "step");
        broadcast(comm, 1, i);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 80; i++) { /* more names than there are rows for */
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, name);
        broadcast(comm, 1, i);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 9; i++) { /* more than have a row of their own, by two names */
        char name[9] = {'m', (char)('0' + i)};
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, i < 4 ? name : "fine");
        broadcast(comm, 1, i);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &halves);
    MPI_Barrier(halves);
    MPI_Comm_dup(MPI_COMM_WORLD, &later);
    broadcast(later, 0, 1);
    MPI_Comm_set_name(later, "later");
    broadcast(MPI_COMM_WORLD, 0, 1);
    MPI_Comm_free(&halves);
}

/* Rank 1 frees a communicator later than rank 0, which does not wait for it, but for the layer. */
static void late(void)
{
    MPI_Comm comm;
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int k = 0; k < 9; k++)
            broadcast(comm, 0, k);
        usleep(rank ? 200000 : 0);
        MPI_Comm_free(&comm);
    }
}

/* Rank 0 is killed while the other waits for its message, the only call on this communicator. */
static void killed(void)
{
    MPI_Comm comm = copy("solver");
    if (rank == 0) {
        usleep(300000);
        raise(SIGKILL);
    }
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 3 && !strcmp(argv[1], "many"))
        many(atoi(argv[2]));
    else if (argc == 2 && !strcmp(argv[1], "names"))
        names();
    else if (argc == 2 && !strcmp(argv[1], "late"))
        late();
    else if (argc == 2 && !strcmp(argv[1], "killed"))
        killed();
    else
        callbacks();
    int any;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d copies, %d deletions: %s\n", copies, deletions, any ? "wrong" : "right");
    MPI_Finalize();
    return any;
}
