/* collprof repeat: runs one command several times, or two commands in turn, so that noise of the
 * machine affects both alike. A command begins with its launcher. By environment variables this
 * program sets where the application or benchmark writes its results. */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/input.h"
#include "base/text.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 1000 };

/* Which of two commands. BEFORE: that of --against, or COMMAND without --tuned; RUN: COMMAND. */
enum side { BEFORE, RUN };

struct repeat {
    const char *output, *against; /* --output; --against, a shell command, or NULL */
    int runs;
    char **command;
    /* If COMMAND has --tuned=DIR: DIR, and COMMAND without this option, to compare with. */
    const char *tuned;
    char **untuned;
    char made[4200];           /* the directory that was made for all results */
    bool is_benchmark;         /* results are JSON files of collbench, not profiles */
    int complete;              /* number of runs that ended with results */
    char *path[2 * MOST_RUNS]; /* paths of the results, those of command BEFORE first */
};

#define AT(member) offsetof(struct repeat, member)
static const struct option_entry entries[] = {
    {"runs", "N", "number of runs of each command, after a warm-up run", option_take_count,
     AT(runs), OPTION_LIMITS(1, MOST_RUNS, "a number from 1 to 1000"), .letter = 'n'},
    {"against", "COMMAND", "a shell command to compare with: the two commands run in turn",
     option_take_text, AT(against)},
    {"output", "DIR", "make this directory for the results, or DIR-2, DIR-3 ... if it exists",
     option_take_text, AT(output), .letter = 'o'},
    {0}};

static const struct option_program program = {
    .does = "Runs a command with its launcher several times: collprof repeat mpiexec -n 4 collprof "
            "run ./app, or a collbench program, whose figures differ more between launches than "
            "within one.",
    .note = "With --against the two commands are compared (collprof compare); `collprof run "
            "--tuned=DIR` is compared with the run without --tuned. For a benchmark each figure's "
            "median over the launches is shown, with its interval.",
    .options = entries,
    .arguments = "[--] COMMAND [ARGUMENT...]",
    .passes_on = true};

static bool is_script(const char *path)
{
    char head[3];
    return input_read(path, head, sizeof head) == 2 && !strcmp(head, "#!");
}

/* Refuses a command that would leave no results, since it has neither collprof nor a collbench
 * program. A script or a shell command may contain one. */
static void check_command(struct repeat *r)
{
    bool profiles = false;
    for (char **word = r->command; *word; word++) {
        const char *base = text_base_of(*word);
        r->is_benchmark = r->is_benchmark || !strncmp(base, "collbench-", 10);
        profiles = profiles || strstr(base, "collprof") || is_script(*word) || strchr(*word, ' ');
    }
    if (atoi(r->command[0]) > 0)
        cli_refuse("use: collprof repeat -n %s mpiexec -n 4 collprof run ./app", r->command[0]);
    if (!r->is_benchmark && !profiles)
        cli_refuse("%s is not profiled: use: collprof repeat mpiexec -n 4 collprof run ./app",
                   r->command[0]);
}

/* Makes the directory --output, with a number appended if it exists: nothing is overwritten. */
static void make_directory(struct repeat *r)
{
    snprintf(r->made, sizeof r->made, "%s", r->output);
    for (int i = 2; mkdir(r->made, 0777); i++) {
        if (errno != EEXIST || i > 9999)
            cli_refuse("%s: %s", r->made, strerror(errno));
        snprintf(r->made, sizeof r->made, "%.4000s-%d", r->output, i);
    }
}

static const char *command_of(const struct repeat *r, enum side side)
{
    return side == RUN || r->untuned ? r->command[0] : r->against;
}

static bool compares(const struct repeat *r)
{
    return r->against || r->untuned;
}

/* Sets TUNED and UNTUNED. Looks for --tuned only among collprof's options, since the application
 * may have an option of this name, too. */
static void find_tuned(struct repeat *r)
{
    static const char option[] = "--tuned=";
    size_t n = 0, left = 0;
    bool ours = false;
    while (r->command[n])
        n++;
    char **rest = memory_alloc((n + 1) * sizeof *rest);
    for (size_t i = 0; i < n; i++) {
        const char *word = r->command[i];
        const bool argument = i > 0 && !strcmp(r->command[i - 1], "-o");
        ours = !strcmp(text_base_of(word), "collprof") ||
               (ours && (argument || (*word == '-' && word[1]) || !strcmp(word, "run")));
        if (ours && !r->tuned && !strncmp(word, option, strlen(option)))
            r->tuned = word + strlen(option);
        else
            rest[left++] = r->command[i];
    }
    if (r->tuned && !r->against && !r->is_benchmark)
        r->untuned = rest;
    else
        free(rest);
}

static _Noreturn void become(const struct repeat *r, enum side side, const char *path)
{
    char here[PATH_MAX + 1] = "", full[2 * PATH_MAX]; /* the command may change the directory */
    if (*path != '/' && getcwd(here, PATH_MAX))
        strcat(here, "/");
    snprintf(full, sizeof full, "%s%s", here, path);
    signal(SIGINT, SIG_DFL);
    setenv("COLLPROF_OUTPUT", full, 1);
    setenv("COLLPROF_REPORT", "no", 1);
    setenv("COLLBENCH_OUTPUT", full, 1);
    setenv("COLLBENCH_FORMAT", "json", 1);
    if (side == BEFORE && r->untuned)
        unsetenv("COLLPROF_TUNED");
    char *shell[] = {"/bin/sh", "-c", (char *)r->against, NULL};
    char **command = side == RUN ? r->command : r->untuned ?: shell;
    execvp(*command, command);
    reason_print(cli_name, "%s: %s", command_of(r, side), strerror(errno));
    _exit(STATUS_NOT_FOUND);
}

/* Runs SIDE's command. Returns its exit status; 128 + N if signal N ended it. */
static int run_one(const struct repeat *r, enum side side, const char *path)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        become(r, side, path);
    if (pid < 0)
        cli_refuse("no further process can be started: %s", strerror(errno));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Path of the result of run I (negative: the warm-up): ".../run-3", ".../before-3.json". */
static char *path_of(const struct repeat *r, enum side side, int i)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s%s-%d%s", r->made, i < 0 ? "warm-up-" : "",
             side == RUN ? "run" : "before", i < 0 ? 1 : i + 1, r->is_benchmark ? ".json" : "");
    return memory_strdup(path);
}

/* If PATH is a link of `collprof run` to its directory, replaces the link by the directory. */
static void settle(const char *path)
{
    struct stat s;
    FREED char *real = !lstat(path, &s) && S_ISLNK(s.st_mode) ? realpath(path, NULL) : NULL;
    if (real && !unlink(path))
        rename(real, path);
}

/* Whether the run left a benchmark's file, a profile, or raw records: ranks that cannot communicate
 * at their end leave records instead of a profile. */
static bool has_result(const struct repeat *r, const char *path)
{
    glob_t records RELEASED(globfree) = input_list(path, "/rank[.-]*");
    return r->is_benchmark ? !access(path, F_OK) : profile_exists(path) || records.gl_pathc;
}

/* Runs SIDE's command, with results in PATH. False, with a reason, if it failed or left none. */
static bool run_kept(struct repeat *r, enum side side, const char *path)
{
    double from = clock_now();
    int status = run_one(r, side, path);
    settle(path);
    if (status)
        return reason_give("exit status %d of %s; %d complete runs are in %s", status,
                           command_of(r, side), r->complete, r->made);
    if (!has_result(r, path))
        return reason_give("%s left no results in %s: use `collprof run` right before the "
                           "application, or a collbench program, without -o",
                           command_of(r, side), path);
    reason_print(cli_name, "%s: %.2f s", path, clock_now() - from);
    r->complete++;
    return true;
}

/* Runs each command r->runs times after a warm-up run; two commands in turn, in changing order. */
static bool run_all(struct repeat *r)
{
    int sides = compares(r) ? 2 : 1;
    for (int i = -1; i < r->runs; i++) /* -1: warm-up, whose results are not used */
        for (int turn = 0; turn < sides; turn++) {
            enum side side = !compares(r) || (turn + i + 1) % 2 ? RUN : BEFORE;
            char *path = path_of(r, side, i);
            if (i >= 0)
                r->path[compares(r) && side == RUN ? r->runs + i : i] = path;
            if (!run_kept(r, side, path))
                return false;
        }
    return true;
}

int cli_repeat(int argc, char **argv)
{
    static struct repeat r = {.output = "collprof.repeat", .runs = 6};
    r.command = cli_parse(&program, &r, argc, argv).rest;
    if (!r.command)
        cli_refuse("no command: use: collprof repeat mpiexec -n 4 collprof run ./app");
    check_command(&r);
    find_tuned(&r);
    make_directory(&r);
    signal(SIGINT, SIG_IGN); /* Ctrl-C ends only the command, and we report this */
    if (!run_all(&r)) {
        if (!r.complete)
            rmdir(r.made);
        return STATUS_FAILED;
    }
    if (r.is_benchmark || compares(&r))
        return cli_compare_sets((const char *const *)r.path, (size_t)r.runs,
                                compares(&r) ? (size_t)r.runs : 0, r.untuned ? r.tuned : NULL);
    cli_say("%d runs are in %s: use: collprof compare BEFORE... -- %s/run-*", r.runs, r.made,
            r.made);
    return cli_flush() ? STATUS_GOOD : STATUS_FAILED;
}
