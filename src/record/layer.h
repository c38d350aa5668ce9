/* What the layer keeps per process and per thread: in these two structs is what changes while it
 * records and concerns several files. Global beside them: the clock's source (base/clock.h), the
 * functions that floors above have hung in (call.h, channels.h, comms.h), and where the records go
 * (layer/parts.h). What one file alone needs, such as its table of open requests, is static
 * there. */
#ifndef COLLPROF_RECORD_LAYER_H
#define COLLPROF_RECORD_LAYER_H

#include "base/clock.h"
#include "base/settings.h"
#include "record/index.h"
#include "record/ledger.h"

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* A simulator runs all ranks in one thread and gives each its own globals instead. */
#ifdef COLLPROF_SIMULATED
#define PER_THREAD
#else
#define PER_THREAD __thread __attribute__((tls_model("initial-exec")))
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum layer_phase {
    LAYER_ASLEEP,  /* no MPI call seen yet */
    LAYER_RUNNING, /* records, unless switched off */
    LAYER_ENDED    /* finished, or unable: stays out of the way */
};

struct layer {
    bool on;       /* the one test on the way in: recording right now */
    bool threaded; /* MPI_THREAD_MULTIPLE: tables are locked */
    unsigned stack_depth;
    uint64_t ns_per_tick; /* 32.32 fixed point */
    struct ledger ledger;
    struct index comms;    /* comm_key(handle) to struct comm */
    struct index sites;    /* hash of a stack to its number */
    struct index entries;  /* entry_key() to struct ledger_entry */
    struct index peers;    /* peer_key() to struct ledger_peer */
    struct index messages; /* hash of what is in it to struct ledger_messages */
    struct index channels; /* hash of a channel to struct ledger_channel */
    bool trace;            /* events are recorded */
    bool shared_trace;     /* by several threads, one at a time: */
    uint32_t trace_lock;
    uint64_t costs, cost_ns; /* calls whose cost was measured; what recording took in these */
    bool inject;             /* acknowledgements, benchmark or another broadcast are asked for */

    enum layer_phase phase;
    pid_t pid; /* a forked child is not this process */
    int rank, size;
    MPI_Comm comm;   /* the layer's own, of all that take part; MPI_COMM_NULL if there is none */
    MPI_Group world; /* to name the members of communicators; MPI_GROUP_NULL if unknown */
    struct settings settings;
    pthread_mutex_t lock; /* for everything that is added rarely */
};

struct thread {
    bool inside;    /* in a wrapper: calls by the MPI library itself are not the application's */
    bool tracing;   /* see trace_begin() */
    uint8_t region; /* innermost named region, 0: none */
    uint8_t region_depth;
    uint8_t region_stack[16];
    struct exclusion {
        uint64_t of; /* comm.id; 0: no call is excluded */
        uint32_t collectives, calls;
    } excluded;               /* see call_exclude() */
    uint32_t calls;           /* that it has recorded */
    uint32_t number;          /* of this thread among those traced, from 1; 0: not given yet */
    const char *frame;        /* of the wrapper that it is in */
    const void *caller;       /* of that wrapper: see caller_of() */
    uint64_t left, outside;   /* ticks: its last return from MPI; spent outside of it between calls
                                 since its last collective, until then */
    struct ledger_call *call; /* where its call in progress is written; NULL: not given yet */
    struct type_size {
        MPI_Datatype type;
        uint32_t known; /* else the type is not one of these */
        MPI_Count size;
    } named[32];           /* sizes of predefined datatypes, which never go away */
    uint64_t region_since; /* ticks: when it became the innermost */
    void *scratch;         /* for arrays as long as the caller's; grows only */
    size_t scratch_size;
};

extern struct layer layer;
extern PER_THREAD struct thread thread;

static inline uint64_t ticks_to_ns(uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * layer.ns_per_tick) >> 32);
}

/* Short locks, taken only where several threads may come: those that call MPI, or MPI's own. */
static inline void spin_lock_if(bool several, uint32_t *lock)
{
    if (several)
        while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
            while (__atomic_load_n(lock, __ATOMIC_RELAXED))
#if defined(__x86_64__)
                __builtin_ia32_pause();
#else
                ;
#endif
}

static inline void spin_unlock_if(bool several, uint32_t *lock)
{
    if (several)
        __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#define spin_lock(lock) spin_lock_if(layer.threaded, lock)
#define spin_unlock(lock) spin_unlock_if(layer.threaded, lock)

/* At least SIZE bytes that stay valid until this thread asks again; NULL if there is no memory. */
void *thread_scratch(size_t size);

/* Where the function with this FRAME returns to, as it is on the stack (signed, maybe): what is
 * called from the place that a function was left for by a jump writes its own there. */
static inline __attribute__((no_sanitize("address"))) const void *caller_of(const char *frame)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return ((const void *const *)frame)[1];
#else
    (void)frame;
    return NULL; /* not known */
#endif
}

static inline void thread_enter_at(const char *frame)
{
    thread.frame = frame;
    thread.caller = caller_of(frame);
    thread.inside = true;
}

/* From here to thread_leave() this thread's MPI calls are our own, or the library's. */
#define thread_enter() thread_enter_at(__builtin_frame_address(0))
#define thread_leave() (thread.inside = false)

/* The place for this thread's calls in progress: its own in the ledger, or one in memory that it
 * shares where there is no room. */
struct ledger_call *thread_call(void);

/* Empties the indexes of LAYER. Returns 0 or an errno. */
int tables_start(void);

/* The element of KEY in SECTION by the index X, made now as a copy of ROW if there is none; NULL:
 * there is no room, which is counted. */
void *layer_row(struct index *x, uint64_t key, enum ledger_section section, const void *row);

/* One line on stderr, "collprof: ...", from this rank. */
void layer_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
