/* The format of the file to which one rank records its MPI calls (its "record" or "ledger").
 * ledger.h creates, grows and reads such files.
 *
 * The rank maps the file into memory. The file outlives the process, so it is also the crash
 * record: any process can read it at any time. It contains the names of operations, the clock's
 * rate and all array sizes, so this header file suffices to read it. Integers have the byte order
 * of the writing host; a reader detects another one by the magic number.
 *
 * The file has a header, then one array for each section (LEDGER_SECTION_LIST). The offset of each
 * array leaves room for the largest size of the arrays before it; room without elements is a hole
 * in the file and takes no disk space. Counts of elements never decrease (except for sampled logs),
 * and an element is written completely before the count includes it. */
#pragma once

#include "base/clock.h"
#include "base/histogram.h"
#include "base/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_MAGIC 0x31666f727070636cull /* "lcpprof1" */
#define LEDGER_VERSION 18u
#define LEDGER_NO_SITE 0u /* the call site was not recorded, or its table was full */
#define LEDGER_NO_OPERATION UINT32_MAX
#define LEDGER_NO_COMM 0u   /* the call has no communicator, or the table was full */
#define LEDGER_MAX_DEPTH 8u /* return addresses of a call site */
#define LEDGER_UNKNOWN_BYTES UINT64_MAX
#define LEDGER_UNKNOWN_TICKS UINT64_MAX
#define LEDGER_48_BITS 0xffffffffffffull

/* The sections: X(name, array in struct ledger, type of element, least, share, growth, most).
 *
 * In a record created with B bytes a section starts with LEAST elements or with B * SHARE / 1000
 * bytes, whichever is more. It can grow to GROWTH times this size and to at most MOST elements (0:
 * no limit). Bits in entry_key() limit sections to which an entry refers. An element may contain
 * indexes into earlier sections only; ledger_read.c checks that they exist. */
#define LEDGER_SECTION_LIST(X)                                                                     \
    X(OPERATIONS, operations, struct ledger_operation, 0, 0, 1, 1023)                              \
    X(TEXTS, texts, char, 8192, 0, 1024, 0)                                                        \
    X(MODULES, modules, struct ledger_module, 48, 0, 64, 0)                                        \
    X(REGIONS, regions, struct ledger_region, 50, 0, 2, 127)                                       \
    X(SITES, sites, struct ledger_site, 192, 53, 16, 1u << 28)                                     \
    X(COMMS, comms, struct ledger_comm, 64, 13, 16, 2047)                                          \
    X(CALLS, calls, struct ledger_call, 16, 0, 16, 0)                                              \
    X(ENTRIES, entries, struct ledger_entry, 64, 580, 16, 0)                                       \
    X(INSTANCES, instances, struct ledger_instance, 64, 250, 1, 0)                                 \
    X(REQUESTS, requests, struct ledger_request, 256, 0, 512, 0)                                   \
    X(MESSAGES, messages, struct ledger_messages, 85, 0, 386, 0)                                   \
    X(CHANNELS, channels, struct ledger_channel, 100, 1, 164, 65535)                               \
    X(EVENTS, events, struct ledger_event, 64, 32, 128, 0)                                         \
    X(SAMPLES, samples, struct ledger_sample, 64, 0, 64, 0)

enum ledger_section {
#define X(name, array, element, least, share, growth, most) LEDGER_##name,
    LEDGER_SECTION_LIST(X)
#undef X
        LEDGER_SECTIONS
};
extern const struct ledger_rule {
    size_t pointer; /* offset of the array's pointer in struct ledger */
    uint32_t element_size, least, share, growth, most;
} ledger_rules[LEDGER_SECTIONS];

/* How the process ended. */
enum ledger_state {
    LEDGER_RUNNING,   /* the process runs, or its end was not recorded (SIGKILL) */
    LEDGER_FINALIZED, /* MPI_Finalize was reached */
    LEDGER_EXITED,    /* exit without MPI_Finalize */
    LEDGER_ABORTED,   /* MPI_Abort called by this rank; state_detail: its error code */
    LEDGER_SIGNALLED, /* ended by a signal; state_detail: the signal's number */
    LEDGER_STATES
};

/* Families of MPI operations: X(ID, name in profile.json). */
#define CALL_FAMILIES(X)                                                                           \
    X(PLAIN, "plain")           /* counted and timed only */                                       \
    X(COLLECTIVE, "collective") /* blocking, including neighbourhood collectives */                \
    X(ICOLLECTIVE, "icollective")                                                                  \
    X(SEND, "send")                                                                                \
    X(ISEND, "isend")                                                                              \
    X(RECV, "recv")                                                                                \
    X(IRECV, "irecv")                                                                              \
    X(SENDRECV, "sendrecv")                                                                        \
    X(INIT_REQUEST, "init_request") /* MPI_Send_init, MPI_Bcast_init, ... */                       \
    X(START, "start")                                                                              \
    X(COMPLETION, "completion") /* Wait, Test and their variants, Request_free, Cancel */          \
    X(PROBE, "probe")                                                                              \
    X(ONE_SIDED, "one_sided")                                                                      \
    X(IO, "io")                                                                                    \
    X(COMM, "communicator")   /* makes or frees communicators */                                   \
    X(LIFECYCLE, "lifecycle") /* Init, Finalize, Abort, sessions */

enum call_family {
#define X(id, name) FAMILY_##id,
    CALL_FAMILIES(X)
#undef X
};

struct ledger_operation {
    char name[40]; /* "MPI_Bcast" */
    uint32_t family;
    uint32_t unused;
};

/* An executable or shared object that is mapped into the process. With a FUNCTION it is instead a
 * Python function: PATH is the source file, and an address in this module is a line number. */
struct ledger_module {
    uint64_t bias;      /* run-time address minus ELF virtual address */
    uint64_t low, high; /* range of run-time addresses */
    uint8_t build_id[24];
    uint32_t build_id_size; /* 0 if none */
    uint32_t path;          /* its path, by ledger_text(); 0 if unknown */
    uint32_t function;      /* its name, by ledger_text(); 0 for machine code */
};

/* The current or last MPI call of a thread. It is written on entry, so that it shows in which call
 * a process hangs or was killed. */
struct ledger_call {
    uint64_t since;   /* ticks at entry, written last; 0: the call has returned */
    uint64_t comm_id; /* as in ledger_instance; 0 if unknown */
    uint64_t bytes;   /* payload; LEDGER_UNKNOWN_BYTES if not known on entry */
    uint32_t operation, site;
    uint64_t sequence;    /* number of earlier collectives on the communicator */
    uint32_t comm;        /* index of its ledger_comm */
    int32_t peer, tag;    /* arguments of a message; INT32_MIN if the operation has none */
    int32_t root;         /* -1 if none */
    uint32_t thread;      /* Linux thread id; 0: no thread uses this element */
    int32_t to, to_tag;   /* MPI_Sendrecv: destination and send tag; otherwise INT32_MIN */
    uint64_t progress;    /* ticks at the last return; without --trace, returns of tests and probes
                             that found nothing do not count */
    uint64_t n_requests;  /* number of requests that the call waits or tests for */
    uint64_t request[16]; /* the handles of the first 16 of these */
};

/* A request, from the call that starts it to its completion; if persistent, until it is freed. */
struct ledger_request {
    uint64_t handle;  /* MPI's handle; only requests complete on return share one */
    uint64_t posted;  /* ticks at entry of the call that started it; 0: this element is unused */
    uint64_t comm_id; /* as in ledger_instance, but a persistent collective has an id of its own,
                         because members may start several of them in different orders */
    uint64_t bytes;
    uint64_t sequence;
    uint32_t site;
    uint32_t signature;      /* see LEDGER_SIGNATURE() */
    int32_t root, peer, tag; /* arguments; peer and tag may be wildcards */
    uint16_t operation, comm;
    bool active; /* started and not complete; a persistent request may also be inactive */
    /* Only the writing process uses the following members; a reader must ignore them. */
    uint8_t spared;             /* for collectives: see ledger_is_sampled() */
    uint8_t kind;               /* bits of enum request_kind */
    bool excluded;              /* started while calls were excluded from timing */
    uint32_t next;              /* index of the next request in its bucket or the free list */
    struct ledger_entry *entry; /* counters of the call that started the request */
    uint64_t post_exit;         /* ticks at the return of the call that started it */
    uint64_t comm_handle;       /* comm_key() of its communicator */
    uint64_t id;                /* comm.id of this communicator: MPI may reuse its handle */
    struct turn {
        uint32_t channel; /* index of ledger_channel; 0: none, or table full */
        uint32_t ordinal; /* number of the message in the channel; or TURN_UNKNOWN */
        uint32_t waiting; /* index in the queue of channels.c; 0 if it is not queued */
    } turn;               /* only with --trace: see channels.h */
};

/* The messages of one (communicator, peer, tag, direction, call site). From these counts follow the
 * communication matrix and the messages that were sent but never received. */
struct ledger_messages {
    uint64_t comm_id; /* as in ledger_instance; 0: an element for any communicator and tag, made
                         once the table is half full */
    uint64_t n, bytes;
    uint32_t peer; /* rank in MPI_COMM_WORLD; UINT32_MAX if unknown */
    int32_t tag;
    uint32_t site, operation;
    uint32_t received; /* 0: sent to PEER, 1: received from PEER */
    uint32_t types;    /* see ledger_type_bit() */
};

struct ledger_region {
    char name[64];
    uint64_t entered; /* number of entries */
    uint64_t time_ns; /* without inner regions; in an open region, up to the last change */
};

/* Communicators with the same members in the same order, created at one call site. The first three
 * have an element each; all later ones share one, because an application may create millions. */
struct ledger_comm {
    uint64_t id;      /* hash of the members' world ranks: equal on all members */
    uint64_t created; /* number of communicators that this element stands for */
    uint32_t site;    /* call site of their creation; LEDGER_NO_SITE if unknown */
    uint32_t copy;    /* number of earlier elements with this ID and SITE: 0 to 3 */
    uint32_t size;    /* number of members; of both groups in an intercommunicator */
    uint32_t rank;  /* this process's rank; in an intercommunicator ranks of the second group follow
                       those of the first */
    uint32_t first; /* size of an intercommunicator's first group; otherwise 0 */
    uint32_t root_world_rank; /* world rank of rank 0; UINT32_MAX if unknown */
    uint32_t flags;           /* bits LEDGER_COMM_... */
    uint64_t entered;         /* collectives completed or posted on communicator LAST */
    uint64_t last;            /* comm.id of the communicator with the latest collective */
    char name[64];            /* set by MPI_Comm_set_name; empty if none */
};
#define LEDGER_SEVERAL_NAMES "(several names)" /* NAME, if its communicators have several */
#define LEDGER_COMM_INTER 1u
#define LEDGER_COMM_WORLD 2u

/* A call site: the return addresses of the stack, innermost first. */
struct ledger_site {
    uint32_t depth;
    struct {
        uint32_t module;  /* index; UINT32_MAX: unknown, and ADDRESS is a run-time address */
        uint64_t address; /* ELF virtual address of the instruction after the call */
    } frame[LEDGER_MAX_DEPTH];
};

/* The sums in each struct ledger_entry: X(member). Code that merges ranks and writes profile.json
 * is generated from it; a new sum needs a line here, code that counts, a column in report/tables.c.
 *   bytes                  payload: received if the call's status shows it, otherwise as posted
 *   time_ns                in the calls; without excluded_ns
 *   completed              requests started by these calls whose completion was seen, without
 *                          those to MPI_PROC_NULL; the following sums are over these requests
 *   post_to_wait_ns        return from the post to entry of the completing call
 *   wait_ns                time in the completing call, divided by the number of requests that it
 *                          completed
 *   post_to_completion_ns  entry of the post to return of the completing call
 *   complete_at_wait       completed without waiting: found complete by MPI_Test, or wait < 1 us
 *   excluded, excluded_ns  calls (and their time) that measurements of the layer may have delayed:
 *                          of the other sums, only calls, errors and bytes contain them
 *   excluded_requests      requests posted or completed by such calls: of the other sums, only
 *                          bytes and completed_bytes contain them */
#define LEDGER_SUMS(X)                                                                             \
    X(calls)                                                                                       \
    X(errors)                                                                                      \
    X(bytes)                                                                                       \
    X(time_ns)                                                                                     \
    X(excluded)                                                                                    \
    X(excluded_ns)                                                                                 \
    X(excluded_requests)                                                                           \
    X(completed)                                                                                   \
    X(completed_bytes)                                                                             \
    X(post_to_completion_ns) X(post_to_wait_ns) X(wait_ns) X(complete_at_wait) X(cancelled)

/* The calls of one (site, operation, communicator, region, size class), counted together. */
struct ledger_entry {
    uint32_t site, operation, comm, region; /* indexes; REGION 0: none */
    uint32_t size_class; /* of a call's bytes: 0 for none, otherwise 1 + floor(log2(bytes)) */
    uint32_t lock;       /* of the writing process; a reader must ignore it */
#define LEDGER_MEMBER(member) uint64_t member;
    uint64_t min_ns, max_ns; /* a call's duration; here to share a cache line with sums */
    LEDGER_SUMS(LEDGER_MEMBER)
    uint32_t histogram[HISTOGRAM_BUCKETS]; /* of durations; saturating */
};

/* This rank's part in one collective. All members have the same (comm_id, sequence) for it. Times
 * are ticks of the host's clock; header.pair converts them to seconds. */
struct ledger_instance {
    uint64_t comm_id; /* comm.id: identifies one communicator, equally on all members */
    uint64_t entry_ticks, exit_ticks;
    uint64_t outside_ticks; /* time outside of MPI since the previous collective in this thread: the
                               rank's own work. LEDGER_UNKNOWN_TICKS if unknown */
    uint64_t sequence : 48, operation : 11,
        spared : 5;                 /* SEQUENCE: number of earlier collectives on this communicator;
                                       SPARED: see ledger_is_sampled() */
    uint64_t bytes : 48, comm : 16; /* COMM: index of its ledger_comm */
    uint32_t site;
    int32_t root;       /* -1 if none */
    uint32_t signature; /* see LEDGER_SIGNATURE() */
};

/* The reduction and the datatype that a rank passes to a collective, to detect ranks that differ.
 * REDUCTION: 1 + position in LEDGER_REDUCTIONS; FORM: enum ledger_form; SIZE: bytes of the type. 0:
 * not predefined, or none. Equivalent types of C and Fortran have equal forms and sizes. */
#define LEDGER_SIGNATURE(reduction, form, size)                                                    \
    ((uint32_t)(reduction) | (uint32_t)(form) << 8 | (uint32_t)(size) << 16)
#define LEDGER_REDUCTIONS(X)                                                                       \
    X(SUM) X(MAX) X(MIN) X(PROD) X(LAND) X(LOR) X(LXOR) X(BAND) X(BOR) X(BXOR) X(MINLOC) X(MAXLOC)
enum ledger_form {
    FORM_UNKNOWN,
    FORM_COMPLEX,
    FORM_REAL,
    FORM_LOGICAL,
    FORM_BYTE,
    FORM_UNSIGNED,
    FORM_INTEGER,
    FORMS
};

/* A set of datatypes, with one bit for each form and size (1 to 16 B): to detect messages that are
 * sent with one type and received with another. ledger_type_bit() gives the bit of a SIGNATURE's
 * type, ledger_type_of() a signature with the type of SET's lowest bit. Signed and unsigned
 * integers share a bit, because applications often mix them. LEDGER_LOOSE_TYPES match every type:
 * MPI_BYTE, and unknown types (bit 31). */
#define LEDGER_LOOSE_TYPES (1u << 31 | 0x1fu << 5 * (FORM_BYTE - 1))
static inline uint32_t ledger_type_bit(uint32_t signature)
{
    const uint32_t given = signature >> 8 & 0xff, size = signature >> 16 | 1,
                   form = given == FORM_UNSIGNED ? FORM_INTEGER : given,
                   power = 31 - (uint32_t)__builtin_clz(size);
    return form ? 1u << (5 * (form - 1) + (power < 4 ? power : 4)) : 1u << 31;
}
static inline uint32_t ledger_type_of(uint32_t set)
{
    const uint32_t bit = (uint32_t)__builtin_ctz(set);
    return LEDGER_SIGNATURE(0, bit / 5 + 1, 1u << bit % 5);
}

/* With --trace: a channel is the messages of a communicator, sender, receiver and tag, which MPI
 * must match in the order of posting; or a communicator's collectives of one operation and root. */
struct ledger_channel {
    uint64_t comm_id; /* as in ledger_instance */
    int32_t peer; /* rank in the communicator, or in the remote group of an intercommunicator. Of
                     collectives: the root, -1 if none */
    int32_t tag;  /* of collectives: index of their operation */
    uint32_t peer_world; /* rank of PEER in MPI_COMM_WORLD; UINT32_MAX if unknown */
    uint32_t next;       /* number of ordinals assigned so far */
    uint32_t thread;     /* thread.number of the first thread that used it */
    uint16_t comm;       /* index of its ledger_comm */
    uint8_t kind, flags;
};
enum { LEDGER_CHANNEL_SEND, LEDGER_CHANNEL_RECEIVE, LEDGER_CHANNEL_COLLECTIVE };
#define LEDGER_CHANNEL_DISORDERED 1u /* a flag: ordinals do not match the messages */

/* Extracts one of several values packed into a word, starting at bit FROM. Bit-fields would be
 * slower: compilers read a word before they write a bit-field, which faults in untouched pages. */
#define LEDGER_BITS(word, from, bits) ((word) >> (from) & ((1ull << (bits)) - 1))

/* With --trace: one event of an MPI call, in the order of the calls' returns. A call that completes
 * several requests has one event for each.
 *
 * With --trace=transport also calls from MPI to its transport library: KIND is LEDGER_TRANSPORT +
 * enum transport_kind; operation and site are those of the MPI call that the thread was in. */
struct ledger_event {
    uint64_t entry_ticks;
    uint64_t what; /* duration (ticks) : 42, operation : 10, kind (enum event_kind) : 5, thread : 6,
                      excluded : 1. Excluded from analysis: the layer may have delayed it, or its
                      thread never called MPI */
    uint64_t posted_ticks; /* ticks at entry of the call that posted the completed request, or else
                              of this call. Transport: of the MPI call; 0 outside of MPI */
    uint64_t message;      /* bytes : 48, channel : 16; channel 0: none or unknown. Transport: 1 as
                              channel if the operation was complete on return */
    uint32_t site;
    uint32_t ordinal; /* number of a message in its channel, of a collective on its communicator;
                         UINT32_MAX if unknown. Transport: transport_event.number */
};
#define LEDGER_TRANSPORT 16u
#define EVENT_DURATION(e) LEDGER_BITS((e)->what, 0, 42)
#define EVENT_OPERATION(e) (uint32_t) LEDGER_BITS((e)->what, 42, 10)
#define EVENT_KIND(e) (uint8_t) LEDGER_BITS((e)->what, 52, 5)
#define EVENT_THREAD(e) (uint8_t) LEDGER_BITS((e)->what, 57, 6)
#define EVENT_EXCLUDED(e) ((e)->what >> 63)
#define EVENT_BYTES(e) LEDGER_BITS((e)->message, 0, 48)
#define EVENT_CHANNEL(e) (uint32_t)((e)->message >> 48)

/* With --sample: how often one stack was found between one MPI call and the thread's next one. */
struct ledger_sample {
    uint32_t from_site, from_operation; /* the MPI call before; LEDGER_NO_OPERATION: run's start */
    uint32_t site, operation;           /* the call after; at the end of the run MPI_Finalize */
    uint32_t stack; /* index of the stack in the sites; LEDGER_NO_SITE if unknown */
    uint64_t n;     /* number of samples */
};
#define LEDGER_SAMPLE_NS 10000000 /* a thread's CPU time between two samples */

/* Time slices of a rank's run, twice as many as the report shows: ranks start and end at different
 * times, so a rank's slices must be divided among those of the report. */
enum { LEDGER_SLICES = 256 };

enum ledger_network_state {
    LEDGER_NETWORK_OFF,     /* transport events were not requested */
    LEDGER_NETWORK_ON,      /* they are recorded */
    LEDGER_NETWORK_NO_UCX,  /* recorded, but not UCX's: collprof was built without ucp.h */
    LEDGER_NETWORK_MISSING, /* requested, but libcollprof-transport.so is not loaded */
    LEDGER_NETWORK_STATES
};

struct ledger_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    struct ledger_table {
        uint32_t element_size, count;
        uint32_t capacity; /* elements for which disk space is allocated */
        uint32_t limit;    /* the largest possible capacity */
        uint64_t dropped;  /* elements without room; in ENTRIES: calls counted without site */
        uint64_t offset;   /* position of its first element in the file, in bytes */
    } section[LEDGER_SECTIONS];

    /* Identity of the process */
    int32_t rank, size; /* in MPI_COMM_WORLD; SIZE is 0 if unknown */
    int64_t pid;
    uint64_t run_id; /* equal on all ranks of one run, different for the next */
    char host[64];
    char program[4096];    /* /proc/self/exe */
    char mpi_library[192]; /* name and version: "MPICH 4.0.2" */
    char script[1024];     /* the script if PROGRAM is a Python interpreter; or empty */
    char arguments[2048];  /* of each a blank and the shell-quoted word; " ..." if too long */
    char launcher[64];     /* the command that starts ranks of this MPI: "srun --mpi=pmi2" */

    /* Times */
    uint32_t clock;            /* enum clock_source */
    uint32_t synchronized;     /* global_* are valid */
    double started_unix;       /* seconds since 1970 at initialization */
    struct clock_pair pair[2]; /* simultaneous ticks and seconds: at initialization; at the end */
    double ticks_per_second;   /* measured in MPI_Init; pair[0] and pair[1] give a better value */
    uint64_t last_ticks;       /* ticks at the latest return from an MPI call */
    /* Ticks in MPI calls, in equal slices of the time since pair[0]. When the run exceeds the last
     * slice, each two slices become one. Not valid if several threads are in MPI at once. */
    uint64_t in_mpi[LEDGER_SLICES];
    uint32_t slice_shift; /* a slice has 1 << SLICE_SHIFT ticks */
    /* On the clock common to all ranks, a time t of clock_now() is t + global_offset + global_drift
     * * (t - pair[0].seconds), with an error of at most global_bound seconds. */
    double global_offset, global_drift, global_bound;

    /* State */
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    uint64_t failed_collectives; /* collectives with an error, on communicators of several ranks */
    uint64_t untracked_requests; /* requests that complete unseen, or found the table full */
    uint32_t started_late;       /* MPI_Init was not intercepted: recording began at a later call */
    uint32_t messages_lost;      /* counts of messages by communicator and tag are incomplete */
    uint32_t threads_at_once;    /* MPI_THREAD_MULTIPLE */
    uint32_t sample_mask;        /* which collectives the log keeps: see ledger_is_sampled() */
    uint32_t traced;             /* --trace: events are recorded */
    uint32_t network;            /* enum ledger_network_state */
    uint32_t sample_error;       /* errno: why --sample failed; 0: it works, or is not given */
    uint32_t grow_error;         /* errno when the record last failed to grow; 0: never */
    uint64_t time_mask;   /* an event is kept if (entry in ns of the common clock & TIME_MASK)
                             is 0 */
    uint32_t stack_depth; /* --stack: frames for each call site; 0: no sites */
    struct noise_totals noise[2]; /* at the start; at the end (zero if not reached) */
    uint32_t findings;    /* results of --ack, --benchmark and the like: ledger_text() gives a JSON
                             array of {"kind", "value"} and {"warning"}; during the run its last
                             element may be {"before": FINDINGS of an earlier array}. 0 if none */
    uint64_t init_ns;     /* duration of the layer's start in MPI_Init */
    uint64_t injected_ns; /* time of injected measurements, not contained in calls' times */
    uint64_t polled;      /* ticks from polls that found nothing to the next poll; 0 with --trace */
    double call_ns;       /* mean cost of recording a call; 0 if not measured */
};
