/* What the profiling layer costs an application. This program starts itself again and again as a
 * small MPI application, in every mode of a case in turn, so that all meet the same machine; a cost
 * is the median of the differences between neighbours.
 *
 * Calls are measured in processor time of the calling thread: other programs do not count. Runs
 * and steps are wall time of rank 0; several ranks yield their processor while they wait
 * (libcollprof-yield.so, with and without the layer), since there may be fewer processors. */
#include "overhead.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/reason.h"
#include "base/stats.h"
#include "base/topology.h"
#include "document/document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODES = 6 };

/* Ways of running the application. */
struct mode {
    const char *name, *settings;
    int over; /* the mode to which it is compared */
};
static const struct mode call_modes[MODES] = {{"without", NULL, 0},
                                              {"counted and timed", "COLLPROF_STACK=0", 0},
                                              {"with call sites", "COLLPROF_STACK=4", 0},
                                              {"--trace", "COLLPROF_TRACE=calls", 2},
                                              {"--trace=transport", "COLLPROF_TRACE=transport", 3}};
static const struct mode run_modes[MODES] = {{"without", NULL, 0},
                                             {"with call sites", "COLLPROF_STACK=4", 0}};
static const struct mode step_modes[MODES] = {
    {"without", NULL, 0},
    {"counted and timed", "", 0},
    {"--ack", "COLLPROF_ACK=100", 0},
    {"--benchmark, 1 s", "COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=1", 0},
    {"--bcast=binomial", "COLLPROF_BCAST=binomial", 0},
    {"--bcast=grid", "COLLPROF_BCAST=grid", 0}};

/* What is measured: FIGURE of the application's two, in UNIT (FACTOR of them are one second or
 * byte). TARGET: what a mode should cost at most over its other mode; 0: none was set. */
struct cost {
    const char *label, *work;
    int threads, ranks;
    const struct mode *modes;
    enum { SECONDS, RESIDENT } figure;
    const char *unit;
    double factor, target[MODES];
};

#define CALL call_modes, SECONDS, "ns", 1e9
#define TIME run_modes, SECONDS, "ms", 1e3
#define MEMORY run_modes, RESIDENT, "MiB", 1.0 / (1 << 20)
static const struct cost costs[] = {
    {"MPI_Bcast, 1 int", "bcast", 1, 1, CALL, {0, 25, 105, 40}},
    {"MPI_Bcast, 1 int, 4 threads", "bcast", 4, 1, CALL, {0}},
    {"MPI_Allreduce, 1 int", "allreduce", 1, 1, CALL, {0, 25, 105, 40}},
    {"MPI_Allreduce, 1 int, 4 threads", "allreduce", 4, 1, CALL, {0}},
    {"Irecv + Isend + Waitall", "triple", 1, 1, CALL, {0, 200, 0, 120}},
    {"Irecv + Isend + Waitall, 4 threads", "triple", 4, 1, CALL, {0}},
    {"MPI_Iprobe, nothing there: a poll", "iprobe", 1, 1, CALL, {0, 0, 0, 0, 5}},
    {"MPI_Isend to the other rank, 1 int", "isend", 1, 2, CALL, {0, 0, 0, 40, 60}},
    {"start and end, 1 rank", "start", 1, 1, TIME, {0}},
    {"start and end, 4 ranks", "start", 1, 4, TIME, {0, 30}},
    {"start and end, 64 ranks", "start", 1, 64, TIME, {0}},
    {"resident memory a rank, 4 ranks", "start", 1, 4, MEMORY, {0, 2}},
    {"1 KiB broadcast and 50 us of work", "steps", 1, 2, step_modes, SECONDS, "us", 1e6, {0}},
};

struct choices {
    int rounds, format, threads;
    const char *layer, *launcher, *output;
    const char *work; /* not NULL: be the application */
};

#define AT(member) offsetof(struct choices, member)
static const struct option_entry entries[] = {
    {"rounds", 0, "N", "runs of each kind", 0, option_take_count, AT(rounds),
     &(const struct option_limits){1, 10000, "a number of runs from 1"}},
    {"layer", 0, "FILE", "the layer that is measured", 0, option_take_text, AT(layer), NULL},
    {"launcher", 0, "PROGRAM", "mpiexec, for several ranks", 0, option_take_text, AT(launcher),
     NULL},
    {"format", 0, "FORMAT", "text, csv or json", 0, option_take_word, AT(format),
     &(const struct option_words){format_names}},
    {"output", 'o', "FILE", "write the table to FILE", 0, option_take_text, AT(output), NULL},
    {"work", 0, "NAME", "be the application", OPTION_RARE, option_take_text, AT(work), NULL},
    {"threads", 0, "N", "of the application", OPTION_RARE, option_take_count, AT(threads),
     &(const struct option_limits){1, 64, "a number of threads from 1 to 64"}},
    {0}};
static const struct option_program program = {
    .does = "Measures what the profiling layer costs: time of a call, start and end, memory.",
    .options = entries};

/* Runs the application once and reads the numbers that its rank 0 prints. Ends the program if it
 * fails. */
static double run(const struct choices *o, const struct cost *c, const struct mode *mode)
{
    char command[8192], self[2048] = "", launch[1024] = "", line[256];
    double figure[2];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        exit(1);
    if (c->ranks > 1)
        snprintf(launch, sizeof launch, "'%s' -n %d", o->launcher, c->ranks);
    snprintf(command, sizeof command,
             "%s env LD_PRELOAD='%s %s %s' COLLPROF_REPORT=no COLLPROF_OUTPUT=overhead.profile %s "
             "'%s' --work=%s --threads=%d",
             launch, mode->settings ? o->layer : "",
             strstr(mode->name, "transport") ? TRANSPORT_LIBRARY : "", c->ranks > 1 ? YIELDING : "",
             mode->settings ? mode->settings : "", self, c->work, c->threads);
    FILE *from = popen(command, "r");
    bool got = from && fgets(line, sizeof line, from) &&
               sscanf(line, "%lf %lf", &figure[SECONDS], &figure[RESIDENT]) == 2;
    if (!from || pclose(from) != 0 || !got) {
        reason_say("overhead", "this command failed: %s", command);
        exit(1);
    }
    return c->factor * figure[c->figure];
}

static const struct column columns[] = {
    {"what", NULL, COLUMN_TEXT, 0, "what the application does, calls on MPI_COMM_SELF"},
    {"unit", NULL, COLUMN_TEXT, 0, "of all figures; calls: processor time"},
    {"layer", NULL, COLUMN_TEXT, 0, "how the layer is used"},
    {"figure", NULL, COLUMN_REAL, 2, "median of the rounds"},
    {"over", NULL, COLUMN_TEXT, 0, "the way to which it is compared"},
    {"cost", NULL, COLUMN_REAL, 2, "median difference to it"},
    {"low", NULL, COLUMN_REAL, 2, "95 % confidence interval of that median"},
    {"high", NULL, COLUMN_REAL, 2, NULL},
    {"target", NULL, COLUMN_REAL, 0, "what the cost should be at most"},
    {"reached", NULL, COLUMN_TEXT, 0, NULL},
};

/* A row for each mode. */
static void measure(const struct choices *o, const struct cost *c, struct table *t)
{
    size_t n = (size_t)o->rounds;
    double *x = memory_alloc(MODES * n * sizeof *x), *more = memory_alloc(n * sizeof *more);
    for (size_t round = 0; round < n; round++)
        for (size_t m = 0; m < MODES && c->modes[m].name; m++)
            x[m * n + round] = run(o, c, &c->modes[m]);
    for (size_t m = 0; m < MODES && c->modes[m].name; m++) {
        const struct mode *mode = &c->modes[m];
        for (size_t i = 0; i < n; i++)
            more[i] = x[m * n + i] - x[(size_t)mode->over * n + i];
        struct summary cost = stats_summarize(more, n);
        double target = c->target[m] > 0 ? c->target[m] : NAN;
        table_text(t, c->label);
        table_text(t, c->unit);
        table_text(t, mode->name);
        table_real(t, stats_summarize(x + m * n, n).median);
        table_text(t, m ? c->modes[mode->over].name : NULL);
        table_real(t, m ? cost.median : NAN);
        table_real(t, m ? cost.median_low : NAN);
        table_real(t, m ? cost.median_high : NAN);
        table_real(t, target);
        table_text(t, isnan(target) ? NULL : cost.median <= target ? "yes" : "NO");
    }
    free(x);
    free(more);
}

int main(int argc, char **argv)
{
    struct choices o = {.rounds = 15, .launcher = MPIEXEC, .layer = LAYER, .threads = 1};
    struct option_parser parser = {.program = &program, .name = "overhead", .values = &o};
    struct place place;
    char machine[256];
    enum options_result result = options_parse(&parser, argc, argv);
    if (result == OPTIONS_HELP)
        options_help(&parser, stdout);
    if (result == OPTIONS_WRONG)
        reason_say(parser.name, "%s", parser.mistake);
    if (result != OPTIONS_GOOD)
        return result == OPTIONS_WRONG ? 2 : 0;
    if (o.work)
        return overhead_work(o.work, o.threads);
    char *layer = realpath(o.layer, NULL);
    if (!layer) {
        reason_say(parser.name, "%s: %s: use: --layer=FILE", o.layer, strerror(errno));
        return 2;
    }
    o.layer = layer;
    unsetenv("LD_PRELOAD");
    struct document *d = document_new("collprof-overhead/2");
    if (!d)
        return 1;
    place_here(&place);
    place_machine(machine, sizeof machine);
    document_fact(d, "machine", "%s", machine);
    document_fact(d, "processors", "%d of %d", place.processors, place.machine_processors);
    document_fact(d, "layer", "%s", o.layer);
    document_fact(d, "rounds", "%d, all modes in turn", o.rounds);
    struct table *t = document_table_of(d, "costs", "Cost of the profiling layer", columns);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        measure(&o, &costs[i], t);
    bool ok = document_save(d, o.output, (enum format)o.format);
    reason_tell(parser.name);
    document_free(d);
    free(layer);
    return ok ? 0 : 1;
}
