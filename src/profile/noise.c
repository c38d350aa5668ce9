#include "profile/noise.h"

#include "base/noise.h"

#include <math.h>

static const double spoiled_of_mpi = 0.50;

/* A bad stretch matters by how bad it is, and by what that is of the run, LONGEST. */
static const double bad = 0.25, bad_of_run = 0.0025;

static void look_at_moments(struct noise *n, const struct profile_rank *r, double longest)
{
    bool matters = 1e-9 * (double)r->worst_delayed_ns >= bad_of_run * longest;
    double share = r->worst_length_ns > 0 && matters
                       ? (double)r->worst_delayed_ns / (double)r->worst_length_ns
                       : -1;
    if (share >= 0 && (n->bad_rank < 0 || share > n->bad_share)) {
        n->bad_rank = r->rank;
        n->bad_share = share;
        n->bad_from = 1e-9 * (double)r->worst_from_ns;
        n->bad_length = 1e-9 * (double)r->worst_length_ns;
        n->bad_switches = r->worst_switches;
        n->bad_pressure = (double)r->worst_pressure_ns / (double)r->worst_length_ns;
    }
    if (r->least_khz > 0 && (double)r->most_khz > n->frequency * (double)r->least_khz)
        n->frequency = (double)r->most_khz / (double)r->least_khz;
}

bool noise_has_bad_stretch(const struct noise *n)
{
    return n->bad_rank >= 0 && n->bad_share >= bad && n->bad_share >= 2 * n->share;
}

/* No rank can have waited for longer than anything at all on its host. */
static bool nothing_waited(const struct profile_rank *r, double watched)
{
    return r->pressure_ns >= 0 && watched > 0 &&
           1e-9 * (double)r->pressure_ns < NOISE_FELT_FROM * watched;
}

struct noise noise_of(const struct profile *p)
{
    struct noise n = {.worst_rank = -1, .load = -1, .bad_rank = -1, .pressure = -1};
    double delayed = 0, wall = 0, mpi = 0, longest = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        longest = fmax(longest, p->ranks.at[i].wall);
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        n.load = r->load > n.load ? r->load : n.load;
        mpi += (double)r->mpi_ns / 1e9;
        look_at_moments(&n, r, longest);
        double watched = r->watched_ns > 0 ? 1e-9 * (double)r->watched_ns : r->wall;
        double there = fmax(watched, r->wall), unseen = (there - watched) / there;
        if (unseen >= NOISE_SPOILED_FROM)
            n.unseen = fmax(n.unseen, unseen);
        if (r->pressure_ns >= 0 && watched > 0)
            n.pressure = fmax(n.pressure, fmin(1e-9 * (double)r->pressure_ns / there, 1));
        bool quiet = nothing_waited(r, watched);
        if ((r->delayed_ns < 0 && !quiet) || !(watched > 0)) {
            n.unknown++;
            continue;
        }
        double seconds = r->delayed_ns < 0 ? 0 : fmin(1e-9 * (double)r->delayed_ns, watched);
        delayed += seconds;
        /* A rank that was there for a short time lost no more of the run than that. */
        double run = fmax(there, longest), share = seconds / run;
        wall += run;
        if (n.worst_rank < 0 || share > n.share) {
            n.share = share;
            n.seconds = seconds;
            n.worst_rank = r->rank;
        }
    }
    if (n.worst_rank < 0)
        return n;
    n.mean = delayed / wall;
    n.level = n.share < NOISE_FELT_FROM && !noise_has_bad_stretch(&n) ? NOISE_QUIET : NOISE_FELT;
    if (n.share >= NOISE_SPOILED_FROM ||
        (n.share >= NOISE_FELT_FROM && n.seconds >= spoiled_of_mpi * mpi / (double)p->ranks.n))
        n.level = NOISE_SPOILED;
    if (n.level == NOISE_QUIET && (n.unknown || n.unseen > 0))
        n.level = NOISE_UNKNOWN;
    return n;
}

/* Where the masks are not known, a rank that is bound to one processor says nothing about how many
 * the host has: there, being sent off the processor often is the sign. */
bool noise_crowded(const struct profile *p, uint32_t host)
{
    const struct profile_host *h = &p->hosts.at[host];
    double switches = 0, wall = 0;
    bool known = false;
    if (!h->processors || h->ranks <= h->processors)
        return false;
    for (size_t w = 0; w < sizeof h->affinity / sizeof *h->affinity; w++)
        known = known || h->affinity[w];
    for (size_t i = 0; i < p->ranks.n; i++) {
        if (p->ranks.at[i].host == host) {
            switches += (double)p->ranks.at[i].involuntary_switches;
            wall += p->ranks.at[i].wall;
        }
    }
    return known || h->processors > 1 || (wall > 0 && switches / wall > 20);
}
