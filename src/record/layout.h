/* What a record consists of: the header and the elements of its sections, as they are in the file.
 * ledger.h creates, grows and reads it.
 *
 * The file outlives the process, so it is also the crash record: it is readable at any moment by
 * any process, without flushing or closing. It describes itself (names of operations, rates,
 * capacities), so a reader needs only this header. All integers have the writing host's byte order,
 * which the magic number shows.
 *
 * After the header follow the sections, one array each (LEDGER_SECTION_LIST), at distances that
 * leave room for their largest sizes. Where no elements are, the file has holes, which take no
 * space; a full section fills more of its hole. Counts only grow (except for instances, which are
 * thinned), and an element is complete before the count includes it. */
#pragma once

#include "base/clock.h"
#include "base/histogram.h"
#include "base/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_MAGIC 0x31666f727070636cull /* "lcpprof1" */
#define LEDGER_VERSION 17u
#define LEDGER_NO_SITE 0u /* site 0: not recorded, or the table was full */
#define LEDGER_NO_OPERATION UINT32_MAX
#define LEDGER_NO_COMM 0u /* communicator 0: the call has none, or the table was full */
#define LEDGER_MAX_DEPTH 8u
#define LEDGER_UNKNOWN_BYTES UINT64_MAX
#define LEDGER_UNKNOWN_TICKS UINT64_MAX
#define LEDGER_48_BITS 0xffffffffffffull

/* Every section: X(name, array in struct ledger, element, least, share, growth, most).
 *
 * A record of B bytes has room for LEAST elements or, if that is more, for SHARE thousandths of B.
 * It may grow to GROWTH times that, and to MOST elements (0: no limit but that; for what an entry
 * refers to, it is the room in entry_key()). A section refers only to those above it. A new one is
 * a line here, its element below and, where it refers to others, its check in ledger_read.c. */
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

/* How the process ended, if it could record that itself. */
enum ledger_state {
    LEDGER_RUNNING, /* not recorded: still running, or killed by something that cannot be caught */
    LEDGER_FINALIZED, /* MPI_Finalize was reached */
    LEDGER_EXITED,    /* exit without MPI_Finalize */
    LEDGER_ABORTED,   /* MPI_Abort called by this rank; detail: its error code */
    LEDGER_SIGNALLED, /* detail: the signal's number */
    LEDGER_STATES
};

/* Families of operations: X(ID, name in profiles). */
#define CALL_FAMILIES(X)                                                                           \
    X(PLAIN, "plain")           /* counted and timed only */                                       \
    X(COLLECTIVE, "collective") /* blocking, also neighbourhood collectives */                     \
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

/* A shared object or executable, as mapped when it was first seen. With a function name it is
 * Python code: PATH is its file, and an "address" is a line. */
struct ledger_module {
    uint64_t bias;      /* run-time address minus address in the file */
    uint64_t low, high; /* range of run-time addresses */
    uint8_t build_id[24];
    uint32_t build_id_size; /* 0 if none */
    uint32_t path;          /* position in the texts; 0 if unknown */
    uint32_t function;      /* position in the texts; 0 for machine code */
};

/* The present or last call of a thread of this rank. Written on entry, so it shows in which call a
 * process hangs or was killed. */
struct ledger_call {
    uint64_t since;   /* ticks at entry; 0: it has returned. Written last on entry. */
    uint64_t comm_id; /* as in ledger_instance; 0 if unknown */
    uint64_t bytes;   /* of the payload; LEDGER_UNKNOWN_BYTES if not known on entry */
    uint32_t operation, site;
    uint64_t sequence;   /* for a collective */
    uint32_t comm;       /* index of its ledger_comm */
    int32_t peer, tag;   /* INT32_MIN if the operation has none */
    int32_t root;        /* -1 if none */
    uint32_t thread;     /* system's thread number; 0: this slot is free */
    int32_t to, to_tag;  /* MPI_Sendrecv: destination and tag of its send; otherwise INT32_MIN */
    uint64_t progress;   /* ticks at the last return from a call other than an unsuccessful poll */
    uint64_t n_requests; /* number of requests that it completes; REQUEST: handles of the first */
    uint64_t request[16];
};

/* A request from its start to its completion; a persistent one until it is freed. */
struct ledger_request {
    uint64_t handle;  /* if several requests share it, all of them are complete */
    uint64_t posted;  /* ticks at entry of the call that started it; 0: this row is free */
    uint64_t comm_id; /* as in ledger_instance; a persistent collective has an identity of its own,
                         since members may start several in different orders */
    uint64_t bytes;
    uint64_t sequence;
    uint32_t site;
    uint32_t signature;      /* see LEDGER_SIGNATURE() */
    int32_t root, peer, tag; /* as given, so they may be wildcards */
    uint16_t operation, comm;
    bool active; /* started and not yet complete; only a persistent one may be inactive */
    /* The rest is for the writer only, and meaningless to a reader. */
    uint8_t spared;             /* for a collective: see ledger_is_sampled() */
    uint8_t kind;               /* bits of enum request_kind */
    bool excluded;              /* started while calls were excluded from timing */
    uint32_t next;              /* next one in its handle's queue or the free list */
    struct ledger_entry *entry; /* of the call that started it */
    uint64_t post_exit;         /* ticks */
    uint64_t comm_handle;       /* it may have been reused: its communicator counts only if */
    uint64_t id;                /* it still has this identity */
    struct turn {
        uint32_t channel; /* index in the ledger; 0: none, or the table was full */
        uint32_t ordinal; /* TURN_UNKNOWN if not known */
        uint32_t waiting; /* its number in the queue; 0 if it is not queued */
    } turn;               /* ordinal, with --trace */
};

/* Messages of one (communicator, peer, tag, direction, call site): the communication matrix, and
 * what was sent and not received. */
struct ledger_messages {
    uint64_t comm_id; /* as in ledger_instance; 0: any, and the tag is then MPI_ANY_TAG */
    uint64_t n, bytes;
    uint32_t peer; /* rank in MPI_COMM_WORLD; UINT32_MAX if unknown */
    int32_t tag;
    uint32_t site, operation;
    uint32_t received; /* 0: sent to it, 1: received from it */
    uint32_t types;    /* see ledger_type_bit() */
};

struct ledger_region {
    char name[64];
    uint64_t entered; /* number of entries */
    uint64_t time_ns; /* exclusive time; for an open region up to the last change of region */
};

/* Communicators with the same members in the same order, made at one call site. The first ones have
 * rows of their own; the others share one, since an application may make and free a million. */
struct ledger_comm {
    uint64_t id;              /* equal on all members: hash of the members' world ranks */
    uint64_t created;         /* communicators made so far of this row; 1 for MPI_COMM_WORLD */
    uint32_t site;            /* where it was made; LEDGER_NO_SITE if unknown */
    uint32_t copy;            /* number of the row for these members and site: see comms.c */
    uint32_t size;            /* number of members; for an intercommunicator of both groups */
    uint32_t rank;            /* of this process; in an intercommunicator the second group follows
                                 the first */
    uint32_t first;           /* size of an intercommunicator's first group; otherwise 0 */
    uint32_t root_world_rank; /* world rank of its rank 0; UINT32_MAX if unknown */
    uint32_t flags;           /* bits LEDGER_COMM_... */
    uint64_t entered;         /* collectives that were left or posted on LAST, the latest of these
                                 communicators that had one */
    uint64_t last;
    char name[64]; /* the last one given by the application; empty if none */
};
#define LEDGER_SEVERAL_NAMES "(several names)" /* replaces different names */
#define LEDGER_COMM_INTER 1u
#define LEDGER_COMM_WORLD 2u

/* A call site: return addresses, innermost first, as (module, address in its file). */
struct ledger_site {
    uint32_t depth;
    struct {
        uint32_t module;  /* UINT32_MAX: in no known module; ADDRESS is then the run-time address */
        uint64_t address; /* a return address: the byte after the call */
    } frame[LEDGER_MAX_DEPTH];
};

/* Calls of one (site, operation, communicator, size class, region). Durations are those of the
 * call itself. Size class: 0 for no bytes, otherwise 1 + floor(log2(bytes)). */

/* What is summed up per entry: X(member). Gathering, merging and profile.json follow from
 * this list; a figure that is new needs a line here, one where it is counted, and one in
 * report/tables.c.
 *   bytes                  sent, or received if the call says so; otherwise as posted
 *   completed              requests started here that were seen complete, but for those with
 *                          MPI_PROC_NULL; of these:
 *   post_to_wait_ns        return from the post to entry of the completing call
 *   wait_ns                time in the completing calls, each shared out evenly among the requests
 *                          that it completed
 *   post_to_completion_ns  entry of the post to return of the completing call
 *   complete_at_wait       completed without waiting: found complete by MPI_Test, or wait < 1 us
 *   excluded, excluded_ns  of the calls, those that the layer may have delayed by what it injected,
 *                          and the time in them: in no other figure but calls, errors and bytes
 *   excluded_requests      requests that these have posted or completed: in no other figure but
 *                          bytes and completed_bytes */
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

struct ledger_entry {
    uint32_t site, operation, comm, region; /* REGION 0: none */
    uint32_t size_class;
    uint32_t lock; /* of the writer; meaningless to a reader */
#define LEDGER_MEMBER(member) uint64_t member;
    uint64_t min_ns, max_ns; /* durations of a call; here, since they are near other members that
                                each call changes */
    LEDGER_SUMS(LEDGER_MEMBER)
    /* For blocking collectives, waiting for the last rank is computed from the instances. */
    uint32_t histogram[HISTOGRAM_BUCKETS]; /* of durations; saturating */
};

/* One collective operation on one communicator. The same instance has the same (comm_id, sequence)
 * on every member. Times are raw ticks of this host: see header.pair. */
struct ledger_instance {
    uint64_t comm_id; /* identifies the communicator itself, equally on all members */
    uint64_t entry_ticks, exit_ticks;
    uint64_t outside_ticks; /* time outside of MPI since the previous collective in this thread: the
                               rank's own work. LEDGER_UNKNOWN_TICKS if unknown */
    uint64_t sequence : 48, operation : 11,
        spared : 5;                 /* SEQUENCE: earlier collectives on this communicator; SPARED:
                                       see ledger_is_sampled() */
    uint64_t bytes : 48, comm : 16; /* comm: index of its ledger_comm */
    uint32_t site;
    int32_t root;       /* -1 if none */
    uint32_t signature; /* see LEDGER_SIGNATURE() */
};

/* What all members pass to a collective: the predefined reduction and the predefined datatype,
 * each 0 where it is another one, or none. Datatypes have one number if they have the same form and
 * size, as MPI_INT and MPI_INTEGER. */
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

/* The datatypes of many messages are a set of bits, one for each form and size from 1 to 16 B: that
 * of a SIGNATURE, and the signature of a set's lowest bit. Signed and unsigned integers are one,
 * since they are often mixed and the same in memory. Bit 31 is an unknown type; it and MPI_BYTE are
 * not compared. */
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

/* With --trace: a stream of messages whose order MPI guarantees, or the collectives of a
 * communicator with one root. */
struct ledger_channel {
    uint64_t comm_id; /* as in ledger_instance */
    int32_t peer;     /* rank in the communicator, or in its other group; or the root; -1 if none */
    int32_t tag;      /* for collectives: their operation */
    uint32_t peer_world; /* the same rank in MPI_COMM_WORLD; UINT32_MAX if unknown */
    uint32_t next;       /* ordinals assigned so far */
    uint32_t thread;     /* the first one that used it */
    uint16_t comm;       /* index of its ledger_comm */
    uint8_t kind, flags;
};
enum { LEDGER_CHANNEL_SEND, LEDGER_CHANNEL_RECEIVE, LEDGER_CHANNEL_COLLECTIVE };
#define LEDGER_CHANNEL_DISORDERED 1u /* the ordinals of its messages are unknown */

/* Extracts one of several values packed into a word, starting at bit FROM. Not bit-fields:
 * compilers read memory before they write these, and new memory has not been touched yet. */
#define LEDGER_BITS(word, from, bits) ((word) >> (from) & ((1ull << (bits)) - 1))

/* With --trace: one event of a call, in the order of exits. A call that completes several requests
 * has one event for each. Ticks are stored exactly, since waits are differences between ranks.
 *
 * With --trace=transport also a call that MPI made to its transport, of kind LEDGER_TRANSPORT +
 * enum transport_kind; operation and site are those of the thread's MPI call. */
struct ledger_event {
    uint64_t entry_ticks;
    uint64_t what;         /* duration : 42, operation : 10, kind : 5, thread : 6, excluded : 1;
                              kind: enum event_kind; excluded: the layer may have delayed it, or the
                              thread never called MPI */
    uint64_t posted_ticks; /* entry of the call that posted what is completed here, or its own
                              entry. Transport: entry of the MPI call; 0 outside of MPI */
    uint64_t message;      /* bytes : 48, channel : 16; channel 0: none or unknown. Transport 1: a
                              start that was already complete on return */
    uint32_t site;
    uint32_t ordinal; /* number in the channel, or of a collective on its communicator; UINT32_MAX
                         if unknown. Transport: number of a start and its completion; 0 if none */
};
#define LEDGER_TRANSPORT 16u
#define EVENT_DURATION(e) LEDGER_BITS((e)->what, 0, 42)
#define EVENT_OPERATION(e) (uint32_t) LEDGER_BITS((e)->what, 42, 10)
#define EVENT_KIND(e) (uint8_t) LEDGER_BITS((e)->what, 52, 5)
#define EVENT_THREAD(e) (uint8_t) LEDGER_BITS((e)->what, 57, 6)
#define EVENT_EXCLUDED(e) ((e)->what >> 63)
#define EVENT_BYTES(e) LEDGER_BITS((e)->message, 0, 48)
#define EVENT_CHANNEL(e) (uint32_t)((e)->message >> 48)

/* With --sample: samples of one stack in one segment, the time of a thread between two calls. */
struct ledger_sample {
    uint32_t from_site, from_operation; /* the call before; LEDGER_NO_OPERATION: the start */
    uint32_t site, operation;           /* the call after, at the end MPI_Finalize */
    uint32_t stack; /* what was executed, as a site; LEDGER_NO_SITE if unknown */
    uint64_t n;
};
#define LEDGER_SAMPLE_NS 10000000 /* processor time between two samples */

/* Twice as many as the report shows, since these are not the same parts of the run on all ranks. */
enum { LEDGER_SLICES = 256 };

enum ledger_network_state {
    LEDGER_NETWORK_OFF,     /* not requested */
    LEDGER_NETWORK_ON,      /* recorded */
    LEDGER_NETWORK_NO_UCX,  /* recorded, but built without UCX's header: its functions are not */
    LEDGER_NETWORK_MISSING, /* requested, but the library is not loaded */
    LEDGER_NETWORK_STATES
};

struct ledger_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    struct ledger_table {
        uint32_t element_size, count;
        uint32_t capacity; /* elements for which there is room */
        uint32_t limit;    /* the largest possible capacity */
        uint64_t dropped;  /* elements that found the table full; for entries: calls */
        uint64_t offset;   /* of its first element in the file */
    } section[LEDGER_SECTIONS];

    /* Identity of the process */
    int32_t rank, size; /* in MPI_COMM_WORLD; SIZE is 0 if unknown */
    int64_t pid;
    uint64_t run_id; /* equal on all ranks of one run, different for the next; 0: not yet agreed */
    char host[64];
    char program[4096];    /* /proc/self/exe */
    char mpi_library[192]; /* name and version: "MPICH 4.0.2" */
    char script[1024];     /* the script that the program interprets, as given; empty if none */
    char arguments[2048];  /* each preceded by a blank, quoted for a shell; " ...": truncated */
    char launcher[64];     /* the command that starts such ranks: "srun --mpi=pmi2" */

    /* Times */
    uint32_t clock;            /* enum clock_source */
    uint32_t synchronized;     /* global_* are valid */
    double started_unix;       /* seconds since 1970 at initialization */
    struct clock_pair pair[2]; /* at initialization; at the last update (at least at the end) */
    double
        ticks_per_second; /* measured at initialization; the pairs are more accurate at the end */
    uint64_t last_ticks;  /* at the return from the last call */
    /* Ticks in MPI calls in each of equal slices of the time since pair[0]. When the run gets
     * longer than all of them, they are merged in pairs. With several threads they are wrong. */
    uint64_t in_mpi[LEDGER_SLICES];
    uint32_t slice_shift; /* a slice has 1 << SLICE_SHIFT ticks */
    /* This rank's time t of clock_now() is t + global_offset + global_drift * (t - pair[0].seconds)
     * on the global clock, within global_bound seconds. */
    double global_offset, global_drift, global_bound;

    /* State */
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    uint64_t failed_collectives; /* on communicators of more than this process */
    uint64_t untracked_requests; /* completion not seen, or the request table was full */
    uint32_t started_late;    /* MPI_Init was not seen: recording began with the first call seen */
    uint32_t messages_lost;   /* counts of messages by communicator and tag are incomplete */
    uint32_t threads_at_once; /* MPI_THREAD_MULTIPLE */
    uint32_t sample_mask;     /* which instances are kept: see ledger_is_sampled() */
    uint32_t traced;          /* events are recorded */
    uint32_t network;         /* enum ledger_network_state */
    uint32_t sample_error;    /* errno if nothing is sampled though requested; otherwise 0 */
    uint32_t grow_error;      /* errno of the last time that the record could not grow; 0: never */
    uint64_t time_mask;       /* only events at times (ns, common clock) that have none of these
                                 bits are kept */
    uint32_t stack_depth;     /* frames for each call site, as requested; 0: no sites */
    struct noise_totals noise[2]; /* at the start and at the end; zero if that was not reached */
    uint32_t findings;    /* results of injections, as a position in the texts: a JSON array of
                             {"kind", "value"}, {"warning"}, or, as the last one, {"before": position
                             of such an array} until the run ends; 0 if none */
    uint64_t init_ns;     /* duration of the layer's start */
    uint64_t injected_ns; /* duration of its injections, outside of the time of calls */
    double call_ns;       /* mean cost of recording a call; 0 if not measured */
};
