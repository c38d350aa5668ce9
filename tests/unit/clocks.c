/* Protects times that are compared across hosts, and merging: offset and drift with their signs,
 * clocks that were not made one, figures that add up in both orders. */
#include "made_profile.h"

enum { SECOND = 1000000000 };

/* One barrier of two hosts, entered at the same moment after one second. The clock of host 1 is
 * OFFSET seconds behind and loses DRIFT seconds in a second, and that is known. */
static struct profile *two_hosts(double offset, double drift)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 2); r++) {
        uint64_t entry = SECOND, exit = SECOND + 4000;
        strcpy(l.header->host, r ? "beta" : "alpha");
        l.header->synchronized = true;
        if (r) {
            l.header->global_offset = offset;
            l.header->global_drift = drift;
            l.header->global_bound = 1e-6;
            entry -= (uint64_t)(int64_t)((offset + drift) * SECOND);
            exit -= (uint64_t)(int64_t)((offset + drift) * SECOND);
        }
        made_instance(&l, OP_BARRIER, 0, -1, entry, exit);
    }
    profile_symbolize(p);
    for (size_t r = 0; r < 2; r++)
        cr_assert_str_eq(p->hosts.at[p->ranks.at[r].host].name, r ? "beta" : "alpha");
    return p;
}

Test(clocks, offset_and_drift_of_both_signs)
{
    static const double value[] = {0, 1e-3, -1e-3, 0.25, -0.25};
    enum { N = sizeof value / sizeof *value };
    for (int i = 0; i < N * N; i++) {
        struct profile *p = two_hosts(value[i / N], value[i % N]);
        cr_assert_eq(p->arrivals.n, 1);
        /* Second order: drift over the offset itself. */
        double off = value[i / N] + value[i % N], second = off * value[i % N];
        double skew = (double)p->arrivals.at[0].skew_median_ns / SECOND;
        cr_assert_float_eq(skew, second < 0 ? -second : second, 1e-7, "%g %g: skew %g",
                           value[i / N], value[i % N], skew);
        cr_assert_float_eq(p->clock_bound, 1e-6, 1e-12);
        profile_free(p);
    }
}

Test(clocks, starting_and_ending_is_not_time_in_calls)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    l.operations[OP_UNUSED].family = FAMILY_LIFECYCLE;
    made_calls(&l, 1, OP_UNUSED, 0, 2, 5000);
    made_calls(&l, 1, OP_BCAST, 8, 3, 100);
    struct profile *p RELEASED(profile_end) = made_merged(NULL, &l);
    cr_assert_eq(p->ranks.at[0].lifecycle_ns, 10000);
    cr_assert_eq(p->ranks.at[0].mpi_ns, 300);
}

/* Of two profiles; all figures differ. */
Test(merge, every_figure_of_an_entry_adds_up)
{
    uint64_t histogram[2][HISTOGRAM_BUCKETS] = {{[3] = 5}, {[3] = 2, [9] = 1}};
    struct profile *p RELEASED(profile_end) = profile_new();
    for (uint64_t k = 0; k < 2; k++) {
        uint64_t f = k ? 1000 : 1, n = 0;
        struct profile_entry e = {.site = PROFILE_NONE,
                                  .comm = PROFILE_NONE,
                                  .region = PROFILE_NONE,
                                  .min_ns = 6 * f,
                                  .max_ns = 7 * f,
                                  .histogram = histogram[k]};
#define SET(member) e.member = ++n * f;
        LEDGER_SUMS(SET)
        profile_add_entry(p, &e);
    }
    cr_assert_eq(p->entries.n, 1);
    const struct profile_entry *e = &p->entries.at[0];
    uint64_t n = 0;
#define IS_SUM(member) cr_assert_eq(e->member, 1001 * ++n, #member);
    LEDGER_SUMS(IS_SUM)
    cr_assert_eq(e->min_ns, 6);
    cr_assert_eq(e->max_ns, 7000);
    cr_assert(e->histogram[3] == 7 && e->histogram[9] == 1);
}

Test(merge, spreads_in_both_orders)
{
    for (int order = 0; order < 2; order++) {
        struct spread s = {0}, t = {0};
        spread_add(&s, 4, 70);
        spread_add(&s, 2, 30);
        spread_add(&t, 1, 70);
        spread_add(&t, 3, 90);
        if (order)
            spread_merge(&s, &t);
        else
            spread_merge(&t, &s);
        const struct spread *all = order ? &s : &t;
        cr_assert(all->sum == 260 && all->ranks == 4 && all->min == 30 && all->max == 90);
        cr_assert_eq(all->worst, 3);
        cr_assert_eq(all->best, 2);
    }
    struct spread equal = {0};
    spread_add(&equal, 5, 10);
    spread_add(&equal, 3, 10);
    cr_assert_eq(equal.worst, 3, "of equals the lower rank");
    cr_assert_eq(equal.best, 3);
}

/* What is alike is one, what differs in anything is not. */
Test(merge, tables_hold_distinct_things)
{
    uint64_t histogram[HISTOGRAM_BUCKETS] = {0};
    struct profile *p = profile_new();
    struct profile_entry e = {.calls = 1, .histogram = histogram};
    uint32_t *const key[] = {&e.site, &e.operation, &e.comm, &e.region, &e.size_class};
    profile_add_entry(p, &e);
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        *key[i] = 7;
        profile_add_entry(p, &e);
        profile_add_entry(p, &e);
        cr_assert_eq(p->entries.n, i + 2, "key %zu", i);
    }
    profile_free(p); /* what its entries refer to is not there */
    p = profile_new();
    struct profile_region region = {.name = "solver", .entered = 2, .time_ns = 500};
    profile_add_region(p, &region);
    profile_add_region(p, &region);
    cr_assert(p->regions.n == 1 && p->regions.at[0].entered == 4 &&
              p->regions.at[0].time_ns == 1000);
    struct profile_host host = {.name = "alpha", .ranks = 1};
    profile_add_host(p, &host);
    profile_add_host(p, &host);
    profile_sort(p);
    cr_assert(p->hosts.n == 1 && p->hosts.at[0].ranks == 2);
    profile_free(p);
}

/* Two ranks that met operations and call sites in different orders. */
Test(merge, by_what_things_are_not_by_their_number)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 2); r++) {
        if (r) {
            l.sites[1].frame[0].address = 0x2000;
            l.sites[2].frame[0].address = 0x1000;
        }
        made_calls(&l, r ? 2 : 1, r ? OP_BARRIER : OP_BCAST, 8, 3, 100);
        made_calls(&l, r ? 1 : 2, r ? OP_BCAST : OP_BARRIER, 8, 5, 100);
        made_instance(&l, OP_BCAST, 0, 0, 1000, 2000);
    }
    uint64_t bcast = 0, at_1000 = 0;
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        bcast += strcmp(p->operations.at[e->operation].name, "MPI_Bcast") ? 0 : e->calls;
        at_1000 += p->sites.at[e->site].frame[0].address == 0x1000 ? e->calls : 0;
    }
    cr_assert_eq(bcast, 3 + 5);
    cr_assert_eq(at_1000, 3 + 3);
    for (size_t i = 0; i < p->instances.n; i++)
        cr_assert_eq(p->sites.at[p->instances.at[i].site].frame[0].address,
                     p->instances.at[i].rank ? 0x2000 : 0x1000);
    profile_free(p);
}

/* Three reductions, whose root comes 1, 2 and 6 us before the other rank: it alone waits. */
Test(merge, reductions_wait_in_their_root)
{
    static const uint64_t later[] = {6000, 1000, 2000};
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 2); r++) {
        l.operations[OP_UNUSED].family = FAMILY_COLLECTIVE;
        strcpy(l.operations[OP_UNUSED].name, "MPI_Reduce");
        for (uint32_t i = 0; i < 3; i++)
            made_instance(&l, OP_UNUSED, i, 0, 10000 * i + (r ? later[i] : 0), 10000 * i + 9000);
    }
    profile_symbolize(p);
    cr_assert_eq(p->arrivals.n, 1);
    cr_assert_eq(p->arrivals.at[0].wait_ns, 9000);
    cr_assert_eq(p->arrivals.at[0].skew_median_ns, 2000);
    profile_free(p);
}

static json_int_t integer_in(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

/* Two calls of 10 and 90 ns, and two of 20 and 180 ns on the second rank; so in the file, too. */
Test(merge, the_shortest_call_is_the_shortest)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 2); r++) {
        struct ledger_entry *e = made_calls(&l, 1, OP_BCAST, 8, 2, 50u * (unsigned)(r + 1));
        e->min_ns = 10u * (unsigned)(r + 1);
        e->max_ns = 90u * (unsigned)(r + 1);
    }
    profile_symbolize(p);
    json_t *json = written(p), *entry = json_array_get(json_object_get(json, "entries"), 0),
           *group = json_array_get(json_object_get(json, "groups"), 0);
    cr_assert_eq(integer_in(entry, "min_ns"), 10);
    cr_assert_eq(integer_in(entry, "max_ns"), 180);
    cr_assert_eq(integer_in(json_object_get(group, "ranks"), "min_rank"), 0);
    cr_assert_eq(integer_in(json_object_get(group, "ranks"), "max_rank"), 1);
    json_decref(json);
    profile_free(p);
}

/* What refers to a table goes with its elements. */
Test(merge, sorting_changes_places_only)
{
    uint64_t histogram[HISTOGRAM_BUCKETS] = {0};
    static const char *const host[] = {"beta", "alpha"}, *const operation[] = {"MPI_Z", "MPI_A"};
    struct profile *p RELEASED(profile_end) = profile_new();
    for (uint32_t i = 0; i < 2; i++) {
        struct profile_host h = {.ranks = 1};
        strcpy(h.name, host[i]);
        *PUSH(&p->ranks) =
            (struct profile_rank){.rank = (int32_t)(1 - i), .host = profile_add_host(p, &h)};
        uint32_t site = profile_add_site(
            p, &(struct profile_site){.depth = 1, .frame = {{.address = 0x2000 - 0x1000 * i}}});
        uint32_t made = profile_add_operation(p, operation[i], FAMILY_PLAIN);
        profile_add_module(p, &(struct profile_module){.path = "/nowhere"});
        profile_add_entry(p, &(struct profile_entry){.site = site,
                                                     .operation = made,
                                                     .comm = PROFILE_NONE,
                                                     .region = PROFILE_NONE,
                                                     .calls = i + 1,
                                                     .histogram = histogram});
    }
    profile_sort(p);
    cr_assert_eq(p->sites.at[0].frame[0].address, 0x1000);
    cr_assert_str_eq(p->hosts.at[0].name, "alpha");
    for (size_t i = 0; i < 2; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        cr_assert_eq(p->sites.at[e->site].frame[0].address, e->calls == 1 ? 0x2000 : 0x1000);
        cr_assert_str_eq(p->operations.at[e->operation].name, operation[e->calls - 1]);
        cr_assert_eq(p->ranks.at[i].rank, (int32_t)i);
        cr_assert_str_eq(p->hosts.at[p->ranks.at[i].host].name, host[1 - i]);
    }
}
