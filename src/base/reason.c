#include "base/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char *given; /* lines; NULL: none */

bool reason_give(const char *format, ...)
{
    char *line = NULL, *all = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    if (!(given && strstr(given, line)) &&
        asprintf(&all, "%s%s\n", given ? given : "", line) >= 0) {
        free(given);
        given = all;
    }
    free(line);
    return false;
}

void reason_tell(const char *program)
{
    char *rest = NULL;
    for (char *line = given ? strtok_r(given, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        fprintf(stderr, "%s: %s\n", program, line);
    free(given);
    given = NULL;
}
