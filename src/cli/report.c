/* collprof report: the report of a run again, also of one that did not get so far. */
#include "cli/cli.h"

#include "document/json_file.h"
#include "document/save.h"
#include "export/export.h"
#include "report/report.h"
#include "verdict/ended.h"
#include "verdict/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REPORT_TEXT, REPORT_JSON, REPORT_HTML };

struct report_command {
    const char *directory; /* or a file with a benchmark's results; NULL: CLI_DIRECTORY */
    const char *output;
    int format, top;
    size_t table;
    bool list, full, explain;
};

enum { NO_TABLE = 999 };
static const char *const formats[] = {"text", "json", "html", NULL};

static const char *table_name(size_t i)
{
    return i < n_report_tables ? report_tables[i].name : NULL;
}

static const struct option_registry tables = {"table", table_name, NULL, NULL};

#define AT(member) offsetof(struct report_command, member)
#define LIMITS(...)                                                                                \
    &(const struct option_limits)                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
static const struct option_entry entries[] = {
    {"format", 0, "FORMAT", "text, json (collprof-profile(5)) or html, a page for a browser", 0,
     option_take_word, AT(format), &(const struct option_words){formats}},
    {"output", 'o', "FILE", "write to FILE (html: DIR/report.html)", 0, option_take_text,
     AT(output), NULL},
    {"list", 0, NULL, "list the runs in DIR and beside it, the latest first", 0, option_take_flag,
     AT(list), NULL},
    {"full", 0, NULL, "every table; otherwise one screen", 0, option_take_flag, AT(full), NULL},
    {"table", 0, "NAME", "only one table: %s", 0, option_take_pick, AT(table), &tables},
    {"explain", 0, NULL, "with --full or --table: what each column means", 0, option_take_flag,
     AT(explain), NULL},
    {"top", 0, "N", "rows of each table", OPTION_RARE, option_take_count, AT(top),
     LIMITS(1, INT32_MAX, "a number of rows from 1")},
    {0}};

static const struct option_program program = {
    .does = "Shows the report of the run in DIR (collprof.out), which `collprof run -o DIR` wrote. "
            "Of a run that crashed or was killed the raw records of its ranks are read. With "
            "--format=html also results that a collbench program wrote to FILE as JSON.",
    .options = entries,
    .word = cli_take_directory,
    .arguments = "[DIR | FILE]"};

static struct report_options options_of(const struct report_command *r)
{
    return (struct report_options){.full = r->full,
                                   .table =
                                       r->table < n_report_tables ? &report_tables[r->table] : NULL,
                                   .top = (size_t)r->top,
                                   .explain = r->explain,
                                   .directory = r->directory};
}

/* Opens --output, or PATH where there is none. */
static bool open_page(const struct report_command *r, struct save *save, const char *path)
{
    if (!r->output)
        cli_may_replace(path, NULL);
    return save_open(save, r->output ? r->output : path);
}

static bool close_page(const struct report_command *r, struct save *save, const char *path)
{
    if (!save_commit(save))
        return false;
    const char *target = r->output ? r->output : path;
    if (strcmp(target, "-") != 0)
        cli_say("%s: open it in a browser", target);
    return true;
}

static bool write_page(const struct report_command *r, const struct profile *p)
{
    char path[4400];
    struct save save;
    snprintf(path, sizeof path, "%s/report.html", r->directory);
    if (!open_page(r, &save, path))
        return false;
    const struct report_options o = options_of(r);
    struct profile *trace = p->trace.on ? profile_load_trace(r->directory) : NULL;
    export_page(p, trace, &o, save.out);
    profile_free(trace);
    return close_page(r, &save, path);
}

/* Results of a benchmark: FILE.json becomes FILE.html. */
static bool write_document(const struct report_command *r)
{
    char path[4400], why[1000];
    const char *file = r->directory, *dot = strrchr(file, '.');
    struct save save;
    if (r->format != REPORT_HTML)
        cli_refuse("%s is a file: use: --format=html, or the directory of a run", file);
    json_t *document = json_file_load(file, why, sizeof why);
    if (!export_is_document(document)) {
        reason_say(cli_name, "%s: expected what a collbench program wrote with --format=json",
                   document ? file : why);
        json_decref(document);
        return false;
    }
    snprintf(path, sizeof path, "%.*s.html",
             dot && !strcmp(dot, ".json") ? (int)(dot - file) : (int)strlen(file), file);
    bool good = open_page(r, &save, path);
    if (good) {
        export_document_page(document, save.out);
        good = close_page(r, &save, path);
    }
    json_decref(document);
    return good;
}

/* Of a run that has not ended well: why, first of all. To OUT as text, otherwise as a finding of
 * P. */
static void add_verdict(const struct report_command *r, struct profile *p, FILE *out)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/profile.json", r->directory);
    /* A profile that was written may have no records beside it any more. */
    bool raw = p->crashed && access(path, F_OK);
    struct evidence *e = raw ? evidence_now(r->directory, VERDICT_SETTLED) : NULL;
    if (!e)
        return;
    struct verdict *v = verdict_of(e->s);
    json_t *value = verdict_json(e, v);
    if (out)
        verdict_write(value, out, "", (size_t)report_width(out));
    else
        profile_add_finding(p, "verdict", json_incref(value));
    json_decref(value);
    verdict_free(v);
    evidence_free(e);
}

static bool write_text(const struct report_command *r, struct profile *p)
{
    struct save save;
    if (!save_open(&save, r->output))
        return false;
    const struct report_options o = options_of(r);
    if (!o.table)
        add_verdict(r, p, save.out);
    report_text(p, save.out, &o);
    return save_commit(&save);
}

static int list_runs(const char *directory)
{
    struct kept_runs runs = runs_find(directory);
    if (runs.list.n)
        runs_print(&runs);
    else
        reason_give("%s: no run in it: expected what `collprof run -o` wrote", directory);
    bool any = runs.list.n;
    runs_free(&runs);
    return cli_flush() && any ? STATUS_GOOD : STATUS_FAILED;
}

int cli_report(int argc, char **argv)
{
    struct report_command r = {.top = 20, .table = NO_TABLE};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &r};
    struct stat st;
    cli_parse(&parser, argc, argv);
    if (r.directory && !stat(r.directory, &st) && S_ISREG(st.st_mode))
        return write_document(&r) && cli_flush() ? STATUS_GOOD : STATUS_FAILED;
    r.directory = r.directory ? r.directory : CLI_DIRECTORY;
    if (r.list)
        return list_runs(r.directory);
    struct profile *p = profile_load(r.directory);
    if (!p)
        return STATUS_FAILED;
    if (!p->has_arrivals) /* made from records */
        verdict_of_ended(p);
    if (r.format != REPORT_TEXT)
        add_verdict(&r, p, NULL);
    bool good = r.format == REPORT_HTML   ? write_page(&r, p)
                : r.format == REPORT_JSON ? save_json(report_json(p), r.output, JSON_INDENT(1))
                                          : write_text(&r, p);
    profile_free(p);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
