/* The rows of a profile's tables: every member is declared here once. profile.h makes structures of
 * the lines; fields.c makes tables of them, which drive merging, sorting, and writing and reading
 * of profile.json. No "#pragma once": both include this file, after defining
 *
 *   ROW(name), END()               the lines between them are struct NAME
 *   F(name, key, kind, merge)      a member of FIELD_KIND; KEY: its name in profile.json, NULL: not
 *                                  there; MERGE_...: see enum field_merge
 *   TEXT(name, key, size, merge)   the same for char[SIZE]
 *   NAMED(name, key, merge, list)  an enum, written by the names in LIST
 *   IN(name, key, table, merge)    the index of a row in another table, or PROFILE_NONE
 *   NEEDED(name, key, table, merge)  an index that may not be PROFILE_NONE
 *   PLAIN(type, name)              a member that is neither merged nor written
 *   OF(name, key, kind, merge)     a merged and written element of a plain member; OF_NAMED too
 *   TABLES()                       the members of PROFILE_TABLES */

/* The members that identify a call: call site and operation. */
#define CALL(merge) IN(site, "site", SITES, merge) NEEDED(operation, "operation", OPERATIONS, merge)

/* The times that the ranks spent in calls of one kind; ranks without such calls do not count. */
ROW(spread)
F(ranks, "count", U32, FIRST)
F(sum, "sum_ns", U64, FIRST)
F(min, "min_ns", U64, FIRST)
F(max, "max_ns", U64, FIRST)
F(best, "min_rank", INDEX, FIRST) /* the lowest rank of those with MIN */
F(worst, "max_rank", INDEX, FIRST)
END()

ROW(profile_text)
F(text, NULL, STRING, KEY) /* the row is written as this text alone */
END()

ROW(profile_host)
TEXT(name, "name", 64, KEY)
F(ranks, "ranks", U32, SUM)
END()

ROW(profile_rank)
F(rank, "rank", I32, KEY)
NEEDED(host, "host", HOSTS, FIRST)
F(pid, "pid", I64, KEY)
NAMED(state, "state", FIRST, state) /* enum ledger_state, or PROFILE_CUT_OFF */
F(state_detail, "state_detail", I32, FIRST)
F(wall, "wall_seconds", REAL, FIRST)        /* from MPI_Init to MPI_Finalize or the last record */
F(mpi_ns, "mpi_ns", U64, FIRST)             /* in MPI calls, except those that start and end MPI */
F(lifecycle_ns, "lifecycle_ns", U64, FIRST) /* in the calls that start and end MPI */
/* Parts of mpi_ns: in collectives; in messages and requests; in collectives until the awaited rank
 * entered, which is known only if all collectives were recorded. Negative if unknown. */
F(collective_ns, "collective_ns", MAYBE, FIRST)
F(message_ns, "message_ns", MAYBE, FIRST)
F(collective_wait_ns, "collective_wait_ns", MAYBE, FIRST)
F(message_wait_ns, "message_wait_ns", U64, FIRST) /* waiting time in traced messages */
F(calls, "calls", U64, FIRST)
F(started_late, "started_late", U32, FIRST) /* MPI_Init was not seen */
F(messages_lost, NULL, U32, FIRST)          /* counts by communicator and tag are incomplete */
F(grow_error, "grow_error", U32, FIRST)     /* errno if the record could not grow; otherwise 0 */
/* The process was killed in a call at an unknown time: its time in MPI is unknown. */
F(in_call, "in_call", BOOL, FIRST)
/* See struct noise_totals (base/noise.h). Negative: unknown, as for a killed process. */
F(cpu_ns, "cpu_ns", MAYBE, FIRST)
F(delayed_ns, "delayed_ns", MAYBE, FIRST)
F(call_ns, "call_ns", REAL, FIRST) /* ns that recording adds to a call; 0: not measured */
F(untracked_requests, "untracked_requests", U64, FIRST)
F(failed_collectives, NULL, U64, FIRST) /* collectives of 2 or more ranks */
F(init_ns, "init_ns", U64, FIRST)       /* overhead of the layer in MPI_Init */
F(merge_ns, "merge_ns", U64, FIRST)     /* time for merging profiles: rank 0, in MPI_Finalize */
/* Part of wall: measurements by the layer, whose time counts in no call. */
F(injected_ns, "injected_ns", U64, FIRST)
F(polled_ns, "polled_ns", I64, FIRST) /* after polls that found nothing */
F(end_ns, NULL, I64, FIRST)           /* with a trace: the end of this rank's run */
PLAIN(uint64_t, dropped[LEDGER_SECTIONS])
OF(dropped[LEDGER_MODULES], "dropped_modules", U64, FIRST)
OF(dropped[LEDGER_REGIONS], "dropped_regions", U64, FIRST)
OF(dropped[LEDGER_SITES], "dropped_sites", U64, FIRST)
OF(dropped[LEDGER_COMMS], "dropped_communicators", U64, FIRST)
OF(dropped[LEDGER_ENTRIES], "dropped_calls", U64, FIRST)
OF(dropped[LEDGER_INSTANCES], "dropped_instances", U64, FIRST)
OF(dropped[LEDGER_CHANNELS], "dropped_channels", U64, FIRST)
END()

/* A shared object or executable, identified by its build-id or, without one, by its path; or a
 * Python function, identified by its file (path) and name, whose addresses are line numbers. The
 * path is the file's exact name until call sites are named; then it is made printable. */
ROW(profile_module)
TEXT(build_id, "build_id", 49, KEY)         /* hexadecimal; empty if none */
TEXT(function, "python_function", 256, KEY) /* empty for machine code */
TEXT(path, "path", 4096, PATH)
END()

ROW(profile_frame)
IN(module, "module", MODULES, KEY)
F(address, "address", HEX, KEY)        /* a return address, relative to the module's file */
F(offset, "offset", U64, FIRST)        /* of the address in FUNCTION or, if NULL, the module */
F(function, "function", STRING, FIRST) /* NULL until call sites are named, or if unknown */
F(inlined, "inlined", BOOL, FIRST)     /* FUNCTION was inlined into its caller */
F(file, "file", STRING, FIRST)         /* NULL like FUNCTION */
F(line, "line", U32, FIRST)
END()

ROW(profile_site)
PLAIN(uint32_t, depth)                               /* 0 for calls without a recorded site */
PLAIN(struct profile_frame, frame[LEDGER_MAX_DEPTH]) /* innermost first */
OF(depth, "frames", FRAMES, KEY)
END()

ROW(profile_operation)
TEXT(name, "name", 40, KEY) /* "MPI_Bcast" */
NAMED(family, "family", FIRST, family)
END()

/* Communicators with the same members, made at one call site. */
ROW(profile_comm)
F(size, "size", U32, KEY_DOWN)
F(id, "id", HEX, KEY)              /* hash of the members */
IN(site, "created_at", SITES, KEY) /* call site that made the communicator */
F(copy, "copy", INDEX, KEY)        /* number of earlier communicators with this ID and site */
TEXT(name, "name", 64, LEAST)
F(root_world_rank, "first_world_rank", INDEX, MIN)
F(flags, "flags", U32, OR)
F(first, "first_group", U32, FIRST) /* size of an intercommunicator's first group; 0: none */
F(created, "created", U64, MAX)
F(most, NULL, U64, MAX) /* see PROFILE_ENTERED() */
F(least, NULL, U64, MIN)
END()

ROW(profile_region)
TEXT(name, "name", 64, KEY)
F(entered, "entered", U64, SUM)
F(time_ns, "time_ns", U64, SUM)       /* without inner regions */
F(longest_ns, "longest_ns", U64, MAX) /* longest time of one rank */
F(outside, "outside", SPREAD, SUM)    /* part of time_ns outside of MPI, by rank */
END()

/* Calls that have the same site, operation, communicator, region and size class. */
ROW(profile_entry)
IN(site, "site", SITES, KEY)
NEEDED(operation, "operation", OPERATIONS, KEY)
IN(comm, "communicator", COMMS, KEY)
IN(region, "region", REGIONS, KEY)
F(size_class, "size_class", U32, KEY)
#define COUNTER(member) F(member, #member, U64, SUM)
LEDGER_SUMS(COUNTER)
F(min_ns, "min_ns", U64, LEAST)
F(max_ns, "max_ns", U64, MAX)
F(histogram, "histogram", HISTOGRAM, SUM) /* HISTOGRAM_BUCKETS elements, of all ranks */
END()

/* Time by rank in one operation at one site; with site PROFILE_NONE at all sites. */
ROW(profile_group)
CALL(KEY)
F(spread, "ranks", SPREAD, SUM)
END()

/* One rank's part in one collective instance; ns on the clock that all ranks share. */
ROW(profile_instance)
F(comm_id, NULL, HEX, KEY) /* of the communicator, not a hash of its members */
F(sequence, NULL, U64, KEY)
/* In an intercommunicator, ranks of the second group follow those of the first. */
F(comm_rank, NULL, U32, KEY)
F(rank, NULL, U32, KEY) /* in MPI_COMM_WORLD */
F(entry_ns, NULL, I64, KEY)
F(exit_ns, NULL, I64, FIRST)
F(outside_ns, NULL, I64, FIRST) /* see struct ledger_instance; negative if unknown */
F(bytes, NULL, U64, FIRST)
IN(site, NULL, SITES, FIRST)
NEEDED(operation, NULL, OPERATIONS, FIRST)
NEEDED(comm, NULL, COMMS, FIRST)
F(root, NULL, I32, FIRST)   /* rank in the communicator; -1 if none */
F(spared, NULL, U32, FIRST) /* see ledger_is_sampled() */
PLAIN(uint32_t, signature)  /* see LEDGER_SIGNATURE() */
END()

/* The instances of one operation at one site, on communicators with the same members. */
ROW(profile_arrival)
CALL(FIRST)
NEEDED(comm, "communicator", COMMS, FIRST)
F(instances, "instances", U64, FIRST) /* recorded by all members, and kept by sampling */
/* Number of instances in the run; if there is a sample_mask, this and all sums are estimates. */
F(population, "population", U64, FIRST)
F(skew_median_ns, "skew_median_ns", U64, FIRST) /* last entry minus first entry */
/* Last exit minus the entry of the root if it sends to all, otherwise minus the last entry. */
F(duration_median_ns, "duration_median_ns", U64, FIRST)
F(time_ns, "time_ns", U64, FIRST)           /* of all ranks in these calls */
F(wait_ns, "wait_ns", U64, FIRST)           /* part of time_ns until the awaited rank entered */
F(cost_rank, "cost_rank", INDEX, FIRST)     /* world rank for which others waited longest */
F(cost_ns, "cost_ns", U64, FIRST)           /* part of wait_ns spent waiting for cost_rank */
F(cost_low_ns, "cost_low_ns", MAYBE, FIRST) /* lower end of its 95 % interval: noise_least() */
F(late, "late_ns", JSON, FIRST) /* by rank in COMM: median of its entry minus the first entry */
/* If all ranks are members: by rank, the time outside of MPI from the previous collective to each
 * of these, in NOISE_PARTS sums over consecutive instances; in one sum if there are fewer. */
F(outside, "outside_ns", JSON, FIRST)
END()

/* A measurement made in the run, or an error in its calls. */
ROW(profile_finding)
F(kind, NULL, STRING, KEY) /* "ack", "benchmark", "broadcast", "verdict" */
IN(comm, "communicator_index", COMMS, FIRST)
F(value, NULL, JSON, FIRST) /* its members are documented in collprof-profile(5) */
END()

/* Messages that RANK sent to PEER (received 0), or received from it (1), at one site: a row of the
 * communication matrix. Ranks are those of MPI_COMM_WORLD. No site and operation if there are too
 * many rows to distinguish sites. */
ROW(profile_peer)
F(rank, "rank", U32, KEY)
F(peer, "peer", U32, KEY)
F(received, "received", U32, KEY)
IN(site, "site", SITES, KEY)
IN(operation, "operation", OPERATIONS, KEY)
F(messages, "messages", U64, SUM)
F(bytes, "bytes", U64, SUM)
END()

/* From --sample: processor time of RANK with one stack in one segment, the time between two MPI
 * calls. Operation PROFILE_NONE: the start or the end of the run instead of a call. */
ROW(profile_sample)
F(rank, "rank", U32, KEY)
IN(from_site, "from_site", SITES, KEY)
IN(from_operation, "from_operation", OPERATIONS, KEY)
IN(site, "site", SITES, KEY)
IN(operation, "operation", OPERATIONS, KEY)
IN(stack, "stack", SITES, KEY) /* PROFILE_NONE: unknown, or one of many small rows */
F(ns, "ns", U64, SUM)
END()

/* Time of all ranks outside of MPI in one part of the run: 1 << LEVEL ns from NUMBER << LEVEL ns on
 * the common clock; the first and the last part are cut to the run, at BEGIN and END. A rank has
 * parts of every length that gives it less than PHASE_SLICES parts. */
ROW(profile_part)
F(level, NULL, U32, KEY)
F(number, NULL, I64, KEY)
F(begin_ns, NULL, I64, MIN)
F(end_ns, NULL, I64, MAX)
F(outside, NULL, SPREAD, SUM) /* only of ranks that were in the run then */
END()

/* Transfers that one operation at one call site started in the transport, counted by the call in
 * which they completed: there MPI made progress. Operation PROFILE_NONE: started outside of MPI. */
ROW(net_row)
IN(operation, "operation", OPERATIONS, KEY)
IN(site, "site", SITES, KEY)
F(sends, "sends", U64, SUM) /* transfers started in these calls */
F(receives, "receives", U64, SUM)
/* Where those transfers completed, if recorded: in the same call, in another one, or in none. */
F(same_call, "ended_in_same_call", U64, SUM)
F(other_call, "ended_in_other_call", U64, SUM)
F(outside, "ended_outside", U64, SUM)
F(moved_bytes, "moved_bytes", U64, SUM) /* moved by system calls in these MPI calls */
END()

/* The blocking collectives of one operation, size and algorithm, as their messages show it. */
ROW(profile_algorithm)
NEEDED(operation, NULL, OPERATIONS, KEY)
F(ranks, NULL, U32, KEY)
F(bytes, NULL, U64, KEY)
F(silent, NULL, U32, KEY) /* no rank sent a message: shared memory, or an unseen transport */
TEXT(name, NULL, ALGORITHM_NAME, KEY) /* empty: unknown */
F(calls, NULL, U64, SUM)
END()

/* One of equally long parts of the run; the first and the last may be shorter. Times since the
 * start of the run. */
ROW(run_slice)
F(begin_ns, "begin_ns", I64, FIRST)
F(end_ns, "end_ns", I64, FIRST)
/* Time outside of MPI, mean of all ranks, as a share of the slice: POP's parallel efficiency. */
F(efficiency, "efficiency", REAL, FIRST)
/* The largest share that one rank spends outside of MPI: POP's communication efficiency. The load
 * balance is efficiency / most. */
F(most, "communication", REAL, FIRST)
F(rank, "slowest_rank", INDEX, FIRST)
END()

/* Messages on one communicator from one rank to another, as counted by sender and receiver up to
 * the end of each; or requests that were incomplete when their rank ended. */
ROW(profile_balance)
F(comm_id, NULL, U64, KEY) /* of the communicator, not a hash of its members */
F(from, NULL, U32, KEY)    /* rank in MPI_COMM_WORLD */
F(to, NULL, U32, KEY)      /* rank in MPI_COMM_WORLD; of requests: rank in COMM */
F(tag, NULL, I32, KEY)
IN(operation, NULL, OPERATIONS,
   KEY) /* which posted the requests; PROFILE_NONE: a row of messages */
IN(site, NULL, SITES, KEY)
IN(comm, NULL, COMMS, MIN)
IN(sender, NULL, SITES, MIN) /* call site of one of the sends */
F(sent, NULL, U64, SUM)
F(received, NULL, U64, SUM)
/* Datatypes by ledger_type_bit(): of the sends in the lower 32 bits, of the receives above. */
F(types, NULL, U64, OR)
END()

/* Waiting time in one operation at one call site, in one wait state, for one late rank. */
ROW(wait)
CALL(KEY)
NAMED(state, "state", KEY, wait)
F(rank, "for_rank", U32, KEY)
F(calls, "calls", U64, SUM)
F(wait_ns, "wait_ns", U64, SUM)
END()

/* Summary of what --trace recorded. */
ROW(profile_trace)
F(on, "recorded", BOOL, OR)
/* Time windows: only events whose time (ns, common clock) has none of these bits set are kept. */
F(time_mask, "window_mask", HEX, OR)
F(first_ns, NULL, I64, MIN) /* first to last: the run */
F(last_ns, NULL, I64, MAX)
F(covered, "covered", REAL, FIRST)   /* share of the run that is in recorded windows */
F(error_ns, "error_ns", REAL, FIRST) /* waits shorter than this clock error count as 0 */
F(calls_ns, "calls_ns", U64, FIRST)  /* time in calls in recorded windows */
F(wait_ns, "wait_ns", U64, FIRST)    /* waiting time in those calls */
F(path_ns, "path_ns", I64, FIRST)    /* length of the critical path */
PLAIN(struct replay_check, replay)   /* whether predictions can be trusted */
OF_NAMED(replay.state, "replay", FIRST, replay)
OF(replay.recorded_ns, "replayable_ns", I64, FIRST)
OF(replay.replayed_ns, "replayed_ns", I64, FIRST)
OF(replay.ideal_ns, "ideal_network_ns", MAYBE, FIRST)
OF(replay.repeat_error, "replay_error", REAL, FIRST)
F(sends, "sends", U64, FIRST)
F(receives, "receives", U64, FIRST)
F(matched, "matched", U64, FIRST)
F(contradictions, "contradictions", U64, FIRST) /* matched pairs that cannot be one message */
F(unnumbered, "unnumbered", U64, FIRST)         /* sends and receives whose order is unknown */
NAMED(network, "transport", MAX, network)       /* enum ledger_network_state */
F(below, "seen_in_transport", U64, FIRST) /* messages whose start in the transport was recorded */
END()

ROW(profile)
F(run_id, "id", HEX, FIRST)
F(started_unix, "started_unix", REAL, LEAST)
F(size, "size", I32, MAX) /* of MPI_COMM_WORLD; 0 if unknown */
/* Several threads of a rank were in MPI at once: the sum of its calls may exceed the run time. */
F(threads_at_once, "threads_at_once", BOOL, OR)
NAMED(clock, "clock", MAX, clock)
F(synchronized, "synchronized", BOOL, AND) /* clocks of hosts differ by at most CLOCK_BOUND */
F(clock_bound, "clock_bound_seconds", REAL, MAX)
F(stack_depth, "stack_depth", U32, MAX)
F(crashed, "incomplete", BOOL, OR)        /* profile made from raw records */
TEXT(launcher, "launcher", 64, FIRST)     /* command that starts ranks, mpiexec; empty: unknown */
TEXT(arguments, "arguments", 2048, FIRST) /* of the program, quoted for a shell; may be empty */
F(has_variables, "has_variables", BOOL, FIRST) /* those that set MPI libraries are in VARIABLES */
F(sample_mask, "sample_mask", U32, OR)
F(peers_dropped, "matrix_dropped", U64, SUM) /* messages left out since the matrix was full */
F(unbalanced, NULL, BOOL, OR)                /* p->balances was emptied: it had too many rows */
PLAIN(bool, has_arrivals)                    /* p->arrivals was read from profile.json */
PLAIN(struct profile_trace, trace)
TABLES()
PLAIN(struct profile_index *, index) /* private to src/profile */
END()

#undef CALL
#undef COUNTER
#undef ROW
#undef END
#undef F
#undef TEXT
#undef NAMED
#undef IN
#undef NEEDED
#undef PLAIN
#undef OF
#undef OF_NAMED
#undef TABLES
