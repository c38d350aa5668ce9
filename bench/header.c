/* The facts without which a result cannot be compared with another. */
#include "base/clock.h"
#include "base/noise.h"
#include "base/topology.h"
#include "bench.h"
#include "bench_inner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* From START to the first of the characters in STOP, blanks squeezed. */
static void copy_phrase(const char *start, const char *stop, char *text, size_t size)
{
    size_t n = 0, length = strcspn(start, stop);
    for (size_t i = 0; i < length && n + 1 < size; i++) {
        bool blank = isspace((unsigned char)start[i]);
        if (!blank || (n > 0 && text[n - 1] != ' '))
            text[n++] = blank ? ' ' : start[i];
    }
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '.'))
        n--;
    text[n] = '\0';
}

/* What the library says of itself is a page long with MPICH: its first phrase, and the device. */
static void fact_mpi(struct document *d)
{
    char all[MPI_MAX_LIBRARY_VERSION_STRING] = "", name[128], device[64] = "";
    int length;
    MPI_Get_library_version(all, &length);
    copy_phrase(all, "\n,", name, sizeof name);
    const char *mpich_device = strstr(all, "MPICH Device:");
    if (mpich_device)
        copy_phrase(mpich_device + strlen("MPICH Device:"), "\n", device, sizeof device);
    document_fact(d, "MPI", "%s%s%s", name, *device ? ", device " : "", device);
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
                  bench_yields() ? "waiting ranks yield; compare figures with each other only"
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
                     load > 1 && !bench_yields() ? "; times mean little: more ranks than processors"
                                                 : "");
}

static struct document *the_document; /* rank 0's */

void bench_place_rows(size_t place)
{
    if (the_document)
        document_place(the_document, place);
}

void header_clocks(const struct sync_clock *clock)
{
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
    machine_facts(d);
    facts_places(d, places, b->size);
    fact_load(d, b, place_load(places, (size_t)b->size));
    caption(d, b, place_load(places, (size_t)b->size));
    free(places);
    return d;
}
