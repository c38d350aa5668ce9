/* collprof repeat: a command several times over, in alternation with another one, so that whatever
 * the machine does meanwhile falls upon both. It stands in front of the launcher; the ranks are
 * started behind it by `collprof run', which takes its directory from the environment. */
#include "cli/cli.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 1000 };

struct repeat {
    const char *output, *against; /* AGAINST: for the shell; NULL: none */
    char **command;
    long runs, warm_up;
    char *directory[2][MOST_RUNS]; /* of AGAINST, of the command */
};

static const struct argp_option options[] = {
    {"runs", 'n', "N", 0, "runs of each command that count (5)", 0},
    {"warm-up", 'w', "N", 0, "runs of each before, whose profiles are not kept (1)", 0},
    {"against", 'a', "COMMAND", 0,
     "another command, for the shell, run in alternation with the first: what it was before", 0},
    {"output", 'o', "DIR", 0, "the runs' directories are made in this one (collprof.repeat)", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct repeat *r = state->input;
    switch (key) {
    case 'n':
        r->runs = cli_number("runs", argument, 1, MOST_RUNS, "a number from 1 to 1000");
        return 0;
    case 'w':
        r->warm_up = cli_number("warm-up", argument, 0, MOST_RUNS, "a number from 0 to 1000");
        return 0;
    case 'a':
        r->against = argument;
        return 0;
    case 'o':
        r->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        r->command = state->argv + state->next - 1; /* all that follows is its own */
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static _Noreturn void become(const struct repeat *r, bool against, const char *directory)
{
    signal(SIGINT, SIG_DFL);
    setenv("COLLPROF_OUTPUT", directory, 1);
    setenv("COLLPROF_REPORT", "no", 1);
    if (against)
        execl("/bin/sh", "sh", "-c", r->against, (char *)NULL);
    else
        execvp(r->command[0], r->command);
    reason_say(cli_name, "%s: %s", against ? "/bin/sh" : r->command[0], strerror(errno));
    _exit(CLI_NOT_FOUND);
}

/* Its status as a shell gives it. */
static int run_one(const struct repeat *r, bool against, const char *directory)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        become(r, against, directory);
    if (pid < 0)
        cli_refuse("no further process can be started: %s", strerror(errno));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static char *path_of(const struct repeat *r, const char *format, const char *what, long i)
{
    char *part, *path;
    if (asprintf(&part, format, what, i) < 0 || asprintf(&path, "%s/%s", r->output, part) < 0)
        cli_refuse("out of memory");
    free(part);
    return path;
}

static bool has_profile(const char *directory)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/profile.json", directory);
    return !access(path, R_OK);
}

/* False, with a word why, if it is no run to be compared. */
static bool run_kept(struct repeat *r, bool against, const char *directory)
{
    double from = clock_now();
    int status = run_one(r, against, directory);
    if (status) {
        reason_say(cli_name, "status %d of %s: what has run by now is in %s", status,
                   against ? r->against : r->command[0], r->output);
        return false;
    }
    if (!has_profile(directory)) {
        reason_say(cli_name,
                   "there is no profile in %s after %s: a command with `collprof run` right before "
                   "the application, without -o, would be right: mpiexec -n 4 collprof run ./app",
                   directory, against ? r->against : r->command[0]);
        return false;
    }
    reason_say(cli_name, "%s: %.2f s", directory, clock_now() - from);
    return true;
}

/* The two take turns in being first. */
static bool run_all(struct repeat *r)
{
    int commands = r->against ? 2 : 1;
    for (long i = -r->warm_up; i < r->runs; i++)
        for (int k = 0; k < commands; k++) {
            bool against = commands == 2 && ((i + k) & 1) == 0;
            const char *what = against ? "before" : "run";
            char *directory = i < 0 ? path_of(r, "warm-up-%s-%ld", what, i + r->warm_up + 1)
                                    : path_of(r, "%s-%ld", what, i + 1);
            if (!run_kept(r, against, directory))
                return false;
            if (i >= 0)
                r->directory[!against][i] = directory;
            else
                free(directory);
        }
    return true;
}

/* As if it had been called by hand. */
static int compare(struct repeat *r)
{
    static char name[] = "collprof compare", between[] = "--";
    char **argv = calloc((size_t)(2 * r->runs) + 3, sizeof *argv);
    int argc = 0;
    if (!argv)
        cli_refuse("out of memory");
    argv[argc++] = name;
    for (int side = 0; side < 2; side++) {
        if (side)
            argv[argc++] = between;
        for (long i = 0; i < r->runs; i++)
            argv[argc++] = r->directory[side][i];
    }
    int status = cli_compare(argc, argv);
    free(argv);
    return status;
}

int cli_repeat(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[--] COMMAND [ARGUMENT...]",
        .doc =
            "Runs a command several times and keeps the profile of each run in a directory of its "
            "own, for collprof compare. Stands before the launcher, and the command has `collprof "
            "run' in it: collprof repeat mpiexec -n 4 collprof run ./app\vWith --against the other "
            "command is what it was before; the two are run in turns, and compared at the end."};
    struct repeat r = {.output = "collprof.repeat", .runs = 5, .warm_up = 1};
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &r);
    if (!r.command)
        cli_refuse(
            "a command is missing: collprof repeat mpiexec -n 4 collprof run ./app would be right");
    if (mkdir(r.output, 0777))
        cli_refuse("%s: %s: a new directory would be right (-o)", r.output, strerror(errno));
    signal(SIGINT, SIG_IGN); /* the command gets it, too, and its end is told here */
    if (!run_all(&r))
        return 1;
    if (r.against)
        return compare(&r);
    cli_say("%ld runs are kept: collprof compare BEFORE... -- %s/run-*", r.runs, r.output);
    return cli_flush() ? 0 : 1;
}
