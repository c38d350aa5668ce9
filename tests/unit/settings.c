/* Protects the way in: what a user may say, and that nonsense is named instead of obeyed. */
#include "base/settings.h"
#include "unit.h"

static void count(const char *line, void *arg)
{
    (void)line;
    ++*(int *)arg;
}

Test(settings, the_environment_is_taken_over)
{
    char *env[] = {"HOME=/",
                   "COLLPROF_OUTPUT=here",
                   "COLLPROF_BENCHMARK_BUDGET=7",
                   "COLLPROF_KEEP=yes",
                   "COLLPROF_ACK=100",
                   NULL};
    struct settings s;
    int complaints = 0;
    settings_read(&s, env, count, &complaints);
    cr_assert_eq(complaints, 0);
    cr_assert_str_eq(s.output, "here");
    cr_assert_neq(s.output, env[1] + strlen("COLLPROF_OUTPUT="), "a copy");
    cr_assert_eq(s.benchmark_budget, 7);
    cr_assert(s.keep);
    cr_assert_eq(s.ack, 100);
    cr_assert_eq(s.stack, 4, "the rest keeps its default");
}

/* By these ranks see whether they can do together what they were asked for. */
Test(settings, what_ranks_share_has_a_hash)
{
    static const char *const row[] = {"COLLPROF_OUTPUT=elsewhere", "COLLPROF_ACK=5",
                                      "COLLPROF_START=no"};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *env[] = {(char *)row[i], NULL};
        struct settings s;
        settings_read(&s, env, NULL, NULL);
        cr_expect_eq(settings_hash(&s) == settings_hash(&settings_default), i == 0, "%s", row[i]);
    }
}

/* Bounds from both sides; what is unknown or wrong is named and passed over. */
Test(settings, the_ends_of_every_range)
{
    static const struct {
        const char *variable;
        bool legal;
    } row[] = {{"COLLPROF_OUPUT=typo", false},
               {"COLLPROF_OUTPUT=", false},
               {"COLLPROF_STACK=4x", false},
               {"COLLPROF_STACK=0", true},
               {"COLLPROF_STACK=8", true},
               {"COLLPROF_STACK=9", false},
               {"COLLPROF_STACK=-1", false},
               {"COLLPROF_MEMORY=1", true},
               {"COLLPROF_MEMORY=1024", true},
               {"COLLPROF_MEMORY=0", false},
               {"COLLPROF_MEMORY=1025", false},
               {"COLLPROF_BENCHMARK_BUDGET=0.001", true},
               {"COLLPROF_BENCHMARK_BUDGET=0", false},
               {"COLLPROF_BENCHMARK_BUDGET=inf", false},
               {"COLLPROF_BENCHMARK_BUDGET=nan", false},
               {"COLLPROF_ACK=100", true},
               {"COLLPROF_ACK=", true},
               {"COLLPROF_ACK=on", false},
               {"COLLPROF_BENCHMARK=held,direct", true},
               {"COLLPROF_BENCHMARK=held,", false},
               {"COLLPROF_BENCHMARK=hel", false},
               {"COLLPROF_REPORT=no", true},
               {"COLLPROF_REPORT=2", false}};
    struct settings s;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *env[] = {(char *)row[i].variable, NULL};
        int complaints = 0;
        settings_read(&s, env, count, &complaints);
        cr_expect_eq(complaints, !row[i].legal, "%s", row[i].variable);
        cr_expect(row[i].legal || settings_hash(&s) == settings_hash(&settings_default));
    }
}
