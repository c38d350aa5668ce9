#include "causes/phases.h"

#include <math.h>
#include <stdlib.h>

/* Time of one rank in one slice, ns. */
struct part {
    double recorded, in_mpi;
};

struct slicing {
    const struct causes_run *run;
    double width;
    size_t slices, ranks;
    struct part *part; /* by rank and slice */
    uint32_t *rank;    /* of each row of PART */
};

/* Adds the time from FROM to TO to the rank's parts: recorded, or in MPI. */
static void add_time(struct slicing *s, size_t row, int64_t from, int64_t to, bool in_mpi)
{
    const double begin = fmax(0, (double)(from - s->run->first_ns)),
                 end = (double)(to < s->run->last_ns ? to : s->run->last_ns) -
                       (double)s->run->first_ns;
    for (size_t i = (size_t)(begin / s->width); i < s->slices && (double)i * s->width < end; i++) {
        struct part *p = &s->part[row * s->slices + i];
        const double ns = fmin(end, (double)(i + 1) * s->width) - fmax(begin, (double)i * s->width);
        *(in_mpi ? &p->in_mpi : &p->recorded) += fmax(0, ns);
    }
}

/* Adds what was recorded of a rank in one window, from the exit of its first call ENTERED to the
 * exit of its last call LEFT, so that there is as much computation as there are calls. Without
 * windows that is the run. */
static void add_recorded(struct slicing *s, size_t row, const struct event *entered,
                         const struct event *left, const int64_t *end_ns)
{
    if (s->run->time_mask) {
        add_time(s, row, entered->exit_ns, left->exit_ns, false);
        return;
    }
    add_time(s, row, s->run->first_ns, s->run->last_ns, false);
    add_time(s, row, end_ns[left->rank] > left->exit_ns ? end_ns[left->rank] : left->exit_ns,
             s->run->last_ns, true);
}

static void add_calls(struct slicing *s, const struct timeline *t, const struct event *events,
                      size_t n, const int64_t *end_ns)
{
    const struct event *entered = NULL, *left = NULL;
    size_t row = 0;
    for (size_t i = 0; i < n; i = timeline_call_end(t, events, n, i)) {
        const struct event *a = &events[t->order[i]];
        const bool next = left && left->rank != a->rank;
        if (left &&
            (next || causes_epoch(s->run, left->entry_ns) != causes_epoch(s->run, a->entry_ns))) {
            add_recorded(s, row, entered, left, end_ns);
            entered = NULL;
        }
        row += next;
        s->rank[row] = a->rank;
        left = a;
        if (entered || !s->run->time_mask)
            add_time(s, row, a->entry_ns, a->exit_ns, true);
        entered = entered ? entered : a;
    }
    add_recorded(s, row, entered, left, end_ns);
}

/* False if some rank has no recorded time in the slice. */
static bool slice_of(const struct slicing *s, size_t i, struct run_slice *x)
{
    *x = (struct run_slice){.begin_ns = (int64_t)((double)i * s->width),
                            .end_ns = (int64_t)((double)(i + 1) * s->width),
                            .most = -1};
    for (size_t row = 0; row < s->ranks; row++) {
        const struct part *p = &s->part[row * s->slices + i];
        if (!(p->recorded > 0))
            return false;
        const double outside = fmax(0, 1 - p->in_mpi / p->recorded);
        x->efficiency += outside / (double)s->ranks;
        if (outside > x->most) {
            x->most = outside;
            x->rank = s->rank[row];
        }
    }
    return true;
}

/* The number of ranks with calls, and of their calls; 0 ranks if one has several threads. */
static size_t count_ranks(const struct timeline *t, const struct event *events, size_t n,
                          size_t *calls)
{
    size_t ranks = 0;
    const struct event *last = NULL;
    *calls = 0;
    for (size_t i = 0; i < n; i = timeline_call_end(t, events, n, i)) {
        const struct event *a = &events[t->order[i]];
        if (last && last->rank == a->rank && last->thread != a->thread)
            return 0;
        ranks += !last || last->rank != a->rank;
        ++*calls;
        last = a;
    }
    return ranks;
}

struct run_slices slices_find(const struct timeline *t, const struct event *events, size_t n,
                              const struct causes_run *run, const int64_t *end_ns)
{
    struct run_slices found = {0};
    struct run_slice x;
    size_t calls;
    struct slicing s = {.run = run, .ranks = count_ranks(t, events, n, &calls)};
    s.slices = s.ranks ? calls / s.ranks / PHASE_CALLS : 0;
    s.slices = s.slices < PHASE_SLICES ? s.slices : PHASE_SLICES;
    if (s.slices < PHASE_LEAST || run->last_ns <= run->first_ns)
        return found;
    s.width = (double)(run->last_ns - run->first_ns) / (double)s.slices;
    s.part = memory_alloc(s.ranks * s.slices * sizeof *s.part);
    s.rank = memory_alloc(s.ranks * sizeof *s.rank);
    add_calls(&s, t, events, n, end_ns);
    for (size_t i = 0; i < s.slices; i++)
        if (slice_of(&s, i, &x))
            *PUSH(&found.list) = x;
    free(s.part);
    free(s.rank);
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
