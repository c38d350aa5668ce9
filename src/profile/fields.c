#include "profile/fields.h"

#include "base/clock.h"

#include <string.h>

#define AT(type, member) offsetof(struct type, member), sizeof(((struct type *)0)->member)
#define FIELD(type, member, key, kind)                                                             \
    {                                                                                              \
        key, kind, AT(type, member), false                                                         \
    }
#define NEEDED_FIELD(type, member, key, kind)                                                      \
    {                                                                                              \
        key, kind, AT(type, member), true                                                          \
    }
/* Packed with what it is in. */
#define INNER(type, member, kind)                                                                  \
    {                                                                                              \
        NULL, kind, offsetof(struct type, member), 0, false                                        \
    }
#define FIELDS(name)                                                                               \
    const struct fields fields_##name = {name##_table, sizeof name##_table / sizeof *name##_table}

static const struct field run_table[] = {
    FIELD(profile, run_id, "id", FIELD_HEX),
    FIELD(profile, started_unix, "started_unix", FIELD_REAL),
    FIELD(profile, size, "size", FIELD_I32),
    FIELD(profile, thread_level, "thread_level", FIELD_I32),
    FIELD(profile, threads_at_once, "threads_at_once", FIELD_BOOL),
    FIELD(profile, clock, "clock", FIELD_CLOCK),
    FIELD(profile, synchronized, "synchronized", FIELD_BOOL),
    FIELD(profile, clock_bound, "clock_bound_seconds", FIELD_REAL),
    FIELD(profile, stack_depth, "stack_depth", FIELD_U32),
    FIELD(profile, crashed, "incomplete", FIELD_BOOL),
    FIELD(profile, yields, "yields", FIELD_BOOL),
    FIELD(profile, launcher, "launcher", FIELD_TEXT),
    FIELD(profile, events_dropped, NULL, FIELD_U64),
    FIELD(profile, sample_mask, NULL, FIELD_U32),
    FIELD(profile, events_seen, NULL, FIELD_U64),
    FIELD(profile, peers_dropped, "matrix_dropped", FIELD_U64),
};
FIELDS(run);

static const struct field host_table[] = {
    FIELD(profile_host, name, "name", FIELD_TEXT),
    FIELD(profile_host, ranks, "ranks", FIELD_U32),
    FIELD(profile_host, processors, "processors", FIELD_U32),
    FIELD(profile_host, affinity, NULL, FIELD_PLAIN),
};
FIELDS(host);

static const struct field rank_table[] = {
    FIELD(profile_rank, rank, "rank", FIELD_I32),
    NEEDED_FIELD(profile_rank, host, "host", FIELD_HOST),
    FIELD(profile_rank, pid, "pid", FIELD_I64),
    FIELD(profile_rank, state, "state", FIELD_STATE),
    FIELD(profile_rank, state_detail, "state_detail", FIELD_I32),
    FIELD(profile_rank, wall, "wall_seconds", FIELD_REAL),
    FIELD(profile_rank, mpi_ns, "mpi_ns", FIELD_U64),
    FIELD(profile_rank, lifecycle_ns, "lifecycle_ns", FIELD_U64),
    FIELD(profile_rank, collective_ns, "collective_ns", FIELD_MAYBE),
    FIELD(profile_rank, message_ns, "message_ns", FIELD_MAYBE),
    FIELD(profile_rank, late_wait_ns, "late_wait_ns", FIELD_MAYBE),
    FIELD(profile_rank, calls, "calls", FIELD_U64),
    FIELD(profile_rank, started_late, "started_late", FIELD_U32),
    FIELD(profile_rank, grow_error, "grow_error", FIELD_U32),
    FIELD(profile_rank, alive, "alive", FIELD_BOOL),
    FIELD(profile_rank, in_call, "in_call", FIELD_BOOL),
    FIELD(profile_rank, late, "late_collectives", FIELD_U64),
    FIELD(profile_rank, involuntary_switches, "involuntary_switches", FIELD_U64),
    FIELD(profile_rank, watched_ns, "watched_ns", FIELD_MAYBE),
    FIELD(profile_rank, cpu_ns, "cpu_ns", FIELD_MAYBE),
    FIELD(profile_rank, delayed_ns, "delayed_ns", FIELD_MAYBE),
    FIELD(profile_rank, pressure_ns, "pressure_ns", FIELD_MAYBE),
    FIELD(profile_rank, load, "load", FIELD_REAL),
    FIELD(profile_rank, worst_from_ns, "worst_from_ns", FIELD_MAYBE),
    FIELD(profile_rank, worst_length_ns, "worst_length_ns", FIELD_MAYBE),
    FIELD(profile_rank, worst_delayed_ns, "worst_delayed_ns", FIELD_MAYBE),
    FIELD(profile_rank, worst_switches, "worst_switches", FIELD_MAYBE),
    FIELD(profile_rank, worst_pressure_ns, "worst_pressure_ns", FIELD_MAYBE),
    FIELD(profile_rank, least_khz, "least_khz", FIELD_MAYBE),
    FIELD(profile_rank, most_khz, "most_khz", FIELD_MAYBE),
    FIELD(profile_rank, call_ns, "call_ns", FIELD_REAL),
    FIELD(profile_rank, untracked_requests, "untracked_requests", FIELD_U64),
    FIELD(profile_rank, failed_collectives, "failed_collectives", FIELD_U64),
    FIELD(profile_rank, init_ns, "init_ns", FIELD_U64),
    FIELD(profile_rank, merge_ns, "merge_ns", FIELD_U64),
    FIELD(profile_rank, dropped, "dropped", FIELD_DROPPED),
};
FIELDS(rank);

static const struct field module_table[] = {
    FIELD(profile_module, path, "path", FIELD_TEXT),
    FIELD(profile_module, build_id, "build_id", FIELD_TEXT),
    FIELD(profile_module, function, "python_function", FIELD_TEXT),
};
FIELDS(module);

static const struct field operation_table[] = {
    FIELD(profile_operation, name, "name", FIELD_TEXT),
    FIELD(profile_operation, family, "family", FIELD_FAMILY),
};
FIELDS(operation);

static const struct field comm_table[] = {
    FIELD(profile_comm, id, "id", FIELD_HEX),
    FIELD(profile_comm, site, "made_at", FIELD_SITE),
    FIELD(profile_comm, copy, "copy", FIELD_INDEX),
    FIELD(profile_comm, name, "name", FIELD_TEXT),
    FIELD(profile_comm, size, "size", FIELD_U32),
    FIELD(profile_comm, root_world_rank, "first_world_rank", FIELD_INDEX),
    FIELD(profile_comm, flags, "flags", FIELD_U32),
    FIELD(profile_comm, first, "first_group", FIELD_U32),
    FIELD(profile_comm, created, "created", FIELD_U64),
};
FIELDS(comm);

static const struct field region_table[] = {
    FIELD(profile_region, name, "name", FIELD_TEXT),
    FIELD(profile_region, entered, "entered", FIELD_U64),
    FIELD(profile_region, time_ns, "time_ns", FIELD_U64),
};
FIELDS(region);

static const struct field entry_table[] = {
    FIELD(profile_entry, site, "site", FIELD_SITE),
    NEEDED_FIELD(profile_entry, operation, "operation", FIELD_OPERATION),
    FIELD(profile_entry, comm, "communicator", FIELD_COMM),
    FIELD(profile_entry, region, "region", FIELD_REGION),
    FIELD(profile_entry, size_class, "size_class", FIELD_U32),
#define SUM(member) FIELD(profile_entry, member, #member, FIELD_U64),
    LEDGER_SUMS(SUM) FIELD(profile_entry, min_ns, "min_ns", FIELD_U64),
    FIELD(profile_entry, max_ns, "max_ns", FIELD_U64),
    FIELD(profile_entry, spread, "ranks", FIELD_SPREAD),
    FIELD(profile_entry, histogram, "histogram", FIELD_HISTOGRAM),
};
FIELDS(entry);

static const struct field group_table[] = {
    FIELD(profile_group, site, "site", FIELD_SITE),
    NEEDED_FIELD(profile_group, operation, "operation", FIELD_OPERATION),
    FIELD(profile_group, spread, "ranks", FIELD_SPREAD),
};
FIELDS(group);

static const struct field spread_table[] = {
    FIELD(spread, ranks, "count", FIELD_U32),     FIELD(spread, sum, "sum_ns", FIELD_U64),
    FIELD(spread, min, "min_ns", FIELD_U64),      FIELD(spread, max, "max_ns", FIELD_U64),
    FIELD(spread, best, "min_rank", FIELD_INDEX), FIELD(spread, worst, "max_rank", FIELD_INDEX),
};
FIELDS(spread);

static const struct field event_table[] = {
    FIELD(profile_event, comm_id, NULL, FIELD_U64),
    FIELD(profile_event, bytes, NULL, FIELD_U64),
    FIELD(profile_event, entry_ns, NULL, FIELD_I64),
    FIELD(profile_event, exit_ns, NULL, FIELD_I64),
    FIELD(profile_event, outside_ns, NULL, FIELD_I64),
    FIELD(profile_event, sequence, NULL, FIELD_U32),
    FIELD(profile_event, rank, NULL, FIELD_U32),
    FIELD(profile_event, site, NULL, FIELD_SITE),
    NEEDED_FIELD(profile_event, operation, NULL, FIELD_OPERATION),
    NEEDED_FIELD(profile_event, comm, NULL, FIELD_COMM),
    FIELD(profile_event, comm_rank, NULL, FIELD_U32),
    FIELD(profile_event, spared, NULL, FIELD_U32),
    FIELD(profile_event, root, NULL, FIELD_I32),
};
FIELDS(event);

static const struct field stand_table[] = {
    FIELD(profile_stand, rank, "rank", FIELD_I32),
    NEEDED_FIELD(profile_stand, operation, "operation", FIELD_OPERATION),
    FIELD(profile_stand, site, "site", FIELD_SITE),
    FIELD(profile_stand, comm, "communicator", FIELD_COMM),
    FIELD(profile_stand, comm_id, "communicator_id", FIELD_HEX),
    FIELD(profile_stand, sequence, "sequence", FIELD_U32),
    FIELD(profile_stand, collective, "collective", FIELD_BOOL),
    FIELD(profile_stand, outside, "outside", FIELD_BOOL),
    FIELD(profile_stand, peer, "peer", FIELD_I32),
    FIELD(profile_stand, tag, "tag", FIELD_I32),
    FIELD(profile_stand, root, "root", FIELD_I32),
    FIELD(profile_stand, bytes, "bytes", FIELD_I64),
    FIELD(profile_stand, entered, "entered_seconds", FIELD_REAL),
    FIELD(profile_stand, seconds, "seconds", FIELD_REAL),
    FIELD(profile_stand, witnessed, "witnessed_seconds", FIELD_REAL),
    FIELD(profile_stand, witness, "witness", FIELD_I32),
};
FIELDS(stand);

static const struct field arrival_table[] = {
    FIELD(profile_arrival, site, "site", FIELD_SITE),
    NEEDED_FIELD(profile_arrival, operation, "operation", FIELD_OPERATION),
    NEEDED_FIELD(profile_arrival, comm, "communicator", FIELD_COMM),
    FIELD(profile_arrival, instances, "instances", FIELD_U64),
    FIELD(profile_arrival, stand_for, "stand_for", FIELD_U64),
    FIELD(profile_arrival, exact, "exact", FIELD_BOOL),
    FIELD(profile_arrival, skew_median_ns, "skew_median_ns", FIELD_U64),
    FIELD(profile_arrival, skew_max_ns, "skew_max_ns", FIELD_U64),
    FIELD(profile_arrival, duration_median_ns, "duration_median_ns", FIELD_U64),
    FIELD(profile_arrival, duration_max_ns, "duration_max_ns", FIELD_U64),
    FIELD(profile_arrival, time_ns, "time_ns", FIELD_U64),
    FIELD(profile_arrival, wait_ns, "wait_ns", FIELD_U64),
    FIELD(profile_arrival, late_rank, "late_rank", FIELD_INDEX),
    FIELD(profile_arrival, late_count, "late_count", FIELD_U64),
    FIELD(profile_arrival, late_ranks, "late_ranks", FIELD_U32),
};
FIELDS(arrival);

static const struct field finding_table[] = {
    FIELD(profile_finding, comm, "communicator_index", FIELD_COMM),
};
FIELDS(finding);

static const struct field peer_table[] = {
    FIELD(profile_peer, rank, "rank", FIELD_U32),
    FIELD(profile_peer, peer, "peer", FIELD_U32),
    FIELD(profile_peer, received, "received", FIELD_U32),
    FIELD(profile_peer, site, "site", FIELD_SITE),
    FIELD(profile_peer, operation, "operation", FIELD_OPERATION),
    FIELD(profile_peer, messages, "messages", FIELD_U64),
    FIELD(profile_peer, bytes, "bytes", FIELD_U64),
};
FIELDS(peer);

static const struct field trace_table[] = {
    FIELD(profile_trace, on, "recorded", FIELD_BOOL),
    FIELD(profile_trace, time_mask, "window_mask", FIELD_HEX),
    FIELD(profile_trace, first_ns, NULL, FIELD_I64),
    FIELD(profile_trace, last_ns, NULL, FIELD_I64),
    FIELD(profile_trace, covered, "covered", FIELD_SHARE),
    FIELD(profile_trace, error_ns, "error_ns", FIELD_REAL),
    FIELD(profile_trace, calls_ns, "calls_ns", FIELD_U64),
    FIELD(profile_trace, wait_ns, "wait_ns", FIELD_U64),
    FIELD(profile_trace, sends, "sends", FIELD_U64),
    FIELD(profile_trace, receives, "receives", FIELD_U64),
    FIELD(profile_trace, matched, "matched", FIELD_U64),
    FIELD(profile_trace, contradictions, "contradictions", FIELD_U64),
    FIELD(profile_trace, unnumbered, "unnumbered", FIELD_U64),
    FIELD(profile_trace, network, "transport", FIELD_NETWORK),
    FIELD(profile_trace, below, "seen_in_transport", FIELD_U64),
    FIELD(profile_trace, outside_polls, "outside_polls", FIELD_U64),
    FIELD(profile_trace, outside_empty, "outside_empty_polls", FIELD_U64),
};
FIELDS(trace);

/* Many, and of plain members only. */
static const struct field act_table[] = {{NULL, FIELD_PLAIN, 0, sizeof(struct act), false},
                                         INNER(act, site, FIELD_SITE),
                                         INNER(act, operation, FIELD_OPERATION)};
FIELDS(act);

static const struct field net_table[] = {{NULL, FIELD_PLAIN, 0, sizeof(struct net), false},
                                         INNER(net, site, FIELD_SITE),
                                         INNER(net, operation, FIELD_OPERATION)};
FIELDS(net);

static const struct field below_table[] = {
    FIELD(net_row, site, "site", FIELD_SITE),
    FIELD(net_row, operation, "operation", FIELD_OPERATION),
    FIELD(net_row, sends, "sends", FIELD_U64),
    FIELD(net_row, eager, "eager", FIELD_U64),
    FIELD(net_row, rendezvous, "rendezvous", FIELD_U64),
    FIELD(net_row, eager_max, "eager_max_bytes", FIELD_U64),
    FIELD(net_row, rendezvous_min, "rendezvous_min_bytes", FIELD_U64),
    FIELD(net_row, receives, "receives", FIELD_U64),
    FIELD(net_row, lay, "lay_known", FIELD_U64),
    FIELD(net_row, lay_ns, "lay_ns", FIELD_U64),
    FIELD(net_row, lay_max_ns, "lay_max_ns", FIELD_U64),
    FIELD(net_row, same_call, "ended_in_same_call", FIELD_U64),
    FIELD(net_row, other_call, "ended_in_other_call", FIELD_U64),
    FIELD(net_row, outside, "ended_outside", FIELD_U64),
    FIELD(net_row, carrier_site, "carrier_site", FIELD_SITE),
    FIELD(net_row, carrier_operation, "carrier_operation", FIELD_OPERATION),
    FIELD(net_row, carried, "carried", FIELD_U64),
    FIELD(net_row, moved_bytes, "moved_bytes", FIELD_U64),
    FIELD(net_row, moved_ns, "moved_ns", FIELD_U64),
};
FIELDS(below);

static const struct field wait_table[] = {
    FIELD(wait, site, "site", FIELD_SITE),
    NEEDED_FIELD(wait, operation, "operation", FIELD_OPERATION),
    FIELD(wait, state, "state", FIELD_WAIT),
    FIELD(wait, rank, "for_rank", FIELD_U32),
    FIELD(wait, calls, "calls", FIELD_U64),
    FIELD(wait, wait_ns, "wait_ns", FIELD_U64),
    FIELD(wait, followed, "followed", FIELD_U64),
    FIELD(wait, in_turn, "in_turn", FIELD_U64),
};
FIELDS(wait);

static const char *const state_names[] = {
    [LEDGER_RUNNING] = "running", [LEDGER_FINALIZED] = "finalized", [LEDGER_EXITED] = "exited",
    [LEDGER_ABORTED] = "aborted", [LEDGER_SIGNALLED] = "signalled", [LEDGER_REPLACED] = "replaced",
    [LEDGER_HANDLED] = "handled"};
static const char *const family_names[] = {[FAMILY_PLAIN] = "plain",
                                           [FAMILY_COLLECTIVE] = "collective",
                                           [FAMILY_ICOLLECTIVE] = "icollective",
                                           [FAMILY_SEND] = "send",
                                           [FAMILY_ISEND] = "isend",
                                           [FAMILY_RECV] = "recv",
                                           [FAMILY_IRECV] = "irecv",
                                           [FAMILY_SENDRECV] = "sendrecv",
                                           [FAMILY_INIT_REQUEST] = "init_request",
                                           [FAMILY_START] = "start",
                                           [FAMILY_COMPLETION] = "completion",
                                           [FAMILY_PROBE] = "probe",
                                           [FAMILY_ONE_SIDED] = "one_sided",
                                           [FAMILY_IO] = "io",
                                           [FAMILY_COMM] = "communicator",
                                           [FAMILY_LIFECYCLE] = "lifecycle"};

static const char *const network_names[] = {[LEDGER_NETWORK_OFF] = "off",
                                            [LEDGER_NETWORK_ON] = "recorded",
                                            [LEDGER_NETWORK_NO_UCX] = "system calls alone",
                                            [LEDGER_NETWORK_MISSING] = "missing"};

#define NAMES(array)                                                                               \
    {                                                                                              \
        array, sizeof array / sizeof *array                                                        \
    }
static const struct names {
    const char *const *at;
    uint32_t n;
} names_of[FIELD_KINDS] = {[FIELD_CLOCK] = NAMES(clock_names),
                           [FIELD_STATE] = NAMES(state_names),
                           [FIELD_FAMILY] = NAMES(family_names),
                           [FIELD_WAIT] = NAMES(wait_names),
                           [FIELD_NETWORK] = NAMES(network_names)};

const char *field_name(enum field_kind kind, uint32_t value)
{
    return value < names_of[kind].n ? names_of[kind].at[value] : "unknown";
}

const char *clock_name_of(uint32_t clock)
{
    return field_name(FIELD_CLOCK, clock);
}

const char *state_name_of(uint32_t state)
{
    return field_name(FIELD_STATE, state);
}

bool field_named(enum field_kind kind, uint32_t *value, const char *name)
{
    for (uint32_t i = 0; name && i < names_of[kind].n; i++) {
        if (!strcmp(names_of[kind].at[i], name)) {
            *value = i;
            return true;
        }
    }
    return false;
}

/* --- lists --- */

static const struct fields fields_none;

#define LIST(list, key, fields, how)                                                               \
    {                                                                                              \
        key, &fields, offsetof(struct profile, list), sizeof *((struct profile *)0)->list.at, how  \
    }
const struct list profile_lists[] = {
    LIST(hosts, "hosts", fields_host, LIST_PACKED),
    LIST(ranks, "ranks", fields_rank, LIST_PACKED | LIST_APPENDED),
    LIST(modules, "modules", fields_module, LIST_PACKED),
    LIST(operations, "operations", fields_operation, LIST_PACKED),
    LIST(comms, "communicators", fields_comm, LIST_PACKED),
    LIST(regions, "regions", fields_region, LIST_PACKED),
    LIST(sites, NULL, fields_none, 0),
    LIST(entries, "entries", fields_entry, LIST_PACKED),
    LIST(groups, "groups", fields_group, LIST_PACKED),
    LIST(arrivals, "arrivals", fields_arrival, 0),
    LIST(events, NULL, fields_event, LIST_PACKED | LIST_APPENDED),
    LIST(peers, "matrix", fields_peer, LIST_PACKED | LIST_APPENDED),
    LIST(stands, "in_progress", fields_stand, LIST_APPENDED),
    LIST(waits, "waits", fields_wait, 0),
    LIST(below, "transport", fields_below, 0),
    LIST(acts, NULL, fields_act, LIST_PACKED | LIST_APPENDED),
    LIST(nets, NULL, fields_net, LIST_PACKED | LIST_APPENDED),
    LIST(programs, NULL, fields_none, 0),
    LIST(libraries, NULL, fields_none, 0),
    LIST(warnings, NULL, fields_none, 0),
    LIST(findings, NULL, fields_finding, 0),
};
const size_t n_profile_lists = sizeof profile_lists / sizeof *profile_lists;

/* What positions of each kind are in. */
static size_t size_of(const struct profile *p, enum field_kind kind)
{
    const size_t sizes[FIELD_KINDS] = {[FIELD_HOST] = p->hosts.n,
                                       [FIELD_OPERATION] = p->operations.n,
                                       [FIELD_COMM] = p->comms.n,
                                       [FIELD_REGION] = p->regions.n,
                                       [FIELD_SITE] = p->sites.n};
    return sizes[kind];
}

void positions_follow(const struct fields *fields, void *data, const struct moves *moves)
{
    for (size_t i = 0; i < fields->n; i++) {
        if (fields->at[i].kind < FIELD_HOST)
            continue;
        uint32_t *position = (uint32_t *)((char *)data + fields->at[i].offset);
        if (*position != PROFILE_NONE)
            *position = moves->to[fields->at[i].kind][*position];
    }
}

static bool are_valid(const struct profile *p, const struct fields *fields, const void *data)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *f = &fields->at[i];
        if (f->kind < FIELD_HOST)
            continue;
        uint32_t position = *(const uint32_t *)((const char *)data + f->offset);
        if (position == PROFILE_NONE ? f->needed : position >= size_of(p, f->kind))
            return false;
    }
    return true;
}

bool positions_valid(const struct profile *p)
{
    for (size_t i = 0; i < p->sites.n; i++)
        for (uint32_t k = 0; k < p->sites.at[i].depth; k++) {
            uint32_t module = p->sites.at[i].frame[k].module;
            if (module != PROFILE_NONE && module >= p->modules.n)
                return false;
        }
    for (const struct list *l = profile_lists; l < profile_lists + n_profile_lists; l++)
        for (size_t i = 0; i < list_in(p, l)->n; i++)
            if (!are_valid(p, l->fields, list_at(p, l, i)))
                return false;
    return true;
}
