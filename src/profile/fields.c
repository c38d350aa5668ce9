#include "profile/model.h"

static const char *const state_names[] = {
    [LEDGER_RUNNING] = "running", [LEDGER_FINALIZED] = "finalized", [LEDGER_EXITED] = "exited",
    [LEDGER_ABORTED] = "aborted", [LEDGER_SIGNALLED] = "signalled", [PROFILE_CUT_OFF] = "cut off"};
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

#define LIST(of) of##_list = {of##_names, sizeof of##_names / sizeof *of##_names}
static const struct names LIST(clock), LIST(state), LIST(family), LIST(wait), LIST(cause),
    LIST(replay), LIST(network);

/* ROW is the type of the rows. */
#define FIELD(name, shown, of, merged, ...)                                                        \
    {                                                                                              \
        .key = shown, .kind = FIELD_##of, .merge = MERGE_##merged, .offset = offsetof(ROW, name),  \
        .size = sizeof(((ROW *)0)->name), __VA_ARGS__                                              \
    }
#define F(name, shown, of, merged) FIELD(name, shown, of, merged, )
#define NAMED(name, shown, merged, of) FIELD(name, shown, NAME, merged, .names = &of##_list)
#define IN(name, shown, in, merged) FIELD(name, shown, ROW, merged, .table = TABLE_##in)
#define NEEDED(name, shown, in, merged)                                                            \
    FIELD(name, shown, ROW, merged, .table = TABLE_##in, .needed = true)
/* A call: the call site and the operation. A segment lies between two calls. */
#define CALL(merged)                                                                               \
    IN(site, "site", SITES, merged), NEEDED(operation, "operation", OPERATIONS, merged)
#define SEGMENT(in, merged)                                                                        \
    IN(in from_site, "from_site", SITES, merged),                                                  \
        IN(in from_operation, "from_operation", OPERATIONS, merged),                               \
        IN(in site, "site", SITES, merged), IN(in operation, "operation", OPERATIONS, merged)
#define ROW struct profile
static const struct field run_table[] = {
    F(run_id, "id", HEX, FIRST),
    F(started_unix, "started_unix", REAL, MIN),
    F(size, "size", I32, MAX),
    F(threads_at_once, "threads_at_once", BOOL, OR),
    NAMED(clock, "clock", MAX, clock),
    F(synchronized, "synchronized", BOOL, AND),
    F(clock_bound, "clock_bound_seconds", REAL, MAX),
    F(stack_depth, "stack_depth", U32, MAX),
    F(crashed, "incomplete", BOOL, OR),
    F(launcher, "launcher", TEXT, FIRST),
    F(arguments, "arguments", TEXT, FIRST),
    F(sample_mask, "sample_mask", U32, OR),
    F(peers_dropped, "matrix_dropped", U64, SUM),
    F(unbalanced, NULL, BOOL, OR),
};
#undef ROW

#define ROW struct profile_host
static const struct field host_table[] = {
    F(name, "name", TEXT, KEY),
    F(ranks, "ranks", U32, SUM),
};
#undef ROW

#define ROW struct profile_rank
static const struct field rank_table[] = {
    F(rank, "rank", I32, KEY),
    NEEDED(host, "host", HOSTS, FIRST),
    F(pid, "pid", I64, KEY),
    NAMED(state, "state", FIRST, state),
    F(state_detail, "state_detail", I32, FIRST),
    F(wall, "wall_seconds", REAL, FIRST),
    F(mpi_ns, "mpi_ns", U64, FIRST),
    F(lifecycle_ns, "lifecycle_ns", U64, FIRST),
    F(collective_ns, "collective_ns", MAYBE, FIRST),
    F(message_ns, "message_ns", MAYBE, FIRST),
    F(collective_wait_ns, "collective_wait_ns", MAYBE, FIRST),
    F(message_wait_ns, "message_wait_ns", U64, FIRST),
    F(calls, "calls", U64, FIRST),
    F(started_late, "started_late", U32, FIRST),
    F(messages_lost, NULL, U32, FIRST),
    F(grow_error, "grow_error", U32, FIRST),
    F(in_call, "in_call", BOOL, FIRST),
    F(cpu_ns, "cpu_ns", MAYBE, FIRST),
    F(delayed_ns, "delayed_ns", MAYBE, FIRST),
    F(call_ns, "call_ns", REAL, FIRST),
    F(untracked_requests, "untracked_requests", U64, FIRST),
    F(failed_collectives, NULL, U64, FIRST),
    F(init_ns, "init_ns", U64, FIRST),
    F(merge_ns, "merge_ns", U64, FIRST),
    F(injected_ns, "injected_ns", U64, FIRST),
    F(end_ns, NULL, I64, FIRST),
    F(dropped[LEDGER_MODULES], "dropped_modules", U64, FIRST),
    F(dropped[LEDGER_REGIONS], "dropped_regions", U64, FIRST),
    F(dropped[LEDGER_SITES], "dropped_sites", U64, FIRST),
    F(dropped[LEDGER_COMMS], "dropped_communicators", U64, FIRST),
    F(dropped[LEDGER_ENTRIES], "dropped_calls", U64, FIRST),
    F(dropped[LEDGER_INSTANCES], "dropped_instances", U64, FIRST),
    F(dropped[LEDGER_CHANNELS], "dropped_channels", U64, FIRST),
};
#undef ROW

#define ROW struct profile_module
static const struct field module_table[] = {
    F(build_id, "build_id", TEXT, KEY),
    F(function, "python_function", TEXT, KEY),
    F(path, "path", TEXT, PATH),
};
#undef ROW

#define ROW struct profile_operation
static const struct field operation_table[] = {
    F(name, "name", TEXT, KEY),
    NAMED(family, "family", FIRST, family),
};
#undef ROW

#define ROW struct profile_comm
static const struct field comm_table[] = {
    F(size, "size", U32, KEY_DOWN),     F(id, "id", HEX, KEY),
    IN(site, "created_at", SITES, KEY), F(copy, "copy", INDEX, KEY),
    F(name, "name", TEXT, LEAST),       F(root_world_rank, "first_world_rank", INDEX, MIN),
    F(flags, "flags", U32, OR),         F(first, "first_group", U32, FIRST),
    F(created, "created", U64, MAX),    F(most, NULL, U64, MAX),
    F(least, NULL, U64, MIN),
};
#undef ROW

#define ROW struct profile_region
static const struct field region_table[] = {
    F(name, "name", TEXT, KEY),         F(entered, "entered", U64, SUM),
    F(time_ns, "time_ns", U64, SUM),    F(longest_ns, "longest_ns", U64, MAX),
    F(outside, "outside", SPREAD, SUM),
};
#undef ROW

#define ROW struct profile_entry
static const struct field entry_table[] = {
    IN(site, "site", SITES, KEY),
    NEEDED(operation, "operation", OPERATIONS, KEY),
    IN(comm, "communicator", COMMS, KEY),
    IN(region, "region", REGIONS, KEY),
    F(size_class, "size_class", U32, KEY),
#define SUM(member) F(member, #member, U64, SUM),
    LEDGER_SUMS(SUM) F(min_ns, "min_ns", U64, SHORTEST),
    F(max_ns, "max_ns", U64, MAX),
    F(histogram, "histogram", HISTOGRAM, SUM),
};
#undef ROW

#define ROW struct profile_group
static const struct field group_table[] = {
    CALL(KEY),
    F(spread, "ranks", SPREAD, SUM),
};
#undef ROW

#define ROW struct spread
static const struct field spread_table[] = {
    F(ranks, "count", U32, FIRST),     F(sum, "sum_ns", U64, FIRST),
    F(min, "min_ns", U64, FIRST),      F(max, "max_ns", U64, FIRST),
    F(best, "min_rank", INDEX, FIRST), F(worst, "max_rank", INDEX, FIRST),
};
#undef ROW

#define ROW struct profile_instance
static const struct field instance_table[] = {
    F(comm_id, "communicator_id", HEX, KEY),
    F(sequence, "sequence", U64, KEY),
    F(comm_rank, "communicator_rank", U32, KEY),
    F(rank, "rank", U32, KEY),
    F(entry_ns, "entry_ns", I64, KEY),
    F(exit_ns, "exit_ns", I64, FIRST),
    F(outside_ns, "outside_ns", MAYBE, FIRST),
    F(bytes, "bytes", U64, FIRST),
    CALL(FIRST),
    NEEDED(comm, "communicator", COMMS, FIRST),
    F(root, "root", I32, FIRST),
    F(spared, NULL, U32, FIRST),
};
#undef ROW

#define ROW struct profile_arrival
static const struct field arrival_table[] = {
    CALL(FIRST),
    NEEDED(comm, "communicator", COMMS, FIRST),
    F(instances, "instances", U64, FIRST),
    F(population, "population", U64, FIRST),
    F(skew_median_ns, "skew_median_ns", U64, FIRST),
    F(skew_max_ns, "skew_max_ns", U64, FIRST),
    F(duration_median_ns, "duration_median_ns", U64, FIRST),
    F(duration_max_ns, "duration_max_ns", U64, FIRST),
    F(time_ns, "time_ns", U64, FIRST),
    F(wait_ns, "wait_ns", U64, FIRST),
    F(cost_rank, "cost_rank", INDEX, FIRST),
    F(cost_ns, "cost_ns", U64, FIRST),
    F(cost_low_ns, "cost_low_ns", MAYBE, FIRST),
};
#undef ROW

#define ROW struct profile_finding
static const struct field finding_table[] = {
    F(kind, NULL, STRING, KEY),
    IN(comm, "communicator_index", COMMS, FIRST),
    F(value, NULL, JSON, FIRST),
};
#undef ROW

#define ROW struct profile_peer
static const struct field peer_table[] = {
    F(rank, "rank", U32, KEY),
    F(peer, "peer", U32, KEY),
    F(received, "received", U32, KEY),
    IN(site, "site", SITES, KEY),
    IN(operation, "operation", OPERATIONS, KEY),
    F(messages, "messages", U64, SUM),
    F(bytes, "bytes", U64, SUM),
};
#undef ROW

#define ROW struct profile_sample
static const struct field sample_table[] = {
    F(rank, "rank", U32, KEY),
    SEGMENT(, KEY),
    IN(stack, "stack", SITES, KEY),
    F(ns, "ns", U64, SUM),
};
#undef ROW

#define ROW struct profile_trace
static const struct field trace_table[] = {
    F(on, "recorded", BOOL, OR),
    F(time_mask, "window_mask", HEX, OR),
    F(first_ns, NULL, I64, MIN),
    F(last_ns, NULL, I64, MAX),
    F(covered, "covered", REAL, FIRST),
    F(error_ns, "error_ns", REAL, FIRST),
    F(calls_ns, "calls_ns", U64, FIRST),
    F(wait_ns, "wait_ns", U64, FIRST),
    F(path_ns, "path_ns", I64, FIRST),
    NAMED(replay.state, "replay", FIRST, replay),
    F(replay.recorded_ns, "replayable_ns", I64, FIRST),
    F(replay.replayed_ns, "replayed_ns", I64, FIRST),
    F(replay.ideal_ns, "ideal_network_ns", MAYBE, FIRST),
    F(replay.repeat_error, "replay_error", REAL, FIRST),
    F(sends, "sends", U64, FIRST),
    F(receives, "receives", U64, FIRST),
    F(matched, "matched", U64, FIRST),
    F(contradictions, "contradictions", U64, FIRST),
    F(unnumbered, "unnumbered", U64, FIRST),
    NAMED(network, "transport", MAX, network),
    F(below, "seen_in_transport", U64, FIRST),
};
#undef ROW

#define ROW struct net_row
static const struct field below_table[] = {
    IN(operation, "operation", OPERATIONS, KEY),
    IN(site, "site", SITES, KEY),
    F(sends, "sends", U64, SUM),
    F(receives, "receives", U64, SUM),
    F(same_call, "ended_in_same_call", U64, SUM),
    F(other_call, "ended_in_other_call", U64, SUM),
    F(outside, "ended_outside", U64, SUM),
    F(moved_bytes, "moved_bytes", U64, SUM),
};
#undef ROW

#define ROW struct wait
static const struct field wait_table[] = {
    CALL(KEY),
    NAMED(state, "state", KEY, wait),
    F(rank, "for_rank", U32, KEY),
    F(calls, "calls", U64, SUM),
    F(wait_ns, "wait_ns", U64, SUM),
};
#undef ROW

#define ROW struct root_cause
static const struct field cause_table[] = {
    NAMED(kind, "kind", FIRST, cause),
    F(rank, "rank", INDEX, FIRST),
    SEGMENT(, FIRST),
    F(direct_ns, "direct_ns", U64, FIRST),
    F(passed_ns, "passed_on_ns", U64, FIRST),
    F(waits, "waits", U64, FIRST),
    F(path_ns, "path_ns", U64, FIRST),
    F(error_ns, "error_ns", REAL, FIRST),
    F(followed, "followed", U64, FIRST),
    F(in_turn, "in_turn", U64, FIRST),
    F(wave_ranks, "wave_ranks", U32, FIRST),
    F(wave_ns, "wave_ns", I64, FIRST),
    F(wave_end, "wave_end", INDEX, FIRST),
    IN(wait_site, "waited_at_site", SITES, FIRST),
    IN(wait_operation, "waited_in_operation", OPERATIONS, FIRST),
    NAMED(wait_state, "state", FIRST, wait),
};
#undef ROW

#define ROW struct prediction
static const struct field prediction_table[] = {
    SEGMENT(segment., FIRST),           F(ranks, "ranks", U32, FIRST),
    F(wall_ns, "wall_ns", REAL, FIRST), F(low_ns, "low_ns", REAL, FIRST),
    F(high_ns, "high_ns", REAL, FIRST),
};
#undef ROW

#define ROW struct profile_part
static const struct field part_table[] = {
    F(level, NULL, U32, KEY),  F(number, NULL, I64, KEY),     F(begin_ns, NULL, I64, MIN),
    F(end_ns, NULL, I64, MAX), F(outside, NULL, SPREAD, SUM),
};
#undef ROW

#define ROW struct run_slice
static const struct field slice_table[] = {
    F(begin_ns, "begin_ns", I64, FIRST),      F(end_ns, "end_ns", I64, FIRST),
    F(efficiency, "efficiency", REAL, FIRST), F(most, "communication", REAL, FIRST),
    F(rank, "slowest_rank", INDEX, FIRST),
};
#undef ROW

#define ROW struct profile_frame
static const struct field frame_table[] = {
    IN(module, "module", MODULES, KEY), F(address, "address", HEX, KEY),
    F(offset, "offset", U64, FIRST),    F(function, "function", STRING, FIRST),
    F(inlined, "inlined", BOOL, FIRST), F(file, "file", STRING, FIRST),
    F(line, "line", U32, FIRST),
};
#undef ROW

#define ROW struct profile_site
static const struct field site_table[] = {
    {.key = "frames", .kind = FIELD_FRAMES, .merge = MERGE_KEY},
};
#undef ROW

static const struct field text_table[] = {
    {.kind = FIELD_STRING, .merge = MERGE_KEY, .size = sizeof(char *)},
};

#define ROW struct profile_balance
static const struct field balance_table[] = {
    F(comm_id, NULL, U64, KEY),
    F(from, NULL, U32, KEY),
    F(to, NULL, U32, KEY),
    F(tag, NULL, I32, KEY),
    IN(operation, NULL, OPERATIONS, KEY),
    IN(site, NULL, SITES, KEY),
    IN(comm, NULL, COMMS, MIN),
    IN(sender, NULL, SITES, MIN),
    F(sent, NULL, U64, SUM),
    F(received, NULL, U64, SUM),
    F(types, NULL, U64, OR),
};
#undef ROW

/* Short, since there are many: only the members that change when profiles are merged. */
#define ROW struct event
static const struct field event_table[] = {IN(site, NULL, SITES, FIRST),
                                           IN(operation, NULL, OPERATIONS, FIRST)};
#undef ROW

#define ROW struct net
static const struct field net_table[] = {IN(site, NULL, SITES, FIRST),
                                         IN(operation, NULL, OPERATIONS, FIRST)};
#undef ROW

#define FIELDS(table)                                                                              \
    {                                                                                              \
        table, sizeof table / sizeof *table                                                        \
    }
const struct fields fields_run = FIELDS(run_table), fields_trace = FIELDS(trace_table),
                    fields_spread = FIELDS(spread_table), fields_frame = FIELDS(frame_table);

#define TABLE(list, key, fields, how)                                                              \
    {                                                                                              \
        key, FIELDS(fields), offsetof(struct profile, list),                                       \
            sizeof *((struct profile *)0)->list.at, how                                            \
    }
enum { SOUGHT = TABLE_SOUGHT | TABLE_SORTED };
const struct table_info profile_tables[TABLES] = {
    [TABLE_HOSTS] = TABLE(hosts, "hosts", host_table, SOUGHT),
    [TABLE_RANKS] = TABLE(ranks, "ranks", rank_table, TABLE_SORTED),
    [TABLE_MODULES] = TABLE(modules, "modules", module_table, SOUGHT),
    [TABLE_OPERATIONS] = TABLE(operations, "operations", operation_table, SOUGHT),
    [TABLE_REGIONS] = TABLE(regions, "regions", region_table, SOUGHT),
    [TABLE_SITES] = TABLE(sites, "sites", site_table, SOUGHT),
    [TABLE_COMMS] = TABLE(comms, "communicators", comm_table, SOUGHT),
    [TABLE_ENTRIES] = TABLE(entries, "entries", entry_table, SOUGHT),
    [TABLE_GROUPS] = TABLE(groups, "groups", group_table, SOUGHT),
    [TABLE_ARRIVALS] = TABLE(arrivals, "arrivals", arrival_table, 0),
    [TABLE_INSTANCES] =
        TABLE(instances, "instances", instance_table, TABLE_SORTED | TABLE_BY_COLUMN),
    [TABLE_PEERS] = TABLE(peers, "matrix", peer_table, SOUGHT),
    [TABLE_SAMPLES] = TABLE(samples, "samples", sample_table, SOUGHT | TABLE_BY_COLUMN),
    [TABLE_WAITS] = TABLE(waits, "waits", wait_table, TABLE_SOUGHT),
    [TABLE_CAUSES] = TABLE(causes, "causes", cause_table, 0),
    [TABLE_PREDICTIONS] = TABLE(predictions, "predictions", prediction_table, 0),
    [TABLE_PARTS] = TABLE(parts, NULL, part_table, SOUGHT),
    [TABLE_SLICES] = TABLE(slices, "slices", slice_table, 0),
    [TABLE_BELOW] = TABLE(below, "transport", below_table, SOUGHT),
    [TABLE_BALANCES] = TABLE(balances, NULL, balance_table, TABLE_SOUGHT),
    [TABLE_EVENTS] = TABLE(events, NULL, event_table, 0),
    [TABLE_NETS] = TABLE(nets, NULL, net_table, 0),
    [TABLE_PROGRAMS] = TABLE(programs, "programs", text_table, SOUGHT | TABLE_OF_RUN),
    [TABLE_LIBRARIES] = TABLE(libraries, "mpi", text_table, SOUGHT | TABLE_OF_RUN),
    [TABLE_WARNINGS] = TABLE(warnings, "warnings", text_table, SOUGHT),
    [TABLE_FINDINGS] = TABLE(findings, NULL, finding_table, TABLE_SORTED),
};

const char *name_of(const struct names *names, uint32_t value)
{
    return value < names->n ? names->at[value] : "unknown";
}

const char *clock_name_of(uint32_t clock)
{
    return name_of(&clock_list, clock);
}

const char *state_name_of(uint32_t state)
{
    return name_of(&state_list, state);
}
