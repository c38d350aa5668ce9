/* The options that all collbench programs share. */
#include "bench.h"
#include "bench_inner.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
    KEY_RANKS = 0x100,
    KEY_STOP,
    KEY_BUDGET,
    KEY_FORMAT,
    KEY_PLOT,
    KEY_YIELD,
    KEY_CVAR,
    KEY_SIZES,
    KEY_SEED,
    KEY_APPEND,
    KEY_USAGE
};

static struct argp_option options[] = {
    {"sizes", KEY_SIZES, "MIN:MAX", 0, "message sizes in bytes, powers of two; K, M, G", 10},
    {NULL, 'm', "[MIN:]MAX", 0, "the same, from the smallest where MIN is left out", 10},
    {"ranks", KEY_RANKS, "MIN:MAX[:STEP]", 0,
     "the first n ranks, n in powers of two or steps, and MAX (\"all\": every rank)", 10},
    {"repetitions", 'i', "M", 0, "operations in one batch", 11},
    {"warmup", 'x', "N", 0, "operations before the first that counts", 11},
    {"stop", KEY_STOP, "RULE", 0,
     "when a measurement is enough: ci (95 % interval of the median within 2 %), paper (8 to 30 "
     "batches until sd < 3 % of their mean), fixed",
     11},
    {"seed", KEY_SEED, "N", 0,
     "the order of sizes and algorithms: at random, the same with the same N; 0: as listed", 11},
    {"budget", KEY_BUDGET, "SEC", 0, "seconds for one row or cell of the results; 0: no limit", 11},
    {"format", KEY_FORMAT, "FORMAT", 0, "text, csv or json", 12},
    {"output", 'o', "FILE", 0, "write the results there instead of to standard output", 12},
    {"append", KEY_APPEND, NULL, 0,
     "keep the launches that are in the --output (JSON), and show them all side by side", 12},
    {"plot", KEY_PLOT, "FILE", 0, "draw them, by gnuplot: FILE ends in .png or .svg", 12},
    {"full", 'f', NULL, 0, "minimum and maximum too, where there are such columns", 12},
    {"yield", KEY_YIELD, NULL, 0,
     "give the processor away while waiting: for more ranks than processors", 13},
    {"cvar", KEY_CVAR, "NAME=VALUE", 0,
     "set a control variable of the MPI library, another algorithm of its own for example; of one "
     "variable several in turn, A,B, where operations are compared (collective, scenario)",
     13},
    {"help", 'h', NULL, 0, "print this help and leave", 20},
    {NULL, '?', NULL, OPTION_HIDDEN, NULL, 20},
    {"usage", KEY_USAGE, NULL, 0, "print the options in short and leave", 20},
    {"version", 'V', NULL, 0, "print the version and leave", 20},
    {0}};

error_t bench_bad_option(struct argp_state *state, const char *format, ...)
{
    if (!(state->flags & ARGP_NO_ERRS)) {
        va_list args;
        va_start(args, format);
        reason_say_list(state->name, format, args);
        va_end(args);
    }
    return EINVAL;
}

static bool parse_count(const char *text, int least, int *count)
{
    size_t value;
    if (!bench_parse_size(text, &value) || value < (size_t)least || value > INT_MAX)
        return false;
    *count = (int)value;
    return true;
}

/* An MPI count is an int, and a simulated or a small machine has to hold the buffer. */
static error_t parse_sizes(struct argp_state *state, char *arg, struct bench *b, bool max_alone)
{
    struct bench_range range;
    if (!bench_parse_range(arg, &range) || range.max > INT_MAX)
        return bench_bad_option(
            state, "impossible sizes '%s': MIN:MAX in bytes as in 8:64K, at most 2G - 1", arg);
    if (max_alone && !strchr(arg, ':'))
        range.min = b->sizes.min < range.max ? b->sizes.min : range.max;
    b->sizes = range;
    return 0;
}

/* "MIN:MAX:STEP": takes ":STEP" off TEXT. */
static bool take_step(char *text, size_t *step)
{
    char *first = strchr(text, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    *step = 0;
    if (!second)
        return true;
    *second = '\0';
    return bench_parse_size(second + 1, step) && *step > 0;
}

/* "all" stands for the number of ranks, alone or as the maximum. */
static bool parse_rank_range(const char *text, size_t all, struct bench_range *range)
{
    size_t step;
    char *copy = strdup(text), *end;
    bool valid = take_step(copy, &step);
    if (valid && strcmp(copy, "all") == 0) {
        *range = (struct bench_range){.min = all, .max = all};
    } else if (valid && (end = strstr(copy, ":all")) && end[4] == '\0') {
        *end = '\0';
        valid = bench_parse_size(copy, &range->min) && range->min <= all;
        range->max = all;
    } else {
        valid = valid && bench_parse_range(copy, range);
    }
    range->step = step;
    free(copy);
    return valid && range->min >= 1;
}

static error_t parse_ranks(struct argp_state *state, char *arg, struct bench *b)
{
    struct bench_range range;
    if (!parse_rank_range(arg, (size_t)b->size, &range))
        return bench_bad_option(
            state, "impossible ranks '%s': MIN:MAX[:STEP] as in 2:8, 2:all or 2:64:2", arg);
    if (range.max > (size_t)b->size)
        return bench_bad_option(state, "--ranks=%s, but %d are running: start more by mpiexec -n",
                                arg, b->size);
    b->ranks = range;
    return 0;
}

static error_t parse_budget(struct argp_state *state, char *arg, struct bench *b)
{
    char *end;
    double budget = strtod(arg, &end);
    if (end == arg || *end || !isfinite(budget) || budget < 0)
        return bench_bad_option(state, "impossible budget '%s': seconds, 0 for no limit", arg);
    b->plan.budget = budget;
    b->plan.budget_most = 0;
    return 0;
}

error_t bench_check_ranks(struct argp_state *state, const struct bench *b, const char *what,
                          int root)
{
    if (b->size < 2)
        return bench_bad_option(state, "%s needs at least 2 ranks: mpiexec -n 2 %s", what,
                                state->name);
    if (b->ranks.min < 2)
        return bench_bad_option(state, "%s needs at least 2 ranks: --ranks=2:%zu", what,
                                b->ranks.max);
    if ((size_t)root >= b->ranks.min)
        return bench_bad_option(
            state,
            "root %d is not among the first %zu ranks: choose a lower --root or a higher --ranks",
            root, b->ranks.min);
    return 0;
}

error_t bench_check_sizes(struct argp_state *state, const struct bench *b, const char *type,
                          size_t element)
{
    size_t bytes = b->sizes.min;
    do
        if (bytes % element)
            return bench_bad_option(
                state, "--datatype=%s: --sizes have to be multiples of %zu, and %zu is not", type,
                element, bytes);
    while (bench_next(&b->sizes, &bytes));
    return 0;
}

/* Prints on rank 0 only: argp does not print for the others (ARGP_NO_ERRS). */
static error_t leave_after(struct argp_state *state, unsigned what)
{
    argp_state_help(state, stdout, what);
    return ECANCELED;
}

static error_t parse_plan(int key, char *arg, struct argp_state *state, struct bench *b)
{
    switch (key) {
    case 'i':
        if (!parse_count(arg, 1, &b->plan.repetitions))
            return bench_bad_option(state, "impossible repetitions '%s': at least 1", arg);
        return 0;
    case 'x':
        if (!parse_count(arg, 0, &b->plan.warmup))
            return bench_bad_option(state, "impossible warm-up '%s': a count, 0 for none", arg);
        return 0;
    case KEY_STOP:
        if (!plan_stop_from_name(arg, &b->plan.stop))
            return bench_bad_option(state, "unknown stop rule '%s': ci, paper or fixed", arg);
        return 0;
    default:
        return parse_budget(state, arg, b);
    }
}

/* The name of an option that the program does without, NULL if KEY is none of them. */
static const char *refused(const struct bench *b, int key)
{
    for (const struct argp_option *o = options; b->without && (o->name || o->key); o++) {
        const char *at = o->name && o->key == key ? strstr(b->without, o->name) : NULL;
        size_t length = o->name ? strlen(o->name) : 0;
        if (at && (at[length] == ' ' || at[length] == '\0'))
            return o->name;
    }
    return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bench *b = state->input;
    const char *why;
    if (refused(b, key))
        return bench_bad_option(state, "--%s would change nothing here: leave it out",
                                refused(b, key));
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = NULL; /* one line is enough */
        return 0;
    case KEY_SIZES:
    case 'm':
        return parse_sizes(state, arg, b, key == 'm');
    case KEY_RANKS:
        return parse_ranks(state, arg, b);
    case 'i':
    case 'x':
    case KEY_STOP:
    case KEY_BUDGET:
        return parse_plan(key, arg, state, b);
    case KEY_FORMAT:
        if (!format_from_name(arg, &b->format))
            return bench_bad_option(state, "unknown format '%s': text, csv or json", arg);
        return 0;
    case 'o':
        b->output = arg;
        return 0;
    case KEY_APPEND:
        b->append = true;
        b->format = FORMAT_JSON;
        return 0;
    case KEY_SEED:
        if (!parse_count(arg, 0, &b->seed))
            return bench_bad_option(state, "impossible seed '%s': a number, 0 for none", arg);
        return 0;
    case KEY_PLOT:
        b->plot = arg;
        return 0;
    case 'f':
        b->full = true;
        return 0;
    case KEY_YIELD:
        b->yield = true;
        return 0;
    case KEY_CVAR:
        why = cvar_set(arg, b->in_turn);
        return why ? bench_bad_option(state, "--cvar=%s: %s", arg, why) : 0;
    case 'h':
    case '?':
        for (struct argp_option *o = options; o->name || o->key; o++)
            o->flags |= refused(b, o->key) ? OPTION_HIDDEN : 0;
        return leave_after(state, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
    case KEY_USAGE:
        return leave_after(state, ARGP_HELP_USAGE);
    case 'V':
        if (!(state->flags & ARGP_NO_ERRS))
            printf("%s (collprof) %s\n", state->name, PACKAGE_VERSION);
        return ECANCELED;
    case ARGP_KEY_ARG:
        return bench_bad_option(state, "unexpected argument '%s': see --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp bench_argp = {.options = options, .parser = parse};
