#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMS_MAX = 64, REQUESTS_MAX = 4096, KEYS_MAX = 64, GROUPS_MAX = 256, VECTORS_MAX = 1024 };
enum { CANCELLED = -77 }; /* as the tag of a status */
enum { CONTEXT_POINT, CONTEXT_COLLECTIVE, CONTEXT_GROUP };

/* Virtual seconds that a call, a poll and a reading of the clock take. */
static const double CALL = 20e-9, POLL = 100e-9, READING = 10e-9;

struct message {
    struct message *next;
    int comm, context, from, tag; /* FROM: a rank in the communicator */
    size_t bytes;
    char *data;                  /* a copy, without holes */
    double arrival;              /* or of its announcement */
    struct fake_request *sender; /* of a rendezvous */
};

struct fake_request {
    enum { FREE, SEND, RECEIVE, COLLECTIVE } kind;
    int owner; /* rank in the world */
    bool matched, cancelled;
    double done; /* when it is complete, once MATCHED */
    /* of a receive */
    int comm, context, from, tag;
    void *buffer;
    MPI_Datatype type;
    size_t room;
    MPI_Status status;
    struct fake_request *next;
    struct gathering *gathering;
};

/* A non-blocking collective: complete when all members have begun it. */
struct gathering {
    struct gathering *next;
    int comm, n, arrived;
    uint64_t number;
    double last;
    size_t bytes;
    char data[256];
    struct fake_request *request[FAKE_RANKS_MAX];
    void *result[FAKE_RANKS_MAX];
};

struct fake_comm {
    int n, world[FAKE_RANKS_MAX];
    uint64_t numbers[FAKE_RANKS_MAX]; /* of non-blocking collectives, per world rank */
    void *attribute[FAKE_RANKS_MAX][KEYS_MAX];
    bool has[FAKE_RANKS_MAX][KEYS_MAX];
};

struct rank {
    pthread_t thread;
    pthread_cond_t turn;
    enum { READY, WAITING, OVER } state;
    double now;
    const char *in;
    struct message *first; /* that no receive has matched, in the order of sending */
    struct fake_request *posted;
    int collectives;
};

static struct {
    pthread_mutex_t lock;
    int n, running;
    bool stuck;
    struct fake_network net;
    struct rank rank[FAKE_RANKS_MAX];
    struct fake_comm comm[COMMS_MAX];
    MPI_Comm_delete_attr_function *drop[KEYS_MAX];
    void *extra[KEYS_MAX];
    int n_comms, n_keys;
    struct fake_request request[REQUESTS_MAX];
    struct gathering *gatherings;
    struct {
        int n, world[FAKE_RANKS_MAX];
    } group[GROUPS_MAX];
    int n_groups, n_vectors;
    struct vector {
        size_t count, block, stride; /* bytes */
    } vector[VECTORS_MAX];
    size_t messages;
    int worst; /* status of a program */
    void (*main)(int rank, void *arg);
    void *arg;
} world;

#pragma weak clock_use_external

static _Thread_local int me;
static _Thread_local bool is_rank;

/* --- taking turns --- */

static int least(void)
{
    int found = -1;
    for (int i = 0; i < world.n; i++)
        if (world.rank[i].state == READY &&
            (found < 0 || world.rank[i].now < world.rank[found].now))
            found = i;
    return found;
}

/* Gives the turn to the rank whose clock is least; returns when that is this one again. */
static void pass_turn(void)
{
    int next = least();
    if (next < 0)
        for (int i = 0; i < world.n; i++) {
            world.stuck |= world.rank[i].state == WAITING;
            if (world.rank[i].state == WAITING)
                fprintf(stderr, "rank %d waits for ever in %s\n", i, world.rank[i].in);
        }
    world.running = next;
    for (int i = 0; i < world.n; i++)
        if (i == next || world.stuck)
            pthread_cond_signal(&world.rank[i].turn);
    while (world.running != me && !world.stuck && world.rank[me].state != OVER)
        pthread_cond_wait(&world.rank[me].turn, &world.lock);
    if (world.stuck && world.rank[me].state != OVER) {
        world.rank[me].state = OVER;
        pthread_mutex_unlock(&world.lock);
        pthread_exit(NULL);
    }
}

static struct rank *self(void)
{
    return &world.rank[me];
}

static void enter(const char *in, double cost)
{
    self()->in = in;
    self()->now += cost;
    pass_turn();
}

/* Until REQUEST is matched; then it is at least as late as that is done. */
static void wait_for(struct fake_request *r)
{
    while (!r->matched) {
        self()->state = WAITING;
        pass_turn();
    }
    if (r->done > self()->now) {
        self()->now = r->done;
        pass_turn();
    }
}

static void wake(int rank)
{
    if (world.rank[rank].state == WAITING) {
        world.rank[rank].state = READY;
        if (world.rank[rank].now < self()->now)
            world.rank[rank].now = self()->now;
    }
}

double fake_mpi_now(void)
{
    return self()->now;
}

void fake_mpi_compute(double seconds)
{
    self()->now += seconds;
    pass_turn();
}

int fake_mpi_collectives(void)
{
    return self()->collectives;
}

size_t fake_mpi_messages(void)
{
    return world.messages;
}

/* Sleeping and yielding are virtual, too. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
    if (!is_rank)
        return clock_nanosleep(CLOCK_REALTIME, 0, time, rest);
    fake_mpi_compute((double)time->tv_sec + 1e-9 * (double)time->tv_nsec);
    return 0;
}

int sched_yield(void)
{
    if (is_rank)
        pass_turn();
    return 0;
}

double fake_mpi_clock(void)
{
    self()->now += READING;
    return world.net.clock ? world.net.clock(me, self()->now) : self()->now;
}

static void *run_rank(void *arg)
{
    me = (int)(intptr_t)arg;
    is_rank = true;
    pthread_mutex_lock(&world.lock);
    while (world.running != me)
        pthread_cond_wait(&self()->turn, &world.lock);
    world.main(me, world.arg);
    self()->state = OVER;
    pass_turn();
    pthread_mutex_unlock(&world.lock);
    return NULL;
}

bool fake_mpi_run(int ranks, void (*main)(int rank, void *arg), void *arg,
                  const struct fake_network *network)
{
    memset(&world, 0, sizeof world);
    pthread_mutex_init(&world.lock, NULL);
    world.n = ranks;
    world.net = *network;
    world.main = main;
    world.arg = arg;
    world.n_comms = 2; /* MPI_COMM_WORLD, MPI_COMM_SELF */
    world.comm[0].n = ranks;
    world.comm[1].n = 1;
    for (int i = 0; i < ranks; i++)
        world.comm[0].world[i] = i;
    if (clock_use_external) /* not where each rank has a copy of the program: fake_mpi_program() */
        clock_use_external(fake_mpi_clock, fake_mpi_compute);
    for (int i = 0; i < ranks; i++)
        pthread_cond_init(&world.rank[i].turn, NULL);
    for (int i = 0; i < ranks; i++)
        pthread_create(&world.rank[i].thread, NULL, run_rank, (void *)(intptr_t)i);
    for (int i = 0; i < ranks; i++)
        pthread_join(world.rank[i].thread, NULL);
    return !world.stuck;
}

/* --- whole programs, of which each rank has a copy with variables of its own --- */

/* A program ends its rank alone. */
void exit(int status)
{
    void (*end)(int) = (void (*)(int))dlsym(RTLD_NEXT, "exit");
    if (!is_rank)
        end(status);
    world.worst = status > world.worst ? status : world.worst;
    self()->state = OVER;
    pass_turn();
    pthread_mutex_unlock(&world.lock);
    pthread_exit(NULL);
}

static void load_and_run(int rank, void *program)
{
    const struct fake_program *p = program;
    static int copies; /* a name that was loaded before is not loaded again */
    char copy[200], command[500];
    (void)rank;
    snprintf(copy, sizeof copy, "/tmp/fake-mpi-%d-%d.so", (int)getpid(), copies++);
    snprintf(command, sizeof command, "cp %s %s", p->module, copy);
    void *module = system(command) ? NULL : dlopen(copy, RTLD_LAZY | RTLD_LOCAL);
    unlink(copy);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    int (*enter_main)(double (*)(void), void (*)(double), int, char **) =
        (int (*)(double (*)(void), void (*)(double), int, char **))dlsym(module, "fake_mpi_entry");
    char *argv[p->argc + 1]; /* a program may change it */
    memcpy(argv, p->argv, sizeof argv);
    exit(enter_main(fake_mpi_clock, fake_mpi_compute, p->argc, argv));
}

int fake_mpi_program(int ranks, const struct fake_program *program,
                     const struct fake_network *network)
{
    return fake_mpi_run(ranks, load_and_run, (void *)program, network) ? world.worst : -1;
}

/* --- handles: small numbers, whatever type the MPI's header gives them --- */

#define HANDLE(type, n) ((type)(uintptr_t)(0x5000 + (n)))
#define NUMBER(handle) ((int)((uintptr_t)(handle)-0x5000))

static int comm_number(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? 0 : comm == MPI_COMM_SELF ? 1 : NUMBER(comm);
}

static struct fake_comm *comm_at(MPI_Comm comm)
{
    return &world.comm[comm_number(comm)];
}

static int world_rank(MPI_Comm comm, int rank)
{
    return comm_number(comm) == 1 ? me : comm_at(comm)->world[rank];
}

static int rank_in(MPI_Comm comm)
{
    for (int i = 0; i < comm_at(comm)->n; i++)
        if (world_rank(comm, i) == me)
            return i;
    return MPI_UNDEFINED;
}

static const struct vector *vector_of(MPI_Datatype type)
{
    for (int i = 0; i < world.n_vectors; i++)
        if (type == HANDLE(MPI_Datatype, i))
            return &world.vector[i];
    return NULL;
}

static size_t size_of(MPI_Datatype type)
{
    if (vector_of(type))
        return vector_of(type)->count * vector_of(type)->block;
    if (type == MPI_BYTE || type == MPI_CHAR || type == MPI_PACKED || type == MPI_UNSIGNED_CHAR)
        return 1;
    if (type == MPI_INT || type == MPI_FLOAT || type == MPI_INT32_T || type == MPI_UINT32_T ||
        type == MPI_UNSIGNED)
        return 4;
    if (type == MPI_DOUBLE_INT || type == MPI_2INT)
        return type == MPI_2INT ? 8 : 16;
    return 8;
}

static size_t extent_of(MPI_Datatype type)
{
    const struct vector *v = vector_of(type);
    return v ? (v->count - 1) * v->stride + v->block : size_of(type);
}

/* BYTES of data of that TYPE between memory and a place without holes. */
static void copy_data(char *memory, char *packed, size_t bytes, MPI_Datatype type, bool unpacks)
{
    const struct vector *v = vector_of(type);
    size_t block = v ? v->block : bytes, part;
    for (size_t at = 0, k = 0; at < bytes; at += part, k++) {
        char *to = memory + (v ? k / v->count * extent_of(type) + k % v->count * v->stride : 0);
        part = bytes - at < block ? bytes - at : block;
        memcpy(unpacks ? to : packed + at, unpacks ? packed + at : to, part);
    }
}

/* --- messages --- */

static double way(int from, int to, size_t bytes)
{
    const struct fake_network *n = &world.net;
    return n->way ? n->way(from, to, bytes) : n->latency + n->per_byte * (double)bytes;
}

static struct fake_request *request_new(int kind)
{
    for (int i = 0; i < REQUESTS_MAX; i++)
        if (world.request[i].kind == FREE) {
            world.request[i] = (struct fake_request){.kind = kind, .owner = me};
            return &world.request[i];
        }
    fputs("fake MPI: too many requests\n", stderr);
    abort();
}

/* What PMPI_Get_count() reads. */
static void set_count(MPI_Status *status, size_t bytes)
{
#ifdef MPICH_VERSION
    status->count_lo = (int)bytes;
    status->count_hi_and_cancelled = 0;
#else
    status->_ucount = bytes;
#endif
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
#ifdef MPICH_VERSION
    *count = status->count_lo / (int)size_of(type);
#else
    *count = (int)(status->_ucount / size_of(type));
#endif
    return MPI_SUCCESS;
}

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    int n;
    PMPI_Get_count(status, type, &n);
    *count = n;
    return MPI_SUCCESS;
}

static bool fits(const struct fake_request *r, const struct message *m)
{
    return r->comm == m->comm && r->context == m->context &&
           (r->from == MPI_ANY_SOURCE || r->from == m->from) &&
           (r->tag == MPI_ANY_TAG || r->tag == m->tag);
}

/* R, posted at the time POSTED, gets M. */
static void deliver(struct fake_request *r, struct message *m, int to, double posted)
{
    double done = m->arrival > posted ? m->arrival : posted;
    size_t bytes = m->bytes < r->room ? m->bytes : r->room;
    if (m->sender) { /* a rendezvous: the data set out when both are there */
        int from = m->sender->owner;
        done += way(to, from, 0) + way(from, to, m->bytes);
        m->sender->matched = true;
        m->sender->done = done;
        wake(from);
    }
    copy_data(r->buffer, m->data, bytes, r->type, true);
    r->matched = true;
    r->done = done;
    r->status.MPI_SOURCE = m->from;
    r->status.MPI_TAG = m->tag;
    r->status.MPI_ERROR = m->bytes > r->room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    r->room = m->bytes;
    free(m->data);
    free(m);
}

static struct fake_request *send_to(const void *data, size_t n, MPI_Datatype type, int to, int tag,
                                    MPI_Comm comm, int context, bool synchronous)
{
    struct fake_request *r = request_new(SEND);
    const size_t bytes = n * size_of(type);
    int target = world_rank(comm, to);
    bool rendezvous = synchronous || (world.net.eager && bytes > world.net.eager);
    self()->now += world.net.overhead;
    struct message *m = calloc(1, sizeof *m);
    *m = (struct message){.comm = comm_number(comm),
                          .context = context,
                          .from = rank_in(comm),
                          .tag = tag,
                          .bytes = bytes,
                          .arrival = self()->now + way(me, target, rendezvous ? 0 : bytes)};
    m->data = malloc(bytes + 1);
    copy_data((char *)data, m->data, bytes, type, false);
    m->sender = rendezvous ? r : NULL;
    r->matched = !rendezvous;
    r->done = self()->now;
    world.messages++;
    struct rank *other = &world.rank[target];
    for (struct fake_request **at = &other->posted; *at; at = &(*at)->next)
        if (fits(*at, m)) {
            struct fake_request *found = *at;
            *at = found->next;
            deliver(found, m, target, 0);
            wake(target);
            return r;
        }
    struct message **end = &other->first;
    while (*end)
        end = &(*end)->next;
    *end = m;
    wake(target);
    return r;
}

static struct fake_request *receive_from(void *buffer, size_t n, MPI_Datatype type, int from,
                                         int tag, MPI_Comm comm, int context)
{
    struct fake_request *r = request_new(RECEIVE);
    r->comm = comm_number(comm);
    r->context = context;
    r->from = from;
    r->tag = tag;
    r->buffer = buffer;
    r->type = type;
    r->room = n * size_of(type);
    for (struct message **at = &self()->first; *at; at = &(*at)->next)
        if (fits(r, *at)) {
            struct message *m = *at;
            *at = m->next;
            deliver(r, m, me, self()->now);
            return r;
        }
    struct fake_request **end = &self()->posted;
    while (*end)
        end = &(*end)->next;
    *end = r;
    return r;
}

/* Completes R and frees it. */
static int finish(struct fake_request *r, MPI_Status *status)
{
    wait_for(r);
    int error = r->kind == RECEIVE ? r->status.MPI_ERROR : MPI_SUCCESS;
    if (status != MPI_STATUS_IGNORE && r->kind == RECEIVE) {
        *status = r->status;
        set_count(status, r->room);
        status->MPI_TAG = r->cancelled ? CANCELLED : status->MPI_TAG;
    }
    r->kind = FREE;
    return error;
}

static int null_status(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = MPI_PROC_NULL;
        status->MPI_TAG = MPI_ANY_TAG;
        set_count(status, 0);
    }
    return MPI_SUCCESS;
}

int PMPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    enter("MPI_Send", CALL);
    if (to == MPI_PROC_NULL)
        return MPI_SUCCESS;
    return finish(send_to(data, (size_t)n, type, to, tag, comm, CONTEXT_POINT, false),
                  MPI_STATUS_IGNORE);
}

int PMPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    enter("MPI_Recv", CALL);
    if (from == MPI_PROC_NULL)
        return null_status(status);
    return finish(receive_from(data, (size_t)n, type, from, tag, comm, CONTEXT_POINT), status);
}

static int start(MPI_Request *request, struct fake_request *r)
{
    *request = HANDLE(MPI_Request, r - world.request);
    return MPI_SUCCESS;
}

int PMPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    enter("MPI_Isend", CALL);
    return start(request, send_to(data, (size_t)n, type, to, tag, comm, CONTEXT_POINT, false));
}

int PMPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request *request)
{
    enter("MPI_Issend", CALL);
    return start(request, send_to(data, (size_t)n, type, to, tag, comm, CONTEXT_POINT, true));
}

int PMPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (from == MPI_PROC_NULL)
        return MPI_SUCCESS;
    enter("MPI_Irecv", CALL);
    return start(request, receive_from(data, (size_t)n, type, from, tag, comm, CONTEXT_POINT));
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    enter("MPI_Wait", CALL);
    if (*request == MPI_REQUEST_NULL)
        return null_status(status);
    struct fake_request *r = &world.request[NUMBER(*request)];
    *request = MPI_REQUEST_NULL;
    return finish(r, status);
}

int PMPI_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], status == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &status[i]);
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    enter("MPI_Test", POLL);
    struct fake_request *r = *request == MPI_REQUEST_NULL ? NULL : &world.request[NUMBER(*request)];
    *flag = !r || (r->matched && r->done <= self()->now);
    if (!r)
        return null_status(status);
    if (!*flag)
        return MPI_SUCCESS;
    *request = MPI_REQUEST_NULL;
    return finish(r, status);
}

/* The one that is done first. */
int PMPI_Waitany(int n, MPI_Request *request, int *index, MPI_Status *status)
{
    for (int done = 0;;)
        for (int i = 0; i < n; i++)
            if (request[i] != MPI_REQUEST_NULL) {
                PMPI_Test(&request[ *index = i], &done, status);
                if (done)
                    return MPI_SUCCESS;
            }
}

int PMPI_Request_free(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL; /* what it is about goes on; its place is not used again */
    return MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request *request)
{
    struct fake_request *r = &world.request[NUMBER(*request)];
    for (struct fake_request **at = &self()->posted; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            r->matched = r->cancelled = true;
            break;
        }
    return MPI_SUCCESS;
}

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    *flag = status->MPI_TAG == CANCELLED;
    return MPI_SUCCESS;
}

int PMPI_Sendrecv(const void *out, int n_out, MPI_Datatype type_out, int to, int tag_out, void *in,
                  int n_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                  MPI_Status *status)
{
    MPI_Request request;
    PMPI_Isend(out, n_out, type_out, to, tag_out, comm, &request);
    int error = PMPI_Recv(in, n_in, type_in, from, tag_in, comm, status);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return error;
}

static const struct message *probed(int from, int tag, MPI_Comm comm)
{
    struct fake_request wanted = {
        .comm = comm_number(comm), .context = CONTEXT_POINT, .from = from, .tag = tag};
    for (const struct message *m = self()->first; m; m = m->next)
        if (fits(&wanted, m) && m->arrival <= self()->now)
            return m;
    return NULL;
}

int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    enter("MPI_Iprobe", POLL);
    const struct message *m = probed(from, tag, comm);
    *flag = m != NULL;
    if (m && status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = m->from;
        status->MPI_TAG = m->tag;
        set_count(status, m->bytes);
    }
    return MPI_SUCCESS;
}

/* --- collectives, by messages to and from rank 0 or the root --- */

static int put(const void *out, size_t n, MPI_Datatype type, int to, MPI_Comm comm)
{
    return finish(send_to(out, n, type, to, 0, comm, CONTEXT_COLLECTIVE, false), MPI_STATUS_IGNORE);
}

static int get(void *in, size_t n, MPI_Datatype type, int from, MPI_Comm comm)
{
    return finish(receive_from(in, n, type, from, 0, comm, CONTEXT_COLLECTIVE), MPI_STATUS_IGNORE);
}

/* What the collective call that the rank begins returns at its end. */
static int outcome(void)
{
    return ++self()->collectives == world.net.fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int PMPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    const int error = outcome();
    enter("MPI_Bcast", CALL);
    if (rank_in(comm) != root)
        return get(data, (size_t)n, type, root, comm) ?: error;
    for (int i = 0; i < comm_at(comm)->n; i++)
        if (i != root)
            put(data, (size_t)n, type, i, comm);
    return error;
}

int PMPI_Gatherv(const void *out, int n_out, MPI_Datatype type_out, void *in, const int *n_in,
                 const int *at, MPI_Datatype type_in, int root, MPI_Comm comm)
{
    const size_t size = size_of(type_out);
    (void)type_in;
    const int error = outcome();
    enter("MPI_Gather", CALL);
    if (rank_in(comm) != root)
        return put(out, (size_t)n_out, type_out, root, comm) ?: error;
    for (int i = 0; i < comm_at(comm)->n; i++) {
        char *to = (char *)in + (size_t)at[i] * size;
        if (i != root)
            get(to, (size_t)n_in[i], type_out, i, comm);
        else if (out != MPI_IN_PLACE && n_out)
            memmove(to, out, (size_t)n_out * size);
    }
    return error;
}

int PMPI_Gather(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                MPI_Datatype type_in, int root, MPI_Comm comm)
{
    int n[FAKE_RANKS_MAX], at[FAKE_RANKS_MAX];
    (void)n_in;
    for (int i = 0; i < comm_at(comm)->n; i++) {
        n[i] = n_out;
        at[i] = i * n_out;
    }
    return PMPI_Gatherv(out, n_out, type_out, in, n, at, type_in, root, comm);
}

int PMPI_Allgather(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                   MPI_Datatype type_in, MPI_Comm comm)
{
    int error = PMPI_Gather(out, n_out, type_out, in, n_in, type_in, 0, comm);
    return PMPI_Bcast(in, n_out * comm_at(comm)->n, type_out, 0, comm) ?: error;
}

#define COMBINE(type)                                                                              \
    for (int i = 0; i < n; i++) {                                                                  \
        type x = ((type *)into)[i], y = ((const type *)from)[i];                                   \
        ((type *)into)[i] = op == MPI_SUM    ? x + y                                               \
                            : op == MPI_MAX  ? (x > y ? x : y)                                     \
                            : op == MPI_MIN  ? (x < y ? x : y)                                     \
                            : op == MPI_LAND ? (type)(x && y)                                      \
                                             : (type)(x || y);                                     \
    }

static void combine(void *into, const void *from, int n, MPI_Datatype type, MPI_Op op)
{
    struct {
        double value;
        int at;
    } *a = into;
    const __typeof__(*a) *b = from;
    if (type == MPI_DOUBLE) {
        COMBINE(double)
    } else if (type == MPI_DOUBLE_INT) {
        for (int i = 0; i < n; i++)
            if ((op == MPI_MAXLOC ? b[i].value > a[i].value : b[i].value < a[i].value) ||
                (b[i].value == a[i].value && b[i].at < a[i].at))
                a[i] = b[i];
    } else if (type == MPI_INT) {
        COMBINE(int)
    } else if (type == MPI_BYTE) { /* MPI_BXOR */
        for (int i = 0; i < n; i++)
            ((char *)into)[i] ^= ((const char *)from)[i];
    } else {
        COMBINE(uint64_t)
    }
}

int PMPI_Reduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm)
{
    size_t bytes = (size_t)n * size_of(type);
    const int error = outcome();
    enter("MPI_Reduce", CALL);
    if (rank_in(comm) != root)
        return put(out, (size_t)n, type, root, comm) ?: error;
    char *other = malloc(bytes + 1);
    if (out != MPI_IN_PLACE && bytes)
        memcpy(in, out, bytes);
    for (int i = 0; i < comm_at(comm)->n; i++)
        if (i != root) {
            get(other, (size_t)n, type, i, comm);
            combine(in, other, n, type, op);
        }
    free(other);
    return error;
}

int PMPI_Allreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const void *mine = out == MPI_IN_PLACE && rank_in(comm) != 0 ? in : out;
    int error = PMPI_Reduce(mine, in, n, type, op, 0, comm);
    return PMPI_Bcast(in, n, type, 0, comm) ?: error;
}

int PMPI_Scatter(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                 MPI_Datatype type_in, int root, MPI_Comm comm)
{
    size_t bytes = (size_t)n_in * size_of(type_in);
    (void)n_out, (void)type_out;
    const int error = outcome();
    enter("MPI_Scatter", CALL);
    if (rank_in(comm) != root)
        return get(in, (size_t)n_in, type_in, root, comm) ?: error;
    for (int i = 0; i < comm_at(comm)->n; i++) {
        const char *from = (const char *)out + (size_t)i * bytes;
        if (i != root)
            put(from, (size_t)n_in, type_in, i, comm);
        else
            memmove(in, from, bytes);
    }
    return error;
}

int PMPI_Alltoall(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                  MPI_Datatype type_in, MPI_Comm comm)
{
    size_t bytes = (size_t)n_out * size_of(type_out);
    int error = MPI_SUCCESS;
    for (int root = 0; root < comm_at(comm)->n; root++)
        error = PMPI_Scatter(out, n_out, type_out, (char *)in + (size_t)root * bytes, n_in, type_in,
                             root, comm)
                    ?: error;
    return error;
}

int PMPI_Reduce_scatter_block(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm)
{
    char all[FAKE_RANKS_MAX * 64];
    int error = PMPI_Reduce(out, all, n * comm_at(comm)->n, type, op, 0, comm);
    return PMPI_Scatter(all, n, type, in, n, type, 0, comm) ?: error;
}

int PMPI_Scan(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    char before[64];
    size_t bytes = (size_t)n * size_of(type);
    int rank = rank_in(comm);
    const int error = outcome();
    enter("MPI_Scan", CALL);
    memcpy(in, out, bytes);
    if (rank > 0) {
        get(before, (size_t)n, type, rank - 1, comm);
        combine(in, before, n, type, op);
    }
    return rank + 1 < comm_at(comm)->n ? put(in, (size_t)n, type, rank + 1, comm) ?: error : error;
}

int PMPI_Reduce_local(const void *from, void *into, int n, MPI_Datatype type, MPI_Op op)
{
    combine(into, from, n, type, op);
    return MPI_SUCCESS;
}

int PMPI_Barrier(MPI_Comm comm)
{
    int one = 0, all;
    return PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MAX, comm);
}

int PMPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    struct fake_request *last = NULL;
    const int error = outcome();
    enter("MPI_Ibcast", CALL);
    if (rank_in(comm) != root)
        return start(request,
                     receive_from(data, (size_t)n, type, root, 0, comm, CONTEXT_COLLECTIVE))
                   ?: error;
    for (int i = 0; i < comm_at(comm)->n; i++)
        if (i != root) {
            if (last)
                last->kind = FREE; /* eager: it is done */
            last = send_to(data, (size_t)n, type, i, 0, comm, CONTEXT_COLLECTIVE, false);
        }
    *request = MPI_REQUEST_NULL;
    return last ? start(request, last) ?: error : error;
}

/* --- non-blocking collectives: done when all have begun them --- */

static int gather_all(MPI_Comm comm, const void *out, void *in, int n, MPI_Datatype type, MPI_Op op,
                      MPI_Request *request)
{
    struct fake_comm *c = comm_at(comm);
    uint64_t number = c->numbers[me]++;
    struct gathering *g = world.gatherings;
    while (g && (g->comm != comm_number(comm) || g->number != number))
        g = g->next;
    if (!g) {
        g = calloc(1, sizeof *g);
        g->comm = comm_number(comm);
        g->number = number;
        g->bytes = (size_t)n * size_of(type);
        g->next = world.gatherings;
        world.gatherings = g;
        memcpy(g->data, out ? out : g->data, g->bytes);
    } else if (g->bytes) {
        combine(g->data, out, n, type, op);
    }
    struct fake_request *r = request_new(COLLECTIVE);
    g->request[g->arrived] = r;
    g->result[g->arrived++] = in;
    g->last = g->last > self()->now ? g->last : self()->now;
    for (int i = 0; g->arrived == c->n && i < g->arrived; i++) {
        if (g->bytes)
            memcpy(g->result[i], g->data, g->bytes);
        g->request[i]->matched = true;
        g->request[i]->done = g->last + way(me, g->request[i]->owner, g->bytes);
        wake(g->request[i]->owner);
    }
    return start(request, r);
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    const int error = outcome();
    enter("MPI_Ibarrier", CALL);
    return gather_all(comm, NULL, NULL, 0, MPI_BYTE, MPI_MAX, request) ?: error;
}

int PMPI_Iallreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request *request)
{
    const int error = outcome();
    enter("MPI_Iallreduce", CALL);
    return gather_all(comm, out == MPI_IN_PLACE ? in : out, in, n, type, op, request) ?: error;
}

/* --- communicators --- */

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = rank_in(comm);
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = comm_at(comm)->n;
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    (void)comm;
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    int mine[2] = {colour, key}, all[FAKE_RANKS_MAX][2], n = comm_at(comm)->n, number;
    int error = PMPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, comm);
    if (rank_in(comm) == 0) {
        number = world.n_comms;
        world.n_comms += n; /* a number for each colour there may be */
        if (world.n_comms > COMMS_MAX)
            abort();
    }
    error = PMPI_Bcast(&number, 1, MPI_INT, 0, comm) ?: error;
    if (colour == MPI_UNDEFINED) {
        *made = MPI_COMM_NULL;
        return error;
    }
    struct fake_comm new = {.n = 0};
    int first = n;
    for (int i = 0; i < n; i++)
        if (all[i][0] == colour && i < first)
            first = i;
    for (int key_now = INT_MIN, next;; key_now = next) { /* by key, then by rank */
        next = INT_MAX;
        for (int i = 0; i < n; i++) {
            if (all[i][0] != colour)
                continue;
            if (all[i][1] == key_now)
                new.world[new.n++] = world_rank(comm, i);
            else if (all[i][1] > key_now && all[i][1] < next)
                next = all[i][1];
        }
        if (next == INT_MAX)
            break;
    }
    if (world.comm[number + first].n == 0)
        world.comm[number + first] = new;
    *made = HANDLE(MPI_Comm, number + first);
    return error;
}

/* All ranks are on one host. */
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    (void)type, (void)info;
    int error = PMPI_Comm_split(comm, 0, key, made);
    return world.net.split_fails && world.net.split_fails == me ? MPI_ERR_OTHER : error;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    return PMPI_Comm_split(comm, 0, 0, made);
}

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Comm_dup(comm, made);
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct fake_comm *c = comm_at(*comm);
    for (int key = 0; key < KEYS_MAX; key++)
        if (c->has[me][key] && world.drop[key])
            world.drop[key](*comm, key, c->attribute[me][key], world.extra[key]);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
                            int *key, void *extra)
{
    (void)copy;
    *key = world.n_keys++ % KEYS_MAX;
    world.drop[*key] = drop;
    world.extra[*key] = extra;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    comm_at(comm)->attribute[me][key] = value;
    comm_at(comm)->has[me][key] = true;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    *length = sprintf(name, "%s", comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "");
    return MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    static int most = 32767;
    struct fake_comm *c = comm_at(comm);
    *found = key == MPI_TAG_UB || (key >= 0 && key < KEYS_MAX && c->has[me][key]);
    if (key == MPI_TAG_UB)
        *(int **)value = &most;
    else if (*found)
        *(void **)value = c->attribute[me][key];
    return MPI_SUCCESS;
}

/* --- groups --- */

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    int n = world.n_groups++ % GROUPS_MAX;
    world.group[n].n = comm_at(comm)->n;
    for (int i = 0; i < comm_at(comm)->n; i++)
        world.group[n].world[i] = world_rank(comm, i);
    *group = HANDLE(MPI_Group, n);
    return MPI_SUCCESS;
}

int PMPI_Group_size(MPI_Group group, int *size)
{
    *size = world.group[NUMBER(group)].n;
    return MPI_SUCCESS;
}

int PMPI_Group_rank(MPI_Group group, int *rank)
{
    *rank = MPI_UNDEFINED;
    for (int i = 0; i < world.group[NUMBER(group)].n; i++)
        if (world.group[NUMBER(group)].world[i] == me)
            *rank = i;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group group, int n, const int *rank, MPI_Group *made)
{
    int number = world.n_groups++ % GROUPS_MAX;
    world.group[number].n = n;
    for (int i = 0; i < n; i++)
        world.group[number].world[i] = world.group[NUMBER(group)].world[rank[i]];
    *made = HANDLE(MPI_Group, number);
    return MPI_SUCCESS;
}

/* Its first member says by which number. */
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    const int n = world.group[NUMBER(group)].n, *members = world.group[NUMBER(group)].world;
    int number = world.n_comms, place[FAKE_RANKS_MAX] = {0};
    enter("MPI_Comm_create_group", CALL);
    for (int k = 0; k < n; k++)
        while (world_rank(comm, place[k]) != members[k])
            place[k]++;
    if (me != members[0])
        finish(receive_from(&number, 1, MPI_INT, place[0], tag, comm, CONTEXT_GROUP),
               MPI_STATUS_IGNORE);
    else if (world.n_comms++ == COMMS_MAX)
        abort();
    for (int k = 0; k < n && me == members[0]; k++) {
        world.comm[number].n = n;
        world.comm[number].world[k] = members[k];
    }
    for (int k = 1; k < n && me == members[0]; k++)
        finish(send_to(&number, 1, MPI_INT, place[k], tag, comm, CONTEXT_GROUP, false),
               MPI_STATUS_IGNORE);
    *made = HANDLE(MPI_Comm, number);
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group from, int n, const int *rank, MPI_Group to, int *found)
{
    for (int k = 0; k < n; k++) {
        found[k] = MPI_UNDEFINED;
        for (int i = 0; i < world.group[NUMBER(to)].n; i++)
            if (world.group[NUMBER(to)].world[i] == world.group[NUMBER(from)].world[rank[k]])
                found[k] = i;
    }
    return MPI_SUCCESS;
}

/* --- datatypes, host --- */

int PMPI_Type_size(MPI_Datatype type, int *size)
{
    *size = (int)size_of(type);
    return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    *size = (MPI_Count)size_of(type);
    return MPI_SUCCESS;
}

int PMPI_Type_get_name(MPI_Datatype type, char *name, int *length)
{
    strcpy(name, type == MPI_INT ? "MPI_INT" : type == MPI_DOUBLE ? "MPI_DOUBLE" : "");
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent)
{
    *low = 0;
    *extent = (MPI_Aint)extent_of(type);
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types,
                           int *combiner)
{
    *integers = *addresses = *types = 0;
    *combiner = vector_of(type) ? MPI_COMBINER_VECTOR : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *low, MPI_Count *extent)
{
    *low = 0;
    *extent = (MPI_Count)extent_of(type);
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent)
{
    return PMPI_Type_get_extent(type, low, extent);
}

int PMPI_Type_vector(int count, int block, int stride, MPI_Datatype type, MPI_Datatype *made)
{
    const size_t size = size_of(type);
    world.vector[world.n_vectors] =
        (struct vector){(size_t)count, (size_t)block * size, (size_t)stride * size};
    *made = HANDLE(MPI_Datatype, world.n_vectors++);
    return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype *type)
{
    (void)type;
    return MPI_SUCCESS;
}

int PMPI_Type_free(MPI_Datatype *type)
{
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node-%d", me);
    return MPI_SUCCESS;
}

/* --- the beginning and the end --- */

int PMPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    (void)argc, (void)argv;
    *provided = wanted;
    return MPI_SUCCESS;
}

int PMPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag)
{
    *flag = is_rank;
    return MPI_SUCCESS;
}

int PMPI_Finalized(int *flag)
{
    *flag = !is_rank;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
    *level = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
}

int PMPI_Finalize(void)
{
    return PMPI_Barrier(MPI_COMM_WORLD);
}

int PMPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    exit(status);
}

int PMPI_Get_library_version(char *text, int *length)
{
    *length = sprintf(text, "fake MPI");
    return MPI_SUCCESS;
}

int PMPI_Error_class(int error, int *class)
{
    *class = error;
    return MPI_SUCCESS;
}

int PMPI_Error_string(int error, char *text, int *length)
{
    *length = sprintf(text, "error %d", error);
    return MPI_SUCCESS;
}

/* What programs call. */
#define ALSO(name) __typeof__(PMPI_##name) MPI_##name __attribute__((alias("PMPI_" #name)))
ALSO(Init_thread);
ALSO(Finalize);
ALSO(Abort);
ALSO(Get_library_version);
ALSO(Error_string);
ALSO(Comm_rank);
ALSO(Comm_size);
ALSO(Comm_dup);
ALSO(Comm_split);
ALSO(Comm_free);
ALSO(Comm_set_errhandler);
ALSO(Bcast);
ALSO(Gather);
ALSO(Allreduce);
ALSO(Reduce);
ALSO(Barrier);
