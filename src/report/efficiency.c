#include "report/efficiency.h"

#include <math.h>

/* Seconds of all ranks together that are certainly waiting, without what imbalance shows. */
static double known_waits(const struct profile *p, double mpi)
{
    double collectives = 0;
    for (size_t i = 0; i < p->arrivals.n; i++)
        if (arrivals_kind(p, p->arrivals.at[i].operation) != COLLECTIVE_OTHER)
            collectives += 1e-9 * (double)p->arrivals.at[i].wait_ns;
    double traced = p->trace.on && p->trace.calls_ns
                        ? mpi * (double)p->trace.wait_ns / (double)p->trace.calls_ns
                        : 0;
    return fmax(collectives, traced);
}

struct efficiency efficiency_of(const struct profile *p)
{
    struct efficiency e = {.known = p->ranks.n > 0 && !p->threads_at_once};
    double n = (double)p->ranks.n, sum = 0, mpi = 0;
    for (size_t i = 0; i < p->ranks.n; i++) {
        double compute = efficiency_compute(p, i);
        e.known = e.known && !p->ranks.at[i].in_call;
        sum += compute;
        e.run = fmax(e.run, p->ranks.at[i].wall - 1e-9 * (double)p->ranks.at[i].injected_ns);
        mpi += 1e-9 * (double)p->ranks.at[i].mpi_ns;
        if (compute > e.most) {
            e.most = compute;
            e.longest_rank = i;
        }
    }
    e.known = e.known && e.run > 0 && e.most > 0;
    if (!e.known)
        return e;
    e.mean = sum / n;
    e.load_balance = e.mean / e.most;
    e.communication = e.most / e.run;
    e.compute = fmin(1, e.mean / e.run);
    e.waiting =
        fmin(1 - e.compute, fmax((e.most - e.mean) / e.run, known_waits(p, mpi) / (n * e.run)));
    e.other = 1 - e.compute - e.waiting;
    return e;
}
