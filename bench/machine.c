/* The machine that a result is from, as far as it decides the figures; and what else it did
 * meanwhile. */
#include "base/clock.h"
#include "base/noise.h"
#include "base/topology.h"
#include "bench_inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void fact_frequency(struct document *d)
{
    static const char cpus[] = "/sys/devices/system/cpu/";
    static const struct {
        const char *file, *on; /* what it says where the frequency may rise above the nominal one */
    } turbos[] = {{"intel_pstate/no_turbo", "0"}, {"cpufreq/boost", "1"}};
    char path[96], governor[256], turbo[256] = "";
    snprintf(path, sizeof path, "%scpu0/cpufreq/scaling_governor", cpus);
    noise_slurp(path, governor);
    const char *may = "not known whether there is turbo";
    for (size_t i = 0; i < 2 && !*turbo; i++) {
        snprintf(path, sizeof path, "%s%s", cpus, turbos[i].file);
        if (*noise_slurp(path, turbo))
            may = strncmp(turbo, turbos[i].on, 1) == 0 ? "turbo" : "no turbo";
    }
    governor[strcspn(governor, "\n")] = '\0';
    document_fact(d, "frequency", "governor %s, %s", *governor ? governor : "not known", may);
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

void machine_facts(struct document *d)
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
#ifdef __clang__
    document_fact(d, "compiler", "%s", __VERSION__);
#else
    document_fact(d, "compiler", "gcc %s", __VERSION__);
#endif
    fact_frequency(d);
    fact_environment(d);
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
    double share; /* of the time without a processor; negative: not known */
    int rank;
};

/* The rank that is worst off since TIME, on rank 0 of COMM; and how often that lost its
 * processor. */
static struct worst worst_since(MPI_Comm comm, double time, const struct noise_totals *from,
                                long long *lost)
{
    struct noise_totals now;
    struct worst mine = {-1, 0}, all = mine;
    noise_read(&now);
    MPI_Comm_rank(comm, &mine.rank);
    if (now.delayed_ns >= 0 && from->delayed_ns >= 0 && !bench_yields())
        mine.share = 1e-9 * (double)(now.delayed_ns - from->delayed_ns) / (clock_now() - time);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    *lost = now.involuntary - from->involuntary;
    MPI_Bcast(lost, 1, MPI_LONG_LONG, all.rank, comm);
    return all;
}

struct disturbance bench_disturbed(MPI_Comm comm)
{
    static char text[96];
    long long lost;
    struct worst w = worst_since(comm, watch.time, &watch.totals, &lost);
    *text = '\0';
    bool spoiled = w.share >= NOISE_SPOILED_FROM;
    if (w.share >= NOISE_FELT_FROM)
        snprintf(text, sizeof text, "%srank %d had no processor for %.0f %% of the time",
                 spoiled ? "not to be relied on: " : "", w.rank, 100 * w.share);
    return (struct disturbance){*text ? text : NULL, spoiled};
}

void bench_add_words(char *text, size_t size, const char *format, ...)
{
    size_t at = strlen(text);
    va_list list;
    va_start(list, format);
    if (at && at + 2 < size)
        at += (size_t)snprintf(text + at, size - at, ", ");
    vsnprintf(text + at, size - at, format, list);
    va_end(list);
}

void machine_judge(const struct bench *b, struct document *d)
{
    long long lost;
    struct worst w = worst_since(b->comm, watch.began, &watch.first, &lost);
    if (!d || clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    if (w.share < 0)
        document_fact(d, "processors", "not known whether ranks had theirs all the time: %s",
                      bench_yields() ? "they give them away while they wait"
                                     : "this kernel does not count it");
    else if (w.share < NOISE_FELT_FROM)
        document_fact(d, "processors", "no rank was without one for more than %.2g %% of the run",
                      100 * w.share);
    else
        document_fact(
            d, "processors", "rank %d was ready and had none for %.0f %% of the run, %lld times%s",
            w.rank, 100 * w.share, lost,
            w.share >= NOISE_SPOILED_FROM ? ": figures of such a run are not to be relied on" : "");
}
