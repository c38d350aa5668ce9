/* Inside of a profile: tables that refer to each other by
 * index. Every table holds distinct things only, so merging is finding or adding. */
#ifndef COLLPROF_PROFILE_MODEL_H
#define COLLPROF_PROFILE_MODEL_H

#include "profile/profile.h"
#include "timeline/network.h"
#include "timeline/timeline.h"

#include <string.h>

#define PROFILE_NONE UINT32_MAX /* no module, no site, no communicator */

/* At most this many records of collective instances (one per rank and instance) are kept in a
 * merged profile, and this many in profile.json. */
#define PROFILE_MAX_EVENTS 131072u
#define PROFILE_MAX_SAVED_EVENTS 32768u

/* At most so many of what the ranks did are looked at together: thinned out by windows of time. */
#define PROFILE_MAX_ACTS ((size_t)1 << 20)

/* At most so many rows of the communication matrix. */
#define PROFILE_MAX_PEERS 65536u

/* A growing array: PUSH gives a zeroed new element. */
#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, room;                                                                            \
    }
#define PUSH(array)                                                                                \
    ((__typeof__((array)->at))array_push((void **)&(array)->at, &(array)->n, &(array)->room,       \
                                         sizeof *(array)->at))
void *array_push(void **at, size_t *n, size_t *room, size_t size);

/* Zeroed memory and a copy of a text; out of memory ends the process with a word. */
_Noreturn void profile_out_of_memory(void);
void *profile_alloc(size_t size);
char *profile_strdup(const char *text);
/* To be written to; *TEXT, for free(), is there once it is closed. */
FILE *profile_open_text(char **text, size_t *size);

/* Positions by hash. */
struct lookup {
    struct lookup_slot {
        uint64_t hash;
        uint32_t position; /* plus one; 0: free */
    } * slot;
    uint32_t room, used;
};

/* What a value per rank looks like over the ranks: ns in the calls in question. Ranks that made
 * none are not in it. */
struct spread {
    uint64_t sum, min, max;
    uint32_t ranks;
    uint32_t worst, best; /* the rank with max, min; the lower one of equals */
};

struct profile_host {
    char name[64];
    uint32_t ranks;
    uint32_t processors;   /* that its ranks may use, all together; without the masks: the most that
                              one may use */
    uint64_t affinity[16]; /* the masks of its ranks, united; zero: not known */
};

struct profile_rank {
    int32_t rank;
    uint32_t host;
    int64_t pid;
    uint32_t state; /* enum ledger_state */
    int32_t state_detail;
    double wall;           /* seconds from initialization to the last that was heard */
    uint64_t mpi_ns;       /* in MPI calls, without those that start and end MPI, */
    uint64_t lifecycle_ns; /* which are here */
    /* Of mpi_ns: in collectives, in messages and requests, and in collectives before the awaited
     * rank had come, which is known only if all of them are. Negative: not known. */
    int64_t collective_ns, message_ns, late_wait_ns;
    uint64_t calls, involuntary_switches, untracked_requests;
    uint64_t failed_collectives; /* on communicators of more than this process */
    /* Beside the run, see struct noise_totals, in its first watched_ns: all of it, or up to where a
     * process that was killed was last looked at. Negative: not known. */
    int64_t watched_ns, cpu_ns, delayed_ns, pressure_ns;
    double load;
    /* The stretch of the run in which it was kept off its processor for the largest part, with the
     * same of that, and the lowest and highest frequency seen; negative: not known. */
    int64_t worst_from_ns, worst_length_ns, worst_delayed_ns, worst_switches, worst_pressure_ns,
        least_khz, most_khz;
    double call_ns;        /* what recording adds to a call; 0: not measured */
    uint32_t started_late; /* MPI_Init was not seen */
    uint32_t grow_error;   /* errno: the record could not grow; 0: it could */
    bool in_call;          /* it was cut off in a call, nobody knows when: nor its time in MPI */
    bool alive;            /* the process ran on when its record was read */
    uint64_t late;         /* recorded collectives that it entered last */
    uint64_t dropped[LEDGER_SECTIONS];
    uint64_t init_ns, merge_ns;
};

/* A shared object or executable: known by its build-id or, without one, by its path. Or a function
 * in Python, by its file (the path) and its name; addresses in it are lines. */
/* The path is plain once call sites have been named; until then it is that of the file. */
struct profile_module {
    char path[4096];
    char build_id[49];  /* hexadecimal; empty: none */
    char function[256]; /* empty: machine code */
};

struct profile_frame {
    uint32_t module;
    uint64_t address;      /* return address in the module's file */
    char *function, *file; /* NULL until symbolized, or where not known */
    uint32_t line;
    uint64_t offset; /* of the address in FUNCTION, or in the module where that is NULL */
    bool inlined;    /* FUNCTION was inlined where it was called */
};

struct profile_site {
    uint32_t depth; /* 0: calls whose site was not recorded */
    bool in_part;   /* earlier calls may be among those: the table was full */
    struct profile_frame frame[LEDGER_MAX_DEPTH];
};

struct profile_operation {
    char name[40];
    uint32_t family;
};

/* Known by the first three. */
struct profile_comm {
    uint64_t id;         /* of its members */
    uint32_t site, copy; /* where it was made, which of those; PROFILE_NONE: not known, the first */
    uint32_t size, root_world_rank, flags;
    uint32_t first; /* members of the first of two groups; 0: it is no intercommunicator */
    uint64_t created;
    char name[64];
};

struct profile_region {
    char name[64];
    uint64_t entered, time_ns;
};

struct profile_entry {
    uint32_t site, operation, comm, region; /* PROFILE_NONE: none */
    uint32_t size_class;
    LEDGER_SUMS(LEDGER_MEMBER)
    uint64_t min_ns, max_ns;
    struct spread spread;
    uint64_t *histogram; /* HISTOGRAM_BUCKETS */
};

/* Spread over ranks of all calls of one operation at one site, or (site PROFILE_NONE) anywhere:
 * cannot be had from the spreads of the entries. */
struct profile_group {
    uint32_t site, operation;
    struct spread spread;
};

/* One rank's part in one collective instance; ns on the clock that all ranks share. */
struct profile_event {
    uint64_t comm_id; /* of this very communicator */
    uint64_t bytes;
    int64_t entry_ns, exit_ns;
    int64_t outside_ns;      /* see ledger_instance; negative: not known */
    uint32_t sequence, rank; /* rank: in MPI_COMM_WORLD */
    uint32_t site, operation, comm;
    uint32_t comm_rank; /* of the second of two groups, after those of the first */
    uint32_t spared;    /* see ledger_is_sampled() */
    int32_t root;       /* rank in the communicator; -1: none */
};

/* What the instances of one operation at one place, on communicators of the same members, say. */
struct profile_arrival {
    uint32_t site, operation, comm;
    uint64_t instances;                   /* seen by all members, and kept */
    uint64_t stand_for;                   /* so many there were */
    bool exact;                           /* counted; else, where not all were kept, about */
    uint64_t skew_median_ns, skew_max_ns; /* last entry minus first entry */
    uint64_t time_ns;                     /* in these calls, all ranks together, and in those that
                                             they stand for where not all were kept */
    uint64_t wait_ns;                     /* of it, before the one that was waited for had come */
    uint64_t duration_median_ns, duration_max_ns; /* last exit minus: entry of the root where it
                                   sends to all, last entry otherwise */
    uint32_t late_rank;  /* world rank that was last (the root, where only it is waited for) */
    uint64_t late_count; /* how often */
    uint32_t late_ranks; /* how many different ranks were last */
};

/* Messages that one rank sent to, or received from, another at one place. */
struct profile_peer {
    uint32_t site, operation; /* PROFILE_NONE: there were too many rows to tell places apart */
    uint32_t rank, peer;      /* in MPI_COMM_WORLD */
    uint32_t received;        /* 0: RANK sent them to PEER; 1: it received them from there */
    uint64_t messages, bytes;
};

/* What was traced, and how far it could be put together. */
struct profile_trace {
    bool on;
    uint64_t time_mask; /* kept are times (ns, on the common clock) without any of these bits */
    int64_t first_ns, last_ns; /* the run */
    double covered;            /* share of it that lies in windows that were kept */
    double error_ns;           /* waits that are shorter are none: clocks of hosts differ so much */
    uint64_t calls_ns, wait_ns; /* time in the calls in the windows; of it, waited */
    uint64_t sends, receives, matched;
    uint64_t contradictions; /* pairs of ends that cannot be one message */
    uint64_t unnumbered;     /* ends of messages whose order was not known */
    uint32_t network;        /* enum ledger_network_state: whether the transport was seen, too */
    uint64_t below;          /* messages of which was seen how the transport began them */
    uint64_t outside_polls, outside_empty; /* of it, by threads that never called MPI */
};

/* A call that a rank had entered, and not left when its record was read. */
struct profile_stand {
    int32_t rank;
    uint32_t site, operation, comm;
    uint64_t comm_id; /* of this very communicator */
    uint32_t sequence;
    bool collective;   /* blocking: the sequence is its own */
    bool outside;      /* of MPI: this was the last call, and it has returned */
    int32_t peer, tag; /* INT32_MIN: the operation has none */
    int32_t root;      /* -1: none */
    uint64_t bytes;    /* LEDGER_UNKNOWN_BYTES: not known */
    double entered;    /* seconds after the start of its process's record; outside: left */
    double seconds;    /* from then until the rank ended or, if it is alive, now; -1: not known */
    double witnessed;  /* where it is not: from then to the end of the record of WITNESS, which of
                          all  ranks on its host was seen last; -1: there is none */
    int32_t witness;
};

struct profile_finding {
    char *kind;
    uint32_t comm; /* PROFILE_NONE: not known */
    json_t *value;
};
/* With its communicator's position; a new reference. */
json_t *finding_json(const struct profile_finding *f);

struct profile {
    uint64_t run_id;
    double started_unix;
    int32_t size; /* of MPI_COMM_WORLD, 0: not known */
    int32_t thread_level;
    bool threads_at_once; /* MPI_THREAD_MULTIPLE */
    uint32_t clock, stack_depth;
    bool synchronized; /* times of different hosts may be compared */
    double clock_bound;
    uint32_t sample_mask;
    uint64_t events_seen;    /* entries of ranks into collectives, whether they are kept or not */
    uint64_t events_dropped; /* beyond PROFILE_MAX_EVENTS, with the mask at its widest */
    bool yields;             /* ranks give their processor away while they wait (--yield) */
    char launcher[64];       /* what starts such ranks again, empty: not known */
    bool crashed;            /* made from raw records */
    bool has_arrivals;       /* read from profile.json: not to be worked out from the events */

    ARRAY(char *) programs;
    ARRAY(char *) libraries;
    ARRAY(char *) warnings;
    ARRAY(struct profile_host) hosts;
    ARRAY(struct profile_rank) ranks;
    ARRAY(struct profile_module) modules;
    ARRAY(struct profile_operation) operations;
    ARRAY(struct profile_comm) comms;
    ARRAY(struct profile_region) regions;
    ARRAY(struct profile_site) sites;
    ARRAY(struct profile_entry) entries;
    ARRAY(struct profile_group) groups;
    ARRAY(struct profile_event) events;
    ARRAY(struct profile_arrival) arrivals;
    ARRAY(struct profile_finding) findings;
    ARRAY(struct profile_stand) stands;
    ARRAY(struct profile_peer) peers;
    uint64_t peers_dropped; /* messages that found the matrix full */
    uint64_t writing_ns;    /* what it took to write profile.json; 0: not written yet */
    struct profile_trace trace;
    ARRAY(struct act) acts; /* of the ranks' records; not in profile.json */
    ARRAY(struct wait) waits;
    ARRAY(struct net) nets; /* of the ranks' records; not in profile.json */
    ARRAY(struct net_row) below;

    struct lookup by_site, by_comm, by_entry, by_group;
    /* Where communicators of the one ledger came first; NULL: it was made of something else. */
    uint32_t *comm_of_ledger;
    uint32_t n_comm_of_ledger;
};

/* The lists above, each in the order of profile.json. */
struct list {
    const char *key; /* in profile.json; NULL: written in some other way, or not at all */
    const struct fields *fields; /* of its elements */
    size_t list, size;           /* where it is in struct profile; of an element */
    unsigned how;
};
enum { LIST_PACKED = 1, LIST_APPENDED = 2 /* when merged; others are found anew */ };
extern const struct list profile_lists[];
extern const size_t n_profile_lists;

struct any_list {
    void *at;
    size_t n, room;
} __attribute__((may_alias));

static inline struct any_list *list_in(const struct profile *p, const struct list *l)
{
    return (struct any_list *)((char *)p + l->list);
}

static inline void *list_at(const struct profile *p, const struct list *l, size_t i)
{
    return (char *)list_in(p, l)->at + i * l->size;
}

static inline void *list_push(struct profile *p, const struct list *l)
{
    struct any_list *any = list_in(p, l);
    return array_push(&any->at, &any->n, &any->room, l->size);
}

struct profile *profile_new(void);

/* Find or add; the result is the index. What is not part of the key is merged in. */
uint32_t profile_add_host(struct profile *p, const struct profile_host *host);
uint32_t profile_add_module(struct profile *p, const struct profile_module *module);
uint32_t profile_add_operation(struct profile *p, const char *name, uint32_t family);
uint32_t profile_add_comm(struct profile *p, const struct profile_comm *comm);
uint32_t profile_add_region(struct profile *p, const struct profile_region *region);
uint32_t profile_add_site(struct profile *p, const struct profile_site *site);

/* The calls of E whose time is known: not one that was left by longjmp or an exception. */
uint64_t entry_timed(const struct profile_entry *e);

/* All requests of E that were seen complete. */
static inline uint64_t entry_requests(const struct profile_entry *e)
{
    return e->completed + e->apart_completed;
}

/* Adds the counts of ENTRY, whose histogram is copied. */
void profile_add_entry(struct profile *p, const struct profile_entry *entry);
struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation);
const struct profile_group *profile_group_find(const struct profile *p, uint32_t site,
                                               uint32_t operation); /* NULL: none */
void profile_add_program(struct profile *p, const char *path);
void profile_add_library(struct profile *p, const char *version);

void spread_add(struct spread *s, uint32_t rank, uint64_t ns);
void spread_merge(struct spread *into, const struct spread *from);

/* Thins the events out until at most LIMIT are left: of every communicator, those that
 * ledger_is_sampled() keeps. The result depends on the set of events only. */
bool event_is_sampled(const struct profile_event *e, uint32_t mask);
void events_limit(struct profile *p, uint32_t limit);
void events_sort(struct profile *p);
/* Of sorted ones the next that is of another collective than the I-th. */
size_t events_next(const struct profile *p, size_t i);
/* The first entry of all, ns; INT64_MAX: there is none. */
int64_t events_origin(const struct profile *p);

/* Whether all communicators of the row have one name, which the application gave. */
static inline bool comm_is_named(const struct profile_comm *c)
{
    return *c->name && strcmp(c->name, LEDGER_SEVERAL_NAMES) != 0;
}

/* For each communicator the first one with the same name and size, BY_PLACE or without a name: made
 * at the same place, too: the rows of a grid of ranks, say, are of one kind. For free(). */
uint32_t *comm_kinds(const struct profile *p, bool by_place);

/* Fills p->arrivals from the events. */
void arrivals_find(struct profile *p);

/* Thins acts out to LIMIT of them, by windows. */
void acts_limit(struct profile *p, size_t limit);

/* Fills p->trace and p->waits from the acts. */
void trace_find(struct profile *p);

void peers_sort(struct profile *p);
void peers_limit(struct profile *p, size_t limit);

/* Adds to the warnings what the counts themselves give reason for: ranks that did not end well,
 * more ranks than processors, what was dropped. */
void profile_judge(struct profile *p);

/* In the order of communicators and sequence numbers; then what they say of a run that hangs. */
void stands_sort(struct profile *p);
void stands_judge(struct profile *p);
void misfits_judge(struct profile *p);

/* "MPI_Recv at x.c:12 main", as snprintf() */
int place_of_call(const struct profile *p, uint32_t operation, uint32_t of, char *text,
                  size_t room);

/* "0, 1, 4-7": of N ranks each once; sorts them. */
void rank_list(char *text, size_t room, int32_t *rank, size_t n);

/* Everything in an order that depends on content alone. */
void profile_sort(struct profile *p);

/* Makes the look-ups anew, after elements have changed places. */
void profile_reindex(struct profile *p);

/* From MPI_Init to MPI_Finalize, ns: of all ranks together; of the one where it took longest. */
double profile_wall_ns(const struct profile *p);
double profile_longest_ns(const struct profile *p);

/* Time in MPI of all ranks together, ns; NaN: not known of all of them. */
double profile_mpi_ns(const struct profile *p);

/* When the run started, as strftime() puts it; nothing if that is not known. */
const char *profile_started(const struct profile *p, const char *format, char text[64]);

/* As profile_from_ledger(). RATE: ticks per second to use where the ledger cannot tell (it was
 * cut off right after the start), 0 if not known. */
struct profile *profile_from_cut_ledger(const struct ledger *l, double rate);

/* Times are subtracted from each other: in nanoseconds, at most a hundred years either way. */
#define FAR_NS ((int64_t)1 << 61)
static inline int64_t within_far(double ns)
{
    return ns >= (double)FAR_NS ? FAR_NS : ns > -(double)FAR_NS ? (int64_t)ns : -FAR_NS;
}
static inline int64_t whole_ns(double seconds)
{
    return within_far(1e9 * seconds);
}

/* A sum of counts was made as a double: a damaged record's may exceed what an integer holds. */
static inline uint64_t whole_count(double sum)
{
    return sum >= 0x1p64 ? UINT64_MAX : sum > 0 ? (uint64_t)sum : 0;
}

/* Ticks per second from the ledger's two pairs, 0 if they do not tell. */
double ledger_rate(const struct ledger_header *h);

/* profile.json: the way back. NULL, and a reason, if it is none. */
struct profile *profile_from_json(json_t *json, const char **reason);

uint64_t profile_hash(const void *data, size_t size);

#endif
