/* Protects what is said to differ between runs: the same places in edited programs, causes before
 * effects. */
#include "compare/differences.h"
#include "compare/places.h"
#include "profile/model.h"
#include "timeline/timeline.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40 };
#define MS 1000000

struct made {
    int line;      /* of the first of two sums; the other is ten lines below */
    double before; /* ms that rank 1 spends before the second sum; rank 0: 1 */
    double jitter; /* ms */
    double own;    /* ms more that each of the first sums takes by itself */
    bool apart;    /* rank 1 has no part in the second: the other receives from it */
};

static uint32_t made_site(struct profile *p, int line)
{
    struct profile_site s = {.depth = 1};
    s.frame[0] = (struct profile_frame){.module = PROFILE_NONE, .address = (uint64_t)line};
    return profile_add_site(p, &s);
}

/* One rank of two that sum up in turn at two places; all wait for rank 1. */
static struct profile *made_rank(uint32_t rank, const struct made *m)
{
    struct profile *p = profile_new();
    uint32_t sum = profile_add_operation(p, "MPI_Allreduce", FAMILY_COLLECTIVE);
    uint32_t comm = profile_add_comm(p, &(struct profile_comm){.id = 1, .created = 1, .size = 2});
    double other = fmax(1, m->before) + m->jitter, step = 1 + other + 0.02 + m->own, mpi = 0;
    for (int place = 0; place < (m->apart && rank ? 1 : 2); place++) {
        uint64_t histogram[HISTOGRAM_BUCKETS] = {0};
        uint32_t site = made_site(p, m->line + 10 * place);
        double outside = place ? (rank ? m->before : 1) + m->jitter : 1;
        double wait = place ? other - outside : 0;
        double took = wait + 0.01 + (place ? 0 : m->own);
        uint64_t ns = (uint64_t)(took * MS);
        histogram[histogram_bucket(ns)] = STEPS;
        mpi += STEPS * took * MS;
        profile_add_entry(p, &(struct profile_entry){.site = site,
                                                     .operation = sum,
                                                     .comm = comm,
                                                     .region = PROFILE_NONE,
                                                     .calls = STEPS,
                                                     .time_ns = STEPS * ns,
                                                     .min_ns = ns,
                                                     .max_ns = ns,
                                                     .spread = {.ranks = 1},
                                                     .histogram = histogram});
        for (uint32_t i = 0; i < STEPS; i++) {
            double end = i * step + (place ? step : 1.01 + m->own);
            *PUSH(&p->events) =
                (struct profile_event){.comm_id = 1,
                                       .exit_ns = (int64_t)(end * MS),
                                       .entry_ns = (int64_t)(end * MS) - (int64_t)ns,
                                       .outside_ns = (int64_t)(outside * MS),
                                       .sequence = 2 * i + (uint32_t)place,
                                       .rank = rank,
                                       .site = site,
                                       .operation = sum,
                                       .comm = comm,
                                       .comm_rank = rank,
                                       .root = -1};
        }
    }
    profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = 1});
    *PUSH(&p->ranks) = (struct profile_rank){.rank = (int32_t)rank,
                                             .wall = STEPS * step / 1000,
                                             .mpi_ns = (uint64_t)mpi,
                                             .lifecycle_ns = 300 * MS, /* beside wall */
                                             .delayed_ns = -1};
    return p;
}

static void name_sites(struct profile *p, size_t from)
{
    for (size_t i = from; i < p->sites.n; i++) {
        struct profile_frame *f = &p->sites.at[i].frame[0];
        f->line = (uint32_t)f->address;
        f->function = memory_strdup("solve");
        f->file = memory_strdup("solve.c");
    }
}

static struct profile *made_run(struct made m)
{
    struct profile *p = made_rank(0, &m);
    p->stack_depth = 1;
    profile_merge(p, made_rank(1, &m));
    events_sort(p);
    arrivals_find(p);
    name_sites(p, 0);
    return p;
}

static struct differences *compare(struct profile **run, struct made before, struct made after,
                                   size_t n)
{
    for (size_t i = 0; i < 2 * n; i++) {
        struct made m = i < n ? before : after;
        m.jitter = 0.004 * (double)(i % n * 3 % 5);
        run[i] = made_run(m);
    }
    return differences_find(run, n, n);
}

static void done(struct profile **run, size_t n, struct differences *d)
{
    differences_free(d);
    for (size_t i = 0; i < 2 * n; i++)
        profile_free(run[i]);
}

static void assert_names_are_tidy(const struct differences *d)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    differences_junit(&(struct differences_page){.d = d, .share = NAN}, out);
    fclose(out);
    cr_assert_not_null(strstr(text, " name=\"wall\" "), "%s", text);
    cr_assert_eq(strstr(text, "<skipped message") != NULL, !d->enough, "%s", text);
    cr_assert_eq(strstr(text, "cannot tell a change from") != NULL, !d->enough, "%s", text);
    free(text);
}

static void assert_cause(const struct differences *d, enum certainty certainty)
{
    const struct difference *x = &d->list.at[1];
    char text[1200];
    difference_sentence(d, x, text, sizeof text);
    cr_assert(x->kind == DIFFERENCE_OUTSIDE && x->rank == 1 && x->certainty == certainty, "%s",
              text);
    cr_assert(strstr(text, "rank 1 spends 500 us more outside of MPI before each Allreduce"), "%s",
              text);
    cr_assert_float_eq(x->change, STEPS * 0.5 * MS, 0.02 * STEPS * MS);
}

Test(compare, the_cause_comes_before_its_effect)
{
    struct profile *run[10];
    struct differences *d =
        compare(run, (struct made){10, 1, 0, 0, false}, (struct made){10, 1.5, 0, 0, false}, 5);
    assert_cause(d, CERTAINTY_TOLD);
    cr_assert(strstr(d->list.at[1].place, "solve.c:20"), "%s", d->list.at[1].place);
    cr_assert_eq(differences_wall(d)->certainty, CERTAINTY_TOLD);
    const struct difference *wait = NULL;
    for (size_t i = 2; i < d->list.n; i++)
        if (d->list.at[i].kind == DIFFERENCE_WAIT)
            wait = &d->list.at[i];
    cr_assert(wait && wait->certainty == CERTAINTY_TOLD);
    cr_assert_eq(wait->follows, 2, "from the second row");
    const struct difference *computing = NULL;
    for (size_t i = 2; i < d->list.n; i++)
        if (d->list.at[i].kind == DIFFERENCE_COMPUTING && d->list.at[i].rank == 1)
            computing = &d->list.at[i];
    cr_assert(computing && computing->certainty == CERTAINTY_TOLD);
    cr_assert(computing->joined, "it is told already by where it is spent");
    cr_assert_eq(differences_above(d, 0.9), NULL);
    cr_assert_not_null(differences_above(d, 0.05));
    done(run, 5, d);
}

/* The same the other way round: what got faster is not called slower. */
Test(compare, the_way_back_has_the_other_sign)
{
    struct profile *run[10];
    char text[1200];
    struct differences *d =
        compare(run, (struct made){10, 1.5, 0, 0, false}, (struct made){10, 1, 0, 0, false}, 5);
    difference_sentence(d, differences_wall(d), text, sizeof text);
    cr_assert(strstr(text, "The run is shorter: "), "%s", text);
    cr_assert(strstr(text, ", -20.0 ms (-"), "%s", text);
    cr_assert(strstr(text, "95 % interval -20."), "%s", text);
    difference_sentence(d, &d->list.at[1], text, sizeof text);
    cr_assert(strstr(text, "rank 1 spends 500 us less outside of MPI before each"), "%s", text);
    cr_assert_eq(differences_above(d, 0.05), NULL, "what is faster passes the gate");
    done(run, 5, d);
}

/* Half of the times outside of MPI are not known: the others speak. */
Test(compare, unknown_times_are_left_out)
{
    struct profile *run[10];
    for (size_t i = 0; i < 10; i++) {
        run[i] =
            made_run((struct made){10, i < 5 ? 1 : 1.5, 0.004 * (double)(i * 7 % 5), 0, false});
        for (size_t k = 0; k < run[i]->events.n; k++)
            if (run[i]->events.at[k].sequence % 4 < 2)
                run[i]->events.at[k].outside_ns = -1;
    }
    struct differences *d = differences_find(run, 5, 5);
    assert_cause(d, CERTAINTY_TOLD);
    done(run, 5, d);
}

static void assert_doubt(struct profile **run, size_t n, const char *doubt, bool said)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    struct differences *d = differences_find(run, n, n);
    char *text = differences_doubts(&(struct differences_page){.d = d, .name = name});
    cr_assert_eq(strstr(text, doubt) != NULL, said, "%s: %s", doubt, text);
    free(text);
    differences_free(d);
}

/* What makes sides unlike is said, and nothing of sides that are alike. */
Test(compare, what_speaks_against_a_comparison_is_said)
{
    struct profile *run[10];
    for (size_t i = 0; i < 10; i++) {
        run[i] = made_run((struct made){10, 1, 0, 0, false});
        profile_add_program(run[i], i % 2 ? "/old/heat" : "/new/heat");
    }
    assert_doubt(run, 5, "", true);
    assert_doubt(run, 5, ".", false);
    assert_doubt(run, 2, "2 and 2 runs cannot tell", true);
    *PUSH(&run[3]->ranks) = (struct profile_rank){.rank = 2, .wall = 1, .delayed_ns = -1};
    assert_doubt(run, 2, "A ran on 2 ranks, B on different numbers of:", true);
    profile_add_program(run[9], "/new/ice");
    assert_doubt(run, 5, "different programs: A ran heat, B heat, ice.", true);
    for (int disturbed = 0; disturbed < 3; disturbed++) {
        run[0]->ranks.at[1].delayed_ns = disturbed * 5 * (int64_t)(1e7 * run[0]->ranks.at[1].wall);
        assert_doubt(run, 1, "a was disturbed most: a rank was without a processor for", disturbed);
        assert_doubt(run, 1, "mean little", disturbed == 2);
    }
    for (size_t i = 0; i < 10; i++)
        profile_free(run[i]);
}

/* A rank that works longer before its sends, one run a side or two: before the receive that waits.
 * With one it is not said if a rank was without a processor for longer, nor if receives last as
 * long in some part anyway. */
Test(compare, a_rank_that_works_longer_comes_before_a_receive)
{
    enum { QUIET, DISTURBED, SPREAD };
    for (size_t n = 1; n < 3; n++)
        for (int kind = QUIET; kind <= SPREAD; kind++) {
            struct profile *run[4];
            for (size_t i = 0; i < 2 * n; i++) {
                run[i] = made_run((struct made){10, i < n ? 1 : 1.5, 0, 0, true});
                run[i]->events.n = run[i]->arrivals.n = 0;
                for (size_t k = 0; k < run[i]->operations.n; k++)
                    run[i]->operations.at[k].family = FAMILY_RECV;
                run[i]->ranks.at[0].delayed_ns = 0;
                run[i]->ranks.at[1].delayed_ns = (kind == DISTURBED ? 40 : 10) * MS;
                struct profile_entry *receive = &run[i]->entries.at[1];
                receive->min_ns = kind == SPREAD ? 1 : receive->min_ns;
                receive->max_ns = kind == SPREAD ? 9 * MS : receive->max_ns;
                for (uint64_t ns = 1; ns < 9 * MS && kind == SPREAD; ns *= 3)
                    receive->histogram[histogram_bucket(ns)] += STEPS;
            }
            struct differences *d = differences_find(run, n, n);
            const struct difference *x = &d->list.at[1];
            cr_assert(d->outside_known, "there is no collective");
            cr_assert_eq(x->certainty == CERTAINTY_HINT && x->kind == DIFFERENCE_COMPUTING &&
                             x->rank == 1,
                         n == 2 || kind == QUIET, "%zu runs, %d", n, kind);
            for (size_t i = 1; i < d->list.n; i++)
                cr_assert(d->list.at[i].kind != DIFFERENCE_TIME ||
                          (d->list.at[i].certainty == CERTAINTY_HINT) == (kind != SPREAD));
            cr_assert_eq(differences_wall(d)->certainty, n == 2 ? CERTAINTY_HINT : CERTAINTY_NONE);
            done(run, n, d);
        }
}

/* Which of a place's calls have changed: all, the usual one, or the slowest. */
Test(compare, what_the_histograms_say_of_a_change)
{
    static const struct {
        double median[2], p99[2];
        const char *said;
    } known[] = {
        {{100, 200}, {300, 600}, "; of one call: median 100 ns -> 200 ns, 99th percentile"},
        {{100, 104}, {300, 900}, "; the slowest calls, not the usual one: median"},
        {{100, 50}, {300, 310}, "; the usual call, not the slowest: median 100 ns"},
        {{100, 104}, {300, 310}, NULL},
        {{0, 100}, {300, 900}, NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct differences d = {.runs = {1, 1}};
        struct difference x = {.kind = DIFFERENCE_OWN,
                               .operation = "Allreduce",
                               .place = "a.c:1",
                               .call_median = {known[i].median[0], known[i].median[1]},
                               .call_p99 = {known[i].p99[0], known[i].p99[1]}};
        char text[600];
        difference_sentence(&d, &x, text, sizeof text);
        cr_assert_eq(strstr(text, "percentile") != NULL, known[i].said != NULL, "%s", text);
        cr_assert(!known[i].said || strstr(text, known[i].said), "%s", text);
    }
}

/* An interval without 0 is no proof while everything is looked at; what is told and small is small.
 */
Test(compare, the_run_is_said_in_a_sentence_that_agrees_with_itself)
{
    static const struct {
        double low, p;
        const char *verdict, *reason;
    } known[] = {{1e6, 0.063, "no difference can be told from noise", "in 6.3 % of comparisons"},
                 {-1e6, 0.063, "no difference can be told from noise", NULL},
                 {1e6, 0.008, "The run differs by less than 1 %: ", NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct differences d = {.runs = {5, 5}, .enough = true, .wall_ns = 1e9};
        struct difference x = {.kind = DIFFERENCE_WALL,
                               .median = {1e9, 1.002e9},
                               .change = 2e6,
                               .low = known[i].low,
                               .high = 3e6,
                               .p_together = known[i].p};
        char text[600];
        difference_sentence(&d, &x, text, sizeof text);
        cr_assert(strstr(text, known[i].verdict), "%s", text);
        cr_assert_eq(strstr(text, "of equal runs") != NULL, known[i].reason != NULL, "%s", text);
        cr_assert(!known[i].reason || strstr(text, known[i].reason), "%s", text);
    }
}

/* However much the calls themselves take longer. */
Test(compare, a_cause_comes_before_larger_changes)
{
    struct profile *run[10];
    struct differences *d =
        compare(run, (struct made){10, 1, 0, 0, false}, (struct made){10, 1.5, 0, 2, false}, 5);
    assert_cause(d, CERTAINTY_TOLD);
    const struct difference *own = NULL;
    for (size_t i = 2; i < d->list.n; i++)
        if (d->list.at[i].kind == DIFFERENCE_OWN)
            own = own ? own : &d->list.at[i];
    cr_assert(own && own->certainty == CERTAINTY_TOLD && own->change > 2 * d->list.at[1].change);
    done(run, 5, d);
}

/* Medians that differ by more than 1 % of the run, and runs that differ by more among each other.
 */
Test(compare, what_lies_in_the_noise_is_not_told)
{
    static const double jitter[] = {0, 0.1, 0.2, 0.3, 0.4, 0.05, 0.12, 0.26, 0.33, 0.38};
    struct profile *run[10];
    for (size_t i = 0; i < 10; i++)
        run[i] = made_run((struct made){10, 1, jitter[i], 0, false});
    struct differences *d = differences_find(run, 5, 5);
    cr_assert_gt(differences_wall(d)->change, 0.02 * d->wall_ns);
    for (size_t i = 0; i < d->list.n; i++)
        cr_assert_eq(d->list.at[i].certainty, CERTAINTY_NONE, "row %zu", i);
    done(run, 5, d);
}

/* One run a side: calls that differ by more among each other than the runs do are no hint. */
Test(compare, what_lies_in_the_spread_of_calls_is_no_hint)
{
    struct profile *run[2] = {made_run((struct made){10, 1, 0, 0, false}),
                              made_run((struct made){10, 1.5, 0, 0, false})};
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < run[r]->events.n; k++)
            run[r]->events.at[k].outside_ns += (k / 4 % 2 ? 9 : -9) * (MS / 10);
    struct differences *d = differences_find(run, 1, 1);
    bool changed = false;
    for (size_t i = 0; i < d->list.n; i++) {
        const struct difference *x = &d->list.at[i];
        if (x->kind != DIFFERENCE_OUTSIDE)
            continue;
        changed = changed || x->change > 0.02 * d->wall_ns;
        cr_assert_eq(x->certainty, CERTAINTY_NONE);
    }
    cr_assert(changed);
    done(run, 1, d);
}

Test(compare, equal_runs_have_nothing_to_tell)
{
    struct profile *run[10];
    struct differences *d =
        compare(run, (struct made){10, 1, 0, 0, false}, (struct made){10, 1, 0, 0, false}, 5);
    for (size_t i = 0; i < d->list.n; i++)
        cr_assert_eq(d->list.at[i].certainty, CERTAINTY_NONE, "row %zu", i);
    cr_assert_eq(differences_above(d, 0), NULL);
    done(run, 5, d);
}

/* Two runs give a hint, which is no reason to fail; what has no spread in a run gives none. */
Test(compare, one_run_a_side_gives_hints_only)
{
    struct profile *run[2];
    struct differences *d =
        compare(run, (struct made){10, 1, 0, 0, false}, (struct made){10, 1.5, 0, 0, false}, 1);
    assert_cause(d, CERTAINTY_HINT);
    cr_assert_eq(differences_wall(d)->certainty, CERTAINTY_NONE);
    cr_assert_eq(differences_above(d, 0), NULL);
    assert_names_are_tidy(d);
    done(run, 1, d);
}

/* Lines move when a program is edited. */
Test(compare, places_that_moved_are_the_same)
{
    struct profile *run[10];
    struct differences *d =
        compare(run, (struct made){10, 1, 0, 0, false}, (struct made){17, 1.5, 0, 0, false}, 5);
    assert_cause(d, CERTAINTY_TOLD);
    cr_assert(strstr(d->list.at[1].place, "solve.c:20"), "%s", d->list.at[1].place);
    done(run, 5, d);
}

/* Two places before and three after, all elsewhere: which are the same is not known. */
Test(compare, places_that_moved_in_other_numbers_are_others)
{
    struct profile *run[10];
    for (size_t i = 0; i < 10; i++) {
        run[i] = made_run((struct made){i < 5 ? 10 : 17, 1, 0.004 * (double)(i * 3 % 5), 0, false});
        if (i < 5)
            continue;
        struct profile_entry third = run[i]->entries.at[0];
        third.site = made_site(run[i], 40);
        name_sites(run[i], third.site);
        profile_add_entry(run[i], &third);
    }
    struct places *found = places_find(run, 5, 5);
    cr_assert_eq(found->list.n, 5);
    for (size_t i = 0; i < found->list.n; i++) {
        const struct place *at = found->list.at[i];
        cr_assert(!at->gone && at->in[0] != at->in[1], "%s is taken for another", at->label);
    }
    places_free(found);
    for (size_t i = 0; i < 10; i++)
        profile_free(run[i]);
}

/* Profiles of before: nothing is said of what is not known. */
Test(compare, old_profiles_name_no_rank)
{
    struct profile *run[10];
    for (size_t i = 0; i < 10; i++) {
        run[i] =
            made_run((struct made){10, i < 5 ? 1 : 1.5, 0.004 * (double)(i * 7 % 5), 0, false});
        for (size_t k = 0; k < run[i]->events.n; k++)
            run[i]->events.at[k].outside_ns = -1;
    }
    struct differences *d = differences_find(run, 5, 5);
    cr_assert_not(d->outside_known);
    for (size_t i = 0; i < d->list.n; i++)
        cr_assert_neq(d->list.at[i].kind, DIFFERENCE_OUTSIDE);
    done(run, 5, d);
}

/* Messages: of traced runs it is known for whom the call waits that takes longer, and that this one
 * computes more comes first. Who is waited for by others, or nobody knows, is no cause of it. */
Test(compare, a_late_sender_comes_before_its_victims)
{
    for (int traced = 0; traced < 3; traced++) {
        struct profile *run[10];
        for (size_t i = 0; i < 10; i++) {
            double before = i < 5 ? 1 : 1.5;
            run[i] = made_run((struct made){10, before, 0.004 * (double)(i * 7 % 5), 0, false});
            run[i]->events.n = run[i]->arrivals.n = 0;
            struct wait w = {.site = run[i]->entries.at[1].site,
                             .operation = run[i]->entries.at[1].operation,
                             .state = WAIT_LATE_SENDER,
                             .rank = traced == 1,
                             .calls = STEPS,
                             .wait_ns = (uint64_t)((before - 1) * STEPS * MS)};
            cr_assert_eq(run[i]->sites.at[w.site].frame[0].line, 20);
            if (traced)
                *PUSH(&run[i]->waits) = w;
        }
        struct differences *d = differences_find(run, 5, 5);
        const struct difference *x = &d->list.at[1], *victim = NULL;
        cr_assert(x->kind == DIFFERENCE_COMPUTING && x->rank == 1 &&
                  x->certainty == CERTAINTY_TOLD);
        for (size_t i = 2; i < d->list.n; i++)
            if (d->list.at[i].kind == DIFFERENCE_TIME && strstr(d->list.at[i].place, "solve.c:20"))
                victim = &d->list.at[i];
        cr_assert(victim && victim->certainty == CERTAINTY_TOLD);
        cr_assert_eq(victim->follows, traced == 1 ? 2 : 0, "%d", traced);
        done(run, 10 / 2, d);
    }
}
