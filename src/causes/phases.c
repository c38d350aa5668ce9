#include "causes/phases.h"

#include "causes/graph_inner.h"

#include <math.h>
#include <stdlib.h>

/* Time of one rank in one slice, ns. */
struct part {
    double recorded, in_mpi;
};

struct slicing {
    const struct event_graph *g; /* with one lane for each rank */
    double width;
    size_t slices;
    struct part *part; /* by lane and slice */
};

/* Adds the time from FROM to TO to the lane's parts: recorded, or in MPI. */
static void add_time(struct slicing *s, size_t lane, int64_t from, int64_t to, bool in_mpi)
{
    const struct causes_run *run = &s->g->run;
    const double begin = fmax(0, (double)(from - run->first_ns)),
                 end = (double)((to < run->last_ns ? to : run->last_ns) - run->first_ns);
    for (size_t i = (size_t)(begin / s->width); i < s->slices && (double)i * s->width < end; i++) {
        struct part *p = &s->part[lane * s->slices + i];
        const double ns = fmin(end, (double)(i + 1) * s->width) - fmax(begin, (double)i * s->width);
        *(in_mpi ? &p->in_mpi : &p->recorded) += fmax(0, ns);
    }
}

/* In a window of a thinned trace the recorded time is that from the exit of the first call to the
 * exit of the last one, so that there is as much computation as there are calls. Otherwise it is
 * that of the run. */
static void add_lane(struct slicing *s, size_t lane, const int64_t *end_ns)
{
    const struct causes_run *run = &s->g->run;
    const struct lane *x = &s->g->lanes.at[lane];
    const int64_t last = event_call(s->g, x->end - 1)->exit, end = end_ns[x->rank];
    if (!run->time_mask) {
        add_time(s, lane, run->first_ns, run->last_ns, false);
        add_time(s, lane, end > last ? end : last, run->last_ns, true);
    }
    for (uint32_t i = x->begin; i < x->end; i++) {
        const struct call *c = event_call(s->g, i);
        const bool first = event_is_first(s->g, i);
        if (!run->time_mask || !first)
            add_time(s, lane, c->entry, c->exit, true);
        if (run->time_mask && !first)
            add_time(s, lane, c[-1].exit, c->exit, false);
    }
}

/* False if some rank has no recorded time in the slice. */
static bool slice_of(const struct slicing *s, size_t i, struct run_slice *x)
{
    *x = (struct run_slice){.begin_ns = (int64_t)((double)i * s->width),
                            .end_ns = (int64_t)((double)(i + 1) * s->width),
                            .most = -1};
    for (size_t lane = 0; lane < s->g->lanes.n; lane++) {
        const struct part *p = &s->part[lane * s->slices + i];
        if (!(p->recorded > 0))
            return false;
        const double outside = fmax(0, 1 - p->in_mpi / p->recorded);
        x->efficiency += outside / (double)s->g->lanes.n;
        if (outside > x->most) {
            x->most = outside;
            x->rank = s->g->lanes.at[lane].rank;
        }
    }
    return true;
}

struct run_slices slices_find(const struct event_graph *g, const int64_t *end_ns)
{
    struct run_slices found = {0};
    struct run_slice x;
    const double run_ns = (double)(g->run.last_ns - g->run.first_ns);
    struct slicing s = {.g = g};
    s.slices = g->lanes.n ? g->calls.n / g->lanes.n / PHASE_CALLS : 0;
    s.slices = s.slices < PHASE_SLICES ? s.slices : PHASE_SLICES;
    if (event_graph_has_threads(g) || s.slices < PHASE_LEAST || !(run_ns > 0))
        return found;
    s.width = run_ns / (double)s.slices;
    s.part = memory_alloc(g->lanes.n * s.slices * sizeof *s.part);
    for (size_t lane = 0; lane < g->lanes.n; lane++)
        add_lane(&s, lane, end_ns);
    for (size_t i = 0; i < s.slices; i++)
        if (slice_of(&s, i, &x))
            *PUSH(&found.list) = x;
    free(s.part);
    return found;
}

/* --- the phase --- */

/* The rank that is most often the one with the most time outside of MPI. */
static uint32_t rank_of(const struct run_slice *slice, const struct phase *p)
{
    size_t most = 0;
    uint32_t rank = CAUSES_NONE;
    for (size_t i = p->first; i < p->last; i++) {
        size_t n = 0;
        for (size_t k = p->first; k < p->last; k++)
            n += slice[k].rank == slice[i].rank;
        if (n > most) {
            most = n;
            rank = slice[i].rank;
        }
    }
    return rank;
}

static bool is_in(const struct phase *p, size_t i)
{
    return i >= p->first && i < p->last;
}

/* Sets the means; returns the standard error of the difference of the two efficiencies. It counts
 * successive slices that resemble each other as fewer: by the correlation of neighbours. */
static double set_means(const struct run_slice *slice, size_t n, struct phase *p)
{
    const double in = (double)(p->last - p->first), out = (double)n - in;
    double squares = 0, products = 0, before = 0;
    p->efficiency = p->most = p->other_efficiency = p->other_most = 0;
    for (size_t i = 0; i < n; i++) {
        *(is_in(p, i) ? &p->efficiency : &p->other_efficiency) +=
            slice[i].efficiency / (is_in(p, i) ? in : out);
        *(is_in(p, i) ? &p->most : &p->other_most) += slice[i].most / (is_in(p, i) ? in : out);
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
    const size_t least = n / 20 > 3 ? n / 20 : 3; /* shorter phases do not matter */
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
                largest = between;
                phase->first = first;
                phase->last = last;
            }
        }
    }
    if (!(largest > 0))
        return false;
    double error = set_means(slice, n, phase);
    if (phase->efficiency > phase->other_efficiency && (!phase->first || phase->last == n)) {
        *phase = phase->first ? (struct phase){.last = phase->first}
                              : (struct phase){.first = phase->last, .last = n};
        error = set_means(slice, n, phase);
    }
    const double difference = fabs(phase->efficiency - phase->other_efficiency);
    phase->rank = rank_of(slice, phase);
    return difference >= least_difference && difference >= least_errors * error;
}
