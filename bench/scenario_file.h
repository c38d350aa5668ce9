/* Scenarios of one's own, from a file: collbench-scenario(1) has the grammar. A line each:
 *
 *   # a comment, to the end of the line
 *   scenario NAME, and what it shows
 *   participants others | last | delayed | RANK | FIRST-LAST
 *     start
 *     issue OPERATION [root RANK] [bytes SIZE]     OPERATION may be "operation"
 *     sync
 *     comp [MICROSECONDS]
 *     delay [MICROSECONDS]
 *     stop
 *
 * Omitted values are those of the sweep. */
#pragma once

#include "measure/scenario/scenario.h"

#include <stdio.h>

/* The paper's three: 1 collective only, 2 with a delayed participant, 3 with computation. */
extern const char *const scenarios[3];

/* Reads one scenario, named NAME if the file does not name it. False with WHY; what depends on the
 * number of ranks is checked by scenario_check(). */
bool scenario_read(FILE *file, const char *name, struct scenario *s, char why[SCENARIO_WHY]);
