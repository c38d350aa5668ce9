/* Scenario files: protects a user from a hang or a wrong reading where a line would have told.
 * Every error names its line. */
#include "scenario_file.h"
#include "trees/bcast.h"
#include "unit.h"

static struct scenario scenario;
static char why[SCENARIO_WHY];

static bool reads(const char *text)
{
    FILE *file = fmemopen((void *)text, strlen(text), "r");
    bool good = scenario_read(file, "test", &scenario, why);
    fclose(file);
    return good;
}

static bool runs(const char *text, int ranks)
{
    struct scenario_point p = {.operation = &operations[1], .twin = true, .by = bcast_find("flat")};
    return reads(text) && scenario_check(&scenario, ranks, &p, why);
}

static void refuses(const char *text, int line, const char *expected)
{
    char start[20];
    snprintf(start, sizeof start, line ? "line %d: " : "", line);
    *why = '\0';
    cr_expect_not(runs(text, 4), "%s was taken", text);
    cr_expect(!strncmp(why, start, strlen(start)) && (line || strncmp(why, "line ", 5)), "%s: %s",
              text, why);
    cr_expect(strstr(why, expected), "%s: %s", text, why);
}

static const char two_at_once[] =
    "# two at once, the last rank late\n"
    "scenario two-at-once two operations at once\nparticipants others\n"
    "  start\n  issue ibroadcast root 1 bytes 4K # comment\n"
    "  issue operation\n  comp 12.5\n  sync\n  stop\n"
    "participants 3\n  start\n  delay\n"
    "  issue ibroadcast root 1 bytes 4096\n"
    "  issue operation\n  sync\n  stop\n";

Test(scenario, is_read)
{
    cr_assert(runs(two_at_once, 4), "%s", why);
    cr_expect_str_eq(scenario.name, "two-at-once");
    cr_assert_eq(scenario.n, 2);
    const struct script *s = &scenario.script[0];
    cr_assert_eq(s->n, 6);
    cr_expect_eq(s->action[1].operation, &operations[1]);
    cr_expect(s->action[1].twin);
    cr_expect_eq(s->action[1].root, 1);
    cr_expect_eq(s->action[1].bytes, 4096);
    cr_expect_null(s->action[2].operation);
    cr_expect_float_eq(s->action[3].seconds, 12.5e-6, 1e-12);
    cr_expect_eq(scenario.script[1].action[1].seconds, SWEPT_SECONDS);
    struct scenario_sweep sweep = scenario_sweeps(&scenario);
    cr_expect(sweep.delay && sweep.operation && sweep.bytes && !sweep.comp);
    cr_assert(reads("participants others\nstart\nissue barrier\nissue broadcast bytes 8\nstop\n"));
    sweep = scenario_sweeps(&scenario);
    cr_expect_not(sweep.delay || sweep.operation || sweep.bytes || sweep.comp);
}

Test(scenario, built_in_ones_run)
{
    struct scenario_point point = {.operation = &operations[1], .twin = true, .delayed = 1};
    for (int i = 0; i < 3; i++)
        for (int ranks = 2; ranks < 5; ranks++)
            cr_expect(reads(scenarios[i]) && scenario_check(&scenario, ranks, &point, why), "%s",
                      why);
    cr_assert(reads(scenarios[1]));
    cr_expect_eq(scenario_script(&scenario, 1, 4, &point).line, scenario.script[1].line);
    cr_expect_eq(scenario_script(&scenario, 0, 4, &point).line, scenario.script[0].line);
}

/* The longest of a participant's delays, one after the other; those without a length are swept. */
Test(scenario, delays_add_up)
{
    struct scenario_point point = {.operation = &operations[1], .delay = 5e-6};
    cr_assert(reads("participants others\nstart\ndelay 10\ndelay\nstop\n"
                    "participants 1\nstart\ndelay 12\nstop\n"));
    cr_expect_float_eq(scenario_delay(&scenario, 2, &point), 15e-6, 1e-12);
    cr_assert(reads("participants others\nstart\nstop\n"));
    cr_expect(isnan(scenario_delay(&scenario, 2, &point)));
}

#define OTHERS "participants others\n"
Test(scenario, faults_name_their_line)
{
    refuses(OTHERS "start\nwait\nstop\n", 3, "unknown action \"wait\"");
    refuses("start\n", 1, "expected \"participants\" first");
    refuses(OTHERS "start\nissue ibarrier\nstop\n", 3, "no rank waits");
    refuses(OTHERS "start\nissue ibarrier\nsync\nissue ibarrier\nstop\n", 5, "no rank waits");
    refuses(OTHERS "start\nissue broadcast root 4\nstop\n", 3, "out of range");
    refuses(OTHERS "issue barrier\nstop\n", 2, "expected start first");
    refuses(OTHERS "start\nissue barrier\nstop\nstart\n", 4, "stop last");
    refuses(OTHERS "start\nissue barrier\n", 3, "stop last");
    refuses(OTHERS "start\nstop\nparticipants 4\nstart\nstop\n", 4, "out of range");
    refuses("participants 0-2\nstart\nstop\n", 0, "rank 3 has nothing to do");
    refuses("participants 2-1\n", 1, "expected participants others");
    refuses("participants -1\n", 1, "expected participants others");
    refuses("participants 1x\n", 1, "expected participants others");
    refuses("participants 1-\n", 1, "expected participants others");
    refuses(OTHERS "start\nissue broadcast root x\nstop\n", 3, "[root RANK]");
    refuses(OTHERS "start\nissue bcst\nstop\n", 3, "expected issue OPERATION");
    refuses(OTHERS "start\nissue broadcast bytes -1\nstop\n", 3, "[bytes SIZE]");
    refuses(OTHERS "start\nissue broadcast colour red\nstop\n", 3, "[root RANK] [bytes SIZE]");
    refuses(OTHERS "start\ndelay soon\nstop\n", 3, "expected delay [MICROSECONDS]");
    refuses(OTHERS "start now\nstop\n", 2, "expected start");
    refuses("", 0, "no participants");
    /* Would hang: */
    refuses(OTHERS "start\nissue barrier\nstop\nparticipants 1\nstart\nstop\n", 3, "hang");
    refuses(OTHERS "start\nissue operation\nsync\nstop\n"
                   "participants 1\nstart\nissue ibroadcast\nsync\nstop\n",
            8, "hang");
    refuses(OTHERS
            "start\nissue barrier\nstop\nparticipants 1\nstart\nissue ibarrier\nsync\nstop\n",
            7, "hang");
}
