/* The only lists of names; the command collprof uses them without linking MPI. X is applied to
 * every name, in the order of display. A measurement method is the struct latency_method
 * latency_SYMBOL in src/measure/latency. A broadcast is the struct bcast tree_SYMBOL in src/trees;
 * it RUNS directly, or must first be BUILT from measured latencies. */
#pragma once

#define BCAST_METHODS(X)                                                                           \
    X(send_latency, "send-latency")                                                                \
    X(rounds, "rounds")                                                                            \
    X(rounds_backward, "rounds-backward")                                                          \
    X(rounds_random, "rounds-random")                                                              \
    X(barrier, "barrier")                                                                          \
    X(ring_barrier, "ring-barrier")                                                                \
    X(acknowledge, "acknowledge")                                                                  \
    X(ol, "ol")                                                                                    \
    X(held, "held")                                                                                \
    X(direct, "direct")                                                                            \
    X(gap, "gap")                                                                                  \
    X(overhead, "overhead")                                                                        \
    X(osu, "osu")                                                                                  \
    X(osu_max, "osu-max")                                                                          \
    X(imb, "imb")                                                                                  \
    X(imb_max, "imb-max")                                                                          \
    X(repro_barrier, "repro-barrier")                                                              \
    X(repro_window, "repro-window")

#define BCASTS(X)                                                                                  \
    X(native, "native", RUNS)                                                                      \
    X(grid, "grid", BUILT)                                                                         \
    X(grid_paper, "grid-paper", BUILT)                                                             \
    X(binomial, "binomial", RUNS)                                                                  \
    X(linear, "linear", RUNS)                                                                      \
    X(backward, "backward", RUNS)                                                                  \
    X(flat, "flat", RUNS)                                                                          \
    X(chain, "chain", RUNS)

/* Second argument of X in BCASTS: selects the broadcasts that run directly. */
#define IF_RUNS(what) what
#define IF_BUILT(what)

/* Which ranks must have entered a collective before a rank can leave it, whatever the algorithm. */
enum collective_kind {
    COLLECTIVE_ALL,        /* every rank needs all ranks: barrier, allreduce */
    COLLECTIVE_FROM_ROOT,  /* every rank needs the root: broadcast, scatter */
    COLLECTIVE_TO_ROOT,    /* the root needs all ranks: reduce, gather */
    COLLECTIVE_PREFIX,     /* every rank needs the lower ranks: scan */
    COLLECTIVE_NEIGHBOURS, /* every rank needs the ranks that send to it in its topology */
    COLLECTIVE_OTHER       /* unknown */
};

/* Finds the kind by an operation's name; also for non-blocking, persistent and large-count
 * forms. */
enum collective_kind collective_kind(const char *operation);
