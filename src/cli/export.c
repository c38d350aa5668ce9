/* collprof export: figures for other programs. */
#include "cli/cli.h"

#include "document/save.h"
#include "export/export.h"
#include "measure/pairs/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct exporting {
    const char *directory, *output;
    size_t format, table; /* ALL_TABLES, or one */
};

enum { CSV, ALL_TABLES = 999 };

static const char *directory_of(const struct exporting *o)
{
    return o->directory ? o->directory : CLI_DIRECTORY;
}

/* PATH NULL: standard output. */
static bool write_table(const struct document *d, const struct report_table *l, const char *path)
{
    struct save save;
    const struct table *t = document_find(d, l->name);
    size_t n = table_rows(t);
    if (!save_open(&save, path))
        return false;
    table_csv_write(t, save.out);
    if (!save_commit(&save))
        return false;
    if (path)
        cli_say("%s: %zu row%s: %s", path, n, n == 1 ? "" : "s", l->title);
    else if (!n)
        reason_say(cli_name, "no rows of %s: use: collprof run --trace%s", l->name,
                   strcmp(l->name, "transport") ? "" : "=transport");
    return true;
}

static const char *table_path(const char *directory, size_t i, char path[4400])
{
    snprintf(path, 4400, "%s/%s.csv", directory, report_tables[i].name);
    return path;
}

/* A file of other columns is not replaced. */
static void check_table(const struct document *d, const struct report_table *l, const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    table_csv_write(document_find(d, l->name), out);
    fclose(out);
    text[strcspn(text, "\n") + 1] = '\0';
    cli_may_replace(path, text);
    free(text);
}

static bool write_all(const struct document *d, const char *target)
{
    bool good = true;
    char path[4400];
    if (!save_is_safe(target))
        return false;
    if (mkdir(target, 0777) && errno != EEXIST)
        return reason_give("%s: %s", target, strerror(errno));
    for (size_t i = 0; i < n_report_tables; i++)
        check_table(d, &report_tables[i], table_path(target, i, path));
    for (size_t i = 0; i < n_report_tables && good; i++)
        good = write_table(d, &report_tables[i], table_path(target, i, path));
    return good;
}

static bool write_csv(const struct exporting *o, const struct profile *p, const char *target)
{
    struct document *d = report_document(p, &(struct report_options){.full = true});
    bool good = o->table != ALL_TABLES ? write_table(d, &report_tables[o->table], o->output)
                                       : write_all(d, target);
    document_free(d);
    return good;
}

static bool write_perfetto(const struct exporting *o, const struct profile *p, const char *target)
{
    struct save save;
    (void)p, (void)target;
    struct profile *trace = cli_load_trace(directory_of(o));
    bool good = trace && save_open(&save, o->output);
    if (good)
        export_perfetto(trace, save.out);
    profile_free(trace);
    return good && save_commit(&save);
}

static bool write_otf2(const struct exporting *o, const struct profile *p, const char *target)
{
    (void)p;
    struct profile *trace = cli_load_trace(directory_of(o));
    const char *why = trace ? export_otf2(trace, target) : NULL;
    if (why)
        reason_say(cli_name, "%s: %s", target, why);
    else if (trace)
        cli_say("%s/traces.otf2: for otf2-print and what else reads OTF2%s", target,
                trace->nets.n ? "; what MPI did below its calls is in --format=perfetto alone"
                              : "");
    profile_free(trace);
    return trace && !why;
}

static const struct format_of_export {
    const char *name, *about;
    const char *place; /* in the run's directory, unless --output says another; NULL: stdout */
    bool (*write)(const struct exporting *o, const struct profile *p, const char *target);
} formats[] = {
    {"csv", "one file per table, in a directory (DIR/csv); with --table one table", "csv",
     write_csv},
    {"perfetto", "for ui.perfetto.dev: what was traced (collprof run --trace)", NULL,
     write_perfetto},
    {"otf2", "what was traced, as an OTF2 archive (DIR/otf2)", "otf2", write_otf2},
};

static const char *format_name(size_t i)
{
    return i < sizeof formats / sizeof *formats ? formats[i].name : NULL;
}

static const char *table_name(size_t i)
{
    return i < n_report_tables ? report_tables[i].name : NULL;
}

static const char *format_about(size_t i)
{
    return formats[i].about;
}

static const char *table_title(size_t i)
{
    return report_tables[i].title;
}

static const struct option_registry format_list = {"format", format_name, format_about, NULL},
                                    tables = {"table", table_name, table_title, NULL};

#define AT(member) offsetof(struct exporting, member)
static const struct option_entry entries[] = {
    {"format", 0, "FORMAT", "one of those below", 0, option_take_pick, AT(format), &format_list},
    {"table", 0, "TABLE", "only this table, on standard output", 0, option_take_pick, AT(table),
     &tables},
    {"output", 'o', "PATH", "write there: the directory of csv's files, or a file", 0,
     option_take_text, AT(output), NULL},
    {0}};

static error_t check(struct option_parser *parser, void *values)
{
    const struct exporting *o = values;
    if (o->table != ALL_TABLES && o->format != CSV)
        return option_refuse(parser, "--table is for --format=csv");
    return 0;
}

static const struct option_program program = {
    .does = "Writes the figures of the run in DIR (collprof.out) for other programs; of a LOG of "
            "collbench-pairs the matrices of mean, standard deviation and median round trip.",
    .note = "`collprof report --table=TABLE --explain` says what the columns mean.",
    .options = entries,
    .listed = (const struct option_registry *const[]){&format_list, &tables, NULL},
    .check = check,
    .word = cli_take_directory,
    .arguments = "[DIR | LOG]"};

/* A log of collbench-pairs, as matrices. */
static bool export_log(const struct exporting *o)
{
    struct pairs p;
    struct save save;
    char why[400];
    if (!pairs_log_load(o->directory, &p, why, sizeof why))
        return reason_give("%s", why);
    bool good = save_open(&save, o->output);
    if (good) {
        pairs_matrices_write(&p, save.out);
        good = save_commit(&save);
    }
    pairs_free(&p);
    return good;
}

int cli_export(int argc, char **argv)
{
    struct exporting o = {.table = ALL_TABLES};
    struct option_parser parser = {.program = &program, .name = argv[0], .values = &o};
    struct stat st;
    char target[4400];
    cli_parse(&parser, argc, argv);
    if (o.directory && !stat(o.directory, &st) && S_ISREG(st.st_mode))
        return export_log(&o) ? STATUS_GOOD : STATUS_FAILED;
    const char *directory = directory_of(&o), *place = formats[o.format].place;
    snprintf(target, sizeof target, "%s/%s", directory, place ? place : "");
    struct profile *p = profile_load(directory);
    bool good = p && formats[o.format].write(&o, p, o.output ? o.output : target);
    profile_free(p);
    return cli_flush() && good ? STATUS_GOOD : STATUS_FAILED;
}
