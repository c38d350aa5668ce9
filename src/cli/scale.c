/* collprof scale: parallel efficiencies of runs with different numbers of ranks. */
#include "cli/cli.h"

#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>

struct scaling {
    ARRAY(const char *) run;
    double limit; /* percent; NaN: none */
    int format;
    bool weak;
};

#define AT(member) offsetof(struct scaling, member)
static const struct option_entry entries[] = {
    {"weak", NULL, "weak scaling: the work per rank, not the total work, is the same in all runs",
     option_take_flag, AT(weak)},
    {"fail-below", "PERCENT",
     "exit with status 3 if a global efficiency is below this; with 4 if one is unknown",
     option_take_real, AT(limit), OPTION_LIMITS(0, 1000, "a percentage such as 80%")},
    {"format", "FORMAT", "text, csv, json or html (with a picture)", option_take_word, AT(format),
     OPTION_WORDS(cli_formats)},
    {0}};

static const struct option_program program = {
    .does =
        "Shows how a program scales: parallel efficiency, its factors, and computation scaling of "
        "runs with different numbers of ranks. "
        "Serialisation and transfer need runs with --trace.",
    .note = "Exit status: 0, 1 failed, 2 wrong usage, 3 below the limit, 4 undecided.",
    .options = entries,
    .word = cli_take_paths,
    .arguments = "DIR..."};

int cli_scale(int argc, char **argv)
{
    struct scaling s = {.limit = NAN};
    struct document *d = NULL;
    enum status gate = STATUS_FAILED;
    cli_parse(&program, &s, argc, argv);
    if (!s.run.n)
        cli_refuse("no runs: use: collprof scale DIR...");
    struct profile **run = cli_load_runs(s.run.at, s.run.n);
    if (run) {
        d = scaling_document(run, s.run.n, s.weak, s.limit / 100, &gate);
        cli_free_runs(run, s.run.n);
    }
    free(s.run.at);
    return cli_write(d, s.format, 0, "scaling", gate);
}
