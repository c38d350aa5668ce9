/* collprof plot: pictures of a run. */
#include "cli/cli.h"

#include "report/pictures.h"
#include "report/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *name, *directory, *output, *picture;
    long top;
};

static const struct argp_option options[] = {
    {"picture", 'p', "NAME", 0,
     "only one: durations (of the costliest call sites' calls), ranks (time in MPI by rank), "
     "arrivals (how late ranks enter collectives, over time), sizes (time by message size)",
     0},
    {"output", 'o', "FILE", 0, "write the one picture to FILE, .png or .svg (DIR/NAME.png)", 0},
    {"top", 't', "N", 0, "lines in a picture (6)", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'p':
        o->picture = argument;
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case 't':
        o->top = cli_lines(o->name, argument);
        return 0;
    case ARGP_KEY_ARG:
        if (o->directory)
            cli_refuse(o->name, "'%s' is one directory too many", argument);
        o->directory = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(const struct options *o)
{
    char known[200] = "";
    bool found = !o->picture;
    for (size_t i = 0; i < n_pictures; i++) {
        found = found || !strcmp(pictures[i].name, o->picture);
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 pictures[i].name);
    }
    if (!found)
        cli_refuse(o->name, "there is no picture '%s': one of %s would be right", o->picture,
                   known);
    if (o->output && !o->picture)
        cli_refuse(o->name, "--output names one file: --picture=NAME says which picture");
    if (o->output && !plot_path_valid(o->output))
        exit(CLI_USAGE);
}

static bool draw(const struct options *o, const struct profile *p, const char *directory)
{
    bool good = true;
    for (size_t i = 0; i < n_pictures; i++) {
        char path[4400];
        if (o->picture && strcmp(o->picture, pictures[i].name))
            continue;
        snprintf(path, sizeof path, "%s/%s.png", directory, pictures[i].name);
        const char *target = o->output ? o->output : path;
        enum picture_result result = pictures[i].draw(p, target, (size_t)o->top);
        if (result == PICTURE_DRAWN)
            printf("%s: %s\n", target, pictures[i].summary);
        else if (result == PICTURE_EMPTY)
            printf("%s: nothing to draw: %s\n", pictures[i].name, pictures[i].needs);
        good = good && result != PICTURE_FAILED && (result == PICTURE_DRAWN || !o->picture);
    }
    return good;
}

int cli_plot(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "[DIR]", "Draws pictures of the run in DIR (collprof.out), by gnuplot.",
        NULL,    NULL,  NULL};
    struct options o = {.name = argv[0], .top = 6};
    cli_parse(&argp, argc, argv, 0, &o);
    check(&o);
    const char *directory = o.directory ? o.directory : "collprof.out";
    struct profile *p = profile_load(directory);
    bool good = p && draw(&o, p, directory);
    profile_free(p);
    return good && cli_flush(o.name) ? 0 : 1;
}
