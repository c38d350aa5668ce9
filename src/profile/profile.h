/* A profile: what all ranks of a run have recorded, merged by (build-id, address) of call sites, so
 * that its size is bounded by distinct call sites and not by ranks. Made from ledgers, merged two
 * by two in any order, written as profile.json. No MPI here: rank 0 of the layer receives ledgers,
 * the command reads files.
 *
 * The tables of struct profile are for reading; a position in one of them is an index in another,
 * PROFILE_NONE where there is none. Every table holds distinct rows only. Memory as in
 * base/memory.h: the functions below are called from inside of a memory_try(). */
#ifndef COLLPROF_PROFILE_PROFILE_H
#define COLLPROF_PROFILE_PROFILE_H

#include "base/array.h"
#include "causes/causes.h"
#include "causes/what_if.h"
#include "document/json.h"
#include "record/ledger.h"
#include "timeline/network.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PROFILE_NONE UINT32_MAX /* no module, no site, no communicator */

/* State of a rank whose process ended without recording it: by SIGKILL, _exit or exec. */
#define PROFILE_CUT_OFF LEDGER_STATES

/* --- rows --- */

/* A time per rank, over the ranks that made such calls. */
struct spread {
    uint64_t sum, min, max; /* ns */
    uint32_t ranks;
    uint32_t worst, best; /* the rank with max, min; the lower one of equals */
};

struct profile_host {
    char name[64];
    uint32_t ranks;
    uint32_t processors;   /* that its ranks together may use; without their affinity masks: the
                              most that one of them may use */
    uint64_t affinity[16]; /* union of its ranks' affinity masks; zero: unknown */
};

struct profile_rank {
    int32_t rank;
    uint32_t host;
    int64_t pid;
    uint32_t state; /* enum ledger_state, or PROFILE_CUT_OFF */
    int32_t state_detail;
    double wall;           /* seconds from initialization to the last that is known */
    uint64_t mpi_ns;       /* in MPI calls, without those that start and end MPI, */
    uint64_t lifecycle_ns; /* which are here */
    /* Of mpi_ns: in collectives; in messages and requests; in collectives until the awaited rank
     * entered, known only if all of them were recorded. Negative: unknown. */
    int64_t collective_ns, message_ns, late_wait_ns;
    uint64_t late_message_ns; /* time in traced message calls until the awaited rank entered */
    uint64_t calls, untracked_requests;
    uint64_t failed_collectives; /* on communicators of more than this process */
    int64_t cpu_ns, delayed_ns;  /* as in struct noise_totals; negative: unknown, as of a process
                                    that was killed */
    double call_ns;              /* what recording adds to a call; 0: not measured */
    uint32_t started_late;       /* MPI_Init was not seen */
    uint32_t grow_error;         /* errno: the record could not grow; 0: it could */
    int64_t end_ns;              /* as trace.last_ns, of this rank; not in profile.json */
    bool in_call; /* it ended in a call at an unknown time: its time in MPI is unknown */
    uint64_t dropped[LEDGER_SECTIONS];
    uint64_t init_ns, merge_ns; /* overhead of the layer in MPI_Init and in MPI_Finalize */
    uint64_t injected_ns;       /* part of wall: the layer's measurements, in no call's time */
};

/* A shared object or executable, known by its build-id or, without one, by its path. Or a function
 * in Python, known by its file (path) and name; addresses in it are lines. The path is printable
 * once call sites have been named; until then it is that of the file. */
struct profile_module {
    char path[4096];
    char build_id[49];  /* hexadecimal; empty: none */
    char function[256]; /* empty: machine code */
};

struct profile_frame {
    uint32_t module;
    uint64_t address;      /* return address in the module's file */
    char *function, *file; /* NULL until call sites are named, or where unknown */
    uint32_t line;
    uint64_t offset; /* of the address in FUNCTION, or in the module if FUNCTION is NULL */
    bool inlined;    /* FUNCTION was inlined into its caller */
};

struct profile_site {
    uint32_t depth;                               /* 0: calls whose site was not recorded */
    struct profile_frame frame[LEDGER_MAX_DEPTH]; /* innermost first */
};

struct profile_operation {
    char name[40];   /* "MPI_Bcast" */
    uint32_t family; /* enum call_family */
};

/* Communicators with the same members that one call site made. Key: the first three. */
struct profile_comm {
    uint64_t id;         /* of its members */
    uint32_t site, copy; /* call site that made it (PROFILE_NONE: unknown); number of its row */
    uint32_t size, root_world_rank, flags;
    uint32_t first; /* size of an intercommunicator's first group; 0: an intracommunicator */
    uint64_t created;
    char name[64];
};

struct profile_region {
    char name[64];
    uint64_t entered, time_ns;
};

/* Calls of one (site, operation, communicator, region, size class), which is the key. */
struct profile_entry {
    uint32_t site, operation, comm, region; /* PROFILE_NONE: none */
    uint32_t size_class;
    LEDGER_SUMS(LEDGER_MEMBER)
    uint64_t min_ns, max_ns;
    uint64_t *histogram; /* HISTOGRAM_BUCKETS, of all ranks together */
};

/* Spread of all calls of one operation at one site, or (site PROFILE_NONE) anywhere. */
struct profile_group {
    uint32_t site, operation;
    struct spread spread;
};

/* One rank's part in one collective instance; ns on the clock that all ranks share. */
struct profile_event {
    uint64_t comm_id; /* of this very communicator */
    uint64_t bytes;
    int64_t entry_ns, exit_ns;
    int64_t outside_ns; /* see struct ledger_instance; negative: unknown */
    uint64_t sequence;
    uint32_t rank; /* in MPI_COMM_WORLD */
    uint32_t site, operation, comm;
    uint32_t comm_rank; /* ranks of a second group come after those of the first */
    uint32_t spared;    /* see ledger_is_sampled() */
    int32_t root;       /* rank in the communicator; -1: none */
};

/* The instances of one operation at one site, on communicators of the same members. */
struct profile_arrival {
    uint32_t site, operation, comm;
    uint64_t instances;                   /* recorded by all members, and kept */
    uint64_t stand_for;                   /* estimated number of instances in the run */
    uint64_t skew_median_ns, skew_max_ns; /* last entry minus first entry */
    uint64_t time_ns; /* of all ranks in these calls, scaled up to all instances in the run */
    uint64_t wait_ns; /* part of time_ns until the awaited rank entered */
    uint64_t duration_median_ns, duration_max_ns; /* last exit minus: entry of the root where it
                                   sends to all, last entry otherwise */
    uint32_t cost_rank;  /* world rank for which the others waited longest */
    uint64_t cost_ns;    /* part of wait_ns spent waiting for cost_rank */
    int64_t cost_low_ns; /* lower end of its 95 % interval, see noise_least(); -1: unknown */
};

/* Messages that RANK sent to PEER (received 0), or received from it (1), at one site: a row of the
 * communication matrix. Ranks in MPI_COMM_WORLD. */
struct profile_peer {
    uint32_t site, operation; /* PROFILE_NONE: too many rows to tell sites apart */
    uint32_t rank, peer;
    uint32_t received;
    uint64_t messages, bytes;
};

/* What --trace recorded. */
struct profile_trace {
    bool on;
    uint64_t time_mask;         /* kept are times (ns, common clock) that have none of these bits */
    int64_t first_ns, last_ns;  /* the run */
    double covered;             /* share of the run in windows that were kept */
    double error_ns;            /* shorter waits are within the error of the clocks: none */
    uint64_t calls_ns, wait_ns; /* time in the calls in the windows; of it, waited */
    int64_t path_ns;            /* length of the critical path */
    struct replay_check replay; /* what predictions can be relied on for */
    uint64_t sends, receives, matched;
    uint64_t contradictions; /* pairs of ends that cannot be one message */
    uint64_t unnumbered;     /* ends of messages whose order is unknown */
    uint32_t network;        /* enum ledger_network_state */
    uint64_t below;          /* messages whose start in the transport was recorded */
};

/* A measurement made in the run, or what is wrong with its calls. KIND: "ack", "benchmark",
 * "broadcast", "verdict"; the members of VALUE are
 * documented in collprof-profile(5). */
struct profile_finding {
    char *kind;
    uint32_t comm; /* PROFILE_NONE: unknown */
    json_t *value;
};

struct profile {
    uint64_t run_id;
    double started_unix;
    int32_t size;         /* of MPI_COMM_WORLD; 0: unknown */
    bool threads_at_once; /* calls of one rank may overlap: their times add up to more than the
                             run's */
    uint32_t clock, stack_depth;
    bool synchronized;  /* times of different hosts may be compared, within */
    double clock_bound; /* seconds */
    uint32_t sample_mask;
    uint64_t events_dropped; /* that did not fit even with the widest mask */
    bool yields;             /* ranks yield their processor while they wait (--yield) */
    char launcher[64];       /* command that starts such ranks; empty: unknown */
    char arguments[2048];    /* of the program, as a shell takes them, or empty */
    bool crashed;            /* made from raw records */
    bool has_arrivals;       /* read from profile.json: not to be computed from the events */

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
    ARRAY(struct profile_peer) peers;
    uint64_t peers_dropped; /* messages that found the matrix full */
    uint64_t writing_ns;    /* what it took to write profile.json; 0: not written yet */
    struct profile_trace trace;
    ARRAY(struct act) acts; /* of the ranks' records; not in profile.json */
    ARRAY(struct wait) waits;
    ARRAY(struct root_cause) causes;
    ARRAY(struct prediction) predictions; /* of what_if_best() */
    ARRAY(struct net) nets;               /* of the ranks' records; not in profile.json */
    ARRAY(struct net_row) below;

    struct profile_index *index; /* the model's own */
};

/* --- to and from files and messages --- */

/* The profile of one rank. The ledger is not needed afterwards. RATE: ticks per second to use where
 * it cannot tell (it was cut off right after the start); 0: unknown. */
struct profile *profile_from_ledger(const struct ledger *l, double rate);

/* Adds all that FROM holds to INTO, and frees FROM. */
void profile_merge(struct profile *into, struct profile *from);

/* Finds names, files and lines for all call sites (libdw). No row changes its position. */
void profile_name_sites(struct profile *p);

/* Sorts P, names its call sites, and finds what follows from the whole:
 * arrivals, waits, warnings. Once, on the merged profile. */
void profile_symbolize(struct profile *p);

/* profile.json in DIRECTORY (open for that), by way of a new file beside it. Returns 0 or an
 * errno. How long that took is noted in P. */
int profile_save(struct profile *p, int directory);
json_t *profile_json(const struct profile *p);

/* Its "schema". */
#define PROFILE_SCHEMA "collprof-profile/2"

/* The way back; JSON is changed. NULL, and a reason, if it is no valid profile. */
struct profile *profile_from_json(json_t *json, const char **reason);

/* Reads DIR/profile.json or, where there is none, the raw records in DIR (a crashed run), then
 * already symbolized. NULL with a reason_give() if neither can be read. */
struct profile *profile_load(const char *directory);

/* The profile of a traced run, with its acts: from the raw records in DIR, already symbolized. NULL
 * with a reason_give() if there is no trace. */
struct profile *profile_load_trace(const char *directory);

/* What the raw records in DIR, of a run that goes on, say about calls and collectives at this
 * moment: without messages, trace and what follows from the whole. Call sites are named. NULL if
 * there is none that can be read. */
struct profile *profile_load_counts(const char *directory);

/* For predictions about such a profile: for what_if_close(), and then timeline_free(T). */
struct what_if_replay *trace_replay(const struct profile *p, struct timeline *t);

void profile_free(struct profile *p);

/* --- for the layer --- */

/* How long it took to put the profile together and name its call sites, in seconds. */
void profile_set_end(struct profile *p, double seconds);

/* Adds a measurement: see struct profile_finding. Takes over the reference. "communicator_index" in
 * it is a position in P, and becomes the row's comm. */
void profile_add_finding(struct profile *p, const char *kind, json_t *finding);

/* A remark for the report's list of warnings. The same text is kept once. */
void profile_warn(struct profile *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- questions --- */

/* The calls of E whose time is known: not one that was left by longjmp or an exception. */
uint64_t entry_timed(const struct profile_entry *e);

/* All requests of E that were seen complete. */
static inline uint64_t entry_requests(const struct profile_entry *e)
{
    return e->completed + e->apart_completed;
}

/* Who has to wait for whom, where the time in the call itself is time waited: blocking operations.
 * COLLECTIVE_OTHER for the rest. */
enum collective_kind arrivals_kind(const struct profile *p, uint32_t operation);

/* NULL: there is none. */
const struct profile_group *profile_group_find(const struct profile *p, uint32_t site,
                                               uint32_t operation);

/* Of the events, which are sorted by instance, the first of the next instance after the I-th. */
size_t events_next(const struct profile *p, size_t i);

/* Whether all communicators of the row have one name, which the application gave. */
static inline bool comm_is_named(const struct profile_comm *c)
{
    return *c->name && strcmp(c->name, LEDGER_SEVERAL_NAMES) != 0;
}

/* For each communicator the first one with the same name and size, and without a name made at the
 * same site: the rows of a grid of ranks, say, are of one kind. For free(). */
uint32_t *comm_kinds(const struct profile *p);

/* From MPI_Init to MPI_Finalize, ns: of all ranks together, without what the layer measured; of the
 * one where it took longest, with that. */
double profile_wall_ns(const struct profile *p);
double profile_longest_ns(const struct profile *p);

/* Time in MPI of all ranks together, ns; NaN: unknown for some. */
double profile_mpi_ns(const struct profile *p);

/* When the run started, as strftime() puts it; empty if unknown. Returns TEXT. */
const char *profile_started(const struct profile *p, const char *format, char text[64]);

/* "running": a rank of it does; "complete"; "incomplete": it has not ended well. */
const char *run_state_of(const struct profile *p);

/* Names of enum clock_source and of a rank's state, as in profile.json. */
const char *clock_name_of(uint32_t clock);
const char *state_name_of(uint32_t state);

/* "0, 1, 4-7": of N ranks each once; sorts them. */
void rank_list(char *text, size_t room, int32_t *rank, size_t n);

/* --- values --- */

/* Times are subtracted from each other: in nanoseconds, at most some decades either way. */
#define FAR_NS ((int64_t)1 << 61)
static inline int64_t within_far(double ns)
{
    return ns >= (double)FAR_NS ? FAR_NS : ns > -(double)FAR_NS ? (int64_t)ns : -FAR_NS;
}
static inline int64_t whole_ns(double seconds)
{
    return within_far(1e9 * seconds);
}

/* A sum of counts that was made as a double: a damaged record's may exceed an integer. */
static inline uint64_t whole_count(double sum)
{
    return sum >= 0x1p64 ? UINT64_MAX : sum > 0 ? (uint64_t)sum : 0;
}

#endif
