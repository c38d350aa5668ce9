/* collprof export: figures for other programs. */
#include "cli/cli.h"

#include "results/save.h"
#include "page/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_csv(const struct profile *p, FILE *out)
{
    tables_entries_csv(p, out);
}

static void write_histograms(const struct profile *p, FILE *out)
{
    tables_histograms_csv(p, out);
}

static void write_trace(const struct profile *p, FILE *out)
{
    if (!tables_trace(p, out))
        fputs("collprof export: no collective instances were recorded: the trace is empty\n",
              stderr);
}

static const struct format_of_export {
    const char *name;
    void (*write)(const struct profile *p, FILE *out);
} formats[] = {{"csv", write_csv}, {"histograms", write_histograms}, {"trace", write_trace}};

struct options {
    const char *name, *directory, *output;
    const struct format_of_export *format;
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0,
     "csv: a line for each call site, operation, communicator, region and size class (the "
     "default); "
     "histograms: their durations, a line per bucket, as CSV; "
     "trace: the recorded collectives, for chrome://tracing or Perfetto",
     0},
    {"output", 'o', "FILE", 0, "write to FILE (standard output)", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'f':
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            if (!strcmp(formats[i].name, argument)) {
                o->format = &formats[i];
                return 0;
            }
        }
        cli_refuse(o->name, "--format is '%s': csv, histograms or trace would be right", argument);
    case 'o':
        o->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (o->directory)
            cli_refuse(o->name, "'%s' is one directory too many", argument);
        o->directory = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cli_export(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "[DIR]",
        "Writes the figures of the run in DIR (collprof.out) for other "
        "programs. `collprof report --csv' and --json write summaries "
        "and the whole profile.",
        NULL,
        NULL,
        NULL};
    struct options o = {.name = argv[0], .format = &formats[0]};
    struct save save;
    cli_parse(&argp, argc, argv, 0, &o);
    struct profile *p = profile_load(o.directory ? o.directory : "collprof.out");
    bool good = p && save_open(&save, o.output);
    if (good) {
        o.format->write(p, save.out);
        good = save_commit(&save);
    }
    profile_free(p);
    return good ? 0 : 1;
}
