/* collprof report: reports a finished or failed run, for people or for other programs. */
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
    const char *directory; /* or a file with a benchmark's results; NULL: CLI_DIRECTORY */
    const char *output, *what_if;
    struct timeline_view view;
    int format, table, top;
    bool list;
    struct report_options options; /* TABLE and ROWS are set after parsing, from those above */
};

enum { NO_TABLE = 999 };

/* For a run that ended abnormally or is still running; otherwise NULL. */
static struct situation *evidence_of(const struct report_command *r, const struct profile *p)
{
    /* A complete profile may no longer have records beside it. */
    return p->crashed && !p->has_arrivals ? situation_read(r->directory, VERDICT_SETTLED) : NULL;
}

/* Adds the cause of an abnormal end, before all findings: as text to OUT or, if OUT is NULL, as a
 * finding of P. Returns whether the cause is known. */
static bool add_verdict(const struct report_command *r, struct profile *p, FILE *out)
{
    struct situation *e = evidence_of(r, p);
    if (!e)
        return false;
    json_auto_t *value = verdict_json_of(e);
    const bool explains = !text_has_word("unknown moving", json_text_at(value, "kind"));
    if (out)
        verdict_write(value, out, "", report_width(out));
    else
        profile_add_finding(p, "verdict", json_incref(value));
    situation_free(e);
    return explains;
}

/* Calls profile_load_trace(); prints a line on standard error if it lacks ranks. */
static struct profile *load_trace(const char *directory)
{
    struct profile *p = profile_load_trace(directory);
    if (p && (int64_t)p->ranks.n < p->size)
        reason_print(cli_name,
                     "%s: the trace has %zu of %d ranks: `collprof report` names the others",
                     directory, p->ranks.n, p->size);
    return p;
}

static bool write_text(const struct report_command *r, struct profile *p, FILE *out)
{
    struct report_options o = r->options;
    o.explained = !o.table && add_verdict(r, p, out);
    report_text(p, out, &o);
    return true;
}

static bool write_what_if(const struct report_command *r, struct profile *p, FILE *out)
{
    return report_what_if(p, r->what_if, out);
}

static bool write_json(const struct report_command *r, struct profile *p, FILE *out)
{
    add_verdict(r, p, NULL);
    report_json_write(p, out);
    return true;
}

static bool write_page(const struct report_command *r, struct profile *p, FILE *out)
{
    const bool wanted = !isnan(r->view.from) || !isnan(r->view.to);
    add_verdict(r, p, NULL);
    struct profile *trace = p->trace.on ? load_trace(r->directory) : NULL;
    const bool drawn = export_page(p, trace, &r->view, &r->options, out);
    profile_free(trace);
    return drawn || !wanted ||
           reason_give("--from and --to: no timeline: %s",
                       p->trace.on ? "no call of MPI is in that time"
                                   : "the run was not traced: use: collprof run --trace");
}

/* The whole document, or (with --table) one table. */
static bool write_csv(const struct report_command *r, struct profile *p, FILE *out)
{
    const struct report_table *one = r->options.table;
    struct document *d = report_document(p, &r->options);
    const struct table *t = one ? document_find_table(d, one->name) : NULL;
    if (t)
        table_csv_write(t, out);
    else
        document_write(d, out, FORMAT_CSV);
    if (t && !table_rows(t))
        reason_print(cli_name, "no rows of %s%s%s", one->name,
                     one->option ? ": use: collprof run " : "", one->option ?: "");
    document_free(d);
    return true;
}

static bool write_perfetto(const struct report_command *r, struct profile *p, FILE *out)
{
    (void)r;
    export_perfetto(p, out);
    return true;
}

static bool write_metrics(const struct report_command *r, struct profile *p, FILE *out)
{
    struct situation *e = evidence_of(r, p);
    json_auto_t *verdict = e ? verdict_json_of(e) : NULL;
    export_openmetrics(p, e, verdict, (size_t)r->top, out);
    situation_free(e);
    return true;
}

static bool write_otf2(const struct profile *p, const char *target)
{
    const char *why = export_otf2(p, target);
    if (why)
        return reason_give("%s: %s", target, why);
    cli_say("%s/traces.otf2: for otf2-print and what else reads OTF2; it has calls and matched "
            "messages, but no records of collectives and requests, and no call paths",
            target);
    return true;
}

enum { TEXT, HTML = 2, CSV };
static const struct report_format {
    const char *name;
    const char *file; /* default name in the run's directory; NULL: standard output */
    /* NULL: OTF2, which is a directory */
    bool (*write)(const struct report_command *r, struct profile *p, FILE *out);
    bool traced; /* it is given the profile with its events */
} formats[] = {{"text", NULL, write_text},           {"json", NULL, write_json},
               {"html", "report.html", write_page},  {"csv", NULL, write_csv},
               {"openmetrics", NULL, write_metrics}, {"perfetto", NULL, write_perfetto, true},
               {"otf2", "otf2", NULL, true}};

OPTION_NAMES(format_name, sizeof formats / sizeof *formats, formats[i].name)
OPTION_NAMES(table_name, n_report_tables, report_tables[i].name)

static const struct option_registry format_list = {"format", format_name},
                                    tables = {"table", table_name};

#define AT(member) offsetof(struct report_command, member)
#define SECONDS OPTION_LIMITS(0, 1e9, "a number of seconds")
static const struct option_entry entries[] = {
    {"full", NULL, "every table; otherwise one screen", option_take_flag, AT(options.full)},
    {"table", "NAME", "only one table: %s", option_take_word, AT(table), &tables},
    {"what-if", "CHANGE",
     "of a run with --trace: its wall time with balance:SITE, faster:SITE,PERCENT, no-transfer or "
     "bcast:TREE",
     option_take_text, AT(what_if)},
    {"explain", NULL, "with --full or --table: what each column means", option_take_flag,
     AT(options.text.explain)},
    {"list", NULL, "list the runs in DIR and beside it, the latest first", option_take_flag,
     AT(list)},
    {"format", "FORMAT",
     "%s; html writes DIR/report.html; perfetto and otf2 need a run with --trace", option_take_word,
     AT(format), &format_list},
    {"output", "PATH", "write to that file, or otf2's directory", option_take_text, AT(output),
     .letter = 'o'},
    {"from", "SEC", "start of the page's timeline, in seconds since the start of the run",
     option_take_real, AT(view.from), SECONDS, .flags = OPTION_RARE},
    {"to", "SEC", "its end (without both: around a typical wait)", option_take_real, AT(view.to),
     SECONDS, .flags = OPTION_RARE},
    {"top", "N", "rows of each table", option_take_count, AT(top),
     OPTION_LIMITS(1, INT32_MAX, "a number of rows from 1"), .flags = OPTION_RARE},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct report_command *r = values;
    if (r->table != NO_TABLE && r->format != TEXT && r->format != CSV)
        return option_refuse(parser, "--table is for --format=text or csv");
    if (r->what_if && (r->format != TEXT || r->table != NO_TABLE || r->options.full))
        return option_refuse(parser, "--what-if is one line of text: leave out other formats, "
                                     "--table and --full");
    if (r->format != HTML && (!isnan(r->view.from) || !isnan(r->view.to)))
        return option_refuse(parser, "--from and --to are for --format=html");
    if (r->view.to <= (r->view.from > 0 ? r->view.from : 0))
        return option_refuse(parser, "--from is not before --to: expected a range of time");
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

/* Ends the process if PATH, a default name, is a file that is not a page of collprof. */
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

/* Writes to --output or, without it, to TARGET; NULL: standard output. */
static bool write_file(const struct report_command *r, struct profile *p, const char *target,
                       bool (*write)(const struct report_command *r, struct profile *p, FILE *out))
{
    struct save save;
    if (!r->output && target)
        check_replaceable(target);
    target = r->output ?: target;
    if (!save_open(&save, target))
        return false;
    if (!write(r, p, save.out)) {
        save_abandon(&save);
        return false;
    }
    if (!save_commit(&save))
        return false;
    if (r->format == HTML && strcmp(target, "-") != 0)
        cli_say("%s: open it in a browser%s", target,
                *page_charts ? "" : " (built without Chart.js: tables instead of pictures)");
    return true;
}

static bool write_json_page(const struct report_command *r, struct profile *none, FILE *out)
{
    char why[1000], title[100];
    (void)none;
    json_auto_t *document = json_file_load(r->directory, why, sizeof why);
    const char *schema = json_text_at(document, "schema");
    const bool good =
        !strncmp(schema, "collbench-", 10) && json_is_object(json_object_get(document, "tables"));
    snprintf(title, sizeof title, "%.*s", (int)strcspn(schema, "/"), schema);
    if (good)
        page_write_json(document, title, out);
    else
        reason_give("%s: expected what a collbench program wrote with --format=json",
                    document ? r->directory : why);
    return good;
}

/* Writes a log of collbench-pairs as matrices, or as a page. */
static bool write_log(const struct report_command *r, struct profile *none, FILE *out)
{
    struct pairs p;
    char why[400];
    (void)none;
    if (!pairs_log_load(r->directory, &p, why, sizeof why))
        return reason_give("expected a directory of a run, or a log of collbench-pairs: %s", why);
    if (r->format == TEXT) {
        pairs_matrices_write(&p, out);
    } else {
        struct document *d = document_new("collbench-pairs/2");
        pairs_table(&p, d, true);
        pairs_pictures(d);
        page_write(d, text_base_of(r->directory), out);
        document_free(d);
    }
    pairs_free(&p);
    return true;
}

/* FILE.html is made of FILE.json or FILE.log. */
static bool write_file_of_benchmark(const struct report_command *r)
{
    char path[4400], head[256];
    const char *file = r->directory, *dot = strrchr(text_base_of(file), '.');
    input_read(file, head, sizeof head);
    const bool json = head[strspn(head, " \t\r\n")] == '{';
    if (strstr(head, "\"collprof-profile/"))
        cli_refuse("%s is a profile: use the directory of its run", file);
    if (!json && r->format == TEXT)
        return write_file(r, NULL, NULL, write_log);
    if (r->format != HTML)
        cli_refuse("%s is a file of a benchmark: use: --format=html", file);
    snprintf(path, sizeof path, "%.*s.html", (int)(dot ? dot - file : (long)strlen(file)), file);
    return write_file(r, NULL, path, json ? write_json_page : write_log);
}

static bool list_runs(const char *directory)
{
    struct kept_runs runs = runs_find(directory);
    bool any = runs.list.n;
    if (any)
        runs_print(&runs);
    runs_free(&runs);
    return any;
}

static bool write_run(const struct report_command *r)
{
    const struct report_format *f = &formats[r->format];
    char path[4400];
    const bool traced = r->what_if || f->traced;
    struct profile *p = traced ? load_trace(r->directory) : profile_load(r->directory);
    snprintf(path, sizeof path, "%s/%s", r->directory, f->file ?: "");
    if (p && !traced && !p->has_arrivals) /* it was made from records */
        verdict_of_ended(p);
    bool good = p && (r->what_if ? write_file(r, p, NULL, write_what_if)
                      : f->write ? write_file(r, p, f->file ? path : NULL, f->write)
                                 : write_otf2(p, r->output ?: path));
    profile_free(p);
    return good;
}

int cli_report(int argc, char **argv)
{
    struct report_command r = {.top = 20, .table = NO_TABLE, .view = {NAN, NAN}};
    if (text_ends_with(argv[0], " export"))
        r.format = CSV;
    if (text_ends_with(argv[0], " plot"))
        r.format = HTML;
    cli_parse(&program, &r, argc, argv);
    bool is_file = r.directory && cli_is_file(r.directory);
    r.directory = r.directory ?: CLI_DIRECTORY;
    FREED char *path = is_file || r.list ? NULL : runs_current(r.directory);
    r.directory = r.options.directory = path ?: r.directory;
    r.options.table = r.table == NO_TABLE ? NULL : &report_tables[r.table];
    r.options.text.rows = (size_t)r.top;
    bool good = is_file  ? write_file_of_benchmark(&r)
                : r.list ? list_runs(r.directory)
                         : write_run(&r);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
