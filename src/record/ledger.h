/* The ledger: what one rank has recorded, in one mapped file.
 *
 * The file outlives the process, so it is the crash record too: nothing needs to be flushed or
 * closed for it to be readable, at any moment and by any process. It describes itself (names of
 * operations, rates, capacities), so a reader needs nothing but this header. All integers are of
 * the writing host's byte order, which the magic number shows.
 *
 * Behind the header stand the sections, one array each (LEDGER_SECTION_LIST). A section that is
 * full grows by a further segment at the end of the file, up to its limit; its segments, joined in
 * their order, are the array. In memory it is always in one piece. Counts only grow (but for the
 * instances, which are thinned out), and an element is complete before the count includes it. */
#ifndef COLLPROF_RECORD_LEDGER_H
#define COLLPROF_RECORD_LEDGER_H

#include "base/histogram.h"
#include "base/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_MAGIC 0x31666f727070636cull /* "lcpprof1" */
#define LEDGER_VERSION 11u
#define LEDGER_NO_SITE 0u /* site 0: not recorded, or the table was full */
#define LEDGER_NO_COMM 0u /* communicator 0: the call has none, or the table was full */
#define LEDGER_MAX_DEPTH 8u
#define LEDGER_MAX_SEGMENTS 8u
#define LEDGER_UNKNOWN_BYTES UINT64_MAX
#define LEDGER_UNKNOWN_TICKS UINT64_MAX
#define LEDGER_48_BITS 0xffffffffffffull
#define LEDGER_MIN_BYTES ((size_t)512 * 1024)

/* Every section: X(name, array in struct ledger, element, least, share, growth, most).
 *
 * A record of B bytes has room for LEAST elements or, if that is more, for SHARE thousandths of B.
 * It may grow to GROWTH times that, and to MOST elements (0: no limit but that). A section refers
 * only to those above it. A new one is a line here, its element below and, where it refers to
 * others, its check in ledger_read.c. */
#define LEDGER_SECTION_LIST(X)                                                                     \
    X(OPERATIONS, operations, struct ledger_operation, 0, 0, 1, 1023)                              \
    X(TEXTS, texts, char, 8192, 0, 1024, 0)                                                        \
    X(MODULES, modules, struct ledger_module, 48, 0, 64, 0)                                        \
    X(REGIONS, regions, struct ledger_region, 50, 0, 2, 127)                                       \
    X(SITES, sites, struct ledger_site, 192, 53, 16, 0)                                            \
    X(COMMS, comms, struct ledger_comm, 64, 13, 16, 2047)                                          \
    X(CALLS, calls, struct ledger_call, 16, 0, 16, 0)                                              \
    X(ENTRIES, entries, struct ledger_entry, 64, 580, 16, 0)                                       \
    X(INSTANCES, instances, struct ledger_instance, 64, 250, 1, 0)                                 \
    X(PEERS, peers, struct ledger_peer, 128, 0, 128, 0)                                            \
    X(REQUESTS, requests, struct ledger_request, 64, 0, 64, 0)                                     \
    X(MESSAGES, messages, struct ledger_messages, 128, 0, 64, 0)                                   \
    X(CHANNELS, channels, struct ledger_channel, 128, 1, 128, 65535)                               \
    X(EVENTS, events, struct ledger_event, 64, 32, 128, 0)

enum ledger_section {
#define X(name, array, element, least, share, growth, most) LEDGER_##name,
    LEDGER_SECTION_LIST(X)
#undef X
        LEDGER_SECTIONS
};
extern const struct ledger_rule {
    size_t pointer; /* of the array, in struct ledger */
    uint32_t element_size, least, share, growth, most;
} ledger_rules[LEDGER_SECTIONS];

/* How the process ended, as far as it could say so itself. */
enum ledger_state {
    LEDGER_RUNNING,   /* no word: still running, or killed where nothing could be caught */
    LEDGER_FINALIZED, /* MPI_Finalize was reached */
    LEDGER_EXITED,    /* exit without MPI_Finalize; detail: of the signal before it, or 0 */
    LEDGER_ABORTED,   /* MPI_Abort called by this rank; detail: its error code */
    LEDGER_SIGNALLED, /* detail: the signal's number */
    LEDGER_HANDLED,   /* the same as LEDGER_SIGNALLED, but the program's own handler has it */
    LEDGER_STATES
};

enum call_family {
    FAMILY_PLAIN,      /* counted and timed, nothing more is known */
    FAMILY_COLLECTIVE, /* blocking collectives, neighbourhood ones included */
    FAMILY_ICOLLECTIVE,
    FAMILY_SEND,
    FAMILY_ISEND,
    FAMILY_RECV,
    FAMILY_IRECV,
    FAMILY_SENDRECV,
    FAMILY_INIT_REQUEST, /* MPI_Send_init, MPI_Bcast_init, ... */
    FAMILY_START,
    FAMILY_COMPLETION, /* Wait, Test and their forms, Request_free, Cancel */
    FAMILY_PROBE,
    FAMILY_ONE_SIDED,
    FAMILY_IO,
    FAMILY_COMM,     /* makes or frees communicators */
    FAMILY_LIFECYCLE /* Init, Finalize, Abort, sessions */
};

struct ledger_operation {
    char name[40]; /* "MPI_Bcast" */
    uint32_t family;
    uint32_t unused;
};

/* A shared object or the executable, as it was mapped when it was first seen; or, with a function's
 * name, Python code: PATH is its file then, and an "address" in it is a line. */
struct ledger_module {
    uint64_t bias;      /* run-time address minus address in the file */
    uint64_t low, high; /* run-time addresses that belong to it */
    uint8_t build_id[24];
    uint32_t build_id_size; /* 0: none */
    uint32_t path;          /* where it begins in the texts; 0: not known */
    uint32_t function;      /* the same; 0: it is machine code */
    uint32_t unused;
};

/* The present or last call of a thread of this rank. Written on entry, so it shows in which call a
 * process hangs or was killed. */
struct ledger_call {
    uint64_t since;   /* ticks at entry; 0: it has returned. Written last on the way in. */
    uint64_t comm_id; /* as in ledger_instance; 0: not known */
    uint64_t bytes;   /* of the payload; LEDGER_UNKNOWN_BYTES: not known beforehand */
    uint32_t operation, site;
    uint64_t sequence;   /* of a collective */
    uint32_t comm;       /* index of its ledger_comm */
    int32_t peer, tag;   /* INT32_MIN: the operation has none */
    int32_t root;        /* -1: none */
    uint32_t thread;     /* its number in the system; 0: this slot is free */
    int32_t to, to_tag;  /* MPI_Sendrecv: what it sends; INT32_MIN: none */
    uint64_t progress;   /* ticks: last return of a call other than an unsuccessful poll */
    uint64_t n_requests; /* that it completes; the first of their handles: */
    uint64_t request[16];
};

/* A request that is not complete. Its index is that of the request in the layer's own table. */
struct ledger_request {
    uint64_t handle;  /* if several requests share it, all of them are complete */
    uint64_t posted;  /* ticks; 0: this slot is free */
    uint64_t comm_id; /* as in ledger_instance; a persistent collective has an id of its own */
    uint64_t bytes;
    uint64_t sequence;
    uint32_t site;
    int32_t peer, tag, root;
    uint16_t operation, comm;
    uint32_t active; /* started and not complete; 0 only for a persistent request */
};

/* Number of messages of one (communicator, peer, tag, direction). Incomplete once the table is
 * full. */
struct ledger_messages {
    uint64_t comm_id; /* as in ledger_instance */
    uint64_t n;
    uint32_t peer; /* rank in MPI_COMM_WORLD; UINT32_MAX: not known */
    int32_t tag;
    uint32_t received; /* 0: sent to it, 1: received from it */
    uint32_t unused;
};

struct ledger_region {
    char name[64];
    uint64_t entered; /* times */
    uint64_t time_ns; /* exclusive time; an open region counts up to the last change of region */
};

/* Communicators with the same members in the same order that one call site made: each of the first
 * ones by itself, the others together, since an application may make and free a million of them. */
struct ledger_comm {
    uint64_t id;              /* equal on all members: hash of the members' world ranks */
    uint64_t created;         /* how many there have been; 1 for MPI_COMM_WORLD */
    uint32_t site;            /* that made it; LEDGER_NO_SITE: not known */
    uint32_t copy;            /* which row of these members and this site: see comms.c */
    uint32_t names;           /* how often its name was taken: what was made later has it, too */
    uint32_t size;            /* members; of both groups for an intercommunicator */
    uint32_t rank;            /* of this process; there, after those of the first group */
    uint32_t first;           /* members of the first group of an intercommunicator; else 0 */
    uint32_t root_world_rank; /* world rank of its rank 0; UINT32_MAX: not known */
    uint32_t flags;           /* LEDGER_COMM_... */
    uint64_t entered;         /* collectives that were left or posted on the last of them that had
                                 one, which is LAST */
    uint64_t last;
    char name[64]; /* by the application, as it ended; empty: none */
};
#define LEDGER_SEVERAL_NAMES "(several names)" /* as a name: they differ */
#define LEDGER_COMM_INTER 1u
#define LEDGER_COMM_WORLD 2u
#define LEDGER_COMM_SELF 4u

/* A call site: return addresses, innermost first, as (module, address in its file). */
struct ledger_site {
    uint64_t hash;
    uint32_t depth;
    uint32_t unused;
    struct {
        uint32_t module; /* UINT32_MAX: in no known module; the address is then as it was */
        uint32_t unused;
        uint64_t address; /* a return address: one past the call */
    } frame[LEDGER_MAX_DEPTH];
};

/* Calls of one (site, operation, communicator, size class, region). Durations are those of the
 * call itself. Size class: 0 for no bytes, otherwise 1 + floor(log2(bytes)). */

/* What is summed up per entry: X(member). Gathering, merging and profile.json follow from
 * this list; a figure that is new needs a line here, one where it is counted, and one in
 * report/figures_calls.c.
 *   bytes            sent, or received if the call says so; otherwise as posted
 *   completed        requests started here that were seen complete, but for those with
 *                    MPI_PROC_NULL; of these:
 *   window_ns        return from the post to entry of the completing call
 *   wait_ns          time in the completing calls, each shared out evenly among the requests that
 *                    it completed
 *   span_ns          entry of the post to return of the completing call
 *   hidden           completed without waiting: found done by Test, or wait < 1 us
 *   apart, apart_ns  of the calls, those that the layer may have delayed by what it injected, and
 *                    the time in them: in no other figure but calls, errors and bytes
 *   apart_completed  requests that these have posted or completed: in no other figure but bytes
 *                    and completed_bytes
 *   polls            with --trace=transport: polls of the transport, in these calls; of
 *                    them empty, that found nothing */
#define LEDGER_SUMS(X)                                                                             \
    X(calls)                                                                                       \
    X(errors)                                                                                      \
    X(bytes)                                                                                       \
    X(time_ns)                                                                                     \
    X(apart)                                                                                       \
    X(apart_ns)                                                                                    \
    X(apart_completed)                                                                             \
    X(completed)                                                                                   \
    X(completed_bytes)                                                                             \
    X(span_ns) X(window_ns) X(wait_ns) X(hidden) X(cancelled) X(polls) X(empty_polls)

struct ledger_entry {
    uint32_t site, operation, comm, region; /* region 0: none */
    uint32_t size_class;
    uint32_t lock; /* of the writer; meaningless to a reader */
#define LEDGER_MEMBER(member) uint64_t member;
    uint64_t min_ns, max_ns; /* of a call; next to what else each call changes */
    LEDGER_SUMS(LEDGER_MEMBER)
    /* Blocking collectives: waiting for the latest is seen from the instances, not here. */
    uint32_t histogram[HISTOGRAM_BUCKETS]; /* saturating */
};

/* One collective operation on one communicator. The same instance has the same (comm_id,
 * sequence) on every member. Times are raw ticks of this host: see header.pair. */
struct ledger_instance {
    uint64_t comm_id; /* of this very communicator, not of its members: equal on all members */
    uint64_t entry_ticks, exit_ticks;
    uint64_t outside_ticks; /* outside of MPI since the collective before it that this thread was
                               in: what the rank did itself. LEDGER_UNKNOWN_TICKS: not known */
    uint64_t sequence : 48, operation : 11,
        spared : 5;                 /* sequence: collectives on this communicator
                                       so far; spared: see ledger_is_sampled() */
    uint64_t bytes : 48, comm : 16; /* comm: index of its ledger_comm */
    uint32_t site;
    int32_t root; /* -1: none */
};

/* Messages sent to or received from one peer at one place: the communication matrix. */
struct ledger_peer {
    uint32_t site, operation;
    uint32_t peer;     /* rank in MPI_COMM_WORLD */
    uint32_t received; /* 0: sent to it, 1: received from it */
    uint64_t messages, bytes;
};

/* With --trace: a stream of messages in which MPI keeps the order, or the collectives of a
 * communicator with one root. */
struct ledger_channel {
    uint64_t comm_id;    /* as in ledger_instance */
    int32_t peer;        /* rank in the communicator, or in its other group; the root; -1: none */
    int32_t tag;         /* of collectives: their operation */
    uint32_t peer_world; /* the same rank in MPI_COMM_WORLD; UINT32_MAX: not known */
    uint32_t next;       /* places that were given so far */
    uint32_t thread;     /* that used it first */
    uint16_t comm;       /* index of its ledger_comm */
    uint8_t kind, flags;
};
enum { LEDGER_CHANNEL_SEND, LEDGER_CHANNEL_RECEIVE, LEDGER_CHANNEL_COLLECTIVE };
#define LEDGER_CHANNEL_DISORDERED 1u /* the places of its messages are not known */

/* Several values in one word, from its lowest bit on. No bit-fields: of these a compiler reads from
 * memory, where nothing is yet, before it writes them. */
#define LEDGER_BITS(word, from, bits) ((word) >> (from) & ((1ull << (bits)) - 1))

/* With --trace: what one call did, in the order of exits. A call that completes several requests
 * has one for each. Exact ticks are worth their bytes: waits are differences between ranks.
 *
 * With --trace=transport: what MPI called below itself, of kind LEDGER_TRANSPORT + enum
 * transport_kind; operation and site are of the MPI call that the thread was in. */
struct ledger_event {
    uint64_t entry_ticks;
    uint64_t what;         /* duration : 42, operation : 10, kind : 5, thread : 6, apart : 1; kind:
                              enum act_kind; apart: the layer may have delayed it, or the thread
                              never called MPI */
    uint64_t posted_ticks; /* entry of the call that posted what is completed here; or entry. Of the
                              transport: entry of the MPI call; 0: in none */
    uint64_t message;      /* bytes : 48, channel : 16; channel 0: none, or not known. Of the
                              transport 1: a start that was complete when it returned */
    uint32_t site;
    uint32_t ordinal; /* in the channel; of a collective on its communicator. UINT32_MAX: unknown.
                         Of the transport: of a start and its completion; 0: none */
};
#define LEDGER_TRANSPORT 16u
#define EVENT_DURATION(e) LEDGER_BITS((e)->what, 0, 42)
#define EVENT_OPERATION(e) (uint32_t) LEDGER_BITS((e)->what, 42, 10)
#define EVENT_KIND(e) (uint8_t) LEDGER_BITS((e)->what, 52, 5)
#define EVENT_THREAD(e) (uint8_t) LEDGER_BITS((e)->what, 57, 6)
#define EVENT_EXCLUDED(e) ((e)->what >> 63)
#define EVENT_BYTES(e) LEDGER_BITS((e)->message, 0, 48)
#define EVENT_CHANNEL(e) (uint32_t)((e)->message >> 48)

enum ledger_network_state {
    LEDGER_NETWORK_OFF,     /* not asked for */
    LEDGER_NETWORK_ON,      /* recorded */
    LEDGER_NETWORK_NO_UCX,  /* recorded, but built without UCX's header: its functions are not seen
                             */
    LEDGER_NETWORK_MISSING, /* asked for, but the library is not in the process */
    LEDGER_NETWORK_STATES
};

struct ledger_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t file_size;
    struct ledger_table {
        uint32_t element_size, count;
        uint32_t capacity; /* elements that there is room for */
        uint32_t limit;    /* that there may be at most */
        uint64_t dropped;  /* elements that found the table full; for entries: calls */
        struct {
            uint64_t offset, bytes; /* whole pages; 0: not there yet */
        } segment[LEDGER_MAX_SEGMENTS];
    } section[LEDGER_SECTIONS];

    /* Who */
    int32_t rank, size; /* in MPI_COMM_WORLD; size 0: not known */
    int64_t pid;
    uint64_t run_id; /* equal on all ranks of one run, different for the next; 0: not agreed */
    char host[64];
    char program[4096];    /* /proc/self/exe */
    char mpi_library[192]; /* MPI_Get_library_version, first line */
    char script[1024];     /* that the program interprets, as it was given; empty: none */
    char arguments[2048];  /* each with a space in front, as a shell takes them; " ...": more
                              than there is room for */
    char launcher[64];     /* the command that starts such ranks, "srun --mpi=pmi2" */
    uint32_t processors;   /* in the affinity mask; 0: not known, or simulated */
    uint64_t affinity[16]; /* the mask itself: processors of all ranks of a host are its union */

    /* When */
    uint32_t clock;        /* enum clock_source */
    uint32_t synchronized; /* whether global_* hold */
    double started_unix;   /* seconds since 1970 at initialization */
    struct {
        uint64_t ticks;
        double seconds;      /* clock_now() */
    } pair[2];               /* at initialization; at the last update (at least at the end) */
    double ticks_per_second; /* as known at initialization; the pairs know better at the end */
    uint64_t last_ticks;     /* return from the last call */
    /* Global time of this rank's second t of clock_now(): t + global_offset +
     * global_drift * (t - pair[0].seconds); good to global_bound seconds. */
    double global_offset, global_drift, global_bound;

    /* How it goes */
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    uint64_t failed_collectives;  /* on communicators of more than this process */
    uint64_t untracked_requests;  /* completion not seen, or the request table was full */
    uint32_t started_late;        /* MPI_Init was not seen: recorded from the first call seen */
    uint32_t threads_at_once;     /* MPI_THREAD_MULTIPLE */
    uint32_t sample_mask;         /* instances kept: see ledger_is_sampled() */
    uint32_t traced;              /* events are recorded */
    uint32_t network;             /* enum ledger_network_state */
    uint32_t grow_error;          /* errno of the last time that the record could not; 0: never */
    uint64_t time_mask;           /* of them, those at times on the common clock (ns) that have
                                     none of these bits */
    uint32_t stack_depth;         /* frames per site asked for; 0: no sites */
    struct noise_totals noise[2]; /* at the start and at the end; zero: it was not reached */
    uint32_t findings;    /* where they begin in the texts: a JSON array of {"kind", "value"}
                             or {"warning"}, of what was injected; 0: none */
    uint64_t init_ns;     /* what the layer's own start cost */
    uint64_t injected_ns; /* and what it injected: around calls, in none of their times */
    double call_ns;       /* and a call: see layer/cost.c; 0: not measured */
};

/* A ledger in memory: mapped, for its writer; a checked copy, for a reader. */
struct ledger {
    struct ledger_header *header;
#define X(name, array, element, least, share, growth, most) element *array;
    LEDGER_SECTION_LIST(X)
#undef X
    bool writable, in_file;
    uint64_t reserved[LEDGER_SECTIONS]; /* writer: bytes of address space of each section */
    uint64_t device, inode;             /* of the writer's file */
    char path[4200];                    /* of the writer's file, absolute */
};

/* Creates a ledger of about BYTES (at least LEDGER_MIN_BYTES) as the new file PATH (absolute; its
 * last part is made in DIRECTORY, open for that, or AT_FDCWD), or in memory alone (PATH NULL).
 * Nothing that is there already is touched: EEXIST. Space is reserved at once, so that a full disk
 * shows here and not as SIGBUS later. Returns 0 or an errno; *L is then zero. */
int ledger_create(struct ledger *l, int directory, const char *path, size_t bytes,
                  uint32_t operations);

/* Address of L's pointer to the elements of SECTION. */
static inline char **ledger_array(const struct ledger *l, int section)
{
    return (char **)((char *)l + ledger_rules[section].pointer);
}

/* Makes room for one more element of SECTION; false if that is impossible. Only for the writer, one
 * thread at a time. Elements keep their addresses. */
bool ledger_grow(struct ledger *l, enum ledger_section section);

/* Appends a copy of ELEMENT to SECTION and returns it. NULL: no room, and the loss is counted.
 * Threads: as ledger_grow(). */
void *ledger_append(struct ledger *l, enum ledger_section section, const void *element);

/* Adds a segment to SECTION; false if it is at its limit. Threads: as ledger_grow(). */
bool ledger_extend(struct ledger *l, enum ledger_section section);

/* Copies TEXT into the texts and returns its position; 0: no room. Threads: as ledger_grow(). */
uint32_t ledger_add_text(struct ledger *l, const char *text);

/* A ledger as bytes, for another process: part 0 is the header, part S + 1 has the elements of
 * section S. Sizes of a part, and of all, in bytes, follow from the COUNTs of elements. */
enum { LEDGER_PARTS = LEDGER_SECTIONS + 1 };
char *ledger_part(const struct ledger *l, int part);
size_t ledger_part_bytes(int part, const uint32_t count[LEDGER_SECTIONS]);
uint64_t ledger_bytes(const uint32_t count[LEDGER_SECTIONS]);

/* Allocates *L for all parts of another process's ledger; false: no memory. The caller fills them,
 * validates them by ledger_check() (errors as of ledger_open()), and frees *L by ledger_close(). */
bool ledger_make_room(struct ledger *l, const uint32_t count[LEDGER_SECTIONS]);
const char *ledger_check(const struct ledger *l);

/* Reads only the header of the record NAME in DIRECTORY (AT_FDCWD: NAME is a path). Returns NULL,
 * or an error message. */
const char *ledger_peek(struct ledger_header *h, int directory, const char *name);

/* Whether NAME is a record's file name: rank-....ledger */
bool ledger_is_name(const char *name);

/* Whether a process may still be writing to the record: it runs on this host; or it is on another
 * host and has not recorded its end; or it has not yet recorded its identity. */
bool ledger_is_in_use(const struct ledger_header *h);

/* Whether calls were made after the recorded end: the application survived a signal, by a handler
 * of its own. */
bool ledger_went_on(const struct ledger_header *h);

/* Whether the process that writes it runs on this host. */
bool ledger_is_alive(const struct ledger_header *h);

/* Reads and validates the record: afterwards every index in it is valid. If its process is still
 * running, L is approximately its state at one moment. Returns NULL, or an error message, for
 * instance if the file is not a record. */
const char *ledger_open(struct ledger *l, int directory, const char *name);

/* As ledger_open(), but reads only SECTIONS, a sum of bits 1 << LEDGER_...; the others are empty.
 * Sections that the elements refer to must be included. */
const char *ledger_open_part(struct ledger *l, int directory, const char *name, uint32_t sections);

/* The size class of a message: 0 for no bytes, C for sizes from 2^(C-1) to below 2^C. */
static inline unsigned size_class_of(uint64_t bytes)
{
    return bytes ? 64u - (unsigned)__builtin_clzll(bytes) : 0;
}

/* Whether a log that is sampled with MASK (2^k - 1) keeps this collective, and how many collectives
 * it then represents. All ranks decide alike, by a hash, so that two collectives that alternate in
 * a loop are kept equally often. SPARED: number of halvings of the log that do not affect it. */
static inline bool ledger_is_sampled(uint64_t comm_id, uint64_t sequence, unsigned spared,
                                     uint32_t mask)
{
    uint64_t hash = (comm_id ^ sequence) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull;
    return (hash >> 32 & mask >> (spared & 31)) == 0;
}
static inline uint64_t ledger_stands_for(unsigned spared, uint32_t mask)
{
    return (uint64_t)(mask >> (spared & 31)) + 1;
}

/* SPARED of a collective that follows CALLS calls of the same entry: rare collectives are kept
 * even beside one that is called a million times as often. Ranks that call it from different call
 * sites may differ; it is then complete only if the rank with the smallest SPARED keeps it. */
static inline unsigned ledger_spared(uint64_t calls)
{
    return calls < 128 ? 16 - 2 * size_class_of(calls) : 0;
}

/* The text that begins at POSITION of the texts; "" for 0. */
const char *ledger_text(const struct ledger *l, uint32_t position);

void ledger_close(struct ledger *l);

#endif
