/* Protects the way in: what a user may say, and that nonsense is named instead of obeyed. */
#include "base/settings.h"

#include <criterion/criterion.h>
#include <string.h>

static void count(const char *line, void *arg)
{
    (void)line;
    ++*(int *)arg;
}

Test(settings, the_environment_is_taken_over)
{
    char *env[] = {"HOME=/",           "COLLPROF_OUTPUT=here", "COLLPROF_BENCHMARK_EVERY=7",
                   "COLLPROF_KEEP=on", "COLLPROF_ACK=all",     NULL};
    struct settings s;
    int complaints = 0;
    settings_default(&s);
    settings_read(&s, env, count, &complaints);
    cr_assert_eq(complaints, 0);
    cr_assert_str_eq(s.output, "here");
    cr_assert_eq(s.benchmark_every, 7);
    cr_assert(s.keep);
    cr_assert_str_eq(s.ack, "all");
    cr_assert_eq(s.stack, 4, "the rest keeps its default");
}

Test(settings, unknown_and_wrong_values_are_named_and_passed_over)
{
    char *env[] = {"COLLPROF_OUPUT=typo",
                   "COLLPROF_STACK=99",
                   "COLLPROF_STACK=4x",
                   "COLLPROF_ACK=some",
                   "COLLPROF_REPORT=maybe",
                   "COLLPROF_OUTPUT=",
                   NULL};
    struct settings s, initial;
    int complaints = 0;
    settings_default(&s);
    settings_default(&initial);
    settings_read(&s, env, count, &complaints);
    cr_assert_eq(complaints, 6);
    cr_assert_eq(memcmp(&s, &initial, sizeof s), 0);
}

Test(settings, every_default_is_a_legal_value)
{
    struct settings s;
    settings_default(&s);
    for (size_t i = 0; i < settings_count; i++)
        cr_assert_null(settings_set(&s, &settings_table[i], settings_table[i].initial), "%s",
                       settings_table[i].option);
}
