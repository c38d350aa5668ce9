/* What the layer keeps for the process and for each thread: these two structs have the data that
 * change while it records and that several files need. Other globals: the clock's source
 * (base/clock.h), callbacks of higher parts (call.h, channels.h, comms.h), and where records are
 * written (layer/parts.h). Data of a single file, such as the table of open requests, are static
 * there. */
#pragma once

#include "base/clock.h"
#include "base/index.h"
#include "base/reason.h"
#include "base/settings.h"
#include "record/ledger.h"

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* A simulator runs all ranks in one thread and gives each its own globals. */
#ifdef COLLPROF_SIMULATED
#define PER_THREAD
#else
#define PER_THREAD __thread __attribute__((tls_model("initial-exec")))
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum layer_phase {
    LAYER_ASLEEP,  /* no MPI call seen yet */
    LAYER_RUNNING, /* recording, unless switched off */
    LAYER_ENDED    /* finished, or unable to record: calls are only passed on */
};

struct layer {
    bool on;       /* recording now: the only test on entry of a call */
    bool threaded; /* MPI_THREAD_MULTIPLE: tables are locked */
    unsigned stack_depth;
    uint64_t ns_per_tick; /* 32.32 fixed point */
    struct ledger ledger;
    struct index comms;    /* comm_key(handle) to struct comm */
    struct index sites;    /* hash of a stack to its number */
    struct index entries;  /* entry_key() to struct ledger_entry */
    struct index messages; /* messages_key() to struct ledger_messages */
    struct index channels; /* hash of a channel to struct ledger_channel */
    struct index samples;  /* hash of a segment and a stack to struct ledger_sample */
    bool trace;            /* events are recorded */
    bool sample;           /* stacks are sampled between calls */
    bool shared_trace;     /* several threads record events, under this lock: */
    uint32_t trace_lock;
    uint64_t costs, cost_ns; /* calls whose cost was measured, and the sum of their costs */
    bool inject;             /* acknowledgements, benchmark or another broadcast are requested */

    enum layer_phase phase;
    pid_t pid; /* to detect that this process is a forked child */
    int rank, size;
    MPI_Comm comm;   /* the layer's own, of all ranks that have it; or MPI_COMM_NULL */
    MPI_Group world; /* to identify members of communicators; MPI_GROUP_NULL if unknown */
    struct settings settings;
    char *previous; /* with --tune: where settings.output led before this run; NULL: nowhere */
    pthread_mutex_t lock; /* for everything that is added rarely */
};

struct thread {
    bool inside;    /* in a wrapper: calls by the MPI library itself are not the application's */
    bool tracing;   /* see trace_begin() */
    uint8_t region; /* innermost named region; 0 if none */
    uint8_t region_depth;
    uint8_t region_stack[16];
    struct exclusion {
        uint64_t of; /* comm.id; 0: no call is excluded */
        uint32_t collectives, calls;
    } excluded;               /* see call_exclude() */
    uint32_t calls;           /* calls that it has recorded */
    uint32_t number;          /* 1-based index among the traced threads; 0 if not yet assigned */
    const char *frame;        /* of the present wrapper */
    const void *caller;       /* of that wrapper: see caller_of() */
    uint64_t left, outside;   /* LEFT: ticks at its last return from MPI. OUTSIDE: ticks spent
                                 outside of MPI since its last collective, up to LEFT */
    struct ledger_call *call; /* where its present call is recorded; NULL if not yet assigned */
    struct type_size {
        MPI_Datatype type;
        uint32_t known; /* 1 + its part of LEDGER_SIGNATURE(); 0: not a predefined datatype */
        MPI_Count size;
    } named[32];             /* sizes of predefined datatypes, which are never freed */
    uint64_t region_since;   /* ticks when it became the innermost one */
    struct sampler *sampler; /* NULL: not sampled */
    bool unsampled;          /* and cannot be */
    void *scratch;           /* for arrays as long as the caller's; it only grows */
    size_t scratch_size;
};

extern struct layer layer;
extern PER_THREAD struct thread thread;

/* Set by record/samples.c: called at the end of a thread that has called MPI. */
extern void (*layer_thread_ends)(void);

static inline uint64_t ticks_to_ns(uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * layer.ns_per_tick) >> 32);
}

/* Spin locks, taken only if several threads may come: the application's, or MPI's own. */
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

/* At least SIZE bytes, valid until this thread's next call; NULL if there is no memory. */
void *thread_scratch(size_t size);

/* The return address of the function with this FRAME, as on the stack (possibly signed). If a
 * wrapper was left by longjmp(), later calls may have overwritten it: see abandon() in call.c. */
static inline __attribute__((no_sanitize("address"))) const void *caller_of(const char *frame)
{
    return ((const void *const *)frame)[1];
}

static inline void thread_enter_at(const char *frame)
{
    thread.frame = frame;
    thread.caller = caller_of(frame);
    thread.inside = true;
}

/* Between thread_enter() and thread_leave() this thread's MPI calls are our own, or the
 * library's. */
#define thread_enter() thread_enter_at(__builtin_frame_address(0))
#define thread_leave() (thread.inside = false)

/* The slot for this thread's open calls: its own in the ledger, or if there is no room a shared one
 * in memory. */
struct ledger_call *thread_call_slot(void);

/* Empties the indexes of LAYER. Returns 0 or an errno. */
int layer_tables_start(void);

/* The element of KEY in SECTION by the index X; if there is none, a copy of ROW is added. NULL,
 * with a count of the loss, if there is no room. */
void *layer_row(struct index *x, uint64_t key, enum ledger_section section, const void *row);

/* Prints one line on stderr, "collprof: ...", from this rank. */
#define layer_say(...) reason_print("collprof", __VA_ARGS__)
