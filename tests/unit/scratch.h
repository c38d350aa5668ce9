/* A directory of a test's own: the fixtures of a suite, or called by a test itself. */
#pragma once

#include "unit.h"

static char scratch[40];

static inline void scratch_make(void)
{
    strcpy(scratch, "/tmp/collprof-test.XXXXXX");
    cr_assert_not_null(mkdtemp(scratch));
}

/* TEXT as its file NAME. */
static inline void scratch_write(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *out = fopen(path, "w");
    cr_assert(out && fputs(text, out) >= 0 && !fclose(out));
}

/* The begin of its file NAME, as much as fits into TEXT. */
static inline void scratch_read(const char *name, char *text, size_t room)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *in = fopen(path, "r");
    cr_assert_not_null(in);
    text[fread(text, 1, room - 1, in)] = '\0';
    fclose(in);
}

/* With all that is in it. */
static inline void scratch_remove(void)
{
    char command[60];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    cr_assert_eq(system(command), 0);
}
