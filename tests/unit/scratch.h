/* A directory of a test's own: the fixtures of a suite, or called by a test itself. */
#ifndef COLLPROF_TESTS_SCRATCH_H
#define COLLPROF_TESTS_SCRATCH_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char scratch[40];

static inline void scratch_make(void)
{
    strcpy(scratch, "/tmp/collprof-test.XXXXXX");
    cr_assert_not_null(mkdtemp(scratch));
}

/* With all that is in it. */
static inline void scratch_remove(void)
{
    char command[60];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    cr_assert_eq(system(command), 0);
}

#endif
