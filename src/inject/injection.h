/* An injection: an activity of the layer in addition to recording, listed in inject.c. It may
 * measure before a collective of the application, and may replace its broadcast.
 *
 * Injections that make broadcasts are nested in the order of the list: each passes the broadcast on
 * to the next, and the last one to the library, so they are independent of each other. A new one
 * needs a file and a line in inject.c. */
#pragma once

#include "base/stats.h"
#include "inject/handshake.h"
#include "inject/replica.h"
#include "record/call.h"
#include "sync/sync.h"

#include <jansson.h>

/* HANDSHAKE_FAILURES: a communicator is excluded after this many failures. One would be too few: a
 * rank that reads input is often late once. Each failed handshake needs its own memory, since MPI
 * may still write to it. */
enum { INJECTIONS_MAX = 4, HANDSHAKE_FAILURES = 3 };

/* State of a communicator of the application; made at its first collective. */
struct internal_comm {
    struct comm *of;
    int rank, size;
    char name[MPI_MAX_OBJECT_NAME + 40]; /* for messages during the run */
    void *kept[INJECTIONS_MAX];          /* private data of each injection; NULL at first */
    /* The internal communicator: same members, for the layer's own messages. It is made from their
     * group, so that no attributes of the application's communicator are copied. MPI_COMM_NULL
     * until the first handshake, or always if few contexts are left: MPICH has about 2000, which
     * the application may need. */
    MPI_Comm comm;
    uint64_t calls; /* calls that an injection wanted before the first handshake */
    uint64_t large; /* for tuning: its calls, large ones counted several times */
    struct handshake failed[HANDSHAKE_FAILURES], end;
    int failures;
    bool excluded; /* no injection uses it any more */
};

/* A collective call of the application, on an intracommunicator of two or more. */
struct collective {
    struct call *call;
    const struct operation *operation; /* NULL if no replica is possible (MPI_Gatherv) */
    struct internal_comm *on;          /* NULL if there is no memory */
    MPI_Comm comm;                     /* the application's */
    int root;                          /* -1 if it has none */
    uint64_t bytes;
    const struct operands *operands; /* NULL for a broadcast */
    /* For a broadcast only: */
    bool is_broadcast;
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
};

struct injection {
    const char *name; /* which kind its findings are in the profile */
    size_t keeps; /* bytes for internal_comm.kept[], zeroed, allocated after the first handshake */
    /* Reads layer.settings, which are the same on all ranks; false if the injection is not
     * requested or impossible, on all ranks alike. */
    bool (*start)(void);
    /* Whether the injection needs the internal communicator for this call. Must use only data that
     * are equal on all members. */
    bool (*wants)(const struct collective *c);
    /* Called for each wanted call once the internal communicator exists; counts it. Returns true
     * if BEFORE shall run, after a handshake of the members. NULL: BEFORE never runs. */
    bool (*due)(const struct collective *c);
    /* Runs after a successful handshake, the innermost injection first. */
    void (*before)(const struct collective *c);
    /* Makes the broadcast, by injection_pass() or itself; returns MPI's code. NULL: not used. */
    int (*instead)(const struct collective *c);
    /* The communicator is being freed: adds its findings and frees its data. ALL: all members take
     * part, after a successful handshake. */
    void (*close)(struct internal_comm *s, bool all);
    /* Called by all ranks at the end of the run, when all communicators are closed. */
    void (*finish)(void);

    /* Set by inject.c: */
    bool on;
    int index;         /* in kept[] */
    uint64_t spent_ns; /* time that all threads of this process spent in BEFORE */
    uint64_t left_out; /* measurements that there was no time for */
};

/* Defines SYMBOL_injection; these functions have the same names in each file. KEPT: type of the
 * data in internal_comm.kept[]. */
#define INJECTION(SYMBOL, NAME, KEPT, ...)                                                         \
    struct injection SYMBOL##_injection = {.name = NAME,                                           \
                                           .keeps = sizeof(KEPT),                                  \
                                           .start = start,                                         \
                                           .wants = wants,                                         \
                                           .close = close_comm,                                    \
                                           __VA_ARGS__}

extern struct injection *const injections[];
extern const size_t n_injections;
extern struct injection ack_injection, benchmark_injection, replace_injection, tune_injection;

/* The common clock of all ranks. */
struct sync_clock *injection_clock(void);

/* Seconds since the injections' start in MPI_Init. */
double injection_elapsed(void);

/* Seconds that this process may still spend in BEFORE, if SECONDS and PERCENT of the run so far are
 * allowed; negative: so much was spent too much. What injections cost beside BEFORE, their start
 * and handshakes included, counts against PERCENT. */
double injection_budget(const struct injection *self, double seconds, double percent);

/* Makes the broadcast through the injections after SELF in the list (NULL: all). Takes the call's
 * entry and exit times around the innermost one. */
int injection_pass(const struct injection *self, const struct collective *c);

/* Adds FINDING about communicator COMM of the ledger, and takes over FINDING's reference (NULL: no
 * finding). At most 2000 findings are kept. */
void injection_found(const struct injection *self, uint32_t comm, json_t *finding);

/* Writes FINDING into the record at once, so that it remains if the run is killed. */
void injection_record(const struct injection *self, json_t *finding);

/* Adds a warning for the report. */
void injection_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The state of C; NULL if nothing can be injected on this communicator. */
struct internal_comm *internal_comm_of(struct comm *c);

/* Runs the collective activities of injections before C, if one is due and the handshake
 * succeeds. */
void internal_comm_before(const struct collective *c);

/* Called by all ranks. At the end members free their communicators together, in one order, and warn
 * of activities that failed. */
void internal_comms_start(void);
void internal_comms_end(void);
