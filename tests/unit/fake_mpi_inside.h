/* What the files of the fake MPI share. The rank whose turn it is has LOCK and calls all of this.
 */
#pragma once

#include "fake_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>

enum { COMMS_MAX = 4096, REQUESTS_MAX = 4096, KEYS_MAX = 64, GROUPS_MAX = 256, VECTORS_MAX = 1024 };
enum { CONTEXT_POINT, CONTEXT_COLLECTIVE, CONTEXT_GROUP };

/* Virtual seconds that a call and a poll take. */
#define CALL 20e-9
#define POLL 100e-9

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

extern struct fake_world {
    pthread_mutex_t lock;
    int n, running;
    bool stuck;
    struct fake_network net;
    struct rank rank[FAKE_RANKS_MAX];
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
    struct fake_comm comm[COMMS_MAX]; /* last: only those that were used are cleared */
} fake_world;

/* The calling rank. */
extern _Thread_local int fake_me;
struct rank *fake_self(void);

/* A call begins, which takes COST seconds. */
void fake_enter(const char *in, double cost);

/* Until REQUEST is matched; then the rank is at least as late as that is done. */
void fake_wait(struct fake_request *r);

/* RANK may go on if it waits. */
void fake_wake(int rank);

/* Handles are small numbers, whatever type the MPI's header gives them. */
#define HANDLE(type, n) ((type)(uintptr_t)(0x5000 + (n)))
#define NUMBER(handle) ((int)((uintptr_t)(handle)-0x5000))

int fake_comm_number(MPI_Comm comm);
struct fake_comm *fake_comm_at(MPI_Comm comm);
int fake_world_rank(MPI_Comm comm, int rank);
int fake_rank_in(MPI_Comm comm);

/* BYTES that are no allocation of what is tested, by another function than it calls. */
#define fake_alloc(bytes) aligned_alloc(16, ((bytes) + 16) & ~(size_t)15)

size_t fake_size(MPI_Datatype type);

/* The calling rank's value of a control variable; 0: the algorithms of broadcasts. */
int fake_variable(int index);

/* BYTES of data of that TYPE between memory and a buffer without holes. */
void fake_copy(char *memory, char *packed, size_t bytes, MPI_Datatype type, bool unpacks);

/* Seconds of a message on its way. */
double fake_way(int from, int to, size_t bytes);

struct fake_request *fake_request_new(int kind);
struct fake_request *fake_send(const void *data, size_t n, MPI_Datatype type, int to, int tag,
                               MPI_Comm comm, int context, bool synchronous);
struct fake_request *fake_receive(void *buffer, size_t n, MPI_Datatype type, int from, int tag,
                                  MPI_Comm comm, int context);

/* Completes R and frees it; the error of a receive. */
int fake_finish(struct fake_request *r, MPI_Status *status);

/* R becomes a request of the caller's; MPI_SUCCESS. */
int fake_start(MPI_Request *request, struct fake_request *r);

/* A function that only answers a question. */
#define ANSWER(name, parameters, answer)                                                           \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        answer;                                                                                    \
        return MPI_SUCCESS;                                                                        \
    }

/* A program's name of a function. */
#define ALSO(name) __typeof__(PMPI_##name) MPI_##name __attribute__((alias("PMPI_" #name)))
