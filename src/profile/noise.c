#include "profile/noise.h"

#include "base/clock.h"
#include "base/histogram.h"
#include "base/noise.h"

#include <math.h>

/* Seconds of R's contention, without contention that may be in its waits in MPI. MOST: the longest
 * time of a rank outside of MPI. R waited at least for MOST minus its own time, or as long as its
 * recorded waits in collectives and, with a trace, for messages. */
static double contention(const struct profile_rank *r, double most)
{
    double waited = fmax(most - rank_outside(r), 1e-9 * (fmax(0, (double)r->collective_wait_ns) +
                                                         (double)r->message_wait_ns));
    if (r->delayed_ns < 0)
        return NAN;
    return fmax(0, fmin(1e-9 * (double)r->delayed_ns, r->wall) -
                       fmin(waited, 1e-9 * (double)r->mpi_ns));
}

static double recording_time(const struct profile_rank *r)
{
    return 1e-9 * (double)r->calls * r->call_ns;
}

double noise_doubt(const struct profile *p, int64_t rank, bool anywhere, double work)
{
    static const double differ = 0.20, for_seconds = 0.1;
    const double n = (double)p->ranks.n;
    double lost = 0, recording = 0, mean = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        mean += recording_time(&p->ranks.at[i]) / n;
    for (EACH(const struct profile_rank, r, p->ranks)) {
        if (rank >= 0 && r->rank != rank)
            continue;
        lost += fmin(1e-9 * fmax(0, (double)r->delayed_ns), anywhere ? r->wall : rank_outside(r));
        recording = fmax(recording, recording_time(r) - mean);
    }
    double slower =
        p->clock == CLOCK_SOURCE_EXTERNAL ? 0 : differ * sqrt(work * fmin(work, for_seconds));
    return n > 0 ? lost * (n - 1) / n + recording + slower : 0;
}

struct noise noise_of(const struct profile *p, double most)
{
    struct noise n = {.worst_rank = -1};
    const double run = 1e-9 * profile_longest_ns(p), per_run = run > 0 ? 1 / run : 0;
    for (EACH(const struct profile_rank, r, p->ranks)) {
        const double share = per_run * 1e-9 * (double)r->delayed_ns,
                     not_in_waits = per_run * contention(r, most);
        if (share > n.most) {
            n.most = fmin(1, share);
            n.most_rank = r->rank;
        }
        if (!isnan(not_in_waits) && (n.worst_rank < 0 || not_in_waits > n.share)) {
            n.share = not_in_waits;
            n.worst_rank = r->rank;
        }
    }
    return n;
}

bool noise_matters(double cost, double low, double doubt, double run)
{
    return noise_at_least(cost, low, doubt) >= (isnan(low) ? 2 : 1) * NOISE_MATTERS * run;
}

double noise_least(const double part[NOISE_PARTS])
{
    /* Student's t at 97.5 % for 13 degrees of freedom: those of the mean square of 19 successive
     * differences. */
    const double student = 2.160;
    double sum = part[0], squares = 0;
    for (int i = 1; i < NOISE_PARTS; i++) {
        sum += part[i];
        squares += (part[i] - part[i - 1]) * (part[i] - part[i - 1]) / 2;
    }
    return fmax(0, sum - student * sqrt(squares / (NOISE_PARTS - 1) * NOISE_PARTS));
}

double noise_window_ns(const struct profile *p)
{
    return p->trace.time_mask ? (double)(1ull << __builtin_ctzll(p->trace.time_mask)) : INFINITY;
}

double noise_unseen_waits(const struct profile *p)
{
    double all = 0, unseen = 0, least = noise_window_ns(p) / 4;
    for (size_t i = 0; i < p->entries.n && isfinite(least); i++) {
        const struct profile_entry *e = &p->entries.at[i];
        if (p->operations.at[e->operation].family >= FAMILY_ONE_SIDED || !e->histogram)
            continue;
        all += (double)e->time_ns;
        for (unsigned b = histogram_bucket((uint64_t)fmin(least, 1e18)); b < HISTOGRAM_BUCKETS; b++)
            unseen += (double)e->histogram[b] * (double)histogram_floor(b);
    }
    return all > 0 ? fmin(1, unseen / all) : 0;
}
