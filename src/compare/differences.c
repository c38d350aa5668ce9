#include "compare/differences_inner.h"

#include "base/array.h"
#include "base/stats.h"
#include "base/text.h"
#include "compare/evidence.h"
#include "compare/places.h"
#include "profile/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than this share of the run is nothing to act upon, and not looked at. */
static const double matters = 0.01;
/* So much of the run is no difference, however well it repeats. */
static const double floor_share = 0.0025;
/* Of what each rank does itself, so many rows: those that vary most. Which they are does not depend
 * on who ran which way. */
enum { MOST_RANK_ROWS = 256 };

/* --- the rows --- */

struct making {
    struct differences *d;
    const struct places *places;
    struct profile *const *run;
    size_t all;
    size_t *has; /* [rank] runs that have it */
};

static struct difference *new_row(struct making *m, enum difference_kind kind, int32_t rank)
{
    struct difference *x = PUSH(&m->d->list);
    *x = (struct difference){.kind = kind,
                             .operation = "",
                             .place = "",
                             .in = {true, true},
                             .rank = rank,
                             .p_rank = NAN,
                             .p_together = NAN,
                             .each = {NAN, NAN},
                             .within = {{NAN, NAN}, {NAN, NAN}},
                             .at = SIZE_MAX};
    x->value = memory_alloc((m->all + 1) * sizeof *x->value);
    return x;
}

static void add_wall(struct making *m)
{
    struct difference *x = new_row(m, DIFFERENCE_WALL, -1);
    for (size_t run = 0; run < m->all; run++)
        x->value[run] = profile_longest_ns(m->run[run]);
    double *before = memory_alloc((m->d->runs[0] + 1) * sizeof *before);
    memcpy(before, x->value, m->d->runs[0] * sizeof *before);
    m->d->wall_ns = stats_median(before, m->d->runs[0]);
    free(before);
}

/* Whether the values differ by enough to be looked at; who ran which way is not looked at. */
static bool varies(const struct making *m, const struct difference *x)
{
    struct summary s = stats_summarize(x->value, m->all);
    return s.max - s.min >= matters * m->d->wall_ns;
}

static void keep_if_varies(struct making *m)
{
    struct difference *x = &m->d->list.at[m->d->list.n - 1];
    if (varies(m, x))
        return;
    free(x->value);
    m->d->list.n--;
}

/* Of a side: from the least to the most that its runs have in their middle 80 %. */
static void widen(struct difference *x, int side, const struct ranged *r, double factor)
{
    x->within[side][0] = fmin(x->within[side][0], factor * r->low);
    x->within[side][1] = fmax(x->within[side][1], factor * r->high);
}

/* What its calls are like: the median of the runs. */
static void shape_calls(const struct making *m, struct difference *x, const struct place *at)
{
    double *median = memory_alloc((m->all + 1) * sizeof *median),
           *p99 = memory_alloc((m->all + 1) * sizeof *p99);
    for (size_t run = 0; run < m->all; run++) {
        median[run] = at->time[run].median;
        p99[run] = at->time[run].p99;
    }
    for (int side = 0; side < 2; side++) {
        size_t first = side ? m->d->runs[0] : 0, n = m->d->runs[side];
        x->call_median[side] = stats_median(median + first, n);
        x->call_p99[side] = stats_median(p99 + first, n);
    }
    free(median);
    free(p99);
}

static int side_of(const struct making *m, size_t run)
{
    return run >= m->d->runs[0];
}

static void name_place(struct difference *x, const struct making *m, size_t i)
{
    const struct place *at = m->places->list.at[i];
    x->operation = text_without_mpi(at->operation);
    x->place = at->label;
    x->in[0] = at->in[0];
    x->in[1] = at->in[1];
    x->at = i;
}

static bool is_waiting_known(const struct making *m, const struct place *at)
{
    bool any = false;
    for (size_t run = 0; run < m->all; run++) {
        if (isnan(at->wait[run]) && at->time[run].value > 0)
            return false;
        any = any || !isnan(at->wait[run]);
    }
    return any;
}

/* How long its calls took: in two parts where it is known what of it was waiting. One run a side
 * has a spread of the whole only. */
static void add_time(struct making *m, size_t i, enum difference_kind kind)
{
    const struct place *at = m->places->list.at[i];
    struct difference *x = new_row(m, kind, -1);
    name_place(x, m, i);
    for (size_t run = 0; run < m->all; run++) {
        double wait = isnan(at->wait[run]) ? 0 : at->wait[run];
        double share = kind == DIFFERENCE_TIME ? 1 : (kind == DIFFERENCE_WAIT ? wait : 1 - wait);
        x->value[run] = share * at->time[run].value;
        if (kind == DIFFERENCE_TIME)
            widen(x, side_of(m, run), &at->time[run], 1);
    }
    shape_calls(m, x, at);
    keep_if_varies(m);
}

static void add_outside(struct making *m, size_t i, size_t rank)
{
    const struct place *at = m->places->list.at[i];
    struct difference *x = new_row(m, DIFFERENCE_OUTSIDE, (int32_t)rank);
    double *each = memory_alloc((m->all + 1) * sizeof *each);
    name_place(x, m, i);
    for (size_t run = 0; run < m->all; run++) {
        const struct ranged *r = at->outside[run] ? &at->outside[run][rank] : NULL;
        each[run] = r ? r->value : 0;
        x->value[run] = each[run] * at->calls[run];
        if (r)
            widen(x, side_of(m, run), r, at->calls[run]);
    }
    size_t n = m->d->runs[0];
    x->each[0] = stats_median(each, n);
    x->each[1] = stats_median(each + n, m->all - n);
    free(each);
    keep_if_varies(m);
}

static void add_computing(struct making *m, size_t rank)
{
    struct difference *x = new_row(m, DIFFERENCE_COMPUTING, (int32_t)rank);
    for (size_t run = 0; run < m->all; run++)
        for (size_t i = 0; i < m->run[run]->ranks.n; i++) {
            const struct profile_rank *r = &m->run[run]->ranks.at[i];
            if ((size_t)r->rank == rank)
                x->value[run] = fmax(1e9 * r->wall - (double)r->mpi_ns, 0);
        }
    keep_if_varies(m);
}

/* Whether all runs say what ranks do before collectives, if there are any that ranks meet in; not
 * so old profiles. */
static bool is_outside_known(const struct making *m)
{
    for (size_t run = 0; run < m->all; run++) {
        const struct profile *p = m->run[run];
        bool said = true;
        for (size_t i = 0; i < p->entries.n && said; i++) {
            const struct profile_entry *e = &p->entries.at[i];
            said = p->operations.at[e->operation].family != FAMILY_COLLECTIVE ||
                   e->comm == PROFILE_NONE || p->comms.at[e->comm].size < 2;
        }
        for (size_t i = 0; i < p->events.n && !said; i++)
            said = p->events.at[i].outside_ns >= 0;
        if (!said)
            return false;
    }
    return true;
}

/* What a rank does is compared only where all runs have it. */
static void count_runs_with(struct making *m)
{
    m->has = memory_alloc((m->places->ranks + 1) * sizeof *m->has);
    for (size_t run = 0; run < m->all; run++)
        for (size_t i = 0; i < m->run[run]->ranks.n; i++)
            if ((size_t)m->run[run]->ranks.at[i].rank < m->places->ranks)
                m->has[m->run[run]->ranks.at[i].rank]++;
}

/* Largest range of values first. */
static int by_range(const void *a, const void *b, void *all)
{
    const struct difference *x = a, *y = b;
    struct summary s = stats_summarize(x->value, *(size_t *)all);
    struct summary t = stats_summarize(y->value, *(size_t *)all);
    double range = s.max - s.min, other = t.max - t.min;
    return ORDER(other, range);
}

static void add_rows(struct making *m)
{
    struct differences *d = m->d;
    add_wall(m);
    count_runs_with(m);
    d->outside_known = is_outside_known(m);
    for (size_t i = 0; i < m->places->list.n && d->outside_known; i++) {
        const struct place *at = m->places->list.at[i];
        bool is_collective = false;
        for (size_t run = 0; run < m->all; run++)
            is_collective = is_collective || at->outside[run];
        for (size_t r = 0; r < m->places->ranks && is_collective && at->in[0] && at->in[1]; r++)
            if (m->has[r] == m->all)
                add_outside(m, i, r);
    }
    for (size_t r = 0; r < m->places->ranks; r++)
        if (m->has[r] == m->all)
            add_computing(m, r);
    free(m->has);
    if (d->list.n > 2)
        qsort_r(d->list.at + 1, d->list.n - 1, sizeof *d->list.at, by_range, &m->all);
    while (d->list.n > 1 + MOST_RANK_ROWS)
        free(d->list.at[--d->list.n].value);
    for (size_t i = 0; i < m->places->list.n; i++) {
        const struct place *at = m->places->list.at[i];
        if (at->gone)
            continue;
        if (d->enough && is_waiting_known(m, at)) {
            add_time(m, i, DIFFERENCE_OWN);
            add_time(m, i, DIFFERENCE_WAIT);
        } else {
            add_time(m, i, DIFFERENCE_TIME);
        }
    }
}

/* --- how sure --- */

/* With too few runs: whether each side's median lies outside of all that the other's calls had.
 * What has no spread within a run has one between runs: the sides, S and T, lie farther apart than
 * the runs of either; one run has none. */
static bool exceeds_spread(const struct difference *x, const struct summary *s,
                           const struct summary *t)
{
    double from[2], to[2];
    for (int side = 0; side < 2; side++) {
        from[side] = x->within[side][0];
        to[side] = x->within[side][1];
    }
    if (isnan(from[0]) || isnan(from[1]))
        return s->n > 1 && t->n > 1 &&
               fmax(t->min - s->max, s->min - t->max) > fmax(s->max - s->min, t->max - t->min);
    return x->change > 0 ? x->median[1] > to[0] && x->median[0] < from[1]
                         : x->median[1] < from[0] && x->median[0] > to[1];
}

static void weigh(struct differences *d, struct difference *x)
{
    size_t n = d->runs[0], m = d->runs[1];
    const double *a = x->value, *b = x->value + n;
    struct summary s = stats_summarize(a, n), t = stats_summarize(b, m);
    x->median[0] = s.median;
    x->median[1] = t.median;
    x->change = t.median - s.median;
    evidence_interval(a, n, b, m, &x->low, &x->high);
    x->superiority = evidence_superiority(a, n, b, m);
    bool large = fabs(x->change) >= matters * d->wall_ns;
    if (!d->enough) {
        x->certainty = large && exceeds_spread(x, &s, &t) ? CERTAINTY_HINT : CERTAINTY_NONE;
        return;
    }
    x->p_rank = evidence_rank_test(a, n, b, m);
    x->certainty = large && x->p_together <= EVIDENCE_LEVEL ? CERTAINTY_TOLD : CERTAINTY_NONE;
}

static void weigh_all(struct differences *d)
{
    size_t rows = d->list.n, all = d->runs[0] + d->runs[1];
    double *value = memory_alloc((rows * all + 1) * sizeof *value);
    double *p = memory_alloc((rows + 1) * sizeof *p);
    for (size_t i = 0; i < rows; i++)
        memcpy(value + i * all, d->list.at[i].value, all * sizeof *value);
    if (d->enough)
        evidence_together(value, rows, d->runs[0], d->runs[1], floor_share * d->wall_ns, p);
    for (size_t i = 0; i < rows; i++) {
        d->list.at[i].p_together = d->enough ? p[i] : (double)NAN;
        weigh(d, &d->list.at[i]);
    }
    free(value);
    free(p);
}

/* One run a side, and a call that exceeds its spread: what a rank does more outside of MPI, of
 * which there is no spread, is as certain if it is as much, and more than any rank had no
 * processor. */
static void weigh_beside_calls(struct differences *d)
{
    for (size_t i = 0; i < d->list.n && !d->enough && d->noise >= 0; i++) {
        struct difference *x = &d->list.at[i];
        if (x->kind != DIFFERENCE_COMPUTING || fabs(x->change) < matters * d->wall_ns ||
            fabs(x->change) <= d->noise * d->wall_ns)
            continue;
        for (size_t k = 0; k < d->list.n; k++) {
            const struct difference *y = &d->list.at[k];
            if (y->kind == DIFFERENCE_TIME && y->certainty == CERTAINTY_HINT && same_sign(x, y) &&
                fabs(y->change) <= fabs(x->change) * 1.1)
                x->certainty = CERTAINTY_HINT;
        }
    }
}

/* --- what speaks against it --- */

static void judge_noise(struct making *m)
{
    m->d->noise = -1;
    for (size_t run = 0; run < m->all; run++) {
        struct noise n = noise_of(m->run[run]);
        if (n.worst_rank >= 0 && n.share > m->d->noise) {
            m->d->noise = n.share;
            m->d->noise_run = run;
        }
    }
}

static void count_ranks(const struct making *m)
{
    for (size_t run = 0; run < m->all; run++) {
        size_t *ranks = &m->d->ranks[side_of(m, run)], n = m->run[run]->ranks.n;
        bool first = run == 0 || run == m->d->runs[0];
        *ranks = first || *ranks == n ? n : 0;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The programs of each side's runs, each once, without their directories. */
static void name_programs(const struct making *m)
{
    for (size_t side = 0, run = 0; side < 2; side++) {
        ARRAY(const char *) names = {0};
        for (size_t end = run + m->d->runs[side]; run < end; run++)
            for (size_t i = 0; i < m->run[run]->programs.n; i++)
                *PUSH(&names) = text_base_of(m->run[run]->programs.at[i]);
        if (names.n)
            qsort(names.at, names.n, sizeof *names.at, by_name);
        char *text = m->d->programs[side];
        for (size_t i = 0, at = 0; i < names.n && at < PROGRAMS_ROOM; i++)
            if (!i || strcmp(names.at[i], names.at[i - 1]) != 0)
                at += (size_t)snprintf(text + at, PROGRAMS_ROOM - at, "%s%s", at ? ", " : "",
                                       names.at[i]);
        free(names.at);
    }
}

struct differences *differences_find(struct profile *const *run, size_t n, size_t m)
{
    struct differences *d = memory_alloc(sizeof *d);
    *d = (struct differences){.runs = {n, m}, .enough = evidence_enough(n, m)};
    d->memory = places_find(run, n, m);
    struct making making = {d, d->memory, run, n + m, NULL};
    add_rows(&making);
    judge_noise(&making);
    count_ranks(&making);
    name_programs(&making);
    weigh_all(d);
    weigh_beside_calls(d);
    differences_put_in_order(d);
    return d;
}

void differences_free(struct differences *d)
{
    for (size_t i = 0; i < d->list.n; i++)
        free(d->list.at[i].value);
    free(d->list.at);
    places_free(d->memory);
    free(d);
}

const struct difference *differences_wall(const struct differences *d)
{
    return &d->list.at[0];
}

const struct difference *differences_above(const struct differences *d, double share)
{
    for (size_t i = 0; i < d->list.n; i++) {
        const struct difference *x = &d->list.at[i];
        if (x->certainty == CERTAINTY_TOLD && !x->joined && x->change > share * d->wall_ns)
            return x;
    }
    return NULL;
}
