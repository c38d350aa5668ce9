/* collprof launches: a benchmark started several times over, since between launches its figures
 * differ by more than their intervals say; or the results of launches that were made by hand. */
#include "results/launches.h"
#include "base/text.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1000 };

struct launches {
    const char *output;
    char **word; /* the command, or the files */
    int n_words;
    long n;
    enum format format;
};

static const struct argp_option options[] = {
    {"launches", 'n', "N", 0, "how often the command is started (5)", 0},
    {"output", 'o', "DIR", 0, "a new directory for the launches' results (collprof.launches)", 0},
    {"format", 'f', "FORMAT", 0, "text, csv or json", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct launches *l = state->input;
    switch (key) {
    case 'n':
        l->n = cli_number("launches", argument, 2, MOST, "a number from 2 to 1000");
        return 0;
    case 'o':
        l->output = argument;
        return 0;
    case 'f':
        if (!format_from_name(argument, &l->format))
            cli_refuse("--format is '%s': text, csv or json would be right", argument);
        return 0;
    case ARGP_KEY_ARG:
        l->word = state->argv + state->next - 1; /* all that follows is the command's own */
        l->n_words = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The command, whose standard output goes into the file. */
static void launch(const struct launches *l, long i, const char *file)
{
    char format[] = "--format=json", **argv = calloc((size_t)l->n_words + 2, sizeof *argv);
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    if (!argv || posix_spawn_file_actions_init(&actions))
        cli_refuse("out of memory");
    memcpy(argv, l->word, (size_t)l->n_words * sizeof *argv);
    argv[l->n_words] = format;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(argv);
    if (failed) {
        reason_say(cli_name, "%s: %s", l->word[0], strerror(failed));
        unlink(file);
        rmdir(l->output); /* if nothing is in it */
        exit(CLI_NOT_FOUND);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status) {
        reason_say(cli_name, "launch %ld ended with status %d: no results of all", i,
                   WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        exit(1);
    }
}

static void add(json_t *all, const char *file)
{
    char why[1000];
    if (!launches_load(all, file, why, sizeof why))
        cli_refuse("%s", why);
}

static void gather(const struct launches *l, json_t *all)
{
    char file[4100];
    if (text_ends_with(l->word[0], ".json")) { /* meant as a file, also where there is none */
        for (int i = 0; i < l->n_words; i++)
            add(all, l->word[i]);
        return;
    }
    if (mkdir(l->output, 0777))
        cli_refuse("%s: %s: a new directory would be right (-o)", l->output, strerror(errno));
    for (long i = 1; i <= l->n; i++) {
        snprintf(file, sizeof file, "%s/launch-%ld.json", l->output, i);
        launch(l, i, file);
        add(all, file);
        reason_say(cli_name, "%s", file);
    }
}

/* What the first launch says of itself, but for the moment. */
static void copy_facts(const json_t *all, struct document *d)
{
    const json_t *header = json_object_get(json_array_get(all, 0), "header"), *value;
    const char *key;
    static const char *const same[] = {"program", "command", "MPI", "clock", "ranks", "machine"};
    document_fact(d, "launches", "%zu", json_array_size(all));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        key = same[i];
        value = json_object_get(header, key);
        if (json_is_string(value))
            document_fact(d, key, "%s", json_string_value(value));
    }
    document_note(d,
                  "low, high: 95 %% interval of the mean over launches, by Student's distribution");
}

int cli_launches(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[--] COMMAND [ARGUMENT...]\nFILE.json...",
        .doc =
            "Starts a collbench program several times, by its launcher, and shows its figures with "
            "intervals between launches: collprof launches mpiexec -n 4 collbench-bcast. "
            "Or does the same of results that were written with --format=json."};
    struct launches l = {.output = "collprof.launches", .n = 5};
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &l);
    if (!l.word)
        cli_refuse("a command is missing: %s mpiexec -n 4 collbench-bcast would be right",
                   cli_name);
    json_t *all = json_array();
    gather(&l, all);
    struct document *d = document_new("collprof-launches/1");
    const char *why = d ? launches_tell(all, d) : "out of memory";
    if (why)
        cli_refuse("%s", why);
    copy_facts(all, d);
    bool written = document_write(d, stdout, l.format);
    document_free(d);
    json_decref(all);
    return cli_flush() && written ? 0 : 1;
}
