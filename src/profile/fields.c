#include "profile/fields.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, member, key, kind)                                                             \
    {                                                                                              \
        key, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member)               \
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
    FIELD(profile_rank, host, "host", FIELD_INDEX),
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
    FIELD(profile_rank, alive, "alive", FIELD_BOOL),
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
    FIELD(profile_rank, dropped, NULL, FIELD_PLAIN),
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
    FIELD(profile_comm, name, "name", FIELD_TEXT),
    FIELD(profile_comm, size, "size", FIELD_U32),
    FIELD(profile_comm, root_world_rank, "first_world_rank", FIELD_INDEX),
    FIELD(profile_comm, flags, "flags", FIELD_U32),
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
    FIELD(profile_entry, site, "site", FIELD_INDEX),
    FIELD(profile_entry, operation, "operation", FIELD_INDEX),
    FIELD(profile_entry, comm, "communicator", FIELD_INDEX),
    FIELD(profile_entry, region, "region", FIELD_INDEX),
    FIELD(profile_entry, size_class, "size_class", FIELD_U32),
#define SUM(member) FIELD(profile_entry, member, #member, FIELD_U64),
    LEDGER_SUMS(SUM) FIELD(profile_entry, min_ns, "min_ns", FIELD_U64),
    FIELD(profile_entry, max_ns, "max_ns", FIELD_U64),
};
FIELDS(entry);

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
    FIELD(profile_event, site, NULL, FIELD_INDEX),
    FIELD(profile_event, operation, NULL, FIELD_INDEX),
    FIELD(profile_event, comm, NULL, FIELD_INDEX),
    FIELD(profile_event, comm_rank, NULL, FIELD_U32),
    FIELD(profile_event, root, NULL, FIELD_I32),
};
FIELDS(event);

static const struct field stand_table[] = {
    FIELD(profile_stand, rank, "rank", FIELD_I32),
    FIELD(profile_stand, operation, "operation", FIELD_INDEX),
    FIELD(profile_stand, site, "site", FIELD_INDEX),
    FIELD(profile_stand, comm, "communicator", FIELD_INDEX),
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
};
FIELDS(stand);

static const struct field arrival_table[] = {
    FIELD(profile_arrival, site, "site", FIELD_INDEX),
    FIELD(profile_arrival, operation, "operation", FIELD_INDEX),
    FIELD(profile_arrival, comm, "communicator", FIELD_INDEX),
    FIELD(profile_arrival, instances, "instances", FIELD_U64),
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

static const struct field peer_table[] = {
    FIELD(profile_peer, rank, "rank", FIELD_U32),
    FIELD(profile_peer, peer, "peer", FIELD_U32),
    FIELD(profile_peer, received, "received", FIELD_U32),
    FIELD(profile_peer, site, "site", FIELD_INDEX),
    FIELD(profile_peer, operation, "operation", FIELD_INDEX),
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
static const struct field act_table[] = {{NULL, FIELD_PLAIN, 0, sizeof(struct act)}};
FIELDS(act);

static const struct field net_table[] = {{NULL, FIELD_PLAIN, 0, sizeof(struct net)}};
FIELDS(net);

static const struct field below_table[] = {
    FIELD(net_row, site, "site", FIELD_INDEX),
    FIELD(net_row, operation, "operation", FIELD_INDEX),
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
    FIELD(net_row, carrier_site, "carrier_site", FIELD_INDEX),
    FIELD(net_row, carrier_operation, "carrier_operation", FIELD_INDEX),
    FIELD(net_row, carried, "carried", FIELD_U64),
    FIELD(net_row, moved_bytes, "moved_bytes", FIELD_U64),
    FIELD(net_row, moved_ns, "moved_ns", FIELD_U64),
};
FIELDS(below);

static const struct field wait_table[] = {
    FIELD(profile_wait, site, "site", FIELD_INDEX),
    FIELD(profile_wait, operation, "operation", FIELD_INDEX),
    FIELD(profile_wait, state, "state", FIELD_WAIT),
    FIELD(profile_wait, rank, "for_rank", FIELD_U32),
    FIELD(profile_wait, calls, "calls", FIELD_U64),
    FIELD(profile_wait, wait_ns, "wait_ns", FIELD_U64),
};
FIELDS(wait);

const char *const dropped_keys[LEDGER_SECTIONS] = {
    [LEDGER_MODULES] = "modules", [LEDGER_REGIONS] = "regions", [LEDGER_COMMS] = "communicators",
    [LEDGER_SITES] = "sites",     [LEDGER_ENTRIES] = "calls",   [LEDGER_INSTANCES] = "instances",
};

static const char *const clock_names[] = {[CLOCK_SOURCE_TSC] = "TSC",
                                          [CLOCK_SOURCE_MONOTONIC] = "CLOCK_MONOTONIC",
                                          [CLOCK_SOURCE_EXTERNAL] = "simulated",
                                          [CLOCK_SOURCE_CNTVCT] = "CNTVCT"};
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

struct names {
    const char *const *at;
    uint32_t n;
};

static struct names names_of(enum field_kind kind)
{
#define NAMES(array) ((struct names){array, sizeof array / sizeof *array})
    if (kind == FIELD_WAIT)
        return NAMES(wait_names);
    if (kind == FIELD_NETWORK)
        return NAMES(network_names);
    return kind == FIELD_CLOCK ? NAMES(clock_names)
                               : (kind == FIELD_STATE ? NAMES(state_names) : NAMES(family_names));
}

static const char *name_of(enum field_kind kind, uint32_t value)
{
    struct names names = names_of(kind);
    return value < names.n ? names.at[value] : "unknown";
}

const char *clock_name_of(uint32_t clock)
{
    return name_of(FIELD_CLOCK, clock);
}

const char *state_name_of(uint32_t state)
{
    return name_of(FIELD_STATE, state);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value))
        profile_out_of_memory();
}

void json_push(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value))
        profile_out_of_memory();
}

json_t *json_text(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    json_t *value = json_stringn(text, length);
    if (value)
        return value;
    char *plain = profile_alloc(length + 1);
    for (size_t i = 0; i < length; i++)
        plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    value = json_stringn(plain, length);
    free(plain);
    return value;
}

static json_t *value_of(const struct field *f, const void *at)
{
    char hex[24];
    switch (f->kind) {
    case FIELD_U32:
        return json_integer(*(const uint32_t *)at);
    case FIELD_I32:
        return json_integer(*(const int32_t *)at);
    case FIELD_U64:
    case FIELD_I64:
        return json_integer(*(const int64_t *)at);
    case FIELD_MAYBE:
        return *(const int64_t *)at < 0 ? json_null() : json_integer(*(const int64_t *)at);
    case FIELD_REAL:
    case FIELD_SHARE:
        /* A damaged record's may be infinite, for which JSON has no number. */
        return isfinite(*(const double *)at) ? json_real(*(const double *)at) : json_null();
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_TEXT:
        return json_text(at, f->size);
    case FIELD_HEX:
        snprintf(hex, sizeof hex, "0x%016llx", *(const unsigned long long *)at);
        return json_string(hex);
    case FIELD_INDEX:
        return *(const uint32_t *)at == PROFILE_NONE ? json_null()
                                                     : json_integer(*(const uint32_t *)at);
    default:
        return json_string(name_of(f->kind, *(const uint32_t *)at));
    }
}

void fields_write(json_t *object, const struct fields *fields, const void *data)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *f = &fields->at[i];
        if (f->key)
            json_put(object, f->key, value_of(f, (const char *)data + f->offset));
    }
}

/* The key of the value that was last refused, until it is asked for. */
static const char *fault;

static bool set_named(enum field_kind kind, uint32_t *at, const char *name)
{
    struct names names = names_of(kind);
    for (uint32_t i = 0; name && i < names.n; i++) {
        if (!strcmp(names.at[i], name)) {
            *at = i;
            return true;
        }
    }
    return false;
}

static bool set_value(const struct field *f, void *at, const json_t *value)
{
    const char *text = json_string_value(value);
    json_int_t number = json_integer_value(value);
    switch (f->kind) {
    case FIELD_U32:
        *(uint32_t *)at = (uint32_t)number;
        return json_is_integer(value) && number >= 0 && number <= UINT32_MAX;
    case FIELD_I32:
        *(int32_t *)at = (int32_t)number;
        return json_is_integer(value) && number >= INT32_MIN && number <= INT32_MAX;
    case FIELD_U64:
        *(int64_t *)at = number;
        return json_is_integer(value) && number >= 0;
    case FIELD_I64:
        *(int64_t *)at = number;
        return json_is_integer(value);
    case FIELD_MAYBE:
        *(int64_t *)at = json_is_integer(value) && number >= 0 ? number : -1;
        return !value || json_is_null(value) || json_is_integer(value);
    case FIELD_REAL:
    case FIELD_SHARE:
        *(double *)at = json_is_null(value) ? NAN : json_number_value(value);
        return json_is_number(value) || json_is_null(value);
    case FIELD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case FIELD_TEXT:
        snprintf(at, f->size, "%s", text ? text : "");
        return text != NULL;
    case FIELD_HEX:
        *(uint64_t *)at = text ? strtoull(text, NULL, 16) : 0;
        return text != NULL;
    case FIELD_INDEX:
        *(uint32_t *)at = json_is_null(value) ? PROFILE_NONE : (uint32_t)number;
        return json_is_null(value) ||
               (json_is_integer(value) && number >= 0 && number < PROFILE_NONE);
    default:
        return set_named(f->kind, at, text);
    }
}

/* What no clock has measured: sums of such times would not fit their type either. */
static bool is_possible(const struct field *f, const json_t *value)
{
    size_t length = strlen(f->key);
    double number = json_number_value(value);
    if (length > 3 && !strcmp(f->key + length - 3, "_ns"))
        return number < (double)FAR_NS && (number >= 0 || f->kind == FIELD_MAYBE);
    return f->kind != FIELD_SHARE || (number >= 0 && number <= 1);
}

const char *fields_fault(void)
{
    const char *was = fault;
    fault = NULL;
    return was;
}

bool fields_read(const json_t *object, const struct fields *fields, void *data)
{
    bool good = json_is_object(object);
    for (size_t i = 0; good && i < fields->n; i++) {
        const struct field *f = &fields->at[i];
        const json_t *value = f->key ? json_object_get(object, f->key) : NULL;
        if (value || f->kind == FIELD_MAYBE)
            good =
                set_value(f, (char *)data + f->offset, value) && (!value || is_possible(f, value));
        if (!good)
            fault = f->key;
    }
    return good;
}
