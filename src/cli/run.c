/* collprof run: the last program before the application. It becomes the application, so nothing
 * stands between the launcher and it, and only here is the library preloaded: neither the launcher
 * nor its shells see it. */
#include "cli/cli.h"
#include "cli/executable.h"

#include "base/beside.h"
#include "base/input.h"
#include "base/launcher.h"
#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { FIRST_LONG = 256, MAX_OPTIONS = 40 };
enum { RANKS = 'n', REPEAT = 255 }; /* no options, but often tried */

struct run {
    struct settings settings;
    unsigned long
        given; /* as options, a bit each: not by variables, which may stand for many runs */
    char **application;
};

/* One option per setting. */
static void make_options(struct argp_option *option)
{
    static char help[MAX_OPTIONS][200];
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *s = &settings_table[i];
        char variable[64];
        settings_variable(s, variable);
        snprintf(help[i], sizeof help[i], "%s%s%s%s [%s]", s->help, *s->initial ? " (" : "",
                 s->initial, *s->initial ? ")" : "", variable);
        option[i] =
            (struct argp_option){.name = s->option,
                                 .key = s->key ? s->key : FIRST_LONG + (int)i,
                                 .arg = s->argument,
                                 .flags = s->if_bare && s->argument ? OPTION_ARG_OPTIONAL : 0,
                                 .doc = help[i]};
    }
    option[settings_count] =
        (struct argp_option){.key = RANKS, .arg = "N", .flags = OPTION_HIDDEN, .doc = ""};
    option[settings_count + 1] = (struct argp_option){
        .name = "repeat", .key = REPEAT, .arg = "N", .flags = OPTION_ARG_OPTIONAL | OPTION_HIDDEN};
}

static const struct setting *setting_of(int key)
{
    for (size_t i = 0; i < settings_count; i++)
        if (key == FIRST_LONG + (int)i || (settings_table[i].key && key == settings_table[i].key))
            return &settings_table[i];
    return NULL;
}

static void take(struct run *r, const struct setting *s, const char *text)
{
    char variable[64];
    const char *right = settings_set(&r->settings, s, text);
    if (right)
        cli_refuse("--%s is '%s': %s would be right", s->option, text, right);
    settings_variable(s, variable);
    setenv(variable, text, 1);
    r->given |= 1ul << (s - settings_table);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct run *r = state->input;
    const struct setting *s = setting_of(key);
    if (s) {
        take(r, s, argument ? argument : s->if_bare);
        return 0;
    }
    if (key == RANKS)
        cli_refuse("-n is the launcher's: mpiexec -n N collprof run ./app would be right");
    if (key == REPEAT)
        cli_refuse("--repeat is what stands before the launcher: collprof repeat --runs=5 "
                   "mpiexec -n N collprof run ./app would be right");
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    r->application = state->argv + state->next - 1; /* all that follows is its own */
    state->next = state->argc;
    return 0;
}

static void list_variables(char *text, size_t room)
{
    size_t at = 0;
    *text = '\0';
    for (size_t i = 0; i < settings_count && at < room; i++) {
        char variable[64];
        settings_variable(&settings_table[i], variable);
        at += (size_t)snprintf(text + at, room - at, "%s%s", i ? " " : "", variable);
    }
}

/* The library would warn of a wrong variable and go on; here there is still time to stop. */
static void check_environment(struct run *r)
{
    for (char **e = environ; *e; e++) {
        size_t length = strcspn(*e, "=");
        const char *value = (*e)[length] ? *e + length + 1 : "";
        if (strncmp(*e, "COLLPROF_", 9))
            continue;
        const struct setting *s = settings_find_variable(*e, length);
        if (!s) {
            char known[2000];
            list_variables(known, sizeof known);
            cli_refuse("there is no variable %.*s: known are %s", (int)length, *e, known);
        }
        const char *right = settings_set(&r->settings, s, value);
        if (right)
            cli_refuse("%.*s is '%s': %s would be right", (int)length, *e, value, right);
    }
}

static void check_file(const char *option, const char *path)
{
    const char *why;
    int fd = *path ? input_open(AT_FDCWD, path, NULL, &why) : -1;
    if (*path && fd < 0)
        cli_refuse("--%s: %s: %s", option, path, why);
    if (fd >= 0)
        close(fd);
}

/* An option that would change nothing was not meant so. */
static void check_with(const struct run *r, const char *option, bool there, const char *needed)
{
    for (size_t i = 0; i < settings_count; i++)
        if (!there && r->given >> i & 1 && !strcmp(settings_table[i].option, option))
            cli_refuse("--%s changes nothing without --%s: both or none would be right", option,
                       needed);
}

static void check_settings(const struct run *r)
{
    check_with(r, "ack-share", *r->settings.ack, "ack");
    check_with(r, "benchmark-every", *r->settings.benchmark, "benchmark");
    check_with(r, "benchmark-budget", *r->settings.benchmark, "benchmark");
    check_file("latencies", r->settings.latencies);
    check_with(r, "latencies", !strcmp(r->settings.bcast, "grid"), "bcast=grid");
}

/* Before what the loader's VARIABLE has already. */
static void preload(const char *variable, const char *library)
{
    char path[4200], *list;
    const char *others = getenv(variable);
    if (!beside_find(library, path, sizeof path))
        cli_refuse("%s is neither beside this program nor where it was to be installed "
                   "(%s): `make install` would be right",
                   library, path);
    if (strpbrk(path, " :"))
        cli_refuse("%s: a library with a space or colon in its path cannot be preloaded: "
                   "install it elsewhere",
                   path);
    if (asprintf(&list, "%s%s%s", path, others && *others ? ":" : "", others ? others : "") < 0)
        cli_refuse("out of memory");
    setenv(variable, list, 1);
    free(list);
}

/* An MPI that does not find its launcher believes to be alone: N runs of one rank each. */
static void check_launcher(const char *application, const struct mpi_built *mpi)
{
    struct launcher l = launcher_read(mpi);
    if (launcher_serves(&l, mpi))
        return;
    if (!strcmp(l.name, "srun"))
        cli_refuse("%s is built with %s, and srun offers its %d ranks no way to find each other: "
                   "each would run alone or stop in MPI_Init: %s would be right",
                   application, mpi->title, l.size, launcher_command(&l, mpi));
    cli_refuse("%s is built with %s, but %s starts it: each of the %d ranks would run alone: "
               "%s -n %d collprof run %s would be right",
               application, mpi->title, l.name, l.size, launcher_command(&l, mpi), l.size,
               application);
}

/* So that this process can say at its end that it used no MPI; a shell's children may have. */
static void name_application(const struct executable *x)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    if (x->is_shell)
        unsetenv("_COLLPROF_APPLICATION");
    else
        setenv("_COLLPROF_APPLICATION", pid, 1);
}

/* What is known about the application before it starts. */
static void check_application(const struct run *r)
{
    struct executable x;
    const char *application = r->application[0];
    if (is_launcher(application))
        cli_refuse("%s starts the ranks: the other way round would be right: %s ... "
                   "collprof run APPLICATION",
                   application, application);
    if (!executable_look(&x, application))
        return;
    name_application(&x);
    /* What is not linked with MPI may open it by hand, or be a script that starts what does. */
    if (!*x.mpi && !x.is_static)
        preload("LD_AUDIT", "libcollprof-audit.so");
    const struct mpi_built *mpi = mpi_of_library(x.mpi);
    if (*x.mpi && !mpi)
        cli_refuse("%s is linked with %s, for which this collprof has no layer: configured "
                   "--with-mpi=...,DIRECTORY it has one (collprof info lists those there are)",
                   application, x.mpi);
    if (mpi && !x.is_mixed)
        check_launcher(application, mpi);
    if (!launcher_speaks())
        return;
    if (x.is_static)
        reason_say(cli_name,
                   "%s is statically linked: nothing can be preloaded into it: unless it "
                   "was linked with -lcollprof, it will not be profiled",
                   application);
    if (x.is_privileged)
        reason_say(cli_name,
                   "%s changes its user or group when started: nothing is preloaded into "
                   "it, it will not be profiled",
                   application);
    if (x.is_shell)
        reason_say(cli_name,
                   "%s may start several programs: each that uses MPI is profiled, and one that "
                   "starts later takes the place of the one before in %s",
                   application, r->settings.output);
}

static const char doc[] =
    "Runs an MPI application and profiles it. Stands right before the application, behind the "
    "launcher: mpiexec -n 4 collprof run ./app arguments\v"
    "Every option can also be given by its environment variable, shown in brackets; an option "
    "comes before a variable. The records and profile.json are written to one directory, the "
    "report is printed on standard error of rank 0 when the application ends. The exit status is "
    "the application's, 2 for wrong usage, 126 if the application cannot be executed, 127 if it is "
    "not found. See collprof-run(1).";

/* Only one of the ranks complains; 2 and the standard error of the application stay as they are. */
static int hush(void)
{
    if (launcher_speaks())
        return -1;
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_WRONLY);
    if (kept >= 0 && null >= 0)
        dup2(null, STDERR_FILENO);
    if (null >= 0)
        close(null);
    return kept;
}

static void unhush(int kept)
{
    if (kept >= 0) {
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
}

int cli_run(int argc, char **argv)
{
    struct argp_option options[MAX_OPTIONS] = {0};
    struct run r = {0};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "[--] APPLICATION [ARGUMENT...]",
                              .doc = doc};
    make_options(options);
    settings_default(&r.settings);
    int kept = hush();
    check_environment(&r);
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &r);
    if (!r.application)
        cli_refuse("an application is missing: collprof run [OPTION...] ./app would be right");
    check_settings(&r);
    check_application(&r);
    if (r.settings.yield) {
        preload("LD_PRELOAD", "libcollprof-yield.so");
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0); /* Open MPI's own way, whatever it uses */
    }
    if (!strcmp(r.settings.trace, "transport"))
        preload("LD_PRELOAD", "libcollprof-transport.so");
    preload("LD_PRELOAD", "libcollprof.so");
    unhush(kept);
    execvp(r.application[0], r.application);
    int error = errno;
    if (launcher_speaks())
        reason_say(cli_name, "%s: %s", r.application[0], strerror(error));
    return error == ENOENT || error == ENOTDIR ? CLI_NOT_FOUND : CLI_CANNOT_EXECUTE;
}
