/* collprof plot: pictures of a run. */
#include "cli/cli.h"

#include "base/text.h"
#include "document/draw.h"
#include "document/gnuplot.h"
#include "export/export.h"
#include "results/pairs_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plotting {
    char **file; /* all that were given: one directory, or files */
    size_t n_files;
    int picture;
    const char *output;
    double from, to; /* NaN: not given */
};

enum { ALL_PICTURES = 999 };

static const char *picture_name(size_t i)
{
    return i < n_run_pictures ? run_pictures[i].name : NULL;
}

static const char *picture_summary(size_t i)
{
    return run_pictures[i].summary;
}

static const struct option_registry names = {"picture", picture_name, picture_summary, NULL};

static error_t take_file(struct option_parser *parser, void *values, char *word)
{
    struct plotting *o = values;
    (void)parser;
    o->file[o->n_files++] = word;
    return 0;
}

#define AT(member) offsetof(struct plotting, member)
#define SECONDS                                                                                    \
    &(const struct option_limits)                                                                  \
    {                                                                                              \
        0, 1e9, "a number of seconds"                                                              \
    }
static const struct option_entry entries[] = {
    {"picture", 0, "NAME", "only one of those below", 0, option_take_word, AT(picture), &names},
    {"output", 'o', "FILE", "write the one picture to FILE, .png or .svg (DIR/NAME.png)", 0,
     option_take_text, AT(output), NULL},
    {"from", 0, "SEC", "of a timeline: from there, seconds since the start of the run", 0,
     option_take_real, AT(from), SECONDS},
    {"to", 0, "SEC", "of a timeline: up to there (with neither: around the longest wait)", 0,
     option_take_real, AT(to), SECONDS},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct plotting *o = values;
    if (o->to <= (o->from > 0 ? o->from : 0))
        return option_refuse(parser, "--from is not before --to: expected a range of time");
    return 0;
}

static const struct option_program program = {
    .does = "Draws pictures of the run in DIR (collprof.out), or of FILE, which a collbench "
            "program wrote as JSON; or of logs of collbench-pairs, several with --output.",
    .options = entries,
    .listed = (const struct option_registry *const[]){&names, NULL},
    .check = check,
    .word = take_file,
    .arguments = "[DIR | FILE...]"};

/* One picture of the run to PATH; says so where there is nothing to draw. */
static bool draw_one(const struct plotting *o, const struct run_picture *picture,
                     const struct profile *p, const char *directory, const char *path)
{
    const bool asked = o->picture != ALL_PICTURES;
    struct profile *trace =
        picture->traced && (p->trace.on || asked) ? cli_load_trace(directory) : NULL;
    const char *needs = trace ? "a rank and a time with calls in them" : picture->needs;
    const struct timeline_view view = {o->from, o->to};
    struct document *d = document_new("collprof-picture/1");
    bool found = (trace || !picture->traced) && picture->add(d, trace ? trace : p, &view);
    if (found)
        picture_caption(d, trace ? trace : p);
    else
        cli_say("%s: nothing to draw: %s", picture->name, needs);
    bool drawn = found && document_draw(d, path);
    if (drawn)
        cli_say("%s: %s", path, picture->summary);
    document_free(d);
    profile_free(trace);
    return drawn || (!found && !asked);
}

static bool draw(const struct plotting *o, const struct profile *p, const char *directory)
{
    bool good = true;
    char path[4400];
    for (size_t i = 0; i < n_run_pictures; i++) {
        if (o->picture != ALL_PICTURES && (size_t)o->picture != i)
            continue;
        snprintf(path, sizeof path, "%s/%s.png", directory, run_pictures[i].name);
        if (!o->output)
            cli_may_replace(path, NULL);
        good = draw_one(o, &run_pictures[i], p, directory, o->output ? o->output : path) && good;
    }
    return good;
}

/* What the bench programs have written: documents as JSON, latencies of pairs as a log. FILE.log
 * becomes FILE.png. */
static bool draw_files(const struct plotting *o)
{
    char path[4400];
    const char *target = o->output ? o->output : path, *dot = strrchr(o->file[0], '.');
    bool json = cli_is_json(o->file[0]);
    for (size_t i = 1; i < o->n_files; i++)
        if (cli_is_json(o->file[i]) != json)
            cli_refuse("'%s' and '%s' are not alike: use logs or JSON", o->file[0], o->file[i]);
    if (json && o->n_files > 1)
        cli_refuse("'%s' is one file of JSON too many", o->file[1]);
    if (!o->output && o->n_files > 1)
        cli_refuse("%zu files: use: --output=FILE for their picture", o->n_files);
    bool ending = dot && dot > text_base_of(o->file[0]);
    snprintf(path, sizeof path, "%.*s.png",
             ending ? (int)(dot - o->file[0]) : (int)strlen(o->file[0]), o->file[0]);
    if (!o->output)
        cli_may_replace(path, NULL);
    struct document *d = json ? NULL : pairs_document(o->file, o->n_files);
    bool good = json ? document_draw_file(o->file[0], target) : d && document_draw(d, target);
    document_free(d);
    if (good)
        cli_say("%s: from %s%s", target, o->file[0], o->n_files > 1 ? " and others" : "");
    return good;
}

int cli_plot(int argc, char **argv)
{
    struct plotting o = {.picture = ALL_PICTURES, .from = NAN, .to = NAN};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &o};
    o.file = memory_alloc(((size_t)argc + 1) * sizeof *o.file);
    cli_parse(&parser, argc, argv);
    const char *source = o.n_files ? o.file[0] : CLI_DIRECTORY;
    bool is_file = cli_is_file(source), good;
    if (!is_file && o.n_files > 1)
        cli_refuse("expected one directory, not '%s' and '%s'", source, o.file[1]);
    if (is_file && o.picture != ALL_PICTURES)
        cli_refuse("--picture is for the directory of a run, not for a file");
    if (!is_file && o.output && o.picture == ALL_PICTURES)
        cli_refuse("--output names one file: use --picture=NAME with it");
    if (o.output && !gnuplot_path_valid(o.output)) {
        reason_tell(cli_name);
        return STATUS_USAGE;
    }
    if (is_file) {
        good = draw_files(&o);
    } else {
        struct profile *p = profile_load(source);
        good = p && draw(&o, p, source);
        profile_free(p);
    }
    free(o.file);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
