#include "measure/work.h"

#include "base/clock.h"
#include "base/stats.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    LINE = 128,            /* two cache lines, since adjacent ones are fetched together */
    CHUNK = 10000,         /* steps between two checks of the stop flag: about 10 us */
    RUNS = 21,             /* runs for one quartile */
    TRIES = 12,            /* corrections of the number of steps */
    SIMULATED = 1000000000 /* steps per simulated second */
};

/* Every step depends on the previous one, and the compiler must believe that results are used. */
static void compute(uint64_t units)
{
    uint64_t x = units | 1;
    for (uint64_t i = 0; i < units; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
}

void work_do(const struct work *w)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        clock_hold(w->achieved);
    else
        compute(w->units);
}

static double timed(uint64_t units, double cost)
{
    double start = clock_now();
    compute(units);
    return clock_now() - start - cost;
}

double work_time(const struct work *w)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return w->achieved;
    return timed(w->units, clock_cost());
}

static double undisturbed(uint64_t units, double cost)
{
    double time[RUNS];
    for (int i = 0; i < RUNS; i++)
        time[i] = timed(units, cost);
    stats_sort(time, RUNS);
    return stats_quantile(time, RUNS, 0.25);
}

struct work work_calibrate(double seconds, double tolerance)
{
    struct work w = {.wanted = seconds, .achieved = seconds, .within = true};
    if (seconds <= 0)
        return w;
    if (clock_source == CLOCK_SOURCE_EXTERNAL) {
        w.units = (uint64_t)llround(seconds * SIMULATED);
        return w;
    }
    double cost = clock_cost(), best = INFINITY;
    double units = seconds * CHUNK / timed(CHUNK, cost);
    for (int i = 0; i < TRIES && best > tolerance; i++) {
        uint64_t tried = units < 1 ? 1 : (uint64_t)llround(units);
        double achieved = undisturbed(tried, cost);
        double error = fabs(achieved / seconds - 1);
        if (error < best) {
            best = error;
            w.units = tried;
            w.achieved = achieved;
        }
        units = (double)tried * seconds / fmax(achieved, 1e-9);
    }
    w.within = best <= tolerance;
    return w;
}

long work_page_faults(void)
{
    struct rusage usage;
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return 0;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_minflt;
}

struct worker {
    _Alignas(LINE) struct work_threads *all;
    uint64_t units;
    pthread_t thread;
};

struct work_threads {
    _Alignas(LINE) atomic_bool stop; /* written once */
    _Alignas(LINE) int n; /* this and the following are only read while the threads run */
    struct worker *worker;
};

static void *run_worker(void *arg)
{
    struct worker *w = arg;
    uint64_t units = 0;
    while (!atomic_load_explicit(&w->all->stop, memory_order_relaxed)) {
        compute(CHUNK);
        units += CHUNK;
    }
    w->units = units;
    return NULL;
}

struct work_threads *work_threads_start(int n)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return NULL;
    struct work_threads *t = aligned_alloc(LINE, sizeof *t);
    struct worker *worker = aligned_alloc(LINE, sizeof *worker * (size_t)(n > 0 ? n : 1));
    if (!t || !worker) {
        free(t);
        free(worker);
        return NULL;
    }
    *t = (struct work_threads){.worker = worker};
    for (; t->n < n; t->n++) {
        worker[t->n] = (struct worker){.all = t};
        if (pthread_create(&worker[t->n].thread, NULL, run_worker, &worker[t->n])) {
            work_threads_stop(t);
            return NULL;
        }
    }
    return t;
}

uint64_t work_threads_stop(struct work_threads *t)
{
    uint64_t units = 0;
    atomic_store(&t->stop, true);
    for (int i = 0; i < t->n; i++) {
        pthread_join(t->worker[i].thread, NULL);
        units += t->worker[i].units;
    }
    free(t->worker);
    free(t);
    return units;
}
