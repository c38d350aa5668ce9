/* How a benchmark begins and ends: common options, the facts that make results comparable, and the
 * CPU contention during the measurement. */
#include "bench.h"
#include "config.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/noise.h"
#include "base/topology.h"
#include "document/save.h"
#include "trees/bcast.h"
#include "tune/cvar.h"
#include "tune/library.h"

#include <argz.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

OPTION_NAMES(algorithm_name, n_bcasts, bcasts[i]->run ? bcasts[i]->name : "")

const struct option_registry bench_algorithms = {"algorithm", algorithm_name, NULL};

const struct option_limits bench_root = {0, INT_MAX, "a rank"};
const struct option_limits bench_times = {1, 1e8, "MIN:MAX in microseconds, from 1, as in 16:256"};

/* Sets a control variable of the MPI library (MPI_T), for example one that selects an algorithm. */
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
        errno == ERANGE ? "expected a number of at most 64 bits" : cvar_write(name, number);
    if (why)
        return option_refuse(parser, "--%s=%s: %s", entry->name, arg, why);
    const size_t used = strlen(set);
    snprintf(set + used, BENCH_CVARS_MAX - used, "%s%s", used ? ", " : "", arg);
    return 0;
}

#define AT(member) offsetof(struct bench, member)
static const struct option_entry shared[] = {
    {"sizes", "MIN:MAX", "message sizes in bytes, doubled from MIN to MAX; suffixes K, M, G",
     option_take_range, AT(sizes),
     OPTION_LIMITS(0, INT_MAX, "MIN:MAX in bytes, as in 8:64K, below 2G")},
    {"ranks", "MIN:MAX[:STEP]",
     "numbers of ranks: doubled from MIN to MAX, or in steps (default: all)", option_take_range,
     AT(ranks), OPTION_LIMITS(1, INT_MAX, "MIN:MAX[:STEP], as in 2:8 or 2:64:2")},
    {"repetitions", "M", "operations in one batch", option_take_count, AT(plan.repetitions),
     OPTION_LIMITS(1, INT_MAX, "at least 1"), .letter = 'i', .flags = OPTION_RARE},
    {"warmup", "N", "untimed operations before the first timed one", option_take_count,
     AT(plan.warmup), OPTION_LIMITS(0, INT_MAX, "a count, 0 for none"), .letter = 'x',
     .flags = OPTION_RARE},
    {"stop", "RULE", "when a measurement ends: ci (narrow interval), paper, fixed (one batch)",
     option_take_word, AT(plan.stop), OPTION_WORDS(plan_stop_names), .flags = OPTION_RARE},
    {"budget", "SEC", "limit in seconds for a row or cell of results; 0: none", option_take_real,
     AT(plan.budget), OPTION_LIMITS(0, 1e9, "seconds, 0 for no limit"), .flags = OPTION_RARE},
    {"format", "FORMAT", "text, csv or json", option_take_word, AT(format),
     OPTION_WORDS(format_names)},
    {"output", "FILE", "write the results to FILE", option_take_text, AT(output), .letter = 'o'},
    {"yield", NULL, "release the processor while MPI waits; use it with more ranks than processors",
     option_take_flag, AT(yield), .letter = 'y'},
    {"cvar", "NAME=NUMBER", "set a control variable of the MPI library (MPI_T)", take_cvar,
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
                             b->ranks.max > 2 ? b->ranks.max : (size_t)2);
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

/* Every rank parses the options, of which rank 0 prints mistakes, help and version. */
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
    if (result == OPTIONS_GOOD && b->ranks.max > (size_t)b->size) {
        option_refuse(&parser, "--ranks: only %d ranks are running: use: mpiexec -n %zu", b->size,
                      b->ranks.max);
        result = OPTIONS_WRONG;
    }
    if (b->plan.budget != budget)
        b->plan.budget_most = 0; /* --budget is never extended */
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

static void find_places(struct bench *b)
{
    struct place mine;
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    PMPI_Get_processor_name(name, &length);
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        place_set_host(&mine, name);
    else
        place_here(&mine);
    if (b->rank == 0)
        b->places = memory_alloc((size_t)b->size * sizeof mine);
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, b->places, sizeof mine, MPI_BYTE, 0, b->comm);
}

static struct watch {
    double time;
    struct noise_totals totals;
} run, row; /* scheduling of this process when the run and when the current row began */

/* Begins a row of results: bench_contention() counts from now on. */
static void watch(void)
{
    row.time = clock_now();
    noise_read(&row.totals);
    if (run.time == 0)
        run = row;
}

void bench_begin(struct bench *b, int *argc, char ***argv, const struct option_program *program)
{
    int provided;
    size_t length;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided); /* only this thread calls MPI */
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
    find_places(b);
    watch();
}

/* --- facts --- */

static void fact_date(struct document *d)
{
    char text[64];
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
    document_fact(d, "date", "%s", text);
}

static void fact_ranks(struct document *d, const struct place *places, size_t n)
{
    size_t hosts = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && strcmp(places[k].host, places[i].host) != 0)
            k++;
        hosts += k == i;
    }
    document_fact(d, "ranks", "%zu on %zu host%s", n, hosts, hosts == 1 ? "" : "s");
}

/* Whether waiting ranks release their processors. In Open MPI an environment variable requests this
 * (its launcher sets it under oversubscription); in other MPIs our preloaded library (--yield). */
static bool yields(void)
{
    bool (*works)(void) = (bool (*)(void))dlsym(RTLD_DEFAULT, "collprof_yield_works");
    const char *set = NULL;
#ifdef OPEN_MPI
    set = getenv("OMPI_MCA_mpi_yield_when_idle") ?: getenv("OMPI_MCA_mpi_oversubscribe");
#endif
    return (works && works()) || (set && *set && strchr("1tTyYeE", *set));
}

static void fact_load(struct document *d, const struct bench *b, double load)
{
    if (load <= 1)
        return;
    document_fact(d, "load", "more ranks than processors (%.3g to one): %s", load,
                  yields() ? "waiting ranks yield; compare figures only within this run"
                           : "timings are not meaningful");
    if (!b->yield)
        reason_print(b->program,
                     "%.3g ranks share a processor, and each busy-waits: timings are not "
                     "meaningful: use: --yield",
                     load);
}

static void fact_repetitions(struct document *d, const struct bench *b)
{
    const struct plan *p = &b->plan;
    if (b->without && strstr(b->without, "stop"))
        document_fact(d, "repetitions", "%d", p->repetitions);
    else
        document_fact(d, "repetitions", "%d in a batch, warm-up %d, stop rule %s", p->repetitions,
                      p->warmup, plan_stop_names[p->stop]);
    if (p->budget > 0)
        document_fact(d, "budget", "at most %g s per row or cell", fmax(p->budget, p->budget_most));
}

struct document *bench_document(const struct bench *b, const char *schema)
{
    char library[128];
    if (b->rank)
        return NULL;
    struct document *d = document_new(schema);
    tuning_library_name(library, sizeof library);
    document_fact(d, "program", "%s (collprof %s)", b->program, PACKAGE_VERSION);
    document_fact(d, "command", "%s", b->command);
    fact_date(d);
    document_fact(d, "MPI", "%s", library);
    if (*b->cvars)
        document_fact(d, "control variable", "%s", b->cvars);
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        document_fact(d, "clock", "simulated: one for %s",
                      local_clock_domain() ? "each host" : "all ranks, exact");
    else
        document_fact(d, "clock", "CLOCK_MONOTONIC_RAW, %.0f ns per reading", 1e9 * clock_cost());
    fact_repetitions(d, b);
    document_fact(d, "intervals", "95 %%, within this launch; for others: use collprof repeat");
    fact_ranks(d, b->places, (size_t)b->size);
    fact_load(d, b, place_oversubscription(b->places, (size_t)b->size));
    bench_keep(b, d);
    return d;
}

struct worst {
    double share; /* fraction of the time runnable but not scheduled, 0 to 1; negative: unknown */
    int rank;
};

/* Collective over COMM: the rank with the most CPU contention since THEN. */
static struct worst worst_since(MPI_Comm comm, const struct watch *then)
{
    struct noise_totals now;
    struct worst mine = {-1, 0}, all = mine;
    noise_read(&now);
    MPI_Comm_rank(comm, &mine.rank);
    if (now.delayed_ns >= 0 && then->totals.delayed_ns >= 0 && !yields())
        mine.share =
            1e-9 * (double)(now.delayed_ns - then->totals.delayed_ns) / (clock_now() - then->time);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    return all;
}

static char contention[96]; /* remark for the last row's CPU contention; "": none, or unknown */

bool bench_contention(MPI_Comm comm)
{
    struct worst w = worst_since(comm, &row);
    bool spoiled = w.share >= NOISE_SPOILED_FROM;
    *contention = '\0';
    if (w.share >= NOISE_FELT_FROM)
        snprintf(contention, sizeof contention,
                 "%srank %d was not scheduled for %.0f %% of the time (CPU contention)",
                 spoiled ? "unreliable: " : "", w.rank, 100 * w.share);
    return spoiled;
}

void bench_remark(struct table *t)
{
    if (*contention)
        table_remark(t, FINDING("cpu_contention", DOUBT), "%s", contention);
}

/* Adds the largest CPU contention of a rank during the whole run to rank 0's document D. */
static void add_contention(const struct bench *b, struct document *d)
{
    struct worst w = worst_since(b->comm, &run);
    if (!d || clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    if (w.share < 0)
        document_fact(d, "processors", "CPU contention is unknown%s",
                      yields() ? ": ranks that yield are runnable while they wait" : "");
    else if (w.share >= NOISE_FELT_FROM)
        document_fact(d, "processors",
                      "rank %d was runnable but not scheduled for %.0f %% of the run", w.rank,
                      100 * w.share);
}

/* --- sweeps --- */

void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 void (*measure)(void *arg, const size_t *at), void *arg)
{
    size_t at[BENCH_AXES_MAX], total = 1;
    for (int axis = 0; axis < n_axes; axis++)
        total *= length[axis];
    for (size_t done = 0; done < total; done++) {
        size_t rest = done;
        for (int axis = n_axes - 1; axis >= 0; rest /= length[axis--])
            at[axis] = rest % length[axis];
        bench_progress(b, done, total);
        watch();
        measure(arg, at);
    }
    bench_progress(b, total, total);
}

void bench_check(const struct bench *b, int error, const struct bench_point *point)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    reason_print(b->program, "%s of %zu bytes among %d ranks: %s", point->name, point->bytes,
                 point->ranks, text);
    MPI_Abort(b->comm, 1);
}

/* --- the end --- */

_Noreturn void bench_leave(int status)
{
    reason_print_stored(program_invocation_short_name);
    MPI_Finalize();
    exit(status);
}

_Noreturn void bench_finish(struct bench *b, struct document *d, int status)
{
    add_contention(b, d);
    int failed = b->rank == 0 && d && !document_save(d, b->output, b->format);
    failed = sync_agree(failed, b->comm);
    bench_keep_end(!failed);
    document_free(d);
    free(b->command);
    free(b->places);
    MPI_Comm_free(&b->comm);
    bench_leave(failed ? STATUS_FAILED : status);
}
