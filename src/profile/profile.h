/* A profile: what all ranks of a run have recorded. Rows of one call site, identified by build-id
 * and address, are merged, so that the size depends on the number of call sites instead of ranks.
 * Each rank's ledger (record/ledger.h) becomes a profile; two profiles become one, in any order.
 * Nothing here needs MPI: the layer receives ledgers by MPI, the command reads them from files.
 *
 * Others read the tables of struct profile and do not change them. A row refers to a row of another
 * table by its index, or PROFILE_NONE. If memory is short, functions leave the memory_try() in
 * which the caller must be (base/memory.h). */
#pragma once

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
#include <sys/types.h>

#define PROFILE_NONE UINT32_MAX /* no module, call site or communicator */

/* The state of a rank whose process ended without a final record: by SIGKILL, _exit or exec. */
#define PROFILE_CUT_OFF LEDGER_STATES

/* The tables of a profile: TABLE(ID, member, key, row, how) for rows of struct ROW. KEY: the name
 * in profile.json; NULL: not there, or written specially. HOW: bits of enum table_how (model.h).
 * The indices in a table's keys refer to earlier tables, which are sorted and merged first. */
#define PROFILE_TABLES(TABLE)                                                                      \
    TABLE(HOSTS, hosts, "hosts", profile_host, SOUGHT | SORTED)                                    \
    TABLE(RANKS, ranks, "ranks", profile_rank, SORTED)                                             \
    TABLE(MODULES, modules, "modules", profile_module, SOUGHT | SORTED)                            \
    TABLE(OPERATIONS, operations, "operations", profile_operation, SOUGHT | SORTED)                \
    TABLE(REGIONS, regions, "regions", profile_region, SOUGHT | SORTED)                            \
    TABLE(SITES, sites, "sites", profile_site, SOUGHT | SORTED)                                    \
    TABLE(COMMS, comms, "communicators", profile_comm, SOUGHT | SORTED)                            \
    TABLE(ENTRIES, entries, "entries", profile_entry, SOUGHT | SORTED)                             \
    TABLE(GROUPS, groups, "groups", profile_group, SOUGHT | SORTED)                                \
    TABLE(ARRIVALS, arrivals, "arrivals", profile_arrival, 0)                                      \
    TABLE(INSTANCES, instances, NULL, profile_instance, SORTED)                                    \
    TABLE(PEERS, peers, "matrix", profile_peer, SOUGHT | SORTED)                                   \
    TABLE(SAMPLES, samples, "samples", profile_sample, SOUGHT | SORTED)                            \
    TABLE(WAITS, waits, "waits", wait, SOUGHT) /* longest first */                                 \
    TABLE(CAUSES, causes, "causes", root_cause, 0)                                                 \
    TABLE(PREDICTIONS, predictions, "predictions", prediction, 0) /* from what_if_best() */        \
    TABLE(PARTS, parts, NULL, profile_part, SOUGHT | SORTED)                                       \
    TABLE(SLICES, slices, "slices", run_slice, 0) /* from slices_find() */                         \
    TABLE(BELOW, below, "transport", net_row, SOUGHT | SORTED)                                     \
    TABLE(ALGORITHMS, algorithms, NULL, profile_algorithm, SOUGHT)                                 \
    TABLE(BALANCES, balances, NULL, profile_balance, SOUGHT)                                       \
    TABLE(EVENTS, events, NULL, event, 0) /* the trace, from the ranks' records */                 \
    TABLE(NETS, nets, NULL, net, 0)       /* its transport events */                               \
    TABLE(PROGRAMS, programs, "programs", profile_text, SOUGHT | SORTED | OF_RUN)                  \
    TABLE(LIBRARIES, libraries, "mpi", profile_text, SOUGHT | SORTED | OF_RUN)                     \
    TABLE(VARIABLES, variables, "variables", profile_text, SOUGHT | SORTED | OF_RUN)               \
    TABLE(WARNINGS, warnings, "warnings", profile_text, SOUGHT | SORTED)                           \
    TABLE(FINDINGS, findings, NULL, profile_finding, SORTED)

#define ROW(name) struct name {
#define END()                                                                                      \
    }                                                                                              \
    ;
#define F(name, key, kind, merge) TYPE_##kind name;
#define TEXT(name, key, size, merge) char name[size];
#define NAMED(name, key, merge, list) uint32_t name;
#define IN(name, key, table, merge) uint32_t name;
#define NEEDED(name, key, table, merge) uint32_t name;
#define PLAIN(type, name) type name;
#define OF(name, key, kind, merge)
#define OF_NAMED(name, key, merge, list)
#define ROWS_MEMBER(id, member, key, row, how) ARRAY(struct row) member;
#define TABLES() PROFILE_TABLES(ROWS_MEMBER)
#define TYPE_U32 uint32_t
#define TYPE_I32 int32_t
#define TYPE_U64 uint64_t
#define TYPE_I64 int64_t
#define TYPE_REAL double
#define TYPE_BOOL bool
#define TYPE_STRING char *
#define TYPE_HEX uint64_t
#define TYPE_JSON json_t *
#define TYPE_MAYBE int64_t
#define TYPE_SPREAD struct spread
#define TYPE_HISTOGRAM uint64_t *
#define TYPE_INDEX uint32_t
#include "profile/rows.h"

/* Whether the operation NAME returns at once whether or not something is complete: MPI_Test,
 * MPI_Iprobe. */
bool profile_operation_polls(const char *name);

/* The number N of collectives that RANK entered on a communicator, with RANK in the low 24 bits
 * (inverted for MOST). The maximum over all members then names the rank that entered most of them,
 * the minimum the rank that entered fewest; of equal ones the lowest rank. */
#define PROFILE_ENTERED(n, rank, most)                                                             \
    ((uint64_t)(n) << 24 | ((most) ? 0xffffffu - (uint32_t)(rank) : (uint32_t)(rank)))

/* Beginnings of warnings, before the reason: NOTHING: a requested measurement was not made;
 * NOT_SAMPLED: some rank was not sampled; NOT_TUNED: no collective was tuned. */
#define PROFILE_NOTHING "nothing was "
#define PROFILE_NOT_SAMPLED PROFILE_NOTHING "sampled (--sample)"
#define PROFILE_NOT_TUNED PROFILE_NOTHING "tuned (--tune)"
#define PROFILE_NOT_CHANGED PROFILE_NOTHING "changed: --tuned="

/* The datatypes, a set of ledger_type_bit(), of B's receives that none of its sends has; 0 if types
 * of sends are unknown or not compared (LEDGER_LOOSE_TYPES). */
static inline uint32_t profile_wrong_types(const struct profile_balance *b)
{
    const uint32_t sent = (uint32_t)b->types;
    return sent && !(sent & LEDGER_LOOSE_TYPES)
               ? (uint32_t)(b->types >> 32) & ~(sent | LEDGER_LOOSE_TYPES)
               : 0;
}

/* A new profile of the rank that wrote L; L is not needed afterwards. Times are unknown if the
 * process was killed before it knew the rate of its clock. Release by profile_free(). */
struct profile *profile_from_ledger(const struct ledger *l);

/* The results in L of the layer's experiments (src/inject) that were complete: an array, as from
 * inject_findings(). Release by json_decref(). */
json_t *profile_injected(const struct ledger *l);

void profile_merge(struct profile *into, struct profile *from); /* frees FROM */

/* Finds names, files and lines for all call sites (libdw). Row indices do not change. */
void profile_name_sites(struct profile *p);

/* The innermost frames of the first thread of process PID, which is stopped while they are read: an
 * array of "function at file.c:12". NULL with a reason_give() if they cannot be read. */
json_t *profile_stack(pid_t pid);

/* Sorts P, names its call sites, and computes what needs all ranks: arrivals, waits, warnings. Call
 * it once, on the merged profile. */
void profile_symbolize(struct profile *p);

/* Writes profile.json in DIRECTORY (a descriptor), first to a temporary file. Returns 0 or an
 * errno. */
int profile_save(const struct profile *p, int directory);

/* Writes P as profile.json to OUT; ferror(OUT) tells errors. DIAGNOSIS, unless it is NULL, becomes
 * a further member "diagnosis"; its reference is taken over. */
void profile_write(const struct profile *p, FILE *out, json_t *diagnosis);

/* The member "schema" of profile.json: its format and the version of it. */
#define PROFILE_SCHEMA "collprof-profile/4"

/* A new profile from the content of profile.json. JSON is changed and remains the caller's. NULL if
 * it is invalid; REASON is then a text that is valid until the next call. */
struct profile *profile_from_json(json_t *json, const char **reason);

/* Whether DIRECTORY has a profile.json, which a run writes at its end, unless it is killed. */
bool profile_exists(const char *directory);

/* Reads DIR/profile.json or, without it, the raw records in DIR (of a crashed run), and then names
 * call sites. NULL with a reason_give() if neither can be read. */
struct profile *profile_load(const char *directory);

/* The profile of a traced run with its events, from the raw records in DIR, with call sites named.
 * NULL with a reason_give() if there is no trace. */
struct profile *profile_load_trace(const char *directory);

/* Calls and collectives in the raw records in DIR of a running job, at this moment; without
 * messages, trace and results that need the whole run. Call sites are named. NULL if no record can
 * be read. */
struct profile *profile_load_counts(const char *directory);

/* The graph of P's events, for predictions, with its timeline in T. P: from profile_load_trace().
 * Release by event_graph_close(), then timeline_free(T). */
struct event_graph *trace_graph(const struct profile *p, struct timeline *t);

void profile_free(struct profile *p);

/* Adds this process's variables that set MPI libraries, without those of launchers and secrets. */
void profile_set_variables(struct profile *p);

/* Adds a measurement: see struct profile_finding. Takes over the reference. Its member
 * "communicator_index" is an index in P, and becomes the row's comm. */
void profile_add_finding(struct profile *p, const char *kind, json_t *finding);

/* Adds a warning for the report. Equal texts are stored once. */
void profile_warn(struct profile *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Number of calls of E whose time is known: those not left by longjmp or an exception. */
uint64_t entry_timed_calls(const struct profile_entry *e);

/* A new profile that has only entries: the sums of P's for each operation, BY_SITE: for each call
 * site and operation, the longest time first. Calls that start and end MPI are left out. Release by
 * profile_free(). */
struct profile *profile_sums(const struct profile *p, bool by_site);

/* Time in OPERATION, ns, and in CALLS the number of timed calls, both per rank. Only calls on
 * communicators of RANKS ranks, in the size class of BYTES; RANKS 0: all calls. */
double profile_time_of(const struct profile *p, const char *operation, int ranks, uint64_t bytes,
                       double *calls);

/* Efficiency over time is computed for PHASE_LEAST to PHASE_SLICES slices of the run, in each of
 * which a rank makes PHASE_CALLS calls on average; not at all if these are fewer slices. */
enum { PHASE_SLICES = 128, PHASE_CALLS = 4, PHASE_LEAST = 8 };

/* Consecutive slices FIRST to LAST - 1; means over these, and over all others. */
struct phase {
    size_t first, last;
    double efficiency, other_efficiency;
};

/* Finds the phase that differs most from the rest of N slices; if the run consists of two phases,
 * the less efficient one. False if its efficiency differs by less than 0.1, or by less than 6
 * standard errors: the largest of thousands of differences seldom reaches 6 by chance. */
bool phase_find(const struct run_slice *slice, size_t n, struct phase *phase);

/* Adds to each finding of --tune the time that all calls of the run would save. If a call took less
 * time in the application than in the measurement, its saving is reduced by that factor. */
void profile_add_savings(struct profile *p);

/* Which ranks wait for which other ranks in a blocking collective. COLLECTIVE_OTHER for all other
 * operations, since the time in their calls does not show a wait. */
enum collective_kind arrivals_kind(const struct profile *p, uint32_t operation);

/* The times of OPERATION at SITE; NULL if it was not called there. Borrowed. */
const struct profile_group *profile_group_find(const struct profile *p, uint32_t site,
                                               uint32_t operation);

/* Index of the first row of p->instances after I that belongs to another collective call; rows are
 * sorted by call. */
size_t instances_next(const struct profile *p, size_t i);

/* Whether all communicators that are merged in C have one name, given by the application. */
static inline bool comm_is_named(const struct profile_comm *c)
{
    return *c->name && strcmp(c->name, LEDGER_SEVERAL_NAMES) != 0;
}

/* For each communicator the first one of the same kind: same name and size, or, without a name,
 * same size and call site. The rows of a process grid, for example, are of one kind. Release by
 * free(). */
uint32_t *comm_kinds(const struct profile *p);

/* Time from MPI_Init to MPI_Finalize, ns: the sum over all ranks, without the layer's experiments;
 * and the longest time of a rank, with them. */
double profile_wall_ns(const struct profile *p);
double profile_longest_ns(const struct profile *p);

/* False if some rank was killed (PROFILE_CUT_OFF): nothing is known of it after its last call, and
 * the run lasted at least profile_longest_ns(). */
bool profile_longest_known(const struct profile *p);

/* Seconds that the rank was outside of MPI, without experiments (--ack and the like). */
double rank_outside(const struct profile_rank *r);

/* Index in p->ranks of RANK; p->ranks.n if it has no record. */
size_t rank_index(const struct profile *p, uint32_t rank);

/* Time in MPI summed over all ranks, ns; NaN if it is unknown for a rank. */
double profile_mpi_ns(const struct profile *p);

/* Start of the run, formatted by strftime(); empty if unknown. Returns TEXT. */
const char *profile_started(const struct profile *p, const char *format, char text[64]);

/* "running" if some rank is; "incomplete" if the run did not write its profile; "complete". */
const char *run_state_of(const struct profile *p);

/* The names, as in profile.json, of the values 0, 1, ... of an enum: clock_list of enum
 * clock_source, state_list of a rank's state. */
struct names {
    const char *const *at;
    uint32_t n;
};
extern const struct names clock_list, state_list;
/* "unknown" if VALUE has no name. */
const char *names_at(const struct names *names, uint32_t value);

/* Writes how a process ended, by its state and signal or error code: "exited without
 * MPI_Finalize". */
void end_text(uint32_t state, int32_t detail, char *text, size_t room);

/* Writes "0, 1, 4-7" for N ranks, without repetitions; sorts RANK. */
void rank_list(char *text, size_t room, int32_t *rank, size_t n);

/* Limit of times in ns, 73 years, so that their differences do not overflow. */
#define FAR_NS ((int64_t)1 << 61)
static inline int64_t within_far(double ns)
{
    return ns >= (double)FAR_NS ? FAR_NS : ns > -(double)FAR_NS ? (int64_t)ns : -FAR_NS;
}
static inline int64_t whole_ns(double seconds)
{
    return within_far(1e9 * seconds);
}

/* SUM as an integer; a sum of counts from a damaged record may be larger than any. */
static inline uint64_t whole_count(double sum)
{
    return sum >= 0x1p64 ? UINT64_MAX : sum > 0 ? (uint64_t)sum : 0;
}
