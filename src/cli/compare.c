/* collprof compare: what changed from some runs to others. */
#include "cli/cli.h"

#include "compare/differences.h"
#include "compare/evidence.h"
#include "export/export.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    const char **directory;
    size_t n, before; /* directories; those before the -- */
    double share;     /* --fail-above; NAN: not given */
    size_t format;
    const char *figure;
    long top;
    int width;
};

static const struct {
    const char *name;
    void (*put)(const struct differences_page *p, FILE *out);
} formats[] = {{"text", differences_text},
               {"json", differences_json},
               {"markdown", differences_markdown},
               {"junit", differences_junit},
               {"html", export_differences_page}};

static const char *format_name(size_t i)
{
    return i < sizeof formats / sizeof *formats ? formats[i].name : NULL;
}

static const struct argp_option options[] = {
    {"fail-above", 'a', "PERCENT", 0,
     "exit with status 3 if the run, or anything in it, grew by more than this much of the run, as "
     "far as can be told from noise: 5%; for five runs a side and more",
     0},
    {"format", 'F', "FORMAT", 0, "text, json, markdown, junit or html (text)", 0},
    {"top", 't', "N", 0, "lines in each table (10)", 0},
    {"figure", 'f', "KEY", 0,
     "of one run and another: which figure is compared in the tables, named as in "
     "collprof-export(1): calls, p99, wait... (time_per_rank)",
     0},
    {"width", 'w', "COLUMNS", 0, "width of the page, from 80 (the terminal's, or 112)", 0},
    {0}};

/* What stands for "--" on its way through argp, which would swallow it. */
static char against[] = "(against)";

static double share_of(const char *text)
{
    char *end;
    double percent = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) || !(percent >= 0) || percent > 1000)
        cli_refuse("--fail-above is '%s': a percentage such as 5%% would be right", text);
    return percent / 100;
}

static void take_directory(struct options *o, char *argument)
{
    if (argument == against) {
        if (o->before)
            cli_refuse("a second --: the runs before, --, the runs after would be right");
        if (!o->n)
            cli_refuse("no run before the --: A... -- B... would be right");
        o->before = o->n;
    } else {
        o->directory[o->n++] = argument;
    }
}

static void check(struct options *o)
{
    if (o->n == 2 && !o->before)
        o->before = 1;
    if (o->n < 2 || o->before == o->n)
        cli_refuse("runs before and after are needed: A... -- B..., or two directories");
    if (!o->before)
        cli_refuse("%zu directories, and no -- between the runs before and the runs after: A... -- "
                   "B... would be right",
                   o->n);
    if (!isnan(o->share) && !evidence_enough(o->before, o->n - o->before))
        cli_refuse("--fail-above with %zu and %zu runs: so few cannot tell a change from noise: "
                   "five a side would be right (collprof repeat makes them)",
                   o->before, o->n - o->before);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'a':
        o->share = share_of(argument);
        return 0;
    case 'F':
        o->format = cli_choice("--format is", argument, format_name);
        return 0;
    case 't':
        o->top = cli_lines(argument);
        return 0;
    case 'f':
        o->figure = cli_figure("figure", argument);
        return 0;
    case 'w':
        o->width = cli_width(argument);
        return 0;
    case ARGP_KEY_ARG:
        take_directory(o, argument);
        return 0;
    case ARGP_KEY_END:
        check(o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The same run twice would look as if nothing ever varied. */
static void refuse_twice(const struct options *o)
{
    for (size_t i = 0; i < o->n && o->n > 2; i++)
        for (size_t k = i + 1; k < o->n; k++) {
            struct stat one, other;
            if (!stat(o->directory[i], &one) && !stat(o->directory[k], &other) &&
                one.st_dev == other.st_dev && one.st_ino == other.st_ino)
                cli_refuse("%s and %s are the same run: each may be given once", o->directory[i],
                           o->directory[k]);
        }
}

/* Returns the exit status. */
static int compare_runs(const struct options *o, struct profile *const *run)
{
    refuse_twice(o);
    struct differences *d = differences_find(run, o->before, o->n - o->before);
    const struct differences_page page = {d, o->directory, o->share, o->top};
    text_set_width(text_width_of(stdout, o->width));
    formats[o->format].put(&page, stdout);
    if (o->n == 2 && !o->format)
        differences_two(&page, o->figure, stdout);
    bool failed = !isnan(o->share) && differences_above(d, o->share);
    differences_free(d);
    return failed ? CLI_CHANGED : 0;
}

int cli_compare(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "A... -- B...\nDIR1 DIR2",
        .doc = "Shows what changed from the runs in the directories A to those in B, and what of "
               "it can be told from noise: causes first, then what follows from them. Five runs a "
               "side can tell; collprof repeat makes them. Call sites are the same if file, line "
               "and callers are; what is left over is matched by the names of the functions, as "
               "lines move when a program is edited."};
    struct options o = {.share = NAN, .top = 10};
    o.directory = calloc((size_t)argc + 1, sizeof *o.directory);
    struct profile **run = calloc((size_t)argc + 1, sizeof *run);
    if (!o.directory || !run)
        cli_refuse("out of memory");
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            argv[i] = against;
    cli_parse(&argp, argc, argv, 0, &o);
    size_t loaded = 0;
    while (loaded < o.n && (run[loaded] = profile_load(o.directory[loaded])))
        loaded++;
    int status = loaded == o.n ? compare_runs(&o, run) : 1;
    if (!cli_flush())
        status = 1;
    for (size_t i = 0; i < loaded; i++)
        profile_free(run[i]);
    free(run);
    free(o.directory);
    return status;
}
