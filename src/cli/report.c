/* collprof report: the report of a run again, also of one that did not get so far. */
#include "cli/cli.h"

#include "document/json_file.h"
#include "document/save.h"
#include "export/export.h"
#include "report/listings.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *directory;
    const char *html_file;
    bool json, html, force;
    struct report_options report;
    struct filter filter;
};

enum { ONLY = 256, RANK, FULL, TABLE, EXPLAIN, HTML, FORCE };

static const struct argp_option options[] = {
    {"full", FULL, NULL, 0, "every table; otherwise one screen", 0},
    {"table", TABLE, "NAME", 0,
     "one table: operations, call_sites, requests, collectives, waits, transport, messages, "
     "communicators, ranks, regions, entries, histograms, or ack, benchmark, broadcast",
     0},
    {"explain", EXPLAIN, NULL, 0, "with --full or --table: what each column means", 0},
    {"top", 't', "N", 0, "rows of each table (20)", 0},
    {"sort", 's', "KEY", 0, "order tables by this column, named as in CSV: calls, bytes, max...",
     0},
    {"only", ONLY, "NAME", 0, "show only calls of this operation, as Bcast or 'I*'", 0},
    {"rank", RANK, "N", 0, "show only what is known of this rank by itself", 0},
    {"json", 'j', NULL, 0, "print the profile with its findings, see collprof-profile(5)", 0},
    {"html", HTML, "FILE", OPTION_ARG_OPTIONAL,
     "write the report as one page for a browser to FILE (DIR/report.html)", 0},
    {"force", FORCE, NULL, 0, "replace DIR/report.html also if it is not a page of collprof", 0},
    {0}};

static const char *table_name(size_t i)
{
    static const char *const measured[] = {"ack", "benchmark", "broadcast"};
    return i < n_listings ? listings[i].name : i < n_listings + 3 ? measured[i - n_listings] : NULL;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 't':
        o->report.top = (size_t)cli_lines(argument);
        return 0;
    case 's':
        o->report.sort = cli_figure("sort", argument);
        return 0;
    case HTML:
        o->html = true;
        o->html_file = argument;
        return 0;
    case FORCE:
        o->force = true;
        return 0;
    case FULL:
        o->report.full = true;
        return 0;
    case TABLE:
        o->report.table = table_name(cli_choice("--table is", argument, table_name));
        return 0;
    case EXPLAIN:
        o->report.explain = true;
        return 0;
    case ONLY:
        o->filter.only = argument;
        return 0;
    case RANK:
        o->filter.one_rank = true;
        o->filter.rank = (int)cli_number("rank", argument, 0, INT32_MAX, "the number of a rank");
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

static bool finish_html(struct save *save, const char *target)
{
    if (!save_commit(save))
        return false;
    if (strcmp(target, "-"))
        cli_say("%s: open it in a browser", target);
    return true;
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
    struct profile *trace = p->trace.on ? profile_load_trace(o->report.directory) : NULL;
    export_page(p, trace, &o->report, save.out);
    profile_free(trace);
    return finish_html(&save, target);
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
    if (!export_is_document(document)) {
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
        export_document_page(document, save.out);
        good = finish_html(&save, target);
    }
    json_decref(document);
    return good;
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
    struct options o = {0};
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
        json_t *json = report_json(p, &o.filter);
        json_dumpf(json, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(json);
    } else {
        report_text(p, stdout, &o.report);
    }
    profile_free(p);
    return cli_flush() && good ? 0 : 1;
}
