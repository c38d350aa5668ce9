/* The command line of collbench-tree. */
#include "tree_bench.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum key {
    KEY_LATENCIES = 0x200,
    KEY_ALGORITHM,
    KEY_ROOT,
    KEY_SEGMENT,
    KEY_TREE,
    KEY_SAVE,
    KEY_SCHEDULE,
    KEY_NO_RUN,
    KEY_METHOD,
    KEY_STEP
};

static const struct argp_option option_list[] = {
    {"latencies", KEY_LATENCIES, "LOG", 0,
     "a log of collbench-pairs, or of the original tool; without it the latencies are measured", 1},
    {"algorithm", KEY_ALGORITHM, "LIST", 0,
     "all, or of grid, grid-paper, look-ahead, earliest, fastest-first, binomial, flat, sites, "
     "sites-binary, chain, binary, exhaustive; none: the library's own only (all)",
     1},
    {"root", KEY_ROOT, "RANK", 0, "from where (0)", 1},
    {"segment", KEY_SEGMENT, "BYTES", 0,
     "send in segments of so many bytes; 0: whole messages; auto: what is predicted best (auto)",
     1},
    {"step", KEY_STEP, "N", 0, "sizes 2^N times the one before (1)", 1},
    {"no-run", KEY_NO_RUN, NULL, 0, "predict only", 2},
    {"method", KEY_METHOD, "NAME", 0,
     "how a broadcast is measured: direct or held, see collbench-bcast (direct)", 2},
    {"tree", KEY_TREE, "FILE", 0,
     "draw the best tree of the largest size: .txt, .dot, .png or .svg", 12},
    {"save", KEY_SAVE, "FILE", 0, "save that tree as JSON", 12},
    {"schedule", KEY_SCHEDULE, "FILE", 0, "load a tree from JSON, and compare it too", 1},
    {0}};

bool tree_choose(const char *word, void *arg)
{
    struct tree_options *o = arg;
    bool all = strcmp(word, "all") == 0;
    for (size_t i = 0; all && i < n_schedule_builders; i++)
        o->builder[i] = &schedule_builders[i];
    if (all) {
        o->n_builders = n_schedule_builders;
        return true;
    }
    if (strcmp(word, "none") == 0)
        return o->only_native = true;
    const struct schedule_builder *builder = schedule_builder_find(word);
    if (builder && o->n_builders < TREE_ALGORITHMS_MAX)
        o->builder[o->n_builders++] = builder;
    return builder != NULL;
}

static error_t parse_segment(struct tree_options *o, char *arg, struct argp_state *state)
{
    o->segment = SIZE_MAX;
    if (strcmp(arg, "auto") == 0 || bench_parse_size(arg, &o->segment))
        return 0;
    return bench_bad_option(state, "impossible segment '%s': bytes, 0 or auto", arg);
}

static error_t parse_method(struct tree_options *o, const char *arg, struct argp_state *state)
{
    o->method = bcast_method_find(arg);
    if (o->method && (strcmp(arg, "direct") == 0 || strcmp(arg, "held") == 0))
        return 0;
    return bench_bad_option(state, "unknown method '%s': direct or held", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct tree_options *o = state->input;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case KEY_LATENCIES:
        o->latencies = arg;
        return 0;
    case KEY_ALGORITHM:
        if (!bench_each_word(arg, tree_choose, o))
            return bench_bad_option(state,
                                    "unknown algorithm in '%s': all, or of grid, grid-paper, "
                                    "look-ahead, earliest, fastest-first, binomial, flat, sites, "
                                    "sites-binary, chain, binary, exhaustive",
                                    arg);
        return 0;
    case KEY_ROOT:
        o->root = (int)strtol(arg, &end, 10);
        if (end == arg || *end || o->root < 0)
            return bench_bad_option(state, "impossible root '%s': a rank", arg);
        return 0;
    case KEY_SEGMENT:
        return parse_segment(o, arg, state);
    case KEY_METHOD:
        return parse_method(o, arg, state);
    case KEY_TREE:
        o->tree = arg;
        return 0;
    case KEY_SAVE:
        o->save = arg;
        return 0;
    case KEY_SCHEDULE:
        o->load = arg;
        return 0;
    case KEY_STEP:
        o->step = (int)strtol(arg, &end, 10);
        if (end == arg || *end || o->step < 1 || o->step > 30)
            return bench_bad_option(state, "impossible step '%s': 1 to 30", arg);
        return 0;
    case KEY_NO_RUN:
        o->no_run = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
const struct argp tree_argp = {
    .options = option_list,
    .parser = parse,
    .children = children,
    .doc = "Builds broadcast schedules from the latencies between ranks (Mateescu and Taylor), "
           "predicts their completion and runs them against the library's own MPI_Bcast.\v"
           "With one rank and --latencies nothing is run: a prediction for the ranks of the log."};
