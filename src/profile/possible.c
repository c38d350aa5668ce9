/* Checks whether the figures of a profile agree with each other. */
#include "profile/model.h"

#include <math.h>

static bool entry_possible(const struct profile_entry *e)
{
    return e->errors <= e->calls && e->excluded <= e->calls &&
           e->complete_at_wait <= e->completed &&
           (e->time_ns == 0 || e->max_ns == 0 || e->time_ns / e->max_ns <= e->calls);
}

/* A rank whose threads call MPI one at a time cannot be in calls for longer than it ran. The limit
 * is twice the run time plus 1 s, since the times are converted by different estimates of the
 * clock's rate. */
static bool rank_possible(const struct profile *p, const struct profile_rank *r)
{
    double run = 1e9 * r->wall + (double)r->init_ns + (double)r->lifecycle_ns, most = 2 * run + 1e9;
    if (isnan(r->wall)) /* null in profile.json: unknown */
        return true;
    if (!(r->wall >= 0 && r->wall < 1e-9 * (double)FAR_NS))
        return false;
    return r->state != LEDGER_FINALIZED ||
           ((p->threads_at_once || (double)r->mpi_ns <= most) && (double)r->delayed_ns <= most);
}

/* Whether no number in VALUE, an experiment's result, exceeds 1e15, more than any time in us. */
static bool finding_possible(const json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;
    bool good = !json_is_number(value) || fabs(json_number_value(value)) <= 1e15;
    json_object_foreach((json_t *)value, key, part)
        good = good && finding_possible(part);
    json_array_foreach(value, i, part)
        good = good && finding_possible(part);
    return good;
}

const char *profile_impossible(const struct profile *p)
{
    double calls = 0, waits = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (!rank_possible(p, &p->ranks.at[i]))
            return "a rank was in MPI, or runnable but not scheduled, for longer than it ran";
    for (size_t i = 0; i < p->entries.n; i++) {
        if (!entry_possible(&p->entries.at[i]))
            return "calls of one call site took longer, or failed more often, than is possible";
        calls += (double)p->entries.at[i].time_ns + (double)p->entries.at[i].excluded_ns;
    }
    for (size_t i = 0; i < p->arrivals.n; i++)
        if (p->arrivals.at[i].wait_ns > p->arrivals.at[i].time_ns)
            return "ranks waited in collectives of one call site for longer than these took";
    for (size_t i = 0; i < p->findings.n; i++)
        if (!finding_possible(p->findings.at[i].value))
            return "a measurement has an impossible number";
    for (size_t i = 0; i < p->waits.n; i++)
        waits += (double)p->waits.at[i].wait_ns;
    if (p->trace.covered < 0 || p->trace.covered > 1)
        return "a trace covers less than 0 % or more than 100 % of its run";
    if (calls > (double)FAR_NS || waits > 1.001 * (double)p->trace.calls_ns)
        return "the sum of times is longer than the run";
    return NULL;
}
