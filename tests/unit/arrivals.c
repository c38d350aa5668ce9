/* Protects what is said of collectives whose ranks arrive apart: who is late, who waits for whom,
 * and that instances match across ranks. */
#include "made_profile.h"

enum odd { NOTHING_ODD, REVERSED, OTHER_ROOT, OTHER_OPERATION, OTHER_HOST, MISSING };

/* One collective of three ranks; rank 1 is on another host, names another root, and so on.
 * REVERSED: on a communicator of the ranks in reversed order; MISSING: of rank 2 there is no
 * record. */
static const struct met {
    enum odd odd;
    uint32_t operation;
    int root;
    uint64_t entry[3], end[3];
    uint64_t wait, skew, duration; /* 0: nothing is said of it */
    uint32_t late;                 /* the rank that is waited for */
} met[] = {
    {NOTHING_ODD, OP_BARRIER, -1, {0, 1000, 2000}, {9000, 9000, 9000}, 3000, 2000, 7000, 2},
    /* A broadcast waits for its root; a rank that comes late itself for nobody. */
    {NOTHING_ODD, OP_BCAST, 0, {5000, 1000, 8000}, {5500, 7000, 8200}, 4000, 7000, 3200, 0},
    /* In a prefix a rank waits for those before it in the communicator, the first for nobody. */
    {NOTHING_ODD, OP_SCAN, -1, {3000, 1000, 2000}, {9000, 5000, 5000}, 3000, 2000, 6000, 0},
    {REVERSED, OP_SCAN, -1, {3000, 2000, 5000}, {9000, 9000, 9000}, 5000, 3000, 4000, 2},
    /* Of those that come last together the first is named. */
    {NOTHING_ODD, OP_BARRIER, -1, {1000, 5000, 5000}, {9000, 9000, 9000}, 4000, 4000, 4000, 1},
    /* By clocks that are not quite right: no wait is longer than its call. */
    {NOTHING_ODD, OP_BARRIER, -1, {1000, 1000, 9000}, {4000, 4000, 9500}, 6000, 8000, 500, 2},
    {OTHER_ROOT, OP_BCAST, 0, {0, 0, 0}, {9, 9, 9}, 0, 0, 0, 0},
    {OTHER_OPERATION, OP_BARRIER, -1, {0, 0, 0}, {9, 9, 9}, 0, 0, 0, 0},
    {OTHER_HOST, OP_BARRIER, -1, {0, 0, 0}, {9, 9, 9}, 0, 0, 0, 0},
    {MISSING, OP_BARRIER, -1, {0, 0, 0}, {9, 9, 9}, 0, 0, 0, 0},
};

static struct profile *made_of(const struct met *m)
{
    struct profile *p = NULL;
    for (int r = 0; r < 3 - (m->odd == MISSING); r++) {
        struct ledger l;
        enum odd odd = r == 1 ? m->odd : NOTHING_ODD;
        made_ledger(&l, NULL, r, 3);
        if (m->odd == REVERSED)
            l.comms[COMM_WORLD].rank = (uint32_t)(2 - r);
        if (odd == OTHER_HOST)
            strcpy(l.header->host, "beta");
        made_instance(&l, odd == OTHER_OPERATION ? OP_BCAST : m->operation, 0,
                      m->root + (odd == OTHER_ROOT), m->entry[r], m->end[r]);
        p = made_merged(p, &l);
    }
    profile_symbolize(p);
    return p;
}

static uint64_t first(const struct met *m)
{
    const uint64_t of_two = m->entry[0] < m->entry[1] ? m->entry[0] : m->entry[1];
    return of_two < m->entry[2] ? of_two : m->entry[2];
}

Test(arrivals, of_one_collective)
{
    for (size_t i = 0; i < sizeof met / sizeof *met; i++) {
        const struct met *m = &met[i];
        struct profile *p = made_of(m);
        const struct profile_arrival *a = p->arrivals.at;
        uint64_t time = 0;
        for (int r = 0; r < 3; r++) {
            time += m->end[r] - m->entry[r];
            const json_t *late = json_array_get(a ? a->late : NULL, m->odd == REVERSED ? 2 - r : r);
            cr_expect_eq(json_integer_value(late) + first(m), m->duration ? m->entry[r] : 0);
        }
        cr_assert_eq(p->arrivals.n, m->duration > 0, "case %zu", i);
        if (p->arrivals.n) {
            cr_expect(a->instances == 1 && a->time_ns == time, "case %zu", i);
            cr_expect(a->wait_ns == m->wait && a->cost_rank == m->late, "case %zu", i);
            cr_expect(a->skew_median_ns == m->skew, "case %zu", i);
            cr_expect(a->duration_median_ns == m->duration, "case %zu", i);
        }
        profile_free(p);
    }
}

/* Ranks whose logs filled at different times have different masks: the common ones are left. */
Test(arrivals, instances_match_under_different_masks)
{
    struct profile *p;
    struct ledger l;
    static const uint32_t mask[] = {0, 7, 3};
    for (int r = 0; made_next(&p, &l, r, 3); r++) {
        l.header->sample_mask = mask[r];
        for (uint32_t i = 0; i < 64; i++)
            if (ledger_is_sampled(42, i, 0, mask[r]))
                made_instance(&l, OP_BARRIER, i, -1, 1000 * i, 1000 * i + 500);
    }
    profile_symbolize(p);
    cr_assert_eq(p->sample_mask, 7);
    size_t common = 0;
    for (uint32_t i = 0; i < 64; i++)
        common += ledger_is_sampled(42, i, 0, 7);
    cr_assert_gt(common, 0);
    cr_assert_eq(p->instances.n, 3 * common);
    cr_assert_eq(p->arrivals.at[0].instances, common);
    profile_free(p);
}

/* Ranks 0 and 1 on one side, 2 to 4 on the other, whose rank 1 is the root: that is rank 3. */
Test(arrivals, root_in_the_other_group)
{
    static const int64_t entry[] = {100, 150, 900, 500, 800};
    struct profile *p RELEASED(profile_end) = profile_new();
    profile_add_comm(
        p, &(struct profile_comm){.id = 1, .size = 5, .first = 2, .flags = LEDGER_COMM_INTER});
    profile_add_operation(p, "MPI_Bcast", FAMILY_COLLECTIVE);
    for (uint32_t r = 0; r < 5; r++)
        *PUSH(&p->instances) = (struct profile_instance){.comm_id = 5,
                                                         .rank = r,
                                                         .comm_rank = r,
                                                         .entry_ns = entry[r],
                                                         .exit_ns = 1000,
                                                         .site = PROFILE_NONE,
                                                         .root = r < 2 ? 1 : -3 + (r != 3)};
    p->hosts.n = 0;
    arrivals_find(p);
    cr_assert_eq(p->arrivals.n, 1);
    cr_assert_eq(p->arrivals.at[0].wait_ns, 400 + 350, "%d", (int)p->arrivals.at[0].wait_ns);
    cr_assert_eq(p->arrivals.at[0].duration_median_ns, 500);
    p->comms.at[0].first = 5; /* damaged */
    arrivals_find(p);
    cr_assert_eq(p->arrivals.n, 0);
}

/* 1000 barriers, thinned out; the first LONG_ONES take 100 ns more. */
static struct profile *thinned_barriers(uint32_t long_ones)
{
    struct profile *p = profile_new();
    profile_add_comm(p, &(struct profile_comm){.id = 1, .size = 2});
    profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE);
    for (uint32_t i = 0; i < 1000; i++)
        for (uint32_t r = 0; r < 2; r++)
            *PUSH(&p->instances) =
                (struct profile_instance){.comm_id = 5,
                                          .sequence = i,
                                          .rank = r,
                                          .comm_rank = r,
                                          .spared = ledger_spared(i),
                                          .exit_ns = 10 + r + (i < long_ones ? 100 : 0),
                                          .site = PROFILE_NONE,
                                          .root = -1};
    profile_thin_instances(p, 500);
    p->hosts.n = 0;
    arrivals_find(p);
    return p;
}

/* Memory of the merged profile is bounded, and what is thinned out still matches. */
Test(arrivals, instances_are_bounded)
{
    struct profile *p RELEASED(profile_end) = thinned_barriers(0);
    cr_assert_leq(p->instances.n, 500);
    cr_assert_geq(p->instances.n, 200);
    cr_assert(p->sample_mask == 3 || p->sample_mask == 7);
    cr_assert_eq(p->arrivals.at[0].instances, p->instances.n / 2);
    cr_assert_float_eq((double)p->arrivals.at[0].time_ns, 1000 * 21, 2100,
                       "of all, not of those kept");
    cr_assert_float_eq((double)p->arrivals.at[0].population, 1000, 100);
    *PUSH(&p->entries) = (struct profile_entry){.site = PROFILE_NONE, .time_ns = 15000};
    arrivals_find(p);
    cr_assert_eq(p->arrivals.at[0].time_ns, 15000, "no more than counted");
    *PUSH(&p->entries) =
        (struct profile_entry){.site = PROFILE_NONE, .comm = PROFILE_NONE, .time_ns = 3000};
    arrivals_find(p);
    cr_assert_eq(p->arrivals.at[0].time_ns, 18000, "calls that found the table full are counted");
}

/* Of the first calls of a place nearly all are kept: these 24 % are half of what is left. */
Test(arrivals, a_median_is_that_of_all_instances)
{
    struct profile *p RELEASED(profile_end) = thinned_barriers(240);
    size_t long_ones = 0;
    for (size_t i = 0; i < p->instances.n; i++)
        long_ones += p->instances.at[i].exit_ns > 100;
    cr_assert_gt(2 * long_ones, p->instances.n);
    cr_assert_eq(p->arrivals.at[0].duration_median_ns, 11);
}

/* Without names they are told apart by where they were made, with names they are one by these. */
Test(arrivals, unnamed_communicators_are_of_the_place_that_made_them)
{
    static const char *const name[] = {"", LEDGER_SEVERAL_NAMES, "x"};
    for (int k = 0; k < 3; k++) {
        struct profile *p = profile_new();
        profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE);
        for (uint32_t c = 0; c < 2; c++) {
            struct profile_comm comm = {.id = 1, .site = c, .size = 2};
            strcpy(comm.name, name[k]);
            profile_add_comm(p, &comm);
            profile_add_site(p, &(struct profile_site){1, .frame = {{.address = c}}});
            for (uint32_t r = 0; r < 2; r++)
                *PUSH(&p->instances) = (struct profile_instance){.comm_id = c,
                                                                 .comm = c,
                                                                 .rank = r,
                                                                 .comm_rank = r,
                                                                 .exit_ns = 10,
                                                                 .site = PROFILE_NONE,
                                                                 .root = -1};
        }
        arrivals_find(p);
        cr_assert_eq(p->arrivals.n, k == 2 ? 1 : 2);
        for (size_t i = 0; i < p->arrivals.n; i++)
            cr_assert_eq(p->arrivals.at[i].comm, i);
        profile_free(p);
    }
}

/* Where a sample does not do, since each is of a communicator of its own. */
Test(arrivals, instances_are_bounded_on_many_communicators)
{
    struct profile p = {0};
    for (uint32_t i = 0; i < 40; i++)
        *PUSH(&p.instances) =
            (struct profile_instance){.comm_id = 1000 + i, .spared = 31, .entry_ns = 100 + i};
    profile_thin_instances(&p, 8);
    cr_expect_eq(p.instances.n, 8);
    cr_expect_eq(p.sample_mask, UINT32_MAX, "not all are known");
    free(p.instances.at);
}
