/* collprof report: shows the report of a run that ended or failed, in any format. */
#include "cli/cli.h"

#include "base/input.h"
#include "base/text.h"
#include "document/json.h"
#include "document/page.h"
#include "document/save.h"
#include "export/export.h"
#include "measure/pairs/log.h"
#include "report/report.h"
#include "results/documents.h"
#include "verdict/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct report_command {
    const char *directory; /* a run's directory, or a benchmark's file; NULL: CLI_DIRECTORY */
    const char *output;
    int format, table, top;
    bool list;
    struct export_request run;
};

enum { NO_TABLE = 999 }; /* value of TABLE without --table */

/* Loads a run's trace by profile_load_trace(), and warns if the trace lacks ranks. */
static struct profile *load_trace(const char *directory)
{
    struct profile *p = profile_load_trace(directory);
    if (p && (int64_t)p->ranks.n < p->size)
        reason_print(cli_name,
                     "%s: the trace has %zu of %d ranks: `collprof report` names the others",
                     directory, p->ranks.n, p->size);
    return p;
}

OPTION_NAMES(format_name, n_export_formats, export_formats[i]->name)
OPTION_NAMES(table_name, n_report_tables, report_tables[i].name)

static const struct option_registry format_list = {"format", format_name},
                                    tables = {"table", table_name};

#define AT(member) offsetof(struct report_command, member)
#define SECONDS OPTION_LIMITS(0, 1e9, "a number of seconds")
static const struct option_entry entries[] = {
    {"full", NULL, "print all tables, not one screen", option_take_flag, AT(run.options.full)},
    {"table", "NAME", "only one table: %s", option_take_word, AT(table), &tables},
    {"what-if", "CHANGE",
     "predict the wall time of a run with --trace after balance:SITE, faster:SITE,PERCENT, "
     "no-transfer or bcast:TREE",
     option_take_text, AT(run.what_if)},
    {"explain", NULL, "with --full or --table: explain each column", option_take_flag,
     AT(run.options.text.explain)},
    {"list", NULL, "list the runs in DIR and beside it, the latest first", option_take_flag,
     AT(list)},
    {"format", "FORMAT",
     "%s; html writes DIR/report.html; perfetto and otf2 need a run with --trace", option_take_word,
     AT(format), &format_list},
    {"output", "PATH", "write to this file (otf2: directory)", option_take_text, AT(output),
     .letter = 'o'},
    {"from", "SEC", "start of the page's timeline, in seconds since the start of the run",
     option_take_real, AT(run.view.from), SECONDS, .flags = OPTION_RARE},
    {"to", "SEC", "end of the page's timeline (default: around a typical wait)", option_take_real,
     AT(run.view.to), SECONDS, .flags = OPTION_RARE},
    {"top", "N", "rows of each table", option_take_count, AT(top),
     OPTION_LIMITS(1, INT32_MAX, "a number of rows from 1"), .flags = OPTION_RARE},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    struct report_command *r = values;
    const struct export_format *f = r->run.format = export_formats[r->format];
    const struct timeline_view *view = &r->run.view;
    if (r->table != NO_TABLE && f != &export_text && f != &export_csv)
        return option_refuse(parser, "--table is for --format=text or csv");
    if ((r->run.what_if || r->list) &&
        (f != &export_text || r->table != NO_TABLE || r->run.options.full))
        return option_refuse(
            parser, "--what-if and --list print only text: leave out --format, --table and --full");
    if (r->run.what_if && !report_change_is_valid(r->run.what_if))
        return option_refuse(parser,
                             "--what-if=%s: expected balance:SITE, faster:SITE,PERCENT, "
                             "no-transfer or bcast:TREE (binomial, linear, backward, flat)",
                             r->run.what_if);
    if (f != &export_html && (!isnan(view->from) || !isnan(view->to)))
        return option_refuse(parser, "--from and --to are for --format=html");
    if (view->to <= (view->from > 0 ? view->from : 0))
        return option_refuse(parser, "--from is not before --to: expected a range of time");
    if (r->output && !strcmp(text_base_of(r->output), "profile.json"))
        return option_refuse(parser, "--output=%s would replace a profile", r->output);
    return 0;
}

static const struct option_program program = {
    .does = "Shows the report of the run in DIR (collprof.out), which `collprof run -o DIR` wrote, "
            "or writes it for other programs. If a run crashed or was killed, the raw records of "
            "its ranks are read. A FILE is JSON of a collbench program, shown as a page "
            "(--format=html), or a log of collbench-pairs, shown likewise or printed as matrices.",
    .options = entries,
    .check = check,
    .word = cli_take_directory,
    .arguments = "[DIR | FILE]"};

/* Refuses to replace PATH, which the user did not name, if it is a file but no page of collprof. */
static void check_replaceable(const char *path)
{
    struct stat st;
    char text[1024];
    input_read(path, text, sizeof text);
    if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_size &&
        !strstr(text, "<title>collprof: "))
        cli_refuse("%s exists and was not written by this version of collprof: use: --output",
                   path);
}

/* Lets WRITE write the file of --output; without --output the file TARGET (NULL: standard output).
 * A failure leaves an existing file unchanged. */
static bool write_file(struct report_command *r, struct profile *p, const char *target,
                       bool (*write)(const struct export_request *r, struct profile *p, FILE *out))
{
    const struct export_format *f = r->run.format;
    struct save save;
    if (!r->output && target && !f->is_directory)
        check_replaceable(target);
    r->run.path = target = r->output ?: target;
    if (!save_open(&save, f->is_directory ? NULL : target))
        return false;
    if (!write(&r->run, p, save.out)) {
        save_abandon(&save);
        return false;
    }
    if (!save_commit(&save))
        return false;
    if (f->note && strcmp(target, "-") != 0)
        cli_say("%s%s", target, f->note);
    return true;
}

static bool write_json_page(const struct export_request *r, struct profile *none, FILE *out)
{
    char why[1000], title[100];
    (void)none;
    json_auto_t *document = json_file_load(r->options.directory, why, sizeof why);
    const char *schema = json_text_at(document, "schema");
    const bool good =
        !strncmp(schema, "collbench-", 10) && json_is_object(json_object_get(document, "tables"));
    snprintf(title, sizeof title, "%.*s", (int)strcspn(schema, "/"), schema);
    if (good)
        page_write_json(document, title, out);
    else
        reason_give("%s: expected JSON written by a collbench program",
                    document ? r->options.directory : why);
    return good;
}

/* Writes a log of collbench-pairs as matrices, or as a page. */
static bool write_log(const struct export_request *r, struct profile *none, FILE *out)
{
    struct pairs p;
    char why[400];
    (void)none;
    if (!pairs_log_load(r->options.directory, &p, why, sizeof why))
        return reason_give("expected a directory of a run, or a log of collbench-pairs: %s", why);
    if (r->format == &export_text) {
        pairs_matrices_write(&p, out);
    } else {
        struct document *d = document_new("collbench-pairs/2");
        pairs_table(&p, d, true);
        pairs_pictures(d);
        page_write(d, text_base_of(r->options.directory), out);
        document_free(d);
    }
    pairs_free(&p);
    return true;
}

/* Writes a benchmark's FILE.json or FILE.log as the page FILE.html, or a log's matrices as text. */
static bool write_file_of_benchmark(struct report_command *r)
{
    char path[4400], head[256];
    const char *file = r->directory, *dot = strrchr(text_base_of(file), '.');
    input_read(file, head, sizeof head);
    const bool json = head[strspn(head, " \t\r\n")] == '{';
    const bool record = !strncmp(head, "lcpprof1", 8); /* LEDGER_MAGIC */
    if (record || strstr(head, "\"collprof-profile/"))
        cli_refuse("%s is %s: use the directory of its run", file,
                   record ? "the raw record of one rank" : "a profile");
    if (!json && r->run.format == &export_text)
        return write_file(r, NULL, NULL, write_log);
    if (r->run.format != &export_html)
        cli_refuse("%s is a file of a benchmark: use: --format=html", file);
    snprintf(path, sizeof path, "%.*s.html", (int)(dot ? dot - file : (long)strlen(file)), file);
    return write_file(r, NULL, path, json ? write_json_page : write_log);
}

static bool write_report(struct report_command *r)
{
    const struct export_format *f = r->run.format;
    char path[4400];
    const bool traced = r->run.what_if || f->events == EVENTS_NEEDED;
    struct profile *p = traced ? load_trace(r->directory) : profile_load(r->directory);
    struct profile *trace =
        p && p->trace.on && f->events == EVENTS_BESIDE ? load_trace(r->directory) : NULL;
    snprintf(path, sizeof path, "%s/%s", r->directory, f->file ?: "");
    if (p && !traced && !p->has_arrivals) /* a profile made from raw records has no verdict yet */
        verdict_of_ended(p);
    r->run.trace = trace;
    const bool good = p && write_file(r, p, f->file ? path : NULL, f->write);
    profile_free(trace);
    profile_free(p);
    return good;
}

int cli_report(int argc, char **argv)
{
    struct report_command r = {.top = 20, .table = NO_TABLE, .run.view = {NAN, NAN}};
    const bool exports = text_ends_with(argv[0], " export"),
               plots = text_ends_with(argv[0], " plot");
    while ((exports || plots) && export_formats[r.format] != (exports ? &export_csv : &export_html))
        r.format++;
    cli_parse(&program, &r, argc, argv);
    bool is_file = r.directory && cli_is_file(r.directory);
    r.directory = r.directory ?: CLI_DIRECTORY;
    char *path = is_file || r.list ? NULL : runs_current(r.directory);
    r.directory = r.run.options.directory = path ?: r.directory;
    r.run.options.table = r.table == NO_TABLE ? NULL : &report_tables[r.table];
    r.run.options.text.rows = (size_t)r.top;
    bool good = is_file  ? write_file_of_benchmark(&r)
                : r.list ? runs_print(r.directory)
                         : write_report(&r);
    free(path);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
