/* What a program's declaration becomes: options that reach the right place, lists without
 * repetitions in the order asked for, sweeps that meet every combination once. */
#include "bench_inner.h"
#include "program.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const char *fruit(size_t i)
{
    static const char *const names[] = {"apple", "", "cherry", "date"};
    return i < 4 ? names[i] : NULL;
}

static bool no_dates(size_t i, const struct bench *b)
{
    (void)b;
    return i != 3;
}

static const struct bench_registry fruits = {"fruit", fruit, NULL, NULL};
static const struct bench_registry fresh_fruits = {"fruit", fruit, NULL, no_dates};

static struct bench bench = {.size = 4};
static struct argp_state state = {.flags = ARGP_NO_ERRS, .name = "test", .input = &bench};

Test(bench_program, choosing_keeps_the_order_and_repeats_nothing)
{
    struct bench_chosen c = {0};
    cr_assert_eq(bench_choose(&state, &fruits, "date,apple,date", &c), 0);
    cr_assert_eq(c.n, 2);
    cr_expect_eq(c.at[0], 3);
    cr_expect_eq(c.at[1], 0);
    cr_expect_not(c.all);
    cr_assert_eq(bench_choose(&state, &fruits, "all", &c), 0);
    cr_assert_eq(c.n, 3, "the nameless one is not chosen");
    cr_expect_eq(c.at[2], 2);
    cr_expect(c.all);
}

Test(bench_program, all_is_what_the_registry_says)
{
    struct bench_chosen c = {0};
    cr_assert_eq(bench_choose(&state, &fresh_fruits, "all", &c), 0);
    cr_expect_eq(c.n, 2);
    cr_assert_eq(bench_choose(&state, &fresh_fruits, "date", &c), 0);
    cr_expect_eq(c.n, 3, "by name it can be had");
}

Test(bench_program, what_is_not_there_is_refused)
{
    struct bench_chosen c = {0};
    cr_expect_neq(bench_choose(&state, &fruits, "apple,fig", &c), 0);
    cr_expect_neq(bench_choose(&state, &fruits, "", &c), 0);
    cr_expect_neq(bench_choose(&state, &fruits, "apple,,date", &c), 0);
    char *names = bench_names(&fruits);
    cr_expect_str_eq(names, "apple, cherry, date");
    free(names);
}

Test(bench_program, points_are_sorted_by_ranks_then_as_listed_then_by_size)
{
    struct bench_point p[] = {{.ranks = 4, .which = 0, .bytes = 8},
                              {.ranks = 2, .which = 1, .bytes = 1},
                              {.ranks = 2, .which = 0, .bytes = 64},
                              {.ranks = 2, .which = 0, .bytes = 8}};
    qsort(p, 4, sizeof *p, bench_by_point);
    cr_expect(p[0].bytes == 8 && p[0].ranks == 2);
    cr_expect_eq(p[1].bytes, 64);
    cr_expect_eq(p[2].which, 1);
    cr_expect_eq(p[3].ranks, 4);
}

Test(bench_program, options_put_their_values)
{
    static const char *const words[] = {"cold", "warm", NULL};
    static const struct bench_words from_words = {words};
    static const struct bench_limits limits = {1, 30, "1 to 30"};
    struct bench_option o = {.name = "heat", .from = &from_words};
    int value = -1;
    cr_expect_eq(bench_take_word(&state, &o, "warm", &value), 0);
    cr_expect_eq(value, 1);
    cr_expect_neq(bench_take_word(&state, &o, "war", &value), 0);
    o.from = &limits;
    cr_expect_eq(bench_take_count(&state, &o, "30", &value), 0);
    cr_expect_eq(value, 30);
    cr_expect_neq(bench_take_count(&state, &o, "0", &value), 0);
    cr_expect_neq(bench_take_count(&state, &o, "31", &value), 0);
    cr_expect_neq(bench_take_count(&state, &o, "-1", &value), 0);
    cr_expect_eq(bench_take_root(&state, &o, "3", &value), 0);
    cr_expect_neq(bench_take_root(&state, &o, "4", &value), 0);
    struct bench_range range = {0};
    cr_expect_eq(bench_take_times(&state, &o, "1:100000000", &range), 0);
    cr_expect_eq(range.max, 100000000);
    cr_expect_neq(bench_take_times(&state, &o, "0:4", &range), 0);
    cr_expect_neq(bench_take_times(&state, &o, "1:100000001", &range), 0);
}

static size_t met[2 * 3 * 4], meetings;

static const char *meet(void *arg, const size_t *at)
{
    cr_assert_eq(arg, met);
    met[meetings++] = 100 * at[0] + 10 * at[1] + at[2];
    return NULL;
}

Test(bench_program, a_sweep_meets_every_combination_once_the_last_axis_fastest)
{
    static const size_t length[] = {2, 3, 4};
    struct bench other = {.rank = 1}; /* no progress */
    bench_sweep(&other, length, 3, meet, met);
    cr_assert_eq(meetings, 24);
    for (size_t i = 0; i < 24; i++)
        cr_expect_eq(met[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
}

Test(bench_program, values_of_a_range)
{
    struct bench_range powers = {.min = 3, .max = 20}, steps = {.min = 2, .max = 9, .step = 3};
    static const size_t a[] = {3, 6, 12, 20}, b[] = {2, 5, 8, 9};
    struct bench_values v = bench_values(&powers), w = bench_values(&steps);
    cr_assert_eq(v.n, 4);
    cr_expect_arr_eq(v.at, a, sizeof a);
    cr_assert_eq(w.n, 4);
    cr_expect_arr_eq(w.at, b, sizeof b);
}

/* What was written to the terminal whose other side is TERMINAL, from the last call on: all up to a
 * mark, since a terminal passes on what it gets when it finds the time. To be freed. */
static char *said(int terminal)
{
    char text[1000];
    size_t n = 0;
    cr_assert_eq(write(STDERR_FILENO, "|", 1), 1);
    while (n < sizeof text - 1 && (n == 0 || text[n - 1] != '|') &&
           read(terminal, text + n, 1) == 1)
        n++;
    text[n > 0 ? n - 1 : 0] = '\0';
    return strdup(text);
}

Test(bench_program, progress_is_a_line_that_is_written_anew)
{
    struct bench b = {.program = "bench"}, other = {.rank = 1};
    struct termios raw;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
    int own = dup(STDERR_FILENO), slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    dup2(slave, STDERR_FILENO);
    bench_progress(&other, 0, 9, "others");
    bench_progress(&b, 0, 0, "nothing");
    bench_progress(&b, 0, 1000, "apples");
    char *first = said(terminal);
    usleep(120000);
    bench_progress(&b, 1, 1000, "apples"); /* 0.12 s each, or a little more: two minutes */
    bench_progress(&b, 2, 1000, "apples"); /* ten times a second at most */
    char *second = said(terminal);
    usleep(120000);
    bench_progress(&b, 995, 1000, "apples");
    char *near = said(terminal);
    bench_progress_end(&b);
    char *end = said(terminal);
    dup2(own, STDERR_FILENO);
    cr_expect_str_eq(first, "\rbench: 0 of 1000: apples\033[K");
    cr_expect(!strncmp(second, "\rbench: 1 of 1000, about ", 25) && strstr(second, " min ") &&
                  !strchr(second + 1, '\r'),
              "%s", second);
    cr_expect_str_eq(near, "\rbench: 995 of 1000, about 0 s left: apples\033[K");
    cr_expect_str_eq(end, "\r\033[K");
    free(first);
    free(second);
    free(near);
    free(end);
}

Test(bench_program, remarks_are_a_list)
{
    char text[32] = "";
    bench_add_words(text, sizeof text, "%s", "one");
    bench_add_words(text, sizeof text, "%d", 2);
    cr_expect_str_eq(text, "one, 2");
}
