/* Protects the tables of one run against another. */
#include "compare/differences_inner.h"
#include "made_profile.h"
#include "report/text.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What compare prints of FIGURE; to be freed. */
static char *compared(struct profile *const run[2], const char *figure)
{
    static const char *const name[] = {"first", "second"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct differences *d = differences_find(run, 1, 1);
    text_set_width(200);
    differences_two(&(struct differences_page){d, name, NAN, 10}, figure, out);
    differences_free(d);
    fclose(out);
    return text;
}

/* Shorter and longer, by how much and how many times, and what only one of the runs has. */
Test(compare_two, changes_have_their_sign)
{
    static const struct {
        uint32_t operation;
        const char *name;
        uint64_t ns[2]; /* of each of 100 calls; 0: no such calls */
        const char *change, *share;
    } known[] = {{OP_BCAST, "Bcast ", {1000, 3000}, "+200us", "+200.0%"},
                 {OP_ALLREDUCE, "Allreduce ", {4000, 1000}, "-300us", "-75.0%"},
                 {OP_BARRIER, "Barrier ", {1000, 9990}, "+899us", "+899.0%"},
                 {OP_SCAN, "Scan ", {1000, 10000}, "+900us", "x10"},
                 {OP_ISEND, "Isend ", {0, 1100}, "+110us", "new"},
                 {OP_WAIT, "Wait ", {1200, 0}, "-120us", "gone"}};
    enum { ROWS = sizeof known / sizeof *known };
    struct profile *run[2];
    for (int k = 0; k < 2; k++) {
        struct ledger l;
        made_ledger(&l, NULL, 0, 1);
        for (size_t i = 0; i < ROWS; i++)
            if (known[i].ns[k])
                made_calls(&l, 1, known[i].operation, 8, 100, known[i].ns[k]);
        run[k] = made_merged(NULL, &l);
        profile_symbolize(run[k]);
    }
    char *text = compared(run, NULL);
    assert_has(text, "+0.0%  +206.0%"); /* 820 us of calls are 2509 us now, in 2 s */
    char *table = strstr(text, "Changes by operation");
    for (size_t i = 0; i < ROWS; i++) {
        char line[200];
        const char *row = strstr(table, known[i].name);
        cr_assert_not_null(row, "%s", text);
        snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
        assert_has(line, known[i].change);
        assert_has(line, known[i].share);
    }
    free(text);
    profile_free(run[0]);
    profile_free(run[1]);
}

/* Line N of TABLE; 0: its title. */
static void assert_line(const char *text, const char *table, int n, const char *words[])
{
    const char *at = strstr(text, table);
    char line[300];
    cr_assert_not_null(at, "%s", text);
    while (n-- > 0)
        at = strchr(at, '\n') + 1;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    for (char *rest = line, *word; (word = strsep(&rest, " "));)
        if (*word && *words)
            cr_assert_str_eq(word, *words++, "%s", text);
    cr_assert_null(*words, "%s", text);
}

/* Largest change first, of any figure. */
Test(compare_two, what_is_new_and_what_is_gone)
{
    struct profile *run[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        int size = k ? 2 : 4;
        for (int r = 0; r < size; r++) {
            struct ledger l;
            made_ledger(&l, NULL, r, size);
            made_calls(&l, 1, OP_BCAST, 1024, 100, 1000);
            if (k)
                made_calls(&l, 3, OP_BARRIER, 0, 10, 50000);
            else
                made_calls(&l, 2, OP_ALLREDUCE, 8, 50, 20000);
            run[k] = made_merged(run[k], &l);
        }
        profile_symbolize(run[k]);
    }
    for (int table = 0; table < 2; table++) {
        const char *title = table ? "Changes by call site" : "Changes by operation";
        char *text = compared(run, NULL);
        assert_line(
            text, title, 2,
            (const char *[]){"Allreduce", "200", "-", "1.00ms", "-", "-1.00ms", "gone", NULL});
        assert_line(text, title, 3,
                    (const char *[]){"Barrier", "-", "20", "-", "500us", "+500us", "new", NULL});
        assert_line(text, title, 4,
                    (const char *[]){"Bcast", "400", "200", "100us", "100us", "0", "+0.0%", NULL});
        free(text);
        text = compared(run, "calls");
        assert_line(text, title, 2,
                    (const char *[]){"Bcast", "400", "200", "400", "200", "-200", "-50.0%", NULL});
        free(text);
    }
    /* Of the differences: what one side has not is no 0, and ranks of one side have no row. */
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < run[k]->ranks.n; i++)
            run[k]->ranks.at[i].wall = 0.005;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct differences *d = differences_find(run, 1, 1);
    differences_text(&(struct differences_page){d, (const char *[]){"A", "B"}, NAN, 99}, out);
    fclose(out);
    assert_has(text, "time     1.00ms       -  -1.00 ms");
    assert_has(text, "time          -   500us   +500 us");
    assert_has(text, "rank 1\n");
    assert_lacks(text, "rank 2\n");
    differences_free(d);
    free(text);
    profile_free(run[0]);
    profile_free(run[1]);
}

/* Calls of a function, of which the first and the second change places in time: ten of each, in
 * LINE at its address. */
static struct profile *two_calls(bool swapped, const uint32_t line[2])
{
    struct profile *p = profile_new();
    p->stack_depth = 1;
    uint32_t sum = profile_add_operation(p, "MPI_Allreduce", FAMILY_COLLECTIVE);
    *PUSH(&p->ranks) = (struct profile_rank){.rank = 0, .wall = 1, .delayed_ns = -1};
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t i = swapped ? 1 - k : k; /* as they are met */
        uint64_t histogram[HISTOGRAM_BUCKETS] = {0}, ns = (k == 0 ? 2 : 5) * 1000000ull;
        struct profile_site s = {.depth = 1};
        s.frame[0] = (struct profile_frame){.module = PROFILE_NONE, .address = 100 + i};
        uint32_t site = profile_add_site(p, &s);
        struct profile_frame *f = &p->sites.at[site].frame[0];
        f->line = line[i];
        f->function = memory_strdup("solve");
        f->file = memory_strdup("solve.c");
        histogram[histogram_bucket(ns)] = 10;
        profile_add_entry(p, &(struct profile_entry){.site = site,
                                                     .operation = sum,
                                                     .comm = PROFILE_NONE,
                                                     .region = PROFILE_NONE,
                                                     .calls = 10,
                                                     .time_ns = 10 * ns,
                                                     .min_ns = ns,
                                                     .max_ns = ns,
                                                     .spread = {.ranks = 1},
                                                     .histogram = histogram});
    }
    return p;
}

/* The first takes longer now than the second: they are told apart by their order in the program,
 * not by their time; where their lines have moved, and where they are in one line. */
Test(compare_two, places_keep_their_order)
{
    static const uint32_t lines[][2][2] = {{{10, 11}, {17, 18}}, {{10, 10}, {10, 10}}};
    for (int k = 0; k < 2; k++) {
        struct profile *run[2] = {two_calls(false, lines[k][0]), two_calls(true, lines[k][1])};
        char *text = compared(run, NULL);
        cr_assert(strstr(text, "+30.0ms  +150.0%") && strstr(text, "-30.0ms   -60.0%"), "%s", text);
        cr_assert_eq(strstr(text, "call 2") != NULL, k, "%s", text);
        free(text);
        profile_free(run[0]);
        profile_free(run[1]);
    }
}

/* A row of the median of two runs of A (A_NS) against one of B. */
static struct difference row_of(enum difference_kind kind, const char *operation, const char *place,
                                double a_ns, double *value)
{
    double change = value[2] - a_ns;
    return (struct difference){.kind = kind,
                               .operation = operation,
                               .place = place,
                               .in = {a_ns > 0, true},
                               .rank = -1,
                               .value = value,
                               .median = {a_ns, value[2]},
                               .change = change,
                               .low = change - 1e8,
                               .high = change + 1e8,
                               .superiority = 0.75,
                               .certainty = CERTAINTY_TOLD};
}

/* Three rows: the run takes 1 s more, since rank 1 takes 0.8 s more before a broadcast, and a
 * barrier that A has not waits 0.2 s for it. */
static char *page_of(void (*print)(const struct differences_page *, FILE *), double share)
{
    static const char *const name[] = {"r1", "r2", "r3"};
    double whole[] = {1e9, 1e9, 2e9}, before[] = {1e8, 1e8, 9e8}, wait[] = {0, 0, 2e8};
    struct difference row[] = {row_of(DIFFERENCE_WALL, "", "", 1e9, whole),
                               row_of(DIFFERENCE_OUTSIDE, "MPI_Bcast", "a|b.c:3", 1e8, before),
                               row_of(DIFFERENCE_WAIT, "MPI_Barrier", "c.c:4", 0, wait)};
    row[1].rank = 1;
    strcpy(row[1].ranks, "1");
    row[2].follows = 2;
    struct differences d = {.runs = {2, 1},
                            .wall_ns = 1e9,
                            .enough = true,
                            .outside_known = true,
                            .ranks = {2, 2},
                            .list = {row, 3, 3}};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    text_set_width(200);
    print(&(struct differences_page){&d, name, share, 10}, out);
    fclose(out);
    return text;
}

static void assert_page(void (*print)(const struct differences_page *, FILE *), double share,
                        const char *const *words)
{
    char *text = page_of(print, share);
    for (; *words; words++)
        assert_has(text, *words);
    free(text);
}

Test(compare_two, pages_say_what_is_in_the_rows)
{
    assert_page(differences_text, 0.5,
                (const char *const[]){"A  2 runs: r1, r2\n", "B  1 run: r3\n", "1. ",
                                      "follows from 1", "=50%: failed: ", "+80.0%", "75%",
                                      "+700 ms to +900 ms", " -  200ms ", NULL});
    assert_page(differences_text, 2, (const char *const[]){"=200%: passed: ", NULL});
    assert_page(
        differences_markdown, 2,
        (const char *const[]){"a\\|b.c:3", "c.c:4 | - | 200", "| +80.0 % |", "**passed**", NULL});
    assert_page(differences_json, 0.5,
                (const char *const[]){"\"failed\": true", "\"follows_from\": 1", NULL});
    char *text = page_of(differences_json, NAN);
    json_t *whole = json_loads(text, 0, NULL),
           *row = json_array_get(json_object_get(whole, "differences"), 1);
    cr_assert_eq(json_array_size(json_object_get(whole, "b")), 1);
    cr_assert_eq(json_real_value(json_object_get(row, "median_a_ns")), 1e8);
    cr_assert_eq(json_real_value(json_array_get(json_object_get(row, "b_ns"), 0)), 9e8);
    json_decref(whole);
    free(text);
    assert_page(differences_junit, 0.5,
                (const char *const[]){"tests=\"3\" failures=\"2\"", "time=\"0.900000\"", NULL});
}

/* Ranks that do the same at one place are one cause; the largest comes first, and what came the
 * other way is another. */
Test(compare_two, ranks_that_do_the_same_are_told_together)
{
    static const struct {
        int32_t rank;
        size_t at;
        double change;
    } given[] = {{2, 0, 8}, {3, 0, -6}, {1, 1, 20}, {5, 0, 7}, {4, 0, 9}};
    static const struct {
        double change;
        const char *ranks;
        bool joined;
    } known[] = {
        {20, "1", false}, {9, "2, 4, 5", false}, {8, "2", true}, {7, "5", true}, {-6, "3", false}};
    struct differences d = {.runs = {5, 5}};
    for (size_t i = 0; i < 5; i++)
        *PUSH(&d.list) = (struct difference){.kind = DIFFERENCE_OUTSIDE,
                                             .rank = given[i].rank,
                                             .at = given[i].at,
                                             .change = given[i].change,
                                             .certainty = CERTAINTY_TOLD};
    differences_put_in_order(&d);
    for (size_t i = 0; i < 5; i++) {
        const struct difference *x = &d.list.at[i];
        cr_assert_float_eq(x->change, known[i].change, 0.1, "row %zu: %g", i, x->change);
        cr_assert_str_eq(x->ranks, known[i].ranks);
        cr_assert_eq(x->joined, known[i].joined, "row %zu", i);
    }
    free(d.list.at);
}
