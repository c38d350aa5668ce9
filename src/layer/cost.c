/* What recording adds to a call, measured in this process: at the start by empty calls, entered and
 * left as in a wrapper, and during the run by some of its calls. The larger value counts. */
#include "base/clock.h"
#include "base/stats.h"
#include "layer/parts.h"
#include "record/call.h"
#include "record/entries.h"

#include <math.h>

enum { BATCHES = 11, CALLS = 64, LEAST = 32 };

static __attribute__((noinline)) void call_nothing(void)
{
    struct call c;
    int value = 0;
    const struct call_about about = {.comm = MPI_COMM_WORLD, .count = 1, .type = MPI_INT};
    if (!call_enter(&c, 0, about))
        return;
    __asm__ volatile("" : : "g"(&value) : "memory");
    c.exit = clock_ticks();
    call_leave(&c, MPI_SUCCESS, MPI_COMM_WORLD, sizeof value);
}

void cost_measure(void)
{
    double ns[BATCHES];
    int world = 0;
    PMPI_Initialized(&world); /* a session alone has no MPI_COMM_WORLD */
    if (!world || clock_source == CLOCK_SOURCE_EXTERNAL)
        return;
    const char *frame = thread.frame; /* frame of the wrapper that begins the record */
    thread.inside = false;
    layer.on = true;
    for (int b = 0; b < BATCHES; b++) {
        uint64_t from = clock_ticks();
        for (int i = 0; i < CALLS; i++)
            call_nothing();
        ns[b] = (double)ticks_to_ns(clock_ticks() - from) / CALLS;
    }
    layer.on = false;
    thread_enter_at(frame);
    entries_reset();
    trace_reset();
    if (thread.call) { /* undo the trace of the empty calls */
        thread.call->thread = 0;
        thread.call = NULL;
    }
    layer.ledger.header->last_ticks = 0;
    layer.ledger.header->call_ns = stats_summarize(ns, BATCHES).median;
    layer.costs = layer.cost_ns = 0;
}

/* Many call paths and a large application displace the tables from the caches: the cost grows. */
void cost_settle(void)
{
    double *stated = &layer.ledger.header->call_ns;
    if (layer.costs >= LEAST)
        *stated = fmax(*stated, (double)layer.cost_ns / (double)layer.costs);
}
