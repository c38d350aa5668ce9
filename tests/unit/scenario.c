/* The paper's scenarios: what each participant does, in its order. */
#include "measure/scenario/scenario.h"

#include <criterion/criterion.h>
#include <string.h>

/* Letters of start, delay, issue, comp, sync and stop. */
static void does(const enum action *actions, const char *want)
{
    char text[SCENARIO_ACTIONS + 1] = "";
    size_t n = 0;
    do
        text[n] = "sdicy."[actions[n]];
    while (actions[n++] != ACTION_STOP);
    cr_expect_str_eq(text, want);
}

Test(scenario, actions_of_the_paper)
{
    does(scenarios[0].delayed, "siy.");
    does(scenarios[0].others, "siy.");
    does(scenarios[1].delayed, "sdiy.");
    does(scenarios[1].others, "siy.");
    does(scenarios[2].delayed, "sicy.");
    does(scenarios[2].others, "sicy.");
    for (int i = 0; i < N_SCENARIOS; i++)
        cr_expect(scenarios[i].delays == (i == 1) && scenarios[i].computes == (i == 2));
}
