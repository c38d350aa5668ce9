/* The options that all collbench programs share, declared as each program declares its own. */
#include "bench.h"
#include "bench_inner.h"
#include "program.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* An MPI count is an int, and a simulated or a small machine has to hold the buffer. */
static error_t take_sizes(struct argp_state *state, const struct bench_option *o, const char *arg,
                          void *value)
{
    struct bench_range range, *sizes = value;
    if (!bench_parse_range(arg, &range) || range.max > INT_MAX)
        return bench_bad_option(
            state, "impossible sizes '%s': MIN:MAX in bytes as in 8:64K, at most 2G - 1", arg);
    if (o->letter == 'm' && !strchr(arg, ':'))
        range.min = sizes->min < range.max ? sizes->min : range.max;
    *sizes = range;
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

static error_t take_ranks(struct argp_state *state, const struct bench_option *o, const char *arg,
                          void *value)
{
    const struct bench *b = state->input;
    struct bench_range range;
    (void)o;
    if (!parse_rank_range(arg, (size_t)b->size, &range))
        return bench_bad_option(
            state, "impossible ranks '%s': MIN:MAX[:STEP] as in 2:8, 2:all or 2:64:2", arg);
    if (range.max > (size_t)b->size)
        return bench_bad_option(state, "--ranks=%s, but %d are running: start more by mpiexec -n",
                                arg, b->size);
    *(struct bench_range *)value = range;
    return 0;
}

static error_t take_budget(struct argp_state *state, const struct bench_option *o, const char *arg,
                           void *value)
{
    struct plan *plan = value;
    char *end;
    double budget = strtod(arg, &end);
    (void)o;
    if (end == arg || *end || !isfinite(budget) || budget < 0)
        return bench_bad_option(state, "impossible budget '%s': seconds, 0 for no limit", arg);
    plan->budget = budget;
    plan->budget_most = 0;
    return 0;
}

static error_t take_append(struct argp_state *state, const struct bench_option *o, const char *arg,
                           void *value)
{
    struct bench *b = state->input;
    b->format = FORMAT_JSON;
    return bench_take_flag(state, o, arg, value);
}

static error_t take_cvar(struct argp_state *state, const struct bench_option *o, const char *arg,
                         void *value)
{
    const struct bench *b = state->input;
    const char *why = cvar_set(arg, b->in_turn);
    (void)o, (void)value;
    return why ? bench_bad_option(state, "--cvar=%s: %s", arg, why) : 0;
}

/* Prints on rank 0 only: argp does not print for the others (ARGP_NO_ERRS). */
static error_t take_help(struct argp_state *state, const struct bench_option *o, const char *arg,
                         void *value)
{
    (void)arg, (void)value;
    argp_state_help(state, stdout,
                    o->letter ? ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK
                              : ARGP_HELP_USAGE);
    return ECANCELED;
}

static error_t take_version(struct argp_state *state, const struct bench_option *o, const char *arg,
                            void *value)
{
    (void)o, (void)arg, (void)value;
    if (!(state->flags & ARGP_NO_ERRS))
        printf("%s (collprof) %s\n", state->name, PACKAGE_VERSION);
    return ECANCELED;
}

#define AT(member) offsetof(struct bench, member)
const struct bench_option bench_common[] = {
    {"sizes", 0, "MIN:MAX", "message sizes in bytes, powers of two; K, M, G", 10, take_sizes,
     AT(sizes), NULL},
    {NULL, 'm', "[MIN:]MAX", "the same, from the smallest where MIN is left out", 10, take_sizes,
     AT(sizes), NULL},
    {"ranks", 0, "MIN:MAX[:STEP]",
     "the first n ranks, n in powers of two or steps, and MAX (\"all\": every rank)", 10,
     take_ranks, AT(ranks), NULL},
    {"repetitions", 'i', "M", "operations in one batch", 11, bench_take_count, AT(plan.repetitions),
     &(const struct bench_limits){1, INT_MAX, "at least 1"}},
    {"warmup", 'x', "N", "operations before the first that counts", 11, bench_take_count,
     AT(plan.warmup), &(const struct bench_limits){0, INT_MAX, "a count, 0 for none"}},
    {"stop", 0, "RULE",
     "when a measurement is enough: ci (95 % interval of the median within 2 %), paper (8 to 30 "
     "batches until sd < 3 % of their mean), fixed",
     11, bench_take_word, AT(plan.stop), &(const struct bench_words){plan_stop_names}},
    {"seed", 0, "N",
     "the order of sizes and algorithms: at random, the same with the same N; 0: as listed", 11,
     bench_take_count, AT(seed), &(const struct bench_limits){0, INT_MAX, "a number, 0 for none"}},
    {"budget", 0, "SEC", "seconds for one row or cell of the results; 0: no limit", 11, take_budget,
     AT(plan), NULL},
    {"format", 0, "FORMAT", "text, csv or json", 12, bench_take_word, AT(format),
     &(const struct bench_words){format_names}},
    {"output", 'o', "FILE", "write the results there instead of to standard output", 12,
     bench_take_text, AT(output), NULL},
    {"append", 0, NULL,
     "keep the launches that are in the --output (JSON), and show them all side by side", 12,
     take_append, AT(append), NULL},
    {"plot", 0, "FILE", "draw them, by gnuplot: FILE ends in .png or .svg", 12, bench_take_text,
     AT(plot), NULL},
    {"full", 'f', NULL, "minimum and maximum too, where there are such columns", 12,
     bench_take_flag, AT(full), NULL},
    {"yield", 0, NULL, "give the processor away while waiting: for more ranks than processors", 13,
     bench_take_flag, AT(yield), NULL},
    {"cvar", 0, "NAME=VALUE",
     "set a control variable of the MPI library, another algorithm of its own for example; of one "
     "variable several in turn, A,B, where operations are compared (collective, scenario)",
     13, take_cvar, 0, NULL},
    {"help", 'h', NULL, "print this help and leave", 20, take_help, 0, NULL},
    {NULL, '?', NULL, NULL, 20, take_help, 0, NULL},
    {"usage", 0, NULL, "print the options in short and leave", 20, take_help, 0, NULL},
    {"version", 'V', NULL, "print the version and leave", 20, take_version, 0, NULL},
    {0}};

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
