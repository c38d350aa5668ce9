/* Protects efficiency over time, and the phase that differs. */
#include "made_ledger.h"
#include "played.h"
#include "profile/profile.h"

/* What RANK of a run of 2 s has recorded, in 238 slices: in the middle third the others wait for
 * rank 2 half of the time. All but rank 1 end after 1.8 s. */
static struct profile *profile_of(uint32_t rank, int size, uint64_t calls)
{
    struct ledger l;
    made_ledger(&l, NULL, (int)rank, size);
    l.header->slice_shift = 23;
    for (size_t i = 0; i < LEDGER_SLICES; i++)
        l.header->in_mpi[i] = i / 80 != 1 ? 1 << 16 : rank == 2 ? 0 : 1 << 22;
    made_calls(&l, 1, OP_BARRIER, 0, calls, 1000);
    if (rank != 1)
        l.header->pair[1] = (struct clock_pair){6800000000u, 6.8};
    struct profile *p = profile_from_ledger(&l);
    ledger_close(&l);
    return p;
}

Test(causes, efficiency_over_time)
{
    const double first = 80 * 8388608.0, phase = first;
    struct phase found;
    struct profile *p RELEASED(profile_end) = profile_of(0, 4, 1000);
    for (uint32_t r = 1; r < 4; r++)
        profile_merge(p, profile_of(r, 4, 1000));
    profile_symbolize(p);
    cr_assert_gt(p->slices.n, PHASE_SLICES / 2 - 2);
    cr_assert_leq(p->slices.n, PHASE_SLICES);
    for (size_t i = 0; i < p->slices.n; i++) {
        const struct run_slice *x = &p->slices.at[i];
        const bool slow = x->begin_ns >= first && x->end_ns <= first + phase;
        cr_expect_eq(x->begin_ns, i ? x[-1].end_ns : 0);
        if (slow)
            cr_expect_eq(x->rank, 2);
        if (slow || x->end_ns <= first || (x->begin_ns >= first + phase && x->end_ns < 18e8)) {
            cr_expect_float_eq(x->efficiency, slow ? 0.625 : 0.9922, 1e-3, "%zu", i);
            cr_expect_float_eq(x->most, slow ? 1 : 0.9922, 1e-3);
        }
    }
    cr_expect_float_eq(p->slices.at[p->slices.n - 1].efficiency, 0.248, 1e-3, "others ended");
    cr_expect_eq(p->slices.at[p->slices.n - 1].rank, 1);
    while (p->slices.at[p->slices.n - 1].end_ns > 18e8)
        p->slices.n--;
    cr_assert(phase_find(p->slices.at, p->slices.n, &found));
    const double width = (double)(p->slices.at[2].begin_ns - p->slices.at[1].begin_ns);
    cr_expect_float_eq((double)p->slices.at[found.first].begin_ns, first, width);
    cr_expect_float_eq((double)p->slices.at[found.last - 1].end_ns, first + phase, width);
    cr_expect_float_eq(found.efficiency, 0.625, 0.02);
    cr_expect_float_eq(found.other_efficiency, 0.99, 0.02);
}

/* With few calls, several threads, without the record of a rank, or where the layer has measured,
 * there are none. */
Test(causes, no_slices)
{
    enum { GOOD, FEW, THREADS, MISSING, MEASURED, CASES };
    for (int k = 0; k < CASES; k++) {
        struct profile *p = profile_of(0, 2, k == FEW ? 24 : 40);
        if (k != MISSING)
            profile_merge(p, profile_of(1, 2, k == FEW ? 24 : 40));
        p->threads_at_once = k == THREADS;
        p->ranks.at[0].injected_ns = k == MEASURED ? 100000000 : 0;
        profile_symbolize(p);
        cr_expect_eq(p->slices.n >= PHASE_LEAST, k == GOOD, "%d: %zu", k, p->slices.n);
        profile_free(p);
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
            s[i] = (struct run_slice){.end_ns = 1, .efficiency = 0.7 + off, .most = 0.9};
        }
        for (size_t i = 0; i < PHASE_SLICES; i++)
            wild[i] =
                (struct run_slice){.end_ns = 1, .efficiency = 0.7 + 4 * (s[i].efficiency - 0.7)};
        by_chance += phase_find(wild, PHASE_SLICES, &found);
        size_t first = drawn(&at, 100), last = first + PHASE_SLICES / 5;
        for (size_t i = first; i < last; i++)
            s[i].efficiency -= 0.2;
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
        small[i] = (struct run_slice){.end_ns = 1, .efficiency = i < PHASE_SLICES / 2 ? 0.7 : 0.75};
    cr_expect_not(phase_find(small, PHASE_SLICES, &none), "certain, but less than 10 points");
    for (size_t i = 0; i < PHASE_SLICES; i++)
        small[i].efficiency = i < PHASE_SLICES / 20 ? 0.85 : 0.7;
    cr_expect_not(phase_find(small, PHASE_SLICES, &none), "the start of a run is too short");
    cr_expect_not(phase_find(NULL, 0, &none));
}
