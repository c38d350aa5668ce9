/* collprof plot: pictures on a page for a browser. */
#include "cli/cli.h"

#include "base/text.h"
#include "document/page.h"
#include "document/save.h"
#include "export/export.h"
#include "results/pairs_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plotting {
    char **file; /* as given: one directory, or files */
    size_t n_files;
    int picture;
    const char *output;
    double from, to; /* NaN if not given */
};

enum { ALL_PICTURES = 999 };

OPTION_TEXT(picture_name, n_run_pictures, run_pictures[i].name)
OPTION_TEXT(picture_summary, n_run_pictures, run_pictures[i].summary)

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
    {"output", 'o', "FILE", "write the page to FILE (DIR/pictures.html)", 0, option_take_text,
     AT(output), NULL},
    {"from", 0, "SEC", "start of a timeline, in seconds since the start of the run", 0,
     option_take_real, AT(from), SECONDS},
    {"to", 0, "SEC", "end of a timeline (without both: around a typical wait)", 0, option_take_real,
     AT(to), SECONDS},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct plotting *o = values;
    if (o->to <= (o->from > 0 ? o->from : 0))
        return option_refuse(parser, "--from is not before --to: expected a range of time");
    return 0;
}

static const struct option_program program = {
    .does = "Draws pictures of the run in DIR (collprof.out), or of FILE, a log of "
            "collbench-pairs, on a page for a browser; several logs with --output. JSON that a "
            "collbench program wrote is drawn by collprof report --format=html.",
    .options = entries,
    .listed = (const struct option_registry *const[]){&names, NULL},
    .check = check,
    .word = take_file,
    .arguments = "[DIR | FILE...]"};

/* Adds a picture of the run to D. False, with a message, if there is nothing to draw. */
static bool add_picture(const struct plotting *o, const struct run_picture *picture,
                        const struct profile *p, const char *directory, struct document *d)
{
    const bool asked = o->picture != ALL_PICTURES, traced = picture->traced;
    struct profile *trace = traced && (p->trace.on || asked) ? cli_load_trace(directory) : NULL;
    const struct timeline_view view = {o->from, o->to};
    bool found = (trace || !traced) && picture->add(d, trace ? trace : p, &view);
    if (found)
        picture_caption(d, trace ? trace : p);
    else
        cli_say("%s: nothing to draw: %s", picture->name,
                trace ? "a rank and a time with calls in them" : picture->needs);
    profile_free(trace);
    return found;
}

/* NULL if there is nothing to draw. */
static struct document *pictures_of_run(const struct plotting *o, const char *directory)
{
    struct profile *p = profile_load(directory);
    struct document *d = document_new("collprof-picture/1");
    bool any = false;
    for (size_t i = 0; i < n_run_pictures && p; i++)
        if (o->picture == ALL_PICTURES || (size_t)o->picture == i)
            any = add_picture(o, &run_pictures[i], p, directory, d) || any;
    profile_free(p);
    if (any)
        return d;
    document_free(d);
    return NULL;
}

/* DIR/pictures.html, or the file's name with the ending .html. */
static void name_page(const struct plotting *o, const char *source, char path[4400])
{
    const char *dot = strrchr(source, '.');
    bool ending = dot && dot > text_base_of(source);
    if (o->n_files && cli_is_file(source))
        snprintf(path, 4400, "%.*s.html", ending ? (int)(dot - source) : (int)strlen(source),
                 source);
    else
        snprintf(path, 4400, "%s/pictures.html", source);
}

static bool write_page(const struct document *d, const char *title, const char *target)
{
    struct save save;
    if (!save_open(&save, target))
        return false;
    page_write(d, title, save.out);
    if (!save_commit(&save))
        return false;
    if (strcmp(target, "-") != 0)
        cli_say("%s: open it in a browser%s", target,
                *page_charts ? "" : " (built without Chart.js: tables instead of pictures)");
    return true;
}

int cli_plot(int argc, char **argv)
{
    struct plotting o = {.picture = ALL_PICTURES, .from = NAN, .to = NAN};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &o};
    char path[4400];
    o.file = memory_alloc(((size_t)argc + 1) * sizeof *o.file);
    cli_parse(&parser, argc, argv);
    const char *source = o.n_files ? o.file[0] : CLI_DIRECTORY;
    const bool is_file = cli_is_file(source);
    if (!is_file && o.n_files > 1)
        cli_refuse("expected one directory, not '%s' and '%s'", source, o.file[1]);
    if (is_file && o.picture != ALL_PICTURES)
        cli_refuse("--picture is for the directory of a run, not for a file");
    if (is_file && cli_is_json(source))
        cli_refuse("%s is JSON: use: collprof report --format=html %s", source, source);
    if (o.output && strcmp(o.output, "-") != 0 && !text_ends_with(o.output, ".html"))
        cli_refuse("--output is '%s': expected a name that ends in .html", o.output);
    if (o.n_files > 1 && !o.output)
        cli_refuse("%zu files: use: --output=FILE for their page", o.n_files);
    name_page(&o, source, path);
    if (!o.output)
        cli_may_replace(path, NULL);
    struct document *d = is_file ? pairs_document(o.file, o.n_files) : pictures_of_run(&o, source);
    bool good = d && write_page(d, text_base_of(source), o.output ?: path);
    document_free(d);
    free(o.file);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
