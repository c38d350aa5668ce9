/* collprof compare: what changed from one run to another. */
#include "cli/cli.h"

#include "page/compare.h"

#include <stdio.h>
#include <stdlib.h>

struct options {
    const char *name, *directory[2];
    int n;
    struct compare_options compare;
};

static const struct argp_option options[] = {
    {"top", 't', "N", 0, "lines in each table (10)", 0},
    {"figure", 'f', "KEY", 0,
     "which figure is compared, named as in collprof-export(1): calls, p99, wait... "
     "(time_per_rank)",
     0},
    {"width", 'w', "COLUMNS", 0, "width of the page, from 80 (the terminal's, or 112)", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 't':
        o->compare.top = cli_lines(o->name, argument);
        return 0;
    case 'f':
        o->compare.figure = cli_figure(o->name, "figure", argument);
        return 0;
    case 'w':
        o->compare.width = cli_width(o->name, argument);
        return 0;
    case ARGP_KEY_ARG:
        if (o->n == 2)
            cli_refuse(o->name, "'%s' is one directory too many: two would be right", argument);
        o->directory[o->n++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (o->n < 2)
            cli_refuse(o->name, "two directories are needed, of the run before and the run after");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cli_compare(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "DIR1 DIR2",
        "Shows what changed from the run in DIR1 to the one in DIR2, by operation and call site, "
        "largest change first. Call sites are the same if file, line and callers are; what is left "
        "over is matched by the names of the functions, as lines move when a program is edited.",
        NULL,
        NULL,
        NULL};
    struct options o = {.name = argv[0], .compare = {.top = 10}};
    cli_parse(&argp, argc, argv, 0, &o);
    struct profile *before = profile_load(o.directory[0]);
    struct profile *after = before ? profile_load(o.directory[1]) : NULL;
    if (after)
        compare_text(before, after, o.directory[0], o.directory[1], stdout, &o.compare);
    bool good = after && cli_flush(o.name);
    profile_free(before);
    profile_free(after);
    return good ? 0 : 1;
}
