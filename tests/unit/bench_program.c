/* What a program's declaration becomes: options that reach the right place, lists without
 * repetitions in the order asked for, sweeps that meet every combination once. */
#include "bench.h"
#include "unit.h"

#include <fcntl.h>
#include <termios.h>

static size_t met[2 * 3 * 4], meetings;

static void meet(void *arg, const size_t *at)
{
    cr_assert_eq(arg, met);
    met[meetings++] = 100 * at[0] + 10 * at[1] + at[2];
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
    struct option_range powers = {.min = 3, .max = 20}, steps = {.min = 2, .max = 9, .step = 3};
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
    bench_progress(&other, 0, 9);
    bench_progress(&b, 0, 0);
    bench_progress(&b, 0, 1000);
    FREED char *first = said(terminal);
    bench_progress(&b, 1, 1000); /* ten times a second at most */
    usleep(120000);
    bench_progress(&b, 2, 1000);
    FREED char *second = said(terminal);
    bench_progress(&b, 1000, 1000);
    FREED char *end = said(terminal);
    dup2(own, STDERR_FILENO);
    cr_expect_str_eq(first, "\rbench: 0 of 1000\033[K");
    cr_expect_str_eq(second, "\rbench: 2 of 1000\033[K");
    cr_expect_str_eq(end, "\r\033[K");
}
