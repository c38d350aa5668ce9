/* Names that the command has to know without MPI, each with its meaning: the only lists of
 * them. X is applied to every one, in the order in which they are shown.
 * A method of measuring is the struct latency_method latency_SYMBOL in src/measure/latency.
 * A broadcast is the struct bcast tree_SYMBOL in src/trees; it RUNS as it is, or has to be BUILT
 * from latencies first. */
#ifndef COLLPROF_BASE_NAMES_H
#define COLLPROF_BASE_NAMES_H

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

/* Of the broadcasts those that run as they are. */
#define IF_RUNS(what) what
#define IF_BUILT(what)

/* Whose exit from a collective operation needs whose entry, whatever the algorithm. */
enum collective_kind {
    COLLECTIVE_ALL,        /* everyone's that of everyone: barrier, allreduce */
    COLLECTIVE_FROM_ROOT,  /* everyone's the root's: broadcast, scatter */
    COLLECTIVE_TO_ROOT,    /* the root's that of everyone: reduce, gather */
    COLLECTIVE_PREFIX,     /* everyone's those of the ranks before: scan */
    COLLECTIVE_NEIGHBOURS, /* everyone's those of the ranks that send to it in its topology */
    COLLECTIVE_OTHER       /* not known */
};

/* By an operation's name, non-blocking, persistent and large-count forms included. */
enum collective_kind collective_kind(const char *operation);

#endif
