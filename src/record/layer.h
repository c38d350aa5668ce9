/* The state of the preloaded profiling library ("the layer"), for the process and for each thread,
 * as far as several files use it. Other globals: the clock's source (base/clock.h), callbacks
 * (call.h, comms.h), and where records are written (layer/parts.h). */
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

/* The simulator (SimGrid) runs all ranks in one thread and gives each its own globals. */
#ifdef COLLPROF_SIMULATED
#define PER_THREAD
#else
#define PER_THREAD __thread __attribute__((tls_model("initial-exec")))
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum layer_phase {
    LAYER_ASLEEP,  /* before the first MPI call */
    LAYER_RUNNING, /* calls are recorded, unless switched off by MPI_Pcontrol */
    LAYER_ENDED    /* finished, or unable to record: wrappers only call the MPI library */
};

struct layer {
    bool on;       /* calls are recorded now */
    bool threaded; /* MPI_THREAD_MULTIPLE: tables are locked */
    unsigned stack_depth;
    uint64_t ns_per_tick; /* length of a clock tick in units of 2^-32 ns */
    struct ledger ledger;
    struct index comms;    /* maps comm_key(handle) to struct comm */
    struct index sites;    /* maps the hash of a stack to its ledger_site's index */
    struct index entries;  /* maps entry_key() to struct ledger_entry */
    struct index messages; /* maps messages_key() to struct ledger_messages */
    struct index channels; /* maps the hash of a channel to struct ledger_channel */
    struct index samples;  /* maps the hash of calls and stack to ledger_sample */
    bool trace;            /* --trace: events are recorded */
    bool sample;           /* --sample: stacks are sampled between calls */
    bool shared_trace;     /* several threads record events, under TRACE_LOCK */
    uint32_t trace_lock;
    uint64_t costs, cost_ns; /* calls whose recording time was measured; sum of these times */
    bool inject;             /* --ack, --benchmark, --tune or --bcast is given */

    enum layer_phase phase;
    pid_t pid; /* to detect that this process is a forked child */
    int rank, size;
    MPI_Comm comm;   /* the layer's duplicate of MPI_COMM_WORLD; MPI_COMM_NULL: it may not
                        communicate */
    MPI_Group world; /* group of MPI_COMM_WORLD; MPI_GROUP_NULL if unknown */
    struct settings settings;
    char *previous;       /* --tune: directory to which settings.output linked before; or NULL */
    pthread_mutex_t lock; /* held while an element is added to a section or an index */
};

struct thread {
    bool inside;    /* in a wrapper: MPI calls are now the library's or the layer's */
    bool tracing;   /* see trace_begin() */
    uint8_t region; /* innermost named region; 0 if none */
    uint8_t region_depth;
    uint8_t region_stack[16];
    struct exclusion {
        uint64_t of; /* comm_id of call_exclude(); 0: no call is excluded */
        uint32_t collectives, calls;
    } excluded;             /* see call_exclude() */
    uint32_t calls;         /* number of calls that this thread has recorded */
    uint32_t number;        /* 1-based index among the traced threads; 0 if not yet assigned */
    const char *frame;      /* frame address of the present wrapper */
    const void *caller;     /* return address of this wrapper: see caller_of() */
    uint64_t left, outside; /* LEFT: ticks at the last return from MPI. OUTSIDE: ticks spent outside
                               of MPI since the last collective, up to LEFT */
    struct ledger_call *call; /* shows the present call; NULL if not yet assigned */
    struct type_size {
        MPI_Datatype type;
        uint32_t known;    /* 1 + LEDGER_SIGNATURE(0, ...) of TYPE; 0: this slot is empty */
        MPI_Count size;    /* bytes */
    } named[32];           /* cache of predefined datatypes, which cannot be freed: call_named() */
    uint64_t region_since; /* ticks when REGION became the innermost one */
    struct sampler *sampler; /* see record/samples.c; NULL: this thread is not sampled */
    bool unsampled;          /* sampling of this thread has failed or ended */
    void *scratch;           /* memory of thread_scratch() */
    size_t scratch_size;
};

extern struct layer layer;
extern PER_THREAD struct thread thread;

/* A callback of record/samples.c (NULL: none), at the end of each thread that has called MPI. */
extern void (*layer_thread_ends)(void);

static inline uint64_t ticks_to_ns(uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * layer.ns_per_tick) >> 32);
}

/* Spin locks. SEVERAL false: only one thread can use the data, and the lock is not taken. */
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

/* Memory of at least SIZE bytes for an array that a wrapper needs, owned by the thread and valid
 * until its next MPI call; NULL if there is none. */
void *thread_scratch(size_t size);

/* The return address in this stack FRAME, as stored there (on aarch64 possibly with a signature).
 * After longjmp() left the function, FRAME may be overwritten: see abandon() in call.c. */
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

/* MPI calls of the layer between thread_enter() and thread_leave() are not recorded. */
#define thread_enter() thread_enter_at(__builtin_frame_address(0))
#define thread_leave() (thread.inside = false)

/* Assigns this thread's ledger_call; if the ledger has no room, a dummy that threads share. */
struct ledger_call *thread_call_slot(void);

/* Allocates the indexes of LAYER. Returns 0 or an errno. */
int layer_tables_start(void);

/* The element of SECTION that the index X has for KEY; if there is none, a copy of ROW is added.
 * NULL, with a count of the loss, if there is no room. Locks layer.lock. */
void *layer_row(struct index *x, uint64_t key, enum ledger_section section, const void *row);

/* Prints "collprof: ..." and a newline on stderr. Arguments as of printf(). */
#define layer_say(...) reason_print("collprof", __VA_ARGS__)
