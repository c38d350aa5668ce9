/* Names that the command has to know without MPI, each with what it stands for: the only lists of
 * them. X(SYMBOL, NAME) is applied to every one, in the order in which they are shown.
 * A method of measuring broadcasts is the struct bcast_method bcast_SYMBOL in src/measure/bcast.
 * A broadcast is an entry of bcasts[] in src/trees/bcast.c; "grid" is built for each use. */
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
    X(overhead, "overhead")

#define BCASTS(X)                                                                                  \
    X(native, "native")                                                                            \
    X(binomial, "binomial")                                                                        \
    X(linear, "linear")                                                                            \
    X(backward, "backward")                                                                        \
    X(flat, "flat")                                                                                \
    X(chain, "chain")

/* All as one string, each after what stands between two. */
#define NAME_AFTER_BAR(symbol, name) "|" name
#define NAME_BEFORE_COMMA(symbol, name) name ", "

#endif
