/* A program that hangs in a way that tests/sim/stuck.py has drawn, with the line of each call:
 * stuck KIND COMM VARIANT RANK...: the ranks (of MPI_COMM_WORLD) that take the roles 0, 1, ...
 * COMM is where they meet: world, dup, reversed (other ranks of the same members), or part: the
 * first half of MPI_COMM_WORLD and the roles. All others wait for them in a collective. VARIANT
 * chooses one of the lines that have a comment "OPERATION VARIANT"; what follows differs, so that
 * the compiler does not merge them. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROLES = 5, TAG = 7, POLLS = 100 };
static int rank, size, variant, role = -1, roles, at[ROLES], value[64], over;
static int first; /* world rank of role 0 */
static MPI_Comm comm, other;

/* An end that nobody can react to: all ranks are one process. */
static void end(void)
{
    raise(SIGKILL); /* not by getpid(): that is simulated */
}

static int peer(int of_role)
{
    return at[(of_role + roles) % roles];
}

static void receive(int from, int tag)
{
    if (variant == 0) {
        MPI_Recv(value, 4, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE); /* receive 0 */
        value[1] = 0;
    } else if (variant == 1) {
        MPI_Recv(value, 4, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE); /* receive 1 */
        value[2] = 1;
    } else {
        MPI_Recv(value, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE); /* receive 2 */
        value[3] = 2;
    }
}

static void synchronous(int to, int tag)
{
    if (variant == 0) {
        MPI_Ssend(value, 1, MPI_INT, to, tag, comm); /* ssend 0 */
        value[1] = 0;
    } else if (variant == 1) {
        MPI_Ssend(value, 1, MPI_INT, to, tag, comm); /* ssend 1 */
        value[2] = 1;
    } else {
        MPI_Ssend(value, 2, MPI_INT, to, tag, comm); /* ssend 2 */
        value[3] = 2;
    }
}

static void post(int from, int tag, MPI_Request *request)
{
    if (variant == 0) {
        MPI_Irecv(value, 1, MPI_INT, from, tag, comm, request); /* irecv 0 */
        value[1] = 0;
    } else if (variant == 1) {
        MPI_Irecv(value, 1, MPI_INT, from, tag, comm, request); /* irecv 1 */
        value[2] = 1;
    } else {
        MPI_Irecv(value, 2, MPI_INT, from, tag, comm, request); /* irecv 2 */
        value[3] = 2;
    }
}

static void together(MPI_Comm on)
{
    int sum[64];
    if (variant == 0) {
        MPI_Barrier(on); /* together 0 */
        value[1] = 0;
    } else if (variant == 1) {
        MPI_Allreduce(value, sum, 1, MPI_INT, MPI_SUM, on); /* together 1 */
        value[2] = 1;
    } else {
        MPI_Allreduce(value, sum, 2, MPI_INT, MPI_MAX, on); /* together 2 */
        value[3] = 2;
    }
}

static void differently(MPI_Comm on)
{
    int all[64] = {0};
    if (variant == 0) {
        MPI_Allgather(value, 1, MPI_INT, all, 1, MPI_INT, on); /* differently 0 */
        value[1] = 0;
    } else if (variant == 1) {
        MPI_Alltoall(all, 1, MPI_INT, all, 1, MPI_INT, on); /* differently 1 */
        value[2] = 1;
    } else {
        MPI_Barrier(on); /* differently 2 */
        value[3] = 2;
    }
}

static void compute(void)
{
    sleep(10); /* longer than any message takes */
    end();
}

/* --- the kinds --- */

static void receives(void)
{
    if (role >= 0)
        receive(peer(role + 1), TAG);
}

static void sends(void)
{
    if (role >= 0)
        synchronous(peer(role + 1), TAG);
}

static void mixed(void)
{
    MPI_Request request;
    if (role == 0)
        receive(peer(1), TAG);
    else if (role == 1)
        synchronous(peer(2), TAG);
    else if (role == 2) {
        post(peer(0), TAG, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void other_tag(void)
{
    if (role == 0)
        receive(peer(1), TAG);
    if (role == 1)
        MPI_Send(value, 1, MPI_INT, peer(0), TAG + 1, comm);
}

static void other_comm(void)
{
    if (role == 0)
        receive(peer(1), TAG);
    if (role == 1)
        MPI_Send(value, 1, MPI_INT, first, TAG, other);
}

static void other_receiver(void)
{
    if (role == 0)
        receive(peer(1), TAG);
    if (role == 1)
        MPI_Send(value, 1, MPI_INT, peer(2), TAG, comm);
}

static void no_sender(void)
{
    if (role == 0)
        receive(MPI_ANY_SOURCE, TAG);
}

static void itself(void)
{
    if (role == 0)
        receive(peer(0), TAG);
}

static void finished(void)
{
    if (role == 0)
        receive(peer(1), TAG);
    if (role == 1)
        over = 1;
}

static void one_of_three(void)
{
    MPI_Request request[3];
    for (int i = 0; role == 1 && i < 3; i++)
        if (i != 1)
            MPI_Send(value, 1, MPI_INT, peer(0), TAG + i, comm);
    for (int i = 0; role == 0 && i < 3; i++)
        if (i != 1)
            MPI_Irecv(value, 1, MPI_INT, peer(1), TAG + i, comm, &request[i]);
        else
            post(peer(1), TAG + i, &request[i]);
    if (role == 0)
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
}

static void any_of_two(void)
{
    MPI_Request request[2];
    int index;
    for (int i = 0; role == 0 && i < 2; i++)
        post(peer(i + 1), TAG, &request[i]);
    if (role == 0)
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
    const int to = peer(role + 1), tag = TAG + role;
    if (role >= 0) {
        MPI_Sendrecv(value, 1, MPI_INT, to, tag, value, 1, MPI_INT, to, tag, comm, /* exchange */
                     MPI_STATUS_IGNORE);
        value[1] = 0;
    }
}

static void missing(void)
{
    if (role == 0)
        over = 1;
}

static void another(void)
{
    if (role >= 0)
        differently(comm);
}

static void crossed(void)
{
    together(role >= 0 ? comm : other);
}

static void computes(void)
{
    if (role == 0)
        compute();
}

static void chain(void)
{
    if (role == 0)
        compute();
    if (role > 0)
        receive(peer(role - 1), TAG);
}

static void late_root(void)
{
    if (role == 0)
        compute();
    MPI_Bcast(value, 1, MPI_INT, peer(0), comm); /* late root */
    value[1] = 0;
}

static void polls(void)
{
    MPI_Request request;
    int done = 0;
    if (role != 0)
        return;
    post(peer(1), TAG, &request);
    for (int i = 0; i < POLLS && !done; i++) {
        usleep(20000);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* test */
    }
    end();
}

#define KINDS(f)                                                                                   \
    f(receives) f(sends) f(mixed) f(other_tag) f(other_comm) f(other_receiver) f(no_sender)        \
        f(itself) f(finished) f(one_of_three) f(any_of_two) f(exchange) f(missing) f(another)      \
            f(crossed) f(computes) f(chain) f(late_root) f(polls)
#define PLAY(name)                                                                                 \
    if (!strcmp(argv[1], #name))                                                                   \
        name();

/* Some traffic that is right. */
static void begin(void)
{
    int n, mine, left, right;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &mine);
    left = (mine + n - 1) % n;
    right = (mine + 1) % n;
    for (int i = 0; i <= variant; i++) {
        MPI_Sendrecv(value, 1, MPI_INT, right, TAG + i, value, 1, MPI_INT, left, TAG + i, comm,
                     MPI_STATUS_IGNORE);
        MPI_Bcast(value, 1, MPI_INT, i % n, comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Group world, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    variant = atoi(argv[3]);
    for (roles = 0; roles < argc - 4; roles++) {
        at[roles] = atoi(argv[4 + roles]);
        role = at[roles] == rank ? roles : role;
    }
    first = at[0];
    const int world_wide = !strcmp(argv[2], "world"), part = !strcmp(argv[2], "part"),
              in = !part || role >= 0 || rank < size / 2;
    if (world_wide)
        comm = MPI_COMM_WORLD;
    else if (!strcmp(argv[2], "dup"))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, part ? rank : -rank, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    atexit(end); /* the simulator ends where no rank can go on */
    if (in) {
        int here[ROLES];
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Comm_group(comm, &group);
        MPI_Group_translate_ranks(world, roles, at, group, here);
        memcpy(at, here, sizeof at);
        begin();
        KINDS(PLAY)
        if (!over)
            together(comm);
    }
    if (!over)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
