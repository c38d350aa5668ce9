/* Reads scenarios from text; collbench-scenario(1) has the grammar. */
#pragma once

#include "measure/scenario/scenario.h"

#include <stdio.h>

/* Texts of the three scenarios of Gracia, Niethammer and Sethi: 1 a collective alone, 2 with a
 * delayed participant, 3 with computation. */
extern const char *const scenarios[3];

/* Reads one scenario, named NAME if the file does not name it. A value that the file omits becomes
 * a placeholder, SWEPT_..., for that of the sweep. False, with the reason in WHY, after a syntax
 * error. Errors that depend on the number of ranks are left to scenario_check(). */
bool scenario_read(FILE *file, const char *name, struct scenario *s, char why[SCENARIO_WHY]);
