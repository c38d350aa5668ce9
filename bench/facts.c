/* The facts that are needed to compare results, and the CPU contention during the measurement. */
#include "base/clock.h"
#include "base/noise.h"
#include "base/topology.h"
#include "bench.h"
#include "config.h"
#include "sync/local_clock.h"
#include "tune/library.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct document *the_document; /* on rank 0 */

struct place *bench_places(const struct bench *b)
{
    struct place mine, *all = NULL;
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    PMPI_Get_processor_name(name, &length);
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        place_set_host(&mine, name);
    else
        place_here(&mine);
    if (b->rank == 0)
        all = calloc((size_t)b->size, sizeof *all);
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, b->comm);
    return all;
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
        document_fact(d, "clock", "CLOCK_MONOTONIC_RAW, %.0f ns a reading", 1e9 * clock_cost());
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

/* Whether waiting ranks release their processors: Open MPI does if configured so or if its launcher
 * detects oversubscription; other libraries need our preloaded one. */
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
                  yields() ? "waiting ranks yield; compare figures with each other only"
                           : "timings are not meaningful");
    if (!b->yield)
        reason_print(b->program,
                     "%.3g ranks share a processor, and each busy-waits: "
                     "timings are not meaningful; --yield makes them usable",
                     load);
}

static void fact_repetitions(struct document *d, const struct bench *b)
{
    const struct plan *p = &b->plan;
    char budget[40] = "no time limit";
    if (p->budget > 0)
        snprintf(budget, sizeof budget, "at most %g s each", fmax(p->budget, p->budget_most));
    if (b->without && strstr(b->without, "stop"))
        document_fact(d, "repetitions", "%d, %s", p->repetitions, budget);
    else
        document_fact(d, "repetitions", "%d in a batch, warm-up %d, stop rule %s, %s",
                      p->repetitions, p->warmup, plan_stop_names[p->stop], budget);
}

void bench_clocks(struct sync_clock *clock, MPI_Comm comm, int first)
{
    sync_start(clock, comm, local_clock_domain(), first);
    for (int i = 0; i < 4 && clock->domains > 1; i++) {
        usleep(250000);
        sync_remeasure(clock);
    }
    if (the_document && clock->domains > 1)
        document_fact(the_document, "clocks",
                      "%d, synchronized within %.2f us; half of the round trips: %.2f us",
                      clock->domains, 1e6 * clock->worst_bound, 1e6 * clock->worst_floor);
}

struct document *bench_document(const struct bench *b, const char *schema)
{
    char library[128];
    struct place *places = bench_places(b);
    if (b->rank)
        return NULL;
    struct document *d = document_new(schema);
    the_document = d;
    tuning_library_name(library, sizeof library);
    document_fact(d, "program", "%s (collprof %s)", b->program, PACKAGE_VERSION);
    document_fact(d, "command", "%s", b->command);
    fact_date(d);
    document_fact(d, "MPI", "%s", library);
    if (*b->cvars)
        document_fact(d, "control variable", "%s", b->cvars);
    fact_clock(d);
    fact_repetitions(d, b);
    fact_ranks(d, places, (size_t)b->size);
    fact_load(d, b, place_oversubscription(places, (size_t)b->size));
    free(places);
    bench_keep(b, d);
    return d;
}

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
    double share; /* of the time runnable but not scheduled; negative: unknown */
    int rank;
};

/* The rank with the most contention since TIME, on all ranks of COMM. */
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

static char contention[96]; /* while the last row was measured; "": none is known */

bool bench_contention(MPI_Comm comm)
{
    struct worst w = worst_since(comm, watch.time, &watch.totals);
    bool spoiled = w.share >= NOISE_SPOILED_FROM;
    *contention = '\0';
    if (w.share >= NOISE_FELT_FROM)
        snprintf(contention, sizeof contention,
                 "%srank %d was not scheduled for %.0f %% of the time",
                 spoiled ? "unreliable: " : "", w.rank, 100 * w.share);
    return spoiled;
}

void bench_remark(struct table *t)
{
    if (*contention)
        table_remark(t, FINDING("cpu_contention", DOUBT), "%s", contention);
}

void bench_judge(const struct bench *b, struct document *d)
{
    struct worst w = worst_since(b->comm, watch.began, &watch.first);
    if (!d || clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    if (w.share < 0)
        document_fact(d, "processors", "unknown whether ranks were scheduled all the time%s",
                      yields() ? ": waiting ranks yield them" : "");
    else if (w.share >= NOISE_FELT_FROM)
        document_fact(d, "processors",
                      "rank %d was runnable but not scheduled for %.0f %% of the run", w.rank,
                      100 * w.share);
}
