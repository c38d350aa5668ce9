/* The facts without which a result cannot be compared with another: the program, the machine, and
 * what else the machine did meanwhile. */
#include "base/clock.h"
#include "base/noise.h"
#include "base/topology.h"
#include "bench.h"
#include "bench_inner.h"
#include "sync/local_clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static struct document *the_document; /* rank 0's */

static struct place my_place(void)
{
    struct place place;
#ifdef COLLPROF_SIMULATED
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(name, &length);
    place_named(&place, name);
#else
    place_here(&place);
#endif
    return place;
}

struct place *bench_places(const struct bench *b)
{
    struct place mine = my_place(), *all = NULL;
    if (b->rank == 0)
        all = calloc((size_t)b->size, sizeof *all);
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, b->comm);
    return all;
}

/* What the library says of itself is a page long with MPICH: its first phrase, and the device. */
static void fact_mpi(struct document *d)
{
    char all[MPI_MAX_LIBRARY_VERSION_STRING] = "", version[16] = "", device[64] = "";
    int length;
    MPI_Get_library_version(all, &length);
    const char *mpich_device = strstr(all, "MPICH Device:");
    if (mpich_device)
        sscanf(mpich_device, "MPICH Device: %63s", device);
    if (sscanf(all, "MPICH Version: %15s", version) == 1)
        document_fact(d, "MPI", "MPICH Version: %s%s%s", version, *device ? ", device " : "",
                      device);
    else
        document_fact(d, "MPI", "%.*s", (int)strcspn(all, "\n,"), all);
}

static void fact_date(struct document *d)
{
    char text[64];
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
    document_fact(d, "date", "%s", text);
}

static void fact_clock(struct document *d)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        document_fact(d, "clock", "simulated: one for all ranks, exact");
    else
        document_fact(d, "clock", "%s, %.0f ns a reading", clock_steady_name(), 1e9 * clock_cost());
}

/* Of what is set for the MPI library and its transport; what launchers tell the ranks is left
 * out. */
static bool decides(const char *variable)
{
    static const char *const prefixes[] = {"MPIR_CVAR_", "MPICH_", "OMPI_MCA_", "UCX_",
                                           "FI_",        "I_MPI_", "MV2_",      "PSM"};
    static const char *const launchers[] = {
        "MPIR_CVAR_CH3_INTERFACE", "OMPI_MCA_orte_",        "OMPI_MCA_ess",
        "OMPI_MCA_pmix",           "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME"};
    bool found = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        found = found || strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        found = found && strncmp(variable, launchers[i], strlen(launchers[i])) != 0;
    return found;
}

static void fact_environment(struct document *d)
{
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    for (char **variable = environ; out && *variable; variable++)
        if (decides(*variable))
            fprintf(out, "%s%s", ftell(out) ? " " : "", *variable);
    if (out)
        fclose(out);
    document_fact(d, "environment", "%s", list && *list ? list : "nothing set for MPI");
    free(list);
}

static void facts_machine(struct document *d)
{
    struct utsname kernel;
    char machine[256];
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return; /* the simulator's platform decides */
    place_machine(machine, sizeof machine);
    if (*machine)
        document_fact(d, "machine", "%s", machine);
    if (uname(&kernel) == 0)
        document_fact(d, "kernel", "%s %s", kernel.sysname, kernel.release);
    fact_environment(d);
}

static size_t count_hosts(const struct place *places, size_t n)
{
    size_t hosts = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && strcmp(places[k].host, places[i].host) != 0)
            k++;
        hosts += k == i;
    }
    return hosts;
}

/* A line per rank, neighbours of equal place together. */
static void facts_places(struct document *d, const struct place *places, int n)
{
    enum { MOST = 64 };
    int shown = n <= MOST ? n : MOST;
    for (int first = 0, next; first < shown; first = next) {
        char key[48], where[192];
        next = first + 1;
        while (next < n && memcmp(&places[next], &places[first], sizeof *places) == 0)
            next++;
        if (next - first == 1)
            snprintf(key, sizeof key, "rank %d", first);
        else
            snprintf(key, sizeof key, "ranks %d-%d", first, next - 1);
        place_describe(&places[first], where, sizeof where);
        document_fact(d, key, "%s%s%s", places[first].host, *where ? ", " : "", where);
    }
    if (n > shown)
        document_fact(d, "further ranks", "not listed: more than %d", MOST);
}

/* Open MPI yields by itself: as it is set, else where its launcher says that ranks are too many.
 */
static bool open_mpi_yields(void)
{
    const char *set = getenv("OMPI_MCA_mpi_yield_when_idle");
    if (!set)
        set = getenv("OMPI_MCA_mpi_oversubscribe");
    return set && *set && strchr("1tTyYeE", *set) && dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
}

/* For the others our library has to be there. */
static bool yields(void)
{
    bool (*works)(void) = (bool (*)(void))dlsym(RTLD_DEFAULT, "collprof_yield_works");
    return (works && works()) || open_mpi_yields();
}

/* What else ran is seen at the end, in the processors' fact: a load average lags behind. */
static void fact_load(struct document *d, const struct bench *b, double load)
{
    struct noise_totals now;
    noise_read(&now);
    if (load == 0)
        return;
    if (load <= 1) {
        document_fact(d, "load", "no more ranks than processors; load average %.1f at the start",
                      now.load);
        return;
    }
    document_fact(d, "load", "more ranks than processors (%.3g to one): %s", load,
                  yields() ? "waiting ranks yield; compare figures with each other only"
                           : "timings are not meaningful");
    if (!b->yield)
        reason_say(b->program,
                   "%.3g ranks share a processor, and each busy-waits: "
                   "timings are not meaningful; --yield makes them usable",
                   load);
}

static void fact_options(struct document *d, const struct bench *b)
{
    const struct plan *p = &b->plan;
    char budget[96] = "no time limit";
    if (p->budget > 0)
        snprintf(budget, sizeof budget, "at most %g s each", p->budget);
    if (p->budget_most > p->budget)
        snprintf(budget, sizeof budget, "%g s each, up to %g where a broadcast is slow", p->budget,
                 p->budget_most);
    if (b->seed > 0)
        document_fact(d, "order", "of sizes and algorithms: at random, --seed=%d", b->seed);
    if (b->without && strstr(b->without, "stop"))
        document_fact(d, "repetitions", "%d, %s", p->repetitions, budget);
    else
        document_fact(d, "repetitions", "%d in a batch after %d of warm-up, stop rule %s, %s",
                      p->repetitions, p->warmup, plan_stop_names[p->stop], budget);
}

/* Below every picture. */
static void caption(struct document *d, const struct bench *b, double load)
{
    const char *date = document_known(d, "date"), *mpi = document_known(d, "MPI");
    const char *end = mpi ? strstr(mpi, ". ") : NULL; /* behind the version */
    int length = end && end - mpi < 40 ? (int)(end - mpi) : 40;
    document_caption(d, "%s on %d ranks, %.16s, %.*s%s", b->program, b->size, date ? date : "",
                     length, mpi ? mpi : "",
                     load > 1 && !yields() ? "; times mean little: more ranks than processors"
                                           : "");
}

void bench_place_rows(size_t place)
{
    if (the_document)
        document_place(the_document, place);
}

void bench_clocks(struct sync_clock *clock, MPI_Comm comm)
{
    sync_start(clock, comm, local_clock_domain());
    for (int i = 0; i < 4 && clock->domains > 1; i++) {
        usleep(250000);
        sync_again(clock);
    }
    if (the_document && clock->domains > 1 && !document_known(the_document, "clocks"))
        document_fact(the_document, "clocks", "%d, made one within %.2f us", clock->domains,
                      1e6 * clock->worst_bound);
}

struct document *bench_document(const struct bench *b, const char *schema)
{
    struct place *places = bench_places(b);
    if (b->rank)
        return NULL;
    struct document *d = document_new(schema);
    if (!d) {
        reason_say(b->program, "no memory for results");
        MPI_Abort(b->comm, 1);
    }
    the_document = d;
    size_t hosts = count_hosts(places, (size_t)b->size);
    document_fact(d, "program", "%s (collprof %s)", b->program, PACKAGE_VERSION);
    document_fact(d, "command", "%s", b->command);
    fact_date(d);
    fact_mpi(d);
    cvar_facts(d);
    fact_clock(d);
    fact_options(d, b);
    document_fact(d, "ranks", "%d on %zu host%s", b->size, hosts, hosts == 1 ? "" : "s");
    facts_machine(d);
    facts_places(d, places, b->size);
    fact_load(d, b, place_load(places, (size_t)b->size));
    caption(d, b, place_load(places, (size_t)b->size));
    free(places);
    return d;
}

/* --- what else the machine did --- */

static struct watch {
    double time, began;
    struct noise_totals totals, first;
} watch;

void bench_watch(void)
{
    watch.time = clock_now();
    noise_read(&watch.totals);
    if (watch.began == 0) {
        watch.began = watch.time;
        watch.first = watch.totals;
    }
}

struct worst {
    double share; /* of the time without a processor; negative: not known */
    int rank;
};

/* The rank that is worst off since TIME, on all ranks of COMM. */
static struct worst worst_since(MPI_Comm comm, double time, const struct noise_totals *from)
{
    struct noise_totals now;
    struct worst mine = {-1, 0}, all = mine;
    noise_read(&now);
    MPI_Comm_rank(comm, &mine.rank);
    if (now.delayed_ns >= 0 && from->delayed_ns >= 0 && !yields())
        mine.share = 1e-9 * (double)(now.delayed_ns - from->delayed_ns) / (clock_now() - time);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    return all;
}

struct disturbance bench_disturbed(MPI_Comm comm)
{
    static char text[96];
    struct worst w = worst_since(comm, watch.time, &watch.totals);
    *text = '\0';
    bool spoiled = w.share >= NOISE_SPOILED_FROM;
    if (w.share >= NOISE_FELT_FROM)
        snprintf(text, sizeof text, "%srank %d was not scheduled for %.0f %% of the time",
                 spoiled ? "not to be relied on: " : "", w.rank, 100 * w.share);
    return (struct disturbance){*text ? text : NULL, spoiled};
}

void bench_judge(const struct bench *b, struct document *d)
{
    struct worst w = worst_since(b->comm, watch.began, &watch.first);
    if (!d || clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    if (w.share < 0)
        document_fact(d, "processors", "unknown whether ranks were scheduled all the time: %s",
                      yields() ? "waiting ranks yield them" : "this kernel does not count it");
    else if (w.share < NOISE_FELT_FROM)
        document_fact(d, "processors",
                      "no rank was runnable but not scheduled for more than %.2g %% of the run",
                      100 * w.share);
    else
        document_fact(
            d, "processors", "rank %d was runnable but not scheduled for %.0f %% of the run%s",
            w.rank, 100 * w.share,
            w.share >= NOISE_SPOILED_FROM ? ": figures of such a run are not to be relied on" : "");
}
