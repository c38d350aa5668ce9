/* collprof compare: what changed from runs A to runs B. */
#include "cli/cli.h"

#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct comparing {
    ARRAY(const char *) run;
    double limit; /* percent of the run time (--fail-above); NaN: no limit */
    int format;
    struct tuned_set *tuned; /* rules to check, as in struct compare_request; NULL: none */
};

#define AT(member) offsetof(struct comparing, member)
static const struct option_entry entries[] = {
    {"fail-above", "PERCENT",
     "exit with status 3 if the run, or a part of it, became longer by more than this share of the "
     "run; with 4 if more runs are needed to decide",
     option_take_real, AT(limit), OPTION_LIMITS(0, 1000, "a percentage such as 5%")},
    {"format", "FORMAT", "text, csv, json or html", option_take_word, AT(format),
     OPTION_WORDS(cli_formats)},
    {0}};

static const struct option_program program = {
    .does = "Shows what changed from runs A to runs B, the causes first, and which changes are "
            "significant. This needs about five runs of each, which collprof repeat makes. A and B "
            "may also be JSON files of a collbench program.",
    .note = "A single DIR is compared with the run before it. Exit status: 0, 1 failed, 2 wrong "
            "usage, 3 above the limit, 4 undecided.",
    .options = entries,
    .word = cli_take_paths,
    .arguments = "A... -- B... | A B | [DIR]"};

/* Refuses the same run twice among N paths, since copies of a run would hide how much runs vary. */
static void refuse_repeated(const char *const *path, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (cli_is_same(path[i], path[k]))
                cli_refuse("%s and %s are the same run: use each once", path[i], path[k]);
}

static struct document *compare_profiles(const char *const *path, size_t before, size_t after,
                                         const struct comparing *c, enum status *gate)
{
    struct profile **run = cli_load_runs(path, before + after);
    if (!run)
        return NULL;
    struct document *d = compare_document(
        &(struct compare_request){run, before, after, c->tuned, path, c->limit / 100}, gate);
    cli_free_runs(run, before + after);
    return d;
}

static int compare(const char *const *path, size_t before, size_t after, const struct comparing *c)
{
    enum status gate = STATUS_GOOD;
    refuse_repeated(path, before + after);
    bool benchmark = cli_is_file(path[0]);
    if (benchmark && !isnan(c->limit))
        cli_refuse("--fail-above is for runs of applications, not of benchmarks: leave it out");
    struct document *d = benchmark ? launches_document(path, before, after)
                                   : compare_profiles(path, before, after, c, &gate);
    return cli_write(d, c->format, benchmark ? 0 : 10, "runs compared", gate);
}

int cli_compare_sets(const char *const *path, size_t before, size_t after, const char *tuned)
{
    struct tuned_set set = {0};
    bool loaded = tuned && tuned_set_load(&set, tuned);
    int status = compare(path, before, after,
                         &(struct comparing){.limit = NAN, .tuned = loaded ? &set : NULL});
    if (set.changed && tuned_set_save(&set, tuned) < 0)
        status = STATUS_FAILED;
    free(set.list.at);
    return tuned && !loaded ? STATUS_FAILED : status;
}

/* Sets the runs to compare: the latest one of DIR, and the one before it. False, with a reason, if
 * there are fewer than two. */
static bool find_run_before(struct comparing *c, struct kept_runs *runs)
{
    const char *directory = c->run.n ? c->run.at[0] : CLI_DIRECTORY;
    *runs = runs_find(directory);
    if (!runs->list.n)
        return false;
    if (runs->list.n < 2)
        return reason_give("%s: there is no earlier run to compare with: use: collprof compare A B",
                           directory);
    c->run.n = 0;
    *PUSH(&c->run) = runs->list.at[1].path;
    *PUSH(&c->run) = runs->list.at[0].path;
    return true;
}

/* Refuses directories of `collprof repeat`, since they contain several runs. */
static void refuse_directories(const struct comparing *c)
{
    char first[4400];
    for (size_t i = 0; i < c->run.n; i++) {
        snprintf(first, sizeof first, "%s/run-1", c->run.at[i]);
        if (!access(first, F_OK))
            cli_refuse("%s contains several runs: use: collprof compare A/run-* -- B/run-*",
                       c->run.at[i]);
    }
}

int cli_compare(int argc, char **argv)
{
    struct comparing c = {.limit = NAN};
    const struct option_parser parser = cli_parse(&program, &c, argc, argv);
    struct kept_runs runs RELEASED(runs_free) = {0};
    int status = STATUS_FAILED, before = parser.divided_at;
    if (before == 0 || (size_t)before == c.run.n)
        cli_refuse("no runs %s the --: use: A... -- B...", before ? "after" : "before");
    if (before < 0 && c.run.n > 2)
        cli_refuse("%zu directories without -- between A and B: use: A... -- B...", c.run.n);
    if (c.run.n >= 2)
        refuse_directories(&c);
    size_t a = before > 0 ? (size_t)before : 1;
    if (c.run.n >= 2 || find_run_before(&c, &runs))
        status = compare(c.run.at, a, c.run.n - a, &c);
    free(c.run.at);
    return status;
}
