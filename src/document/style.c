#include "document/style.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local bool is_on;

void style_set(enum style_when when, FILE *out)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    int file = fileno(out);
    is_on = when == STYLE_ALWAYS || (when == STYLE_AUTO && !(refused && *refused) && terminal &&
                                     strcmp(terminal, "dumb") != 0 && file >= 0 && isatty(file));
}

const char *style_on(enum style style)
{
    static const char *const code[] = {"\033[1m", "\033[33m", "\033[2m"};
    return is_on ? code[style] : "";
}

const char *style_off(void)
{
    return is_on ? "\033[0m" : "";
}
