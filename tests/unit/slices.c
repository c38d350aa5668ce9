/* Protects efficiency over time, and the phase that differs. */
#include "causes/phases.h"
#include "played.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct run_slices slices_of(const struct played *p, const struct event *events, size_t n,
                                   uint64_t mask)
{
    const struct causes_run run = {1, p->last, mask, p->last_rank, 0};
    struct answer a = answer_of(events, n, &run);
    struct run_slices s = slices_find(a.graph, p->now);
    answer_free(&a);
    return s;
}

/* Four ranks: balanced, then rank 2 takes longer, then balanced; after the last call rank 1 alone
 * continues. In windows of a thinned trace the shares are the same. */
Test(causes, efficiency_over_time)
{
    enum { TIMES = 96, RANKS_HERE = 4, ALONE = 30000, WINDOW = 1 << 14 };
    struct played *p = program(RANKS_HERE);
    for (int step = 0; step < TIMES; step++)
        for (uint32_t r = 0; r < RANKS_HERE; r++) {
            bool slow = step / 32 == 1;
            does(p, r, COMPUTE, slow ? r == 2 ? 4000 : 2000 : 3990, 0);
            does(p, r, BARRIER, 14, 0);
        }
    does(p, 1, COMPUTE, ALONE, 0);
    play(p);
    const double phase = 32 * 4010.0, first = 32 * 4000.0;
    for (uint64_t mask = 0; mask <= WINDOW; mask += WINDOW) {
        size_t n = 0;
        for (size_t i = 0; i < p->n; i++)
            if (!(p->events[i].entry_ns & (int64_t)mask) && !(p->events[i].exit_ns & (int64_t)mask))
                p->events[n++] = p->events[i];
        struct run_slices s = slices_of(p, p->events, n, mask);
        cr_assert_geq(s.list.n, PHASE_LEAST - 1);
        cr_expect_eq(mask > 0, s.list.n < n / RANKS_HERE / PHASE_CALLS);
        for (size_t i = 0; i < s.list.n; i++) {
            const struct run_slice *x = &s.list.at[i];
            const bool slow = x->begin_ns >= first && x->end_ns <= first + phase;
            if (x->end_ns > first + phase + first)
                continue;
            if (slow)
                cr_expect_eq(x->rank, 2);
            if (slow || x->end_ns <= first || x->begin_ns >= first + phase) {
                cr_expect_float_eq(x->efficiency, slow ? 10000.0 / 4 / 4010 : 0.9975, 0.03,
                                   "%zu: %.3f", i, x->efficiency);
                cr_expect_float_eq(x->most, slow ? 4000.0 / 4010 : 0.9975, 0.03);
            }
        }
        if (!mask) { /* others have ended */
            cr_expect_float_eq(s.list.at[s.list.n - 1].efficiency, 0.25, 0.01);
            cr_expect_eq(s.list.at[s.list.n - 1].rank, 1);
        }
        struct phase found;
        while (s.list.at[s.list.n - 1].end_ns > first + phase + first)
            s.list.n--;
        cr_assert(phase_find(s.list.at, s.list.n, &found));
        const double width = (double)(s.list.at[0].end_ns - s.list.at[0].begin_ns);
        cr_expect_float_eq((double)s.list.at[found.first].begin_ns, first, (mask ? 4 : 1) * width);
        cr_expect_float_eq((double)s.list.at[found.last - 1].end_ns, first + phase,
                           (mask ? 4 : 1) * width);
        cr_expect_float_eq(found.efficiency, 0.62, 0.05);
        cr_expect_float_eq(found.other_efficiency, 0.99, 0.02);
        cr_expect_float_eq(found.most, 0.99, 0.02);
        cr_expect_eq(found.rank, 2);
        free(s.list.at);
    }
    played_free(p);
}

/* With several threads of a rank, or with few calls, there are none. */
Test(causes, no_slices)
{
    for (int k = 0; k < 3; k++) {
        struct played *p = program(2);
        for (int step = 0; step < (k == 1 ? 31 : 32); step++)
            for (uint32_t r = 0; r < 2; r++) {
                does(p, r, COMPUTE, 100, 0);
                does(p, r, BARRIER, 14, 0);
            }
        play(p);
        for (size_t i = 0; i < p->n; i++)
            p->events[i].thread = k == 2 && i % 2;
        struct run_slices s = slices_of(p, p->events, p->n, 0);
        cr_expect_eq(s.list.n, k ? 0 : PHASE_LEAST);
        free(s.list.at);
        played_free(p);
    }
}

/* Runs whose efficiency varies by chance, each slice like the one before, seldom have a phase; one
 * of a fifth of the run in which it is lower by 0.2 is found where it varies less. */
Test(causes, phases_and_chance)
{
    enum { SERIES = 400 };
    size_t by_chance = 0;
    for (uint64_t seed = 1; seed <= SERIES; seed++) {
        uint64_t at = seed;
        struct run_slice s[PHASE_SLICES] = {0}, wild[PHASE_SLICES] = {0};
        struct phase found;
        double off = 0;
        for (size_t i = 0; i < PHASE_SLICES; i++) {
            off = 0.5 * off + (drawn(&at, 1000) - 499.5) / 1000 * 0.1;
            s[i] = (struct run_slice){.efficiency = 0.7 + off, .most = 0.9};
        }
        for (size_t i = 0; i < PHASE_SLICES; i++)
            wild[i].efficiency = 0.7 + 4 * (s[i].efficiency - 0.7);
        by_chance += phase_find(wild, PHASE_SLICES, &found);
        size_t first = drawn(&at, 100), last = first + PHASE_SLICES / 5;
        for (size_t i = first; i < last; i++)
            s[i] = (struct run_slice){.efficiency = s[i].efficiency - 0.2, .most = 0.9};
        cr_assert(phase_find(s, PHASE_SLICES, &found), "seed %d", (int)seed);
        cr_expect(labs((long)found.first - (long)first) <= 2);
        cr_expect(labs((long)found.last - (long)last) <= 2);
        cr_expect_float_eq(found.efficiency, 0.5, 0.06);
        cr_expect_float_eq(found.other_efficiency, 0.7, 0.06);
    }
    cr_expect_leq(by_chance, SERIES / 100, "%zu", by_chance);
    struct phase none;
    struct run_slice small[PHASE_SLICES] = {0};
    for (size_t i = 0; i < PHASE_SLICES; i++)
        small[i].efficiency = i < PHASE_SLICES / 2 ? 0.7 : 0.75;
    cr_expect_not(phase_find(small, PHASE_SLICES, &none), "certain, but less than 10 points");
    cr_expect_not(phase_find(NULL, 0, &none));
}
