/* collprof export: figures for other programs. */
#include "cli/cli.h"

#include "document/save.h"
#include "export/export.h"
#include "measure/pairs/log.h"
#include "report/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    const char *directory, *output;
    bool force;
    const struct format_of_export *format;
    const struct listing *table;
};

static const char *directory_of(const struct options *o)
{
    return o->directory ? o->directory : CLI_DIRECTORY;
}

/* Why a table is nothing but its heads, and what to do. */
static void explain_empty(const struct profile *p, const struct listing *l)
{
    bool waits = !strcmp(l->name, "waits"), transport = !strcmp(l->name, "transport");
    if ((waits && !p->trace.on) || (transport && !p->trace.network))
        reason_say(cli_name,
                   "no rows of %s: this run was made without it: collprof run --trace%s would be "
                   "right",
                   l->name, transport ? "=transport" : "");
    else
        reason_say(cli_name, "no rows of %s: this run has none", l->name);
}

static bool write_table(const struct options *o, const struct listing *l, const struct profile *p,
                        const char *path)
{
    struct save save;
    struct view v;
    if (!save_open(&save, path))
        return false;
    view_open(&v, p);
    size_t n = data_csv(l, &v, save.out);
    view_close(&v);
    if (!save_commit(&save))
        return false;
    if (path)
        cli_say("%s: %zu row%s: %s", path, n, n == 1 ? "" : "s", l->about);
    if (!n && o->table)
        explain_empty(p, l);
    return true;
}

static const char *table_path(const char *directory, const struct listing *l, char *path,
                              size_t room)
{
    snprintf(path, room, "%s/%s.csv", directory, l->name);
    return path;
}

static void check_table(const struct options *o, const struct listing *l, const char *path)
{
    char head[1000] = "";
    FILE *out = fmemopen(head, sizeof head, "w");
    if (out) {
        data_csv_head(l, out);
        fclose(out);
    }
    cli_may_replace(path, o->force, "--output", head);
}

static bool write_csv(const struct options *o, const struct profile *p, const char *target)
{
    if (o->table)
        return write_table(o, o->table, p, o->output);
    if (!save_is_safe(target))
        return false;
    if (mkdir(target, 0777) && errno != EEXIST) {
        reason_say(cli_name, "%s: %s", target, strerror(errno));
        return false;
    }
    bool good = true;
    char path[4400];
    for (size_t i = 0; i < n_listings; i++)
        check_table(o, &listings[i], table_path(target, &listings[i], path, sizeof path));
    for (size_t i = 0; i < n_listings && good; i++)
        good = write_table(o, &listings[i], p, table_path(target, &listings[i], path, sizeof path));
    return good;
}

static bool write_json(const struct options *o, const struct profile *p, const char *target)
{
    (void)target;
    return save_json(profile_json(p), o->output, JSON_INDENT(1));
}

/* The whole trace where there is one, else the collectives that every run records. */
static bool write_perfetto(const struct options *o, const struct profile *p, const char *target)
{
    struct save save;
    (void)target;
    struct profile *trace = p->trace.on ? cli_load_trace(directory_of(o)) : NULL;
    if (p->trace.on && !trace)
        return false;
    if (!save_open(&save, o->output)) {
        profile_free(trace);
        return false;
    }
    if (trace) {
        export_perfetto(trace, save.out);
        profile_free(trace);
        return save_commit(&save);
    }
    if (!export_perfetto_collectives(p, save.out))
        reason_say(cli_name, "no collective instances were recorded: the trace is empty");
    return save_commit(&save);
}

static bool write_otf2(const struct options *o, const struct profile *p, const char *target)
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
    bool (*write)(const struct options *o, const struct profile *p, const char *target);
} formats[] = {
    {"csv", "one file per table, in a directory (DIR/csv); with --table one table", "csv",
     write_csv},
    {"json", "the whole profile, see collprof-profile(5)", NULL, write_json},
    {"perfetto",
     "for ui.perfetto.dev: what was traced (collprof run --trace), else the recorded collectives",
     NULL, write_perfetto},
    {"otf2", "what was traced, as an OTF2 archive (DIR/otf2)", "otf2", write_otf2},
};

static const char *format_name(size_t i)
{
    return i < sizeof formats / sizeof *formats ? formats[i].name : NULL;
}

static const char *table_name(size_t i)
{
    return i < n_listings ? listings[i].name : NULL;
}

enum { FORCE = 256 };

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "one of those below (csv)", 0},
    {"table", 't', "TABLE", 0, "of csv only this table, on standard output", 0},
    {"output", 'o', "PATH", 0, "write there: the directory of csv's files, or a file", 0},
    {"force", FORCE, NULL, 0, "replace files of these names also if collprof has not made them", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'f':
        o->format = &formats[cli_choice("--format is", argument, format_name)];
        return 0;
    case 't':
        o->table = &listings[cli_choice("--table is", argument, table_name)];
        return 0;
    case 'o':
        o->output = argument;
        return 0;
    case FORCE:
        o->force = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->directory)
            cli_refuse("'%s' is one directory too many", argument);
        o->directory = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What is declared above and in report/figures.c, as help. For free(). */
static char *describe(int key, const char *text, void *input)
{
    char *lists = NULL;
    size_t size;
    (void)input;
    FILE *out = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&lists, &size) : NULL;
    if (!out)
        return (char *)text;
    char mark[80];
    text_set_width(77); /* within argp's own */
    fputs("Formats:\n", out);
    for (size_t i = 0; format_name(i); i++) {
        snprintf(mark, sizeof mark, "  %-14s ", formats[i].name);
        text_paragraph(out, mark, formats[i].about);
    }
    fputs("\nTables and their columns:\n", out);
    for (size_t i = 0; i < n_listings; i++) {
        snprintf(mark, sizeof mark, "  %-14s ", listings[i].name);
        text_paragraph(out, mark, listings[i].about);
        for (size_t k = 0; k < listings[i].figures->n; k++) {
            const struct figure *f = &listings[i].figures->at[k];
            char name[64];
            figure_name(f, name);
            if (listing_has(&listings[i], f) && !(f->column.flags & COLUMN_TEXT_ONLY)) {
                snprintf(mark, sizeof mark, "    %-18s ", name);
                text_paragraph(out, mark, f->column.meaning);
            }
        }
    }
    fclose(out);
    return lists;
}

/* A log of collbench-pairs, as matrices. */
static bool export_log(const struct options *o)
{
    struct pairs p;
    struct save save;
    char why[400];
    if (!pairs_log_load(o->directory, &p, why, sizeof why)) {
        reason_say(cli_name, "%s", why);
        return false;
    }
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
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[DIR | LOG]",
        .doc =
            "Writes the figures of the run in DIR (collprof.out) for other programs; of a LOG of "
            "collbench-pairs the matrices of mean, standard deviation and median round trip.\v",
        .help_filter = describe};
    struct options o = {.format = &formats[0]};
    cli_parse(&argp, argc, argv, 0, &o);
    if (o.table && o.format != &formats[0])
        cli_refuse("--table is for --format=csv");
    struct stat st;
    if (o.directory && !stat(o.directory, &st) && S_ISREG(st.st_mode))
        return export_log(&o) ? 0 : 1;
    const char *directory = directory_of(&o);
    char target[4400];
    snprintf(target, sizeof target, "%s/%s", directory, o.format->place ? o.format->place : "");
    struct profile *p = profile_load(directory);
    bool good = p && o.format->write(&o, p, o.output ? o.output : target);
    profile_free(p);
    return cli_flush() && good ? 0 : 1;
}
