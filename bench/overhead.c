/* What the profiling layer costs an application. This program starts itself again and again as a
 * small MPI application, without and with the layer in turn, so that both meet the same
 * machine; the cost is the median of the differences between neighbours.
 *
 * Times are processor time of the calling thread: other programs do not count. Start and end are
 * wall time of MPI_Init and MPI_Finalize together, of rank 0; several ranks give their processor
 * away while they wait (libcollprof-yield.so, with and without the layer), since there may be
 * fewer processors. */
#include "overhead.h"

#include "base/reason.h"
#include "base/stats.h"
#include "base/topology.h"
#include "document/document.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    int rounds;
    const char *layer, *launcher, *output;
    enum format format;
    const char *work; /* not NULL: be the application */
    int threads;
};

/* How the application is run, and what it should cost at most more than which other way. */
enum layer_use { WITHOUT, NO_SITES, WITH_SITES, TRACED, TRANSPORT, LAYER_USES };
static const struct {
    const char *name, *settings;
    enum layer_use over;
} uses[] = {
    [WITHOUT] = {"without", "", WITHOUT},
    [NO_SITES] = {"counted and timed", "COLLPROF_STACK=0", WITHOUT},
    [WITH_SITES] = {"with call sites", "COLLPROF_STACK=4", WITHOUT},
    [TRACED] = {"--trace", "COLLPROF_TRACE=calls", WITH_SITES},
    [TRANSPORT] = {"--trace=transport", "COLLPROF_TRACE=transport", TRACED},
};

struct cost {
    const char *work;
    int threads, ranks;
    const char *label;
    double target[LAYER_USES]; /* ns over the other way; NaN: none was set */
};

static const struct cost costs[] = {
    {"bcast", 1, 1, "MPI_Bcast, 1 int", {NAN, 25, 105, 40, NAN}},
    {"bcast", 4, 1, "MPI_Bcast, 1 int, 4 threads", {NAN, NAN, NAN, NAN, NAN}},
    {"allreduce", 1, 1, "MPI_Allreduce, 1 int", {NAN, 25, 105, 40, NAN}},
    {"allreduce", 4, 1, "MPI_Allreduce, 1 int, 4 threads", {NAN, NAN, NAN, NAN, NAN}},
    {"triple", 1, 1, "Irecv + Isend + Waitall", {NAN, 200, NAN, 120, NAN}},
    {"triple", 4, 1, "Irecv + Isend + Waitall, 4 threads", {NAN, NAN, NAN, NAN, NAN}},
    {"iprobe", 1, 1, "MPI_Iprobe, nothing there: a poll", {NAN, NAN, NAN, NAN, 5}},
    {"isend", 1, 2, "MPI_Isend to the other rank, 1 int", {NAN, NAN, NAN, 40, 60}},
};
enum { N_COSTS = sizeof costs / sizeof *costs };

static const struct argp_option argp_options[] = {
    {"rounds", 'r', "N", 0, "runs of each kind (15)", 0},
    {"layer", 'l', "FILE", 0, "the layer (libcollprof.so where this program was built)", 0},
    {"launcher", 'L', "PROGRAM", 0, "mpiexec, for start and end on several ranks (" MPIEXEC ")", 0},
    {"format", 'f', "text|csv|json", 0, "how to write the tables (text)", 0},
    {"output", 'o', "FILE", 0, "where to write them (standard output)", 0},
    {"work", 'w', "NAME", OPTION_HIDDEN, NULL, 0},
    {"threads", 't', "N", OPTION_HIDDEN, NULL, 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'r':
        o->rounds = atoi(text);
        if (o->rounds < 1)
            argp_error(state, "--rounds is '%s': expected a positive number", text);
        return 0;
    case 'l':
        o->layer = text;
        return 0;
    case 'L':
        o->launcher = text;
        return 0;
    case 'f':
        if (!format_from_name(text, &o->format))
            argp_error(state, "--format is '%s': expected text, csv or json", text);
        return 0;
    case 'o':
        o->output = text;
        return 0;
    case 'w':
        o->work = text;
        return 0;
    case 't':
        o->threads = atoi(text);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected '%s'", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "overhead: %s\n", what);
    exit(1);
}

/* Runs the application and reads the numbers that its rank 0 prints. */
static struct overhead_result start(const struct options *o, const char *work, int threads,
                                    const char *preload, const char *settings, int ranks)
{
    char command[8192], self[2048] = "", launch[1024] = "", with[4096] = "", line[256];
    const char *yielding = ranks > 1 ? YIELDING : "";
    struct overhead_result result;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        stop("cannot find myself in /proc");
    if (ranks > 1)
        snprintf(launch, sizeof launch, "'%s' -n %d", o->launcher, ranks);
    snprintf(with, sizeof with,
             "LD_PRELOAD='%s %s' COLLPROF_REPORT=no COLLPROF_OUTPUT=overhead.profile %s", preload,
             yielding, settings);
    snprintf(command, sizeof command, "%s env %s '%s' --work=%s --threads=%d", launch, with, self,
             work, threads);
    FILE *from = popen(command, "r");
    bool got = from && fgets(line, sizeof line, from) &&
               sscanf(line, "%lf %lf", &result.seconds, &result.resident) == 2;
    if (!from || pclose(from) != 0 || !got) {
        fprintf(stderr, "overhead: this went wrong: %s\n", command);
        exit(1);
    }
    return result;
}

static struct overhead_result run(const struct options *o, const char *work, int threads,
                                  enum layer_use use, int ranks)
{
    char preload[2048];
    snprintf(preload, sizeof preload, "%s %s", use == WITHOUT ? "" : o->layer,
             use == TRANSPORT ? TRANSPORT_LIBRARY : "");
    return start(o, work, threads, preload, uses[use].settings, ranks);
}

static const struct column cost_columns[] = {
    {"calls", NULL, COLUMN_TEXT, 0, "what the application calls, on MPI_COMM_SELF"},
    {"layer", NULL, COLUMN_TEXT, 0, "how the layer is used"},
    {"time", "ns", COLUMN_REAL, 1, "processor time of one call (of the triple: of all three)"},
    {"over", NULL, COLUMN_TEXT, 0, "the way to which it is compared"},
    {"cost", "ns", COLUMN_REAL, 1, "median difference to it"},
    {"low", "ns", COLUMN_REAL, 1, "95 % confidence interval of that median"},
    {"high", "ns", COLUMN_REAL, 1, NULL},
    {"target", "ns", COLUMN_REAL, 0, "what the cost should be at most"},
    {"reached", NULL, COLUMN_TEXT, 0, NULL},
};

/* VALUE against LIMIT; both NaN-safe. */
static void table_verdict(struct table *t, double value, double limit)
{
    table_real(t, limit);
    table_text(t, isnan(limit) ? NULL : value <= limit ? "yes" : "NO");
}

/* Room for the figures of N rounds, of KINDS ways. */
static double *room_for(int kinds, size_t n)
{
    double *room = calloc((size_t)kinds * n, sizeof *room);
    if (!room)
        stop("no memory");
    return room;
}

/* Of X over FROM, round by round. */
static struct summary difference(const double *x, const double *from, size_t n)
{
    double *room = room_for(1, n);
    for (size_t i = 0; i < n; i++)
        room[i] = x[i] - from[i];
    struct summary s = stats_summarize(room, n);
    free(room);
    return s;
}

static void cost_rows(struct table *t, const struct cost *c, const double *ns, size_t n)
{
    for (size_t use = WITHOUT; use < LAYER_USES; use++) {
        struct summary cost = difference(ns + use * n, ns + uses[use].over * n, n);
        table_text(t, c->label);
        table_text(t, uses[use].name);
        table_real(t, stats_summarize(ns + use * n, n).median);
        table_text(t, use == WITHOUT ? "" : uses[uses[use].over].name);
        table_real(t, use == WITHOUT ? NAN : cost.median);
        table_real(t, use == WITHOUT ? NAN : cost.median_low);
        table_real(t, use == WITHOUT ? NAN : cost.median_high);
        table_verdict(t, cost.median, c->target[use]);
    }
}

static void measure_calls(const struct options *o, struct document *d)
{
    struct table *t = document_table_of(d, "calls", "Cost of a call", cost_columns);
    size_t n = (size_t)o->rounds;
    double *ns = room_for(LAYER_USES, n);
    for (int i = 0; i < N_COSTS; i++) {
        for (size_t round = 0; round < n; round++)
            for (size_t use = 0; use < LAYER_USES; use++)
                ns[use * n + round] = 1e9 * run(o, costs[i].work, costs[i].threads,
                                                (enum layer_use)use, costs[i].ranks)
                                                .seconds;
        cost_rows(t, &costs[i], ns, n);
    }
    free(ns);
}

static const struct column whole_columns[] = {
    {"what", NULL, COLUMN_TEXT, 0, NULL},
    {"unit", NULL, COLUMN_TEXT, 0, NULL},
    {"without", NULL, COLUMN_REAL, 2, NULL},
    {"with", NULL, COLUMN_REAL, 2, NULL},
    {"cost", NULL, COLUMN_REAL, 2, "median of the differences"},
    {"target", NULL, COLUMN_REAL, 0, NULL},
    {"reached", NULL, COLUMN_TEXT, 0, NULL},
};

static void whole_row(struct table *t, const char *what, const char *unit, const double *x,
                      size_t n, double target)
{
    double cost = difference(x + n, x, n).median;
    table_text(t, what);
    table_text(t, unit);
    table_real(t, stats_summarize(x, n).median);
    table_real(t, stats_summarize(x + n, n).median);
    table_real(t, cost);
    table_verdict(t, cost, target);
}

static void measure_whole(const struct options *o, struct document *d)
{
    static const struct {
        int ranks;
        double target_ms, target_mib;
        const char *start, *resident;
    } runs[] = {{1, NAN, NAN, "start and end, 1 rank", "resident memory, 1 rank"},
                {4, 30, 2, "start and end, 4 ranks", "resident memory a rank, 4 ranks"},
                {64, NAN, NAN, "start and end, 64 ranks", "resident memory a rank, 64 ranks"}};
    struct table *t = document_table_of(d, "run", "Cost of a run", whole_columns);
    size_t n = (size_t)o->rounds;
    double *ms = room_for(2, n), *mib = room_for(2, n);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        for (size_t round = 0; round < n; round++)
            for (size_t with = 0; with < 2; with++) {
                struct overhead_result r =
                    run(o, "start", 1, with ? WITH_SITES : WITHOUT, runs[i].ranks);
                ms[with * n + round] = 1e3 * r.seconds;
                mib[with * n + round] = r.resident / 1048576;
            }
        whole_row(t, runs[i].start, "ms", ms, n, runs[i].target_ms);
        whole_row(t, runs[i].resident, "MiB", mib, n, runs[i].target_mib);
    }
    free(ms);
    free(mib);
}

/* What takes part in the application's broadcasts. */
static const struct {
    const char *name, *settings;
} modes[] = {{"without", ""},
             {"counted and timed", ""},
             {"--ack", "COLLPROF_ACK=100"},
             {"--benchmark, 1 s", "COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=1"},
             {"--bcast=binomial", "COLLPROF_BCAST=binomial"},
             {"--bcast=grid", "COLLPROF_BCAST=grid"}};
enum { N_MODES = sizeof modes / sizeof *modes };

static const struct column mode_columns[] = {
    {"mode", NULL, COLUMN_TEXT, 0, NULL},
    {"time", "us", COLUMN_REAL, 2, "wall time of one broadcast and 50 us of work"},
    {"cost", "us", COLUMN_REAL, 2, "median difference to that without the layer"},
    {"low", "us", COLUMN_REAL, 2, "95 % confidence interval of that median"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"share", "%", COLUMN_REAL, 1, "of the time"},
};

static void measure_modes(const struct options *o, struct document *d)
{
    struct table *t =
        document_table_of(d, "modes", "2000 broadcasts of 1 KiB on 2 ranks", mode_columns);
    size_t n = (size_t)o->rounds;
    double *us = room_for(N_MODES, n);
    for (size_t round = 0; round < n; round++)
        for (size_t m = 0; m < N_MODES; m++)
            us[m * n + round] =
                1e6 * start(o, "steps", 1, m ? o->layer : "", modes[m].settings, 2).seconds;
    for (size_t m = 0; m < N_MODES; m++) {
        struct summary cost = difference(us + m * n, us, n);
        double time = stats_summarize(us + m * n, n).median;
        table_text(t, modes[m].name);
        table_real(t, time);
        table_real(t, m ? cost.median : NAN);
        table_real(t, m ? cost.median_low : NAN);
        table_real(t, m ? cost.median_high : NAN);
        table_real(t, m ? 100 * cost.median / time : NAN);
    }
    free(us);
}

static void facts(const struct options *o, struct document *d)
{
    struct place place;
    char line[256] = "", *colon;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f) && strncmp(line, "model name", 10))
        ;
    if (f)
        fclose(f);
    line[strcspn(line, "\n")] = '\0';
    colon = strchr(line, ':');
    place_here(&place);
    document_fact(d, "processor", "%s", colon ? colon + 2 : "not known");
    document_fact(d, "processors", "%d of %d", place.processors, place.machine_processors);
    document_fact(d, "layer", "%s", o->layer);
    document_fact(d, "rounds", "%d, without and with the layer in turn", o->rounds);
    document_fact(d, "clock", "processor time of the thread; start and end: CLOCK_MONOTONIC");
    document_fact(d, "4 ranks", "waiting ranks give their processor away, in both");
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        argp_options,
        parse,
        NULL,
        "Measures what the profiling layer costs: time per call, start and end, memory.",
        NULL,
        NULL,
        NULL};
    struct options o = {.rounds = 15, .launcher = MPIEXEC, .layer = LAYER, .threads = 1};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.work)
        return overhead_work(o.work, o.threads);
    char *layer = realpath(o.layer, NULL);
    if (!layer) {
        fprintf(stderr, "overhead: %s: %s: use: --layer=FILE\n", o.layer, strerror(errno));
        return 2;
    }
    o.layer = layer;
    unsetenv("LD_PRELOAD");
    struct document *d = document_new("collprof-overhead/1");
    if (!d)
        stop("no memory");
    facts(&o, d);
    measure_calls(&o, d);
    measure_whole(&o, d);
    measure_modes(&o, d);
    bool ok = document_save_tables(d, o.output, o.format);
    reason_tell("overhead");
    document_free(d);
    free(layer);
    return ok ? 0 : 1;
}
