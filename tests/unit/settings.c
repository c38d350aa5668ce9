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

/* Bounds from both sides. */
Test(settings, the_ends_of_every_range)
{
    static const struct {
        const char *option, *value;
        bool legal;
    } row[] = {{"stack", "0", true},
               {"stack", "8", true},
               {"stack", "9", false},
               {"stack", "-1", false},
               {"memory", "1", true},
               {"memory", "1024", true},
               {"memory", "0", false},
               {"memory", "1025", false},
               {"top", "1", true},
               {"top", "10000", true},
               {"top", "0", false},
               {"top", "10001", false},
               {"benchmark-every", "0", true},
               {"benchmark-every", "-1", false},
               {"benchmark-budget", "0.001", true},
               {"benchmark-budget", "0", false},
               {"benchmark-budget", "inf", false},
               {"benchmark-budget", "nan", false},
               {"ack", "one", true},
               {"ack", "all", true},
               {"ack", "on", false},
               {"ack", "one|all", false},
               {"benchmark", "held,direct", true},
               {"benchmark", "held,", false},
               {"benchmark", "hel", false},
               {"report", "yes", true},
               {"report", "no", true},
               {"report", "2", false}};
    struct settings s;
    settings_default(&s);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct setting *of = NULL;
        for (size_t k = 0; k < settings_count; k++)
            if (!strcmp(settings_table[k].option, row[i].option))
                of = &settings_table[k];
        cr_assert_not_null(of);
        cr_assert_eq(settings_set(&s, of, row[i].value) == NULL, row[i].legal, "--%s=%s",
                     row[i].option, row[i].value);
    }
    cr_assert_eq(s.stack, 8);
    cr_assert_eq(s.memory, 1024);
    cr_assert_not(s.report);
}
