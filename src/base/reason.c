#include "base/reason.h"

#include "base/memory.h"
#include "base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void reason_print_list(const char *program, const char *format, va_list arguments)
{
    FREED char *line = NULL;
    if (vasprintf(&line, format, arguments) < 0)
        return;
    quote_plain(line);
    dprintf(STDERR_FILENO, "%s: %s\n", program, line); /* one write: ranks' lines do not mix */
}

void reason_print(const char *program, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reason_print_list(program, format, arguments);
    va_end(arguments);
}

static _Thread_local char *given; /* stored lines, each with a newline; NULL: none */

bool reason_give(const char *format, ...)
{
    FREED char *line = NULL;
    char *all = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    quote_plain(line);
    if (!(given && strstr(given, line)) &&
        asprintf(&all, "%s%s\n", given ? given : "", line) >= 0) {
        free(given);
        given = all;
    }
    return false;
}

void reason_print_stored(const char *program)
{
    char *rest = NULL;
    for (char *line = given ? strtok_r(given, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        reason_print(program, "%s", line);
    free(given);
    given = NULL;
}
