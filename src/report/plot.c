#include "report/plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

bool plot_path_valid(const char *path)
{
    if (ends_with(path, ".png") || ends_with(path, ".svg"))
        return true;
    fprintf(stderr, "%s: cannot draw %s: a name that ends in .png or .svg is needed\n",
            program_invocation_short_name, path);
    return false;
}
