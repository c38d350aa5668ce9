/* collprof plot: pictures of a run. */
#include "cli/cli.h"

#include "base/input.h"
#include "document/draw.h"
#include "document/gnuplot.h"
#include "document/load.h"
#include "export/pictures.h"
#include "picture/plot.h"
#include "report/rows.h"
#include "results/pairs_document.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    const char *directory, *output, *picture;
    char **file; /* all that were given, DIRECTORY first */
    size_t n_files;
    long top;
    bool show, force;
    struct picture_view view;
};

enum { FROM = 256, TO, RANKS, SHOW, FORCE };

static const struct argp_option options[] = {
    {"picture", 'p', "NAME", 0, "only one of those below", 0},
    {"output", 'o', "FILE", 0, "write the one picture to FILE, .png or .svg (DIR/NAME.png)", 0},
    {"top", 't', "N", 0, "lines in a picture (6)", 0},
    {"show", SHOW, NULL, 0, "open what was drawn, by BROWSER or xdg-open", 0},
    {"from", FROM, "SEC", 0, "of a timeline: draw from there, seconds since the start of the run",
     0},
    {"to", TO, "SEC", 0, "of a timeline: up to there (with neither: around the longest wait)", 0},
    {"ranks", RANKS, "LIST", 0, "of a timeline: only these ranks, as 0-3,7", 0},
    {"force", FORCE, NULL, 0, "replace files of these names also if collprof has not made them", 0},
    {0}};

static const char *picture_name(size_t i)
{
    return i < n_run_pictures ? run_pictures[i].name : NULL;
}

/* What is declared in export/pictures.c, as help. For free(). */
static char *describe(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    (void)input;
    FILE *out = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (!out)
        return (char *)text;
    fputs("Pictures:\n", out);
    for (size_t i = 0; i < n_run_pictures; i++)
        fprintf(out, "  %-11s %s\n", run_pictures[i].name, run_pictures[i].summary);
    fclose(out);
    return list;
}

static double seconds(const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value < 1e9))
        cli_refuse("%s is '%s': a number of seconds would be right", option, text);
    return value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'p':
        o->picture = run_pictures[cli_choice("there is no picture", argument, picture_name)].name;
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case 't':
        o->top = cli_lines(argument);
        return 0;
    case FROM:
        o->view.from = seconds("--from", argument);
        return 0;
    case TO:
        o->view.to = seconds("--to", argument);
        return 0;
    case RANKS:
        if (picture_ranks_valid(argument))
            cli_refuse("--ranks is '%s': %s would be right", argument,
                       picture_ranks_valid(argument));
        o->view.ranks = argument;
        return 0;
    case SHOW:
        o->show = true;
        return 0;
    case FORCE:
        o->force = true;
        return 0;
    case ARGP_KEY_ARG:
        o->directory = o->directory ? o->directory : argument;
        o->file = &state->argv[state->next - 1 - (int)o->n_files++];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(const struct options *o)
{
    if (o->view.to >= 0 && o->view.to <= fmax(0, o->view.from))
        cli_refuse("--from is not before --to: a range of time would be right");
    if (o->output && !gnuplot_path_valid(o->output))
        cli_give_up(CLI_USAGE);
}

static bool chosen(const struct options *o, const struct run_picture *picture)
{
    return !o->picture || !strcmp(o->picture, picture->name);
}

/* Whatever the user has not named is replaced only if it is a picture of ours. */
static void check_targets(const struct options *o, const char *directory)
{
    char path[4400];
    if (o->output)
        return;
    for (size_t i = 0; i < n_run_pictures; i++) {
        snprintf(path, sizeof path, "%s/%s.png", directory, run_pictures[i].name);
        if (chosen(o, &run_pictures[i]))
            cli_may_replace(path, o->force, "--output", NULL);
    }
}

/* One picture of the run to PATH; says so where there is nothing to draw. */
static bool draw_one(const struct options *o, const struct run_picture *picture,
                     const struct profile *p, const char *directory, const char *path)
{
    struct profile *trace =
        picture->traced && (p->trace.on || o->picture) ? cli_load_trace(directory) : NULL;
    const char *needs = trace ? "a rank and a time with calls in them" : picture->needs;
    struct picture_view view = o->view;
    view.top = (size_t)o->top;
    struct document *d = document_new("collprof-picture/1");
    bool found = d && (trace || !picture->traced) && picture->add(d, trace ? trace : p, &view);
    if (found)
        picture_caption(d, p);
    else
        cli_say("%s: nothing to draw: %s", picture->name, needs);
    bool drawn = found && document_draw_one(d, 0, path);
    if (drawn)
        cli_say("%s: %s", path, picture->summary);
    document_free(d);
    profile_free(trace);
    return drawn ? !o->show || cli_show(path) : !found && !o->picture;
}

static bool draw(const struct options *o, const struct profile *p, const char *directory)
{
    bool good = true;
    for (size_t i = 0; i < n_run_pictures; i++) {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s.png", directory, run_pictures[i].name);
        if (chosen(o, &run_pictures[i]))
            good =
                draw_one(o, &run_pictures[i], p, directory, o->output ? o->output : path) && good;
    }
    return good;
}

/* FILE.log becomes FILE.png. */
static void picture_path(const char *file, char *path, size_t room)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    bool ending = dot && (!slash || dot > slash + 1) && dot > file;
    snprintf(path, room, "%.*s.png", ending ? (int)(dot - file) : (int)strlen(file), file);
}

static bool is_json(const char *file)
{
    const char *why;
    FILE *in = input_file(AT_FDCWD, file, &why);
    int first = in ? fgetc(in) : EOF;
    while (first == ' ' || first == '\n')
        first = fgetc(in);
    if (in)
        fclose(in);
    return first == '{';
}

/* Documents of the bench programs, and logs of pairs. */
static bool draw_documents(const struct options *o, bool json, const char *target)
{
    char why[1000];
    struct document *d = json ? document_load(o->file, o->n_files, why, sizeof why)
                              : pairs_document(o->file, o->n_files);
    bool good = d ? document_draw(d, target) : json && reason_give("%s", why);
    document_free(d);
    return good;
}

/* What the bench programs have written: documents as JSON, latencies as a log. */
static bool draw_files(const struct options *o)
{
    char path[4400];
    bool json = is_json(o->file[0]);
    picture_path(o->file[0], path, sizeof path);
    const char *target = o->output ? o->output : path;
    for (size_t i = 1; i < o->n_files; i++)
        if (is_json(o->file[i]) != json)
            cli_refuse("'%s' and '%s' are not alike: logs or JSON would be right", o->file[0],
                       o->file[i]);
    if (!o->output && o->n_files > 1)
        cli_refuse("%zu files: --output=FILE for their picture would be right", o->n_files);
    if (!o->output)
        cli_may_replace(target, o->force, "--output", NULL);
    bool good = draw_documents(o, json, target);
    if (good)
        cli_say("%s: from %s%s", target, o->file[0], o->n_files > 1 ? " and others" : "");
    return good && (!o->show || cli_show(target));
}

static bool draw_run(const struct options *o, const char *directory)
{
    check_targets(o, directory);
    struct profile *p = profile_load(directory);
    bool good = p && draw(o, p, directory);
    profile_free(p);
    return good;
}

int cli_plot(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[DIR | FILE...]",
        .doc = "Draws pictures of the run in DIR (collprof.out), or of a FILE that collbench-pairs "
               "(its log) or another benchmark (JSON) wrote, of several a row each, by gnuplot.\v",
        .help_filter = describe};
    struct options o = {.top = 6, .view = {.from = -1, .to = -1}};
    struct stat st;
    cli_parse(&argp, argc, argv, 0, &o);
    check(&o);
    const char *source = o.directory ? o.directory : CLI_DIRECTORY;
    bool is_file = !stat(source, &st) && S_ISREG(st.st_mode);
    if (!is_file && o.n_files > 1)
        cli_refuse("'%s' is one directory too many", o.file[1]);
    if (is_file && o.picture)
        cli_refuse("--picture is for the directory of a run, not for a file");
    if (!is_file && o.output && !o.picture)
        cli_refuse("--output names one file: --picture=NAME says which picture");
    bool good = is_file ? draw_files(&o) : draw_run(&o, source);
    return cli_flush() && good ? 0 : 1;
}
