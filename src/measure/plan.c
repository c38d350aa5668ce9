#include "measure/plan.h"

#include "base/array.h"
#include "base/clock.h"

#include <stdlib.h>

struct plan plan_default(void)
{
    return (struct plan){.repetitions = 100,
                         .stop = STOP_CI,
                         .repeats_min = 1,
                         .repeats_max = 30,
                         .budget = 10,
                         .warmup = 5};
}

const char *const plan_stop_names[] = {
    [STOP_CI] = "ci", [STOP_PAPER] = "paper", [STOP_FIXED] = "fixed", NULL};

/* The simulator needs some 10 us for a message, and as much again for every 256 ranks, since it
 * scans what each of them waits for. */
static const double simulated_message = 10e-6;
enum { RANKS_AS_MUCH = 256 };
static double beside; /* only the simulator's one thread changes it: real runs may have several */

void budget_messages(int n, int ranks)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        beside += n * simulated_message * (1 + (double)ranks / RANKS_AS_MUCH);
}

void budget_barrier(int ranks)
{
    budget_messages(2 * (ranks - 1), ranks);
}

double budget_now(void)
{
    return clock_now() + beside;
}

/* Without memory a sample is lost, never the application. */
void samples_add(struct samples *s, double value)
{
    if (array_has_room((struct array *)s, sizeof value))
        s->value[s->n++] = value;
}

void samples_free(struct samples *s)
{
    free(s->value);
    *s = (struct samples){0};
}

struct summary samples_summary(const struct samples *s)
{
    return stats_summarize(s->value, s->n);
}
