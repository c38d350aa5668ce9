#include "report/tables.h"

#include <math.h>
#include <stdio.h>

/* Lower bound of all ranks' waiting time, seconds: waiting in collectives or, if longer, MPI
 * (seconds of all ranks in MPI calls) times the share of waiting in the trace's calls. */
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
        double compute = rank_outside(&p->ranks.at[i]);
        e.known = e.known && !p->ranks.at[i].in_call;
        sum += compute;
        e.run = fmax(e.run, p->ranks.at[i].wall - 1e-9 * (double)p->ranks.at[i].injected_ns);
        mpi += 1e-9 * (double)p->ranks.at[i].mpi_ns;
        e.most = fmax(e.most, compute);
    }
    e.known = e.known && e.run > 0 && e.most > 0;
    if (!e.known)
        return e;
    e.mean = sum / n;
    e.load_balance = e.mean / e.most;
    e.communication = e.most / e.run;
    e.transfer = e.serialisation = NAN;
    if (p->trace.replay.ideal_ns >= 0 && p->trace.replay.replayed_ns > 0) {
        /* The trace's windows may not be typical of the run, so factors are limited to 1. */
        double ideal = (double)p->trace.replay.ideal_ns / (double)p->trace.replay.replayed_ns;
        e.transfer = fmin(1, fmax(ideal, e.communication));
        e.serialisation = e.communication / e.transfer;
    }
    e.compute = fmin(1, e.mean / e.run);
    e.waiting =
        fmin(1 - e.compute, fmax((e.most - e.mean) / e.run, known_waits(p, mpi) / (n * e.run)));
    e.other = 1 - e.compute - e.waiting;
    return e;
}

const char *efficiency_text(const struct efficiency *e, char text[EFFICIENCY_TEXT])
{
    int n = snprintf(text, EFFICIENCY_TEXT, "%.1f %% = load balance %.1f %% x ", 100 * e->compute,
                     100 * e->load_balance);
    if (isnan(e->transfer))
        snprintf(text + n, (size_t)(EFFICIENCY_TEXT - n), "communication %.1f %%",
                 100 * e->communication);
    else
        snprintf(text + n, (size_t)(EFFICIENCY_TEXT - n),
                 "serialisation %.1f %% x transfer %.1f %%", 100 * e->serialisation,
                 100 * e->transfer);
    return text;
}

/* Waiting in messages is what the trace shows or, if longer, MOST minus R's time outside of MPI and
 * waiting in collectives: at least so long R waits for the slowest rank. */
void rank_parts(const struct profile_rank *r, double most, double part[RANK_PARTS])
{
    const bool known = r->collective_ns >= 0 && r->message_ns >= 0;
    const double mpi = (double)r->mpi_ns, outside = 1e9 * rank_outside(r),
                 collective = known ? (double)r->collective_ns : 0,
                 message = known ? (double)r->message_ns : 0,
                 wait = known ? fmax(0, (double)r->collective_wait_ns) : 0,
                 late = fmax((double)r->message_wait_ns, 1e9 * most - outside - wait),
                 in_messages = fmin(message, fmax(0, late));
    const double parts[] = {outside,
                            wait + in_messages,
                            message - in_messages,
                            collective - wait,
                            fmax(0, mpi - collective - message),
                            0};
    for (size_t k = 0; k < RANK_PARTS; k++)
        part[k] = r->in_call ? NAN : parts[k];
    part[RANK_PARTS - 1] = r->injected_ns ? (double)r->injected_ns : NAN;
}
