/* Efficiency over time, from each rank's time in MPI in slices of its run; and the phase of the run
 * whose efficiency differs most from the rest. */
#include "profile/gather.h"

#include <math.h>

/* The run of one rank. Times in ns. */
struct rank_run {
    int64_t first, last, open;        /* OPEN: entry of the call not left at LAST; none: LAST */
    double width;                     /* length of a slice */
    double before[LEDGER_SLICES + 1]; /* time in MPI before each slice */
};

static struct rank_run run_of(const struct gather *g)
{
    const struct ledger_header *h = g->h;
    const double tick = 1e9 / g->rate;
    struct rank_run r = {.first = global_ns(g, h->pair[0].ticks),
                         .width = ldexp(tick, (int)h->slice_shift)};
    r.last = r.open = r.first + whole_ns(g->p->ranks.at[0].wall);
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_CALLS) && h->state != LEDGER_FINALIZED; i++)
        if (g->l->calls[i].since)
            r.open = global_ns(g, g->l->calls[i].since);
    for (size_t i = 0; i < LEDGER_SLICES; i++)
        r.before[i + 1] = r.before[i] + (double)h->in_mpi[i] * tick;
    return r;
}

/* Time in MPI up to AT, interpolated linearly inside of a slice. */
static double in_mpi(const struct rank_run *r, int64_t at)
{
    const double slices = fmin((double)(at - r->first) / r->width, LEDGER_SLICES);
    const size_t i = slices < LEDGER_SLICES ? (size_t)slices : LEDGER_SLICES - 1;
    return r->before[i] + (slices - (double)i) * (r->before[i + 1] - r->before[i]) +
           (at > r->open ? (double)(at - r->open) : 0);
}

void gather_parts(struct gather *g)
{
    const struct rank_run r = run_of(g);
    for (uint32_t level = 0; level < 60; level++) {
        if (((r.last - r.first) >> level) + 2 > PHASE_SLICES)
            continue;
        const int64_t width = INT64_C(1) << level;
        for (int64_t k = r.first >> level; k * width < r.last; k++) {
            const int64_t begin = k * width, end = begin + width;
            struct profile_part part = {.level = level,
                                        .number = k,
                                        .begin_ns = begin > r.first ? begin : r.first,
                                        .end_ns = end < r.last ? end : r.last};
            const double length = (double)(part.end_ns - part.begin_ns),
                         inside = in_mpi(&r, part.end_ns) - in_mpi(&r, part.begin_ns);
            spread_add(&part.outside, (uint32_t)g->h->rank,
                       whole_count(fmin(length, length - inside)));
            profile_add(g->p, TABLE_PARTS, &part);
        }
    }
}

/* Upper limit of the number of slices, by PHASE_CALLS; 0: efficiency over time is unknown. */
static double most_slices(const struct profile *p)
{
    bool known = p->ranks.n && (int64_t)p->ranks.n >= p->size && !p->threads_at_once &&
                 (p->hosts.n < 2 || p->synchronized);
    double calls = 0, measured = 0.01; /* largest share of a run that measurements may take */
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        known = known && r->rank == (int32_t)i && !r->in_call &&
                1e-9 * (double)r->injected_ns <= measured * r->wall;
        calls += (double)r->calls;
    }
    return known ? fmin(PHASE_SLICES, calls / (double)p->ranks.n / PHASE_CALLS) : 0;
}

/* Makes a slice of each of N parts, from the first part in which all ranks run. A rank that has
 * ended has no time outside of MPI, and so counts as waiting. */
static void add_slices(struct profile *p, const struct profile_part *part, size_t n,
                       int64_t start_ns)
{
    for (size_t i = 0; i < n; i++) {
        const struct spread *outside = &part[i].outside;
        const double length = (double)(part[i].end_ns - part[i].begin_ns);
        if (p->slices.n || outside->ranks == p->ranks.n)
            *PUSH(&p->slices) =
                (struct run_slice){.begin_ns = part[i].begin_ns - start_ns,
                                   .end_ns = part[i].end_ns - start_ns,
                                   .efficiency = (double)outside->sum / length / (double)p->ranks.n,
                                   .most = (double)outside->max / length,
                                   .rank = outside->worst};
    }
}

/* Parts are sorted by length. All ranks have the longest parts, which give the start and the end of
 * the run; a rank has no parts of a shorter length of which there would be too many. */
void slices_find(struct profile *p)
{
    const double most = most_slices(p);
    const struct profile_part *part = p->parts.at;
    size_t first = p->parts.n, end = 0;
    while (first && part[first - 1].level == part[p->parts.n - 1].level)
        first--;
    if (first == p->parts.n)
        return;
    const int64_t start = part[first].begin_ns, length = part[p->parts.n - 1].end_ns - start;
    for (first = 0; first < p->parts.n; first = end) {
        for (end = first; end < p->parts.n && part[end].level == part[first].level;)
            end++;
        if ((double)((length >> part[first].level) + 2) > most)
            continue;
        if (end - first >= PHASE_LEAST)
            add_slices(p, part + first, end - first, start);
        return;
    }
}

static bool is_in(const struct phase *p, size_t i)
{
    return i >= p->first && i < p->last;
}

/* Sets P's means, weighted by the slices' lengths. Returns the standard error of the difference of
 * the two efficiencies; correlation between neighbouring slices increases it. */
static double set_means(const struct run_slice *slice, size_t n, struct phase *p)
{
    const double in = (double)(p->last - p->first), out = (double)n - in;
    double squares = 0, products = 0, before = 0, length[2] = {0};
    for (size_t i = 0; i < n; i++)
        length[is_in(p, i)] += (double)(slice[i].end_ns - slice[i].begin_ns);
    p->efficiency = p->other_efficiency = 0;
    for (size_t i = 0; i < n; i++) {
        const double part = (double)(slice[i].end_ns - slice[i].begin_ns) / length[is_in(p, i)];
        *(is_in(p, i) ? &p->efficiency : &p->other_efficiency) += part * slice[i].efficiency;
    }
    for (size_t i = 0; i < n; i++) {
        const double off =
            slice[i].efficiency - (is_in(p, i) ? p->efficiency : p->other_efficiency);
        squares += off * off;
        products += off * before;
        before = off;
    }
    const double correlation = squares > 0 ? fmax(0, products / squares) : 0;
    return sqrt(squares / (double)(n - 2) * (1 / in + 1 / out) * (1 + correlation) /
                (1 - fmin(correlation, 0.95)));
}

bool phase_find(const struct run_slice *slice, size_t n, struct phase *phase)
{
    static const double least_difference = 0.1, least_errors = 6;
    const size_t least = n / 10 > 3 ? n / 10 : 3; /* a shorter phase costs little */
    double all = 0, largest = 0;
    *phase = (struct phase){0};
    for (size_t i = 0; i < n; i++)
        all += slice[i].efficiency;
    for (size_t first = 0; first < n; first++) {
        double sum = 0;
        for (size_t last = first + 1; last <= n; last++) {
            const double in = (double)(last - first), out = (double)n - in;
            sum += slice[last - 1].efficiency;
            const double difference = sum / in - (all - sum) / out;
            const double between = difference * difference * in * out / (double)n;
            if (last - first >= least && n - (last - first) >= least && between > largest) {
                /* If the run consists of two phases, the less efficient one is the phase. */
                const bool rest = difference > 0 && (!first || last == n);
                largest = between;
                phase->first = !rest ? first : first ? 0 : last;
                phase->last = !rest ? last : first ? first : n;
            }
        }
    }
    if (!(largest > 0))
        return false;
    const double error = set_means(slice, n, phase),
                 difference = fabs(phase->efficiency - phase->other_efficiency);
    return difference >= least_difference && difference >= least_errors * error;
}
