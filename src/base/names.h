/* The names of measuring methods and broadcast algorithms, listed only here: options and --help
 * need them without MPI, and the manuals take the comments as descriptions. X is applied to each
 * name, in the order in which names are displayed, and measured by "all". A method is the struct
 * latency_method latency_SYMBOL in src/measure/latency. A broadcast is the struct bcast tree_SYMBOL
 * in src/trees: it RUNS directly, or is BUILT from measured latencies. */
#pragma once

#define BCAST_METHODS(X)                                                                           \
    X(direct, "direct")                   /* exit of rank i minus entry of the root */             \
    X(held, "held")                       /* rank i acknowledges, after a delay */                 \
    X(ol, "ol")                           /* the same without a delay: the paper's method */       \
    X(send_latency, "send-latency")       /* interval between calls at the root, no latency */     \
    X(rounds, "rounds")                   /* each rank in turn is the root: a lower bound */       \
    X(rounds_backward, "rounds-backward") /* the same, in reverse order of ranks */                \
    X(rounds_random, "rounds-random")     /* the same, in random order */                          \
    X(barrier, "barrier")                 /* a barrier follows every call: an upper bound */       \
    X(ring_barrier, "ring-barrier")       /* the same by the paper's ring of messages */           \
    X(acknowledge, "acknowledge")         /* all ranks acknowledge: an upper bound */              \
    X(gap, "gap")                         /* interval between calls at each rank (g_j) */          \
    X(overhead, "overhead")               /* processor time once messages have arrived (o_i) */    \
    X(osu, "osu")                         /* OSU's loop: mean over the ranks */                    \
    X(osu_max, "osu-max")                 /* the same: maximum over the ranks */                   \
    X(imb, "imb")                         /* older IMB's loop: the root changes every call */      \
    X(imb_max, "imb-max")                 /* the same: maximum over the ranks */                   \
    X(repro_barrier, "repro-barrier")     /* ReproMPI's: longest call after a barrier */           \
    X(repro_window, "repro-window")       /* ReproMPI's: first entry to last exit */

#define BCASTS(X)                                                                                  \
    X(native, "native", RUNS)          /* the library's own MPI_Bcast */                           \
    X(grid, "grid", BUILT)             /* the best of several trees, see below */                  \
    X(grid_paper, "grid-paper", BUILT) /* the paper's pseudocode, literally */                     \
    X(binomial, "binomial", RUNS)      /* a binomial tree, as MPICH's */                           \
    X(linear, "linear", RUNS)          /* rank i receives from rank i-1 */                         \
    X(backward, "backward", RUNS)      /* rank i receives from rank i+1 */                         \
    X(flat, "flat", RUNS)              /* the root sends to all ranks */                           \
    X(chain, "chain", RUNS)            /* linear, in segments of 8 KiB */

/* IF_##how(...), where HOW is X's third argument: `...` if HOW is RUNS, otherwise nothing. */
#define IF_RUNS(...) __VA_ARGS__
#define IF_BUILT(...)

/* Which ranks must have entered a collective before a rank can leave it, whatever the algorithm. */
enum collective_kind {
    COLLECTIVE_ALL,        /* every rank needs all ranks: barrier, allreduce */
    COLLECTIVE_FROM_ROOT,  /* every rank needs the root: broadcast, scatter */
    COLLECTIVE_TO_ROOT,    /* the root needs all ranks: reduce, gather */
    COLLECTIVE_PREFIX,     /* every rank needs the lower ranks: scan */
    COLLECTIVE_NEIGHBOURS, /* every rank needs the neighbours that send to it in the topology */
    COLLECTIVE_OTHER       /* unknown */
};

/* The kind of an operation by its name, such as "MPI_Iallreduce_c" or "Bcast_init". */
enum collective_kind collective_kind(const char *operation);
