/* How a benchmark begins and ends, and the options that all benchmarks share. */
#include "bench.h"
#include "config.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "document/save.h"
#include "sync/local_clock.h"
#include "trees/bcast.h"
#include "tune/cvar.h"

#include <argz.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int bench_worst(MPI_Comm comm, int status)
{
    int all = status;
    MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, comm);
    return all;
}

OPTION_NAMES(algorithm_name, n_bcasts, bcasts[i]->run ? bcasts[i]->name : "")

const struct option_registry bench_algorithms = {"algorithm", algorithm_name, NULL};

const struct option_limits bench_root = {0, INT_MAX, "a rank"};
const struct option_limits bench_times = {1, 1e8, "MIN:MAX in microseconds, from 1, as in 16:256"};

static error_t take_ranks(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    const struct bench *b = parser->values;
    struct option_range range;
    if (!option_parse_range(arg, &range) || range.min < 1)
        return option_refuse(parser, "--%s is '%s': expected MIN:MAX[:STEP], as in 2:8 or 2:64:2",
                             entry->name, arg);
    if (range.max > (size_t)b->size)
        return option_refuse(parser, "--ranks=%s, but %d are running: use: mpiexec -n %zu", arg,
                             b->size, range.max);
    *(struct option_range *)value = range;
    return 0;
}

/* A control variable of the MPI library, for example to choose its algorithms. */
static error_t take_cvar(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    char name[256], *set = value;
    long long number;
    int end = 0;
    errno = 0;
    if (sscanf(arg, "%255[^=]=%lli%n", name, &number, &end) != 2 || arg[end])
        return option_refuse(parser, "--%s=%s: expected NAME=NUMBER", entry->name, arg);
    const char *why =
        errno == ERANGE ? "the library does not take this value" : cvar_write(name, number);
    if (why)
        return option_refuse(parser, "--%s=%s: %s", entry->name, arg, why);
    const size_t used = strlen(set);
    snprintf(set + used, BENCH_CVARS_MAX - used, "%s%s", used ? ", " : "", arg);
    return 0;
}

#define AT(member) offsetof(struct bench, member)
static const struct option_entry shared[] = {
    {"sizes", "MIN:MAX", "message sizes in bytes, powers of two; K, M, G", option_take_range,
     AT(sizes), OPTION_LIMITS(0, INT_MAX, "MIN:MAX in bytes, as in 8:64K, below 2G")},
    {"ranks", "MIN:MAX[:STEP]", "run on the first N ranks, powers of two or steps (all)",
     take_ranks, AT(ranks)},
    {"repetitions", "M", "operations in one batch", option_take_count, AT(plan.repetitions),
     OPTION_LIMITS(1, INT_MAX, "at least 1"), .letter = 'i', .flags = OPTION_RARE},
    {"warmup", "N", "untimed operations before the first timed one", option_take_count,
     AT(plan.warmup), OPTION_LIMITS(0, INT_MAX, "a count, 0 for none"), .letter = 'x',
     .flags = OPTION_RARE},
    {"stop", "RULE", "when a measurement ends: ci, paper, fixed", option_take_word, AT(plan.stop),
     OPTION_WORDS(plan_stop_names), .flags = OPTION_RARE},
    {"budget", "SEC", "seconds for one row or cell of the results; 0: no limit", option_take_real,
     AT(plan.budget), OPTION_LIMITS(0, 1e9, "seconds, 0 for no limit"), .flags = OPTION_RARE},
    {"format", "FORMAT", "text, csv or json", option_take_word, AT(format),
     OPTION_WORDS(format_names)},
    {"output", "FILE", "write the results to FILE", option_take_text, AT(output), .letter = 'o'},
    {"yield", NULL, "release the processor while MPI waits; use it with more ranks than processors",
     option_take_flag, AT(yield), .letter = 'y'},
    {"cvar", "NAME=NUMBER", "set a control variable of the MPI library, see the manual", take_cvar,
     AT(cvars), .flags = OPTION_RARE},
    {0}};

error_t bench_check_ranks(struct option_parser *parser, const struct bench *b, const char *what,
                          int root)
{
    if (b->size < 2)
        return option_refuse(parser, "%s needs at least 2 ranks: use: mpiexec -n 2 %s", what,
                             parser->name);
    if (b->ranks.min < 2)
        return option_refuse(parser, "%s needs at least 2 ranks: use: --ranks=2:%zu", what,
                             b->ranks.max);
    if ((size_t)root >= b->ranks.min)
        return option_refuse(parser, "--root=%d: expected one of the first %zu ranks", root,
                             b->ranks.min);
    return 0;
}

static void fill_defaults(struct bench *b)
{
    if (b->sizes.max == 0)
        b->sizes = (struct option_range){.min = 8, .max = 64 << 10};
    if (b->ranks.max == 0)
        b->ranks = (struct option_range){.min = (size_t)b->size, .max = (size_t)b->size};
    if (b->plan.repetitions == 0)
        b->plan = plan_default();
}

static void note_mistake(const char *line, void *parser)
{
    struct option_parser *p = parser;
    strncat(p->mistake, line, sizeof p->mistake - 1 - strlen(p->mistake));
}

/* Every rank parses, rank 0 prints. */
static enum options_result parse_options(struct bench *b, int argc, char **argv,
                                         const struct option_program *program)
{
    struct option_parser parser = {.program = program,
                                   .name = b->program,
                                   .values = b,
                                   .shared = shared,
                                   .without = b->without,
                                   .prefix = "COLLBENCH_"};
    struct option_parser environment = parser;
    options_read_environment(&environment, environ, note_mistake, &parser);
    const double budget = b->plan.budget;
    enum options_result result = *parser.mistake ? OPTIONS_WRONG : OPTIONS_GOOD;
    if (result == OPTIONS_GOOD)
        result = options_parse(&parser, argc, argv);
    if (b->plan.budget != budget)
        b->plan.budget_most = 0; /* an explicit budget is a hard limit */
    if (b->rank)
        return result;
    if (result == OPTIONS_HELP) {
        options_help(&parser, stdout);
        printf("\nMore options: man %s\n", b->program);
    } else if (result == OPTIONS_VERSION)
        printf("%s (collprof) %s\n", b->program, PACKAGE_VERSION);
    else if (*parser.mistake)
        reason_print(b->program, "%s", parser.mistake);
    if (result == OPTIONS_GOOD && !save_possible(b->output))
        result = OPTIONS_WRONG;
    return result;
}

void bench_begin(struct bench *b, int *argc, char ***argv, const struct option_program *program)
{
    int provided;
    size_t length;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided); /* threads may only compute */
    local_clock_start();
    MPI_Comm_dup(MPI_COMM_WORLD, &b->comm);
    MPI_Comm_rank(b->comm, &b->rank);
    MPI_Comm_size(b->comm, &b->size);
    b->program = (*argv)[0] = basename((*argv)[0]);
    if (argz_create(*argv, &b->command, &length))
        memory_exhausted();
    argz_stringify(b->command, length, ' ');
    fill_defaults(b);
    int all[2], mine[2];
    enum options_result result = parse_options(b, *argc, *argv, program);
    mine[0] = result == OPTIONS_WRONG;
    mine[1] = result != OPTIONS_GOOD;
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, b->comm);
    if (all[1])
        bench_leave(all[0] ? STATUS_USAGE : STATUS_GOOD);
    if (b->yield)
        clock_give_way();
    bench_watch();
}

_Noreturn void bench_leave(int status)
{
    reason_print_stored(program_invocation_short_name);
    MPI_Finalize();
    exit(status);
}

_Noreturn void bench_refuse(const struct bench *b, const char *format, ...)
{
    if (b->rank == 0) {
        va_list args;
        va_start(args, format);
        reason_print_list(b->program, format, args);
        va_end(args);
    }
    bench_leave(STATUS_USAGE);
}

_Noreturn void bench_finish(struct bench *b, struct document *d, int status)
{
    bench_judge(b, d);
    int failed = b->rank == 0 && d && !document_save(d, b->output, b->format);
    failed = bench_worst(b->comm, failed);
    bench_keep_end(!failed);
    document_free(d);
    free(b->command);
    MPI_Comm_free(&b->comm);
    bench_leave(failed ? STATUS_FAILED : status);
}
