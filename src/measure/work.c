#include "measure/work.h"

#include "base/clock.h"
#include "base/stats.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    CHUNK = 10000, /* steps between two checks of the stop flag: about 10 us */
    RUNS = 21,     /* timed runs, of which the lower quartile is taken */
    TRIES = 12     /* most corrections of the number of steps */
};

/* Every step depends on the previous one, so that the processor cannot run steps in parallel. The
 * assembler statement makes the compiler keep the steps although X is not used. */
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

struct work work_calibrate(double seconds)
{
    const double tolerance = 0.01;
    struct work w = {.units = seconds > 0, .achieved = seconds};
    if (seconds <= 0 || clock_source == CLOCK_SOURCE_EXTERNAL)
        return w;
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
    return w;
}

long work_page_faults(void)
{
    struct rusage usage;
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return 0;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_minflt;
}

struct work_threads {
    atomic_bool stop;
    int n;
    pthread_t thread[];
};

static void *run_until(void *stop)
{
    while (!atomic_load_explicit((atomic_bool *)stop, memory_order_relaxed))
        compute(CHUNK);
    return NULL;
}

struct work_threads *work_threads_start(int n)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return NULL;
    struct work_threads *t = calloc(1, sizeof *t + (size_t)n * sizeof *t->thread);
    for (; t && t->n < n; t->n++)
        if (pthread_create(&t->thread[t->n], NULL, run_until, &t->stop)) {
            work_threads_stop(t);
            return NULL;
        }
    return t;
}

void work_threads_stop(struct work_threads *t)
{
    atomic_store(&t->stop, true);
    for (int i = 0; i < t->n; i++)
        pthread_join(t->thread[i], NULL);
    free(t);
}
