/* collprof report: the report of a run again, also of one that did not get so far. */
#include "cli/cli.h"

#include "data/data.h"
#include "document/json_file.h"
#include "document/save.h"
#include "picture/timeline_draw.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *directory;
    const char *html_file;
    bool json, html, show, force;
    struct report_options report;
    struct filter filter;
};

enum { SHOW = 256, ONLY, RANK, COMM, REGION, COLOR, FORCE };

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print the whole profile as JSON, see collprof-profile(5)", 0},
    {"html", 'h', "FILE", OPTION_ARG_OPTIONAL,
     "write the report as one page for a browser to FILE (DIR/report.html)", 0},
    {"show", SHOW, NULL, 0, "with --html: open the page by BROWSER or xdg-open", 0},
    {"force", FORCE, NULL, 0, "replace DIR/report.html also if it is not a page of collprof", 0},
    {"explain", 'e', NULL, 0, "say under each table what each of its columns means", 0},
    {"width", 'w', "COLUMNS", 0, "width of the page, from 80 (the terminal's, or 112)", 0},
    {"top", 't', "N", 0, "lines in each table (10)", 0},
    {"sort", 's', "KEY", 0,
     "order tables by this figure, named as in collprof-export(1): calls, bytes, max, wait... "
     "(time)",
     0},
    {"only", ONLY, "NAME", 0, "show only calls of this operation, as Bcast or 'I*'", 0},
    {"rank", RANK, "N", 0, "show only what is known of this rank by itself", 0},
    {"comm", COMM, "NAME", 0, "show only calls on communicators of this name", 0},
    {"region", REGION, "NAME", 0, "show only calls inside of this region", 0},
    {"color", COLOR, "WHEN", 0,
     "bold and colour: always, never, or auto, on a terminal unless NO_COLOR is set (auto)", 0},
    {0}};

static const char *color_when(size_t i)
{
    static const char *const when[] = {
        [STYLE_AUTO] = "auto", [STYLE_ALWAYS] = "always", [STYLE_NEVER] = "never"};
    return i < sizeof when / sizeof *when ? when[i] : NULL;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 't':
        o->report.top = cli_lines(argument);
        return 0;
    case 's':
        o->report.sort = cli_figure("sort", argument);
        return 0;
    case 'h':
        o->html = true;
        o->html_file = argument;
        return 0;
    case FORCE:
        o->force = true;
        return 0;
    case 'e':
        o->report.explain = true;
        return 0;
    case 'w':
        o->report.width = cli_width(argument);
        return 0;
    case SHOW:
        o->show = true;
        return 0;
    case ONLY:
        o->filter.only = argument;
        return 0;
    case RANK:
        o->filter.one_rank = true;
        o->filter.rank = (int)cli_number("rank", argument, 0, INT32_MAX, "the number of a rank");
        return 0;
    case COMM:
        o->filter.comm = argument;
        return 0;
    case REGION:
        o->filter.region = argument;
        return 0;
    case COLOR:
        o->report.color = (enum style_when)cli_choice("--color is", argument, color_when);
        return 0;
    case ARGP_KEY_ARG:
        if (o->directory)
            cli_refuse(
                "two directories, %s and %s: one would be right, or `collprof compare` for two",
                o->directory, argument);
        o->directory = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The picture of a traced run as SVG, for free(); NULL where it cannot be drawn. */
static char *timeline_of(const char *directory)
{
    char place[] = "/tmp/collprof-XXXXXX", path[64], *text = NULL;
    size_t size = 0;
    struct profile *trace = profile_load_trace(directory);
    if (!trace || !mkdtemp(place)) {
        profile_free(trace);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/timeline.svg", place);
    FILE *in =
        timeline_draw(trace, path, &(struct picture_view){.from = -1, .to = -1}) == PICTURE_DRAWN
            ? fopen(path, "r")
            : NULL;
    if (in && getdelim(&text, &size, '\0', in) > 0) {
        char *begin = strstr(text, "<svg"); /* what comes before is not for the inside of a page */
        if (begin)
            memmove(text, begin, strlen(begin) + 1);
    }
    if (in)
        fclose(in);
    unlink(path);
    rmdir(place);
    profile_free(trace);
    return text;
}

static bool finish_html(const struct options *o, struct save *save, const char *target)
{
    if (!save_commit(save))
        return false;
    if (strcmp(target, "-"))
        cli_say("%s: open it in a browser", target);
    return !o->show || cli_show(target);
}

static bool write_html(const struct options *o, const struct profile *p)
{
    char path[4400];
    struct save save;
    snprintf(path, sizeof path, "%s/report.html", o->report.directory);
    const char *target = o->html_file ? o->html_file : path;
    if (!o->html_file)
        cli_may_replace(target, o->force, "--html=FILE", NULL);
    if (!save_open(&save, target))
        return false;
    char *timeline = p->trace.on ? timeline_of(o->report.directory) : NULL;
    data_html(p, filter_is_on(&o->filter) ? &o->filter : NULL, timeline, save.out);
    free(timeline);
    return finish_html(o, &save, target);
}

/* What a benchmark has written: FILE.json becomes FILE.html. */
static bool write_document(const struct options *o)
{
    char path[4400];
    const char *file = o->directory, *dot = strrchr(file, '.');
    char why[1000];
    struct save save;
    if (!o->html)
        cli_refuse("%s is a file: --html for results of a benchmark, or the directory of a run, "
                   "would be right",
                   file);
    json_t *document = json_file_load(file, why, sizeof why);
    if (!data_is_document(document)) {
        reason_say(cli_name, "%s%swhat collbench-* write with --format=json would be right",
                   document ? file : why, document ? ": " : "; ");
        json_decref(document);
        return false;
    }
    snprintf(path, sizeof path, "%.*s.html",
             dot && !strcmp(dot, ".json") ? (int)(dot - file) : (int)strlen(file), file);
    const char *target = o->html_file ? o->html_file : path;
    if (!o->html_file)
        cli_may_replace(target, o->force, "--html=FILE", NULL);
    bool good = save_open(&save, target);
    if (good) {
        data_html_document(document, save.out);
        good = finish_html(o, &save, target);
    }
    json_decref(document);
    return good;
}

/* Where there is no line of its own for it. */
static void mark_part(struct profile *p, const struct filter *f)
{
    char *text = filter_sentences(f), *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        profile_warn(p, "%s", line);
    free(text);
}

int cli_report(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[DIR | FILE]",
        .doc = "Shows the report of a run from the directory that `collprof run -o DIR` wrote "
               "(collprof.out). Of a run that crashed or was killed, the raw records of its ranks "
               "are read, and the report says which are incomplete.  With --html also results that "
               "collbench-* have written to FILE as JSON."};
    struct options o = {.report = {.top = 10}};
    cli_parse(&argp, argc, argv, 0, &o);
    if (o.json && o.html)
        cli_refuse("--json and --html: one of them would be right");
    struct stat st;
    if (o.directory && !stat(o.directory, &st) && S_ISREG(st.st_mode))
        return write_document(&o) && cli_flush() ? 0 : 1;
    char why[1000];
    struct profile *p = profile_load(o.directory ? o.directory : CLI_DIRECTORY);
    if (!p)
        return 1;
    if (!filter_apply(p, &o.filter, why, sizeof why)) {
        reason_say(cli_name, "%s", why);
        profile_free(p);
        return 1;
    }
    o.report.filter = &o.filter;
    o.report.directory = o.directory ? o.directory : CLI_DIRECTORY;
    bool good = true;
    if (o.html) {
        good = write_html(&o, p);
    } else if (o.json) {
        if (filter_is_on(&o.filter))
            mark_part(p, &o.filter);
        filter_ranks(p, &o.filter);
        json_t *json = profile_json(p);
        json_dumpf(json, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(json);
    } else {
        report_text(p, stdout, &o.report);
    }
    profile_free(p);
    return cli_flush() && good ? 0 : 1;
}
