/* collprof run: sets LD_PRELOAD and becomes the application by exec(), so that the application is
 * the launcher's child as without collprof. Only here LD_PRELOAD is set, so that neither launchers
 * nor shells load the library. */
#include "cli/cli.h"

#include "base/beside.h"
#include "base/launcher.h"
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* Passes those settings of S that differ from BEFORE to the layer by environment variables. */
static void export_settings(const struct settings *s, const struct settings *before)
{
    for (const struct option_entry *e = settings_entries; e->name; e++) {
        char variable[64], value[4200], earlier[4200];
        option_show(e, s, value, sizeof value);
        option_show(e, before, earlier, sizeof earlier);
        option_variable("COLLPROF_", e, variable);
        if (strcmp(value, earlier) != 0)
            setenv(variable, value, 1);
    }
}

/* PATH as an absolute path, since the application may change its directory before MPI_Init. */
static const char *make_absolute(const char *path)
{
    char here[4100], *absolute;
    if (!*path || *path == '/' || !getcwd(here, sizeof here) ||
        asprintf(&absolute, "%s/%s", here, path) < 0)
        return path;
    return absolute;
}

/* For settings_read(): ends the process at a wrong variable. The layer could only warn, later. */
static void refuse_variable(const char *line, void *arg)
{
    (void)arg;
    cli_refuse("%s; collprof-run(1) lists all variables", line);
}

static void preload(const char *library)
{
    if (beside_preload(library))
        return;
    if (launcher_speaks())
        reason_print_stored(cli_name);
    exit(STATUS_USAGE);
}

/* Refuses the launcher of another MPI than the application's: each process would be rank 0 of 1. */
static void check_launcher(const char *application, const struct mpi_built *mpi)
{
    struct launcher l = launcher_read(mpi);
    if (!launcher_serves(&l, mpi))
        cli_refuse("%s is built with %s, but %s starts it: each of the %d ranks would run alone or "
                   "stop in MPI_Init: use: %s -n %d collprof run %s",
                   application, mpi->title, l.name, l.size, launcher_command(&l, mpi), l.size,
                   application);
}

/* Passes the application's process number to the library, which reports if this process used no
 * MPI. A shell's number is not passed, since its children may use MPI. */
static void name_application(const struct executable *x)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    if (x->is_shell)
        unsetenv("_COLLPROF_APPLICATION");
    else
        setenv("_COLLPROF_APPLICATION", pid, 1);
}

/* The setting of option WORD, "--NAME" or "--NAME=..."; if none, the last entry (NAME is NULL). */
static const struct option_entry *setting_of(const char *word)
{
    const struct option_entry *e = settings_entries;
    const size_t length = strcspn(word, "=");
    while (e->name && (strncmp(word, "--", 2) || length != strlen(e->name) + 2 ||
                       strncmp(word + 2, e->name, length - 2) != 0))
        e++;
    return e;
}

/* Examines the application, into X. Refuses, or warns of, what would prevent its being profiled. */
static void check_application(char *const *command, const char *output, struct executable *x)
{
    const char *application = command[0];
    if (is_launcher(application))
        cli_refuse("%s starts the ranks: use: %s ... "
                   "collprof run APPLICATION",
                   application, application);
    if (!executable_examine(x, application))
        return;
    name_application(x);
    const struct mpi_built *mpi = mpi_of_library(x->mpi);
    if (*x->mpi && !mpi)
        cli_refuse("%s is linked with %s, which this collprof does not support (see collprof info):"
                   " use: ./configure --with-mpi=...,DIRECTORY and install it again",
                   application, x->mpi);
    if (mpi)
        check_launcher(application, mpi);
    if (cli_silent)
        return;
    if (command[1] && setting_of(command[1])->name)
        reason_print(
            cli_name,
            "%s is passed to %s: if it is meant for collprof, put it before the application",
            command[1], application);
    if (x->is_static)
        reason_print(cli_name,
                     "%s is statically linked: nothing can be preloaded into it: unless it "
                     "was linked with -lcollprof, it will not be profiled",
                     application);
    if (x->is_shell)
        reason_print(cli_name,
                     "%s may start several programs: each that uses MPI is profiled, and %s links "
                     "to the profile of the last one",
                     application, output);
}

static void set_watchdog(const struct settings *s)
{
    if (s->watchdog_abort && s->watchdog <= 0)
        cli_refuse("--watchdog-abort needs a time: use: --watchdog=60 --watchdog-abort");
    int error = s->watchdog > 0 ? watchdog_register(launcher_read(NULL).run, s->output, s->watchdog,
                                                    s->watchdog_abort)
                                : 0;
    if (error && !cli_silent)
        reason_print(cli_name, "--watchdog: %s: no watchdog watches this run", strerror(error));
}

static const struct option_program program = {
    .does = "Runs an MPI application and profiles it. Write it between the launcher and the "
            "application: mpiexec -n 4 collprof run ./app arguments",
    .note = "Every option can also be set by a variable, such as COLLPROF_OUTPUT for --output; "
            "collprof-run(1) also lists rare ones. The exit status is the application's, 2 for "
            "wrong usage, 126 if it cannot be executed, 127 if it is not found.",
    .arguments = "[--] APPLICATION [ARGUMENT...]",
    .options = settings_entries,
    .passes_on = true};

/* Refuses options that are not those of `collprof run`, but of the launcher or another command. */
static void check_slips(int argc, char **argv)
{
    for (int i = 1; i < argc && *argv[i] == '-' && strcmp(argv[i], "--") != 0; i++) {
        if (!strncmp(argv[i], "-n", 2) || !strncmp(argv[i], "--np", 4))
            cli_refuse("-n is an option of the launcher: use: mpiexec -n N collprof run ./app");
        if (!strncmp(argv[i], "--repeat", 8))
            cli_refuse("use: collprof repeat -n 5 mpiexec -n N collprof run ./app");
        if (!strcmp(argv[i], "--full") || !strncmp(argv[i], "--format", 8) ||
            !strncmp(argv[i], "--table", 7))
            cli_refuse("%s is for the report, after the run: use: collprof report %s", argv[i],
                       argv[i]);
    }
}

/* Reports that APPLICATION cannot be executed (WHY), and suggests what the user may have meant: an
 * argument of the option BEFORE this word, a file in this directory, or a command. */
static void say_what_is_meant(const char *application, const char *before, const char *why)
{
    struct stat st;
    const struct option_entry *e = setting_of(before);
    if (e->name && e->argument)
        reason_print(cli_name, "%s: %s: did you mean %s=%s?", application, why, before,
                     application);
    else if (!stat(application, &st) && S_ISDIR(st.st_mode))
        reason_print(cli_name, "%s is a directory: expected a program", application);
    else if (!access(application, F_OK) && text_ends_with(application, ".py"))
        reason_print(cli_name, "%s: %s: use: collprof run python3 %s", application, why,
                     application);
    else if (!access(application, F_OK) && !strchr(application, '/'))
        reason_print(cli_name, "%s: %s: did you mean ./%s?", application, why, application);
    else if (!strchr(application, '/'))
        reason_print(cli_name, "%s: %s: `collprof --help` lists commands", application, why);
    else
        reason_print(cli_name, "%s: %s", application, why);
}

int cli_run(int argc, char **argv)
{
    struct settings s;
    struct executable application = {0};
    cli_silent = !launcher_speaks();
    settings_read(&s, environ, refuse_variable, NULL);
    const struct settings before = s;
    check_slips(argc, argv);
    char **command = cli_parse(&program, &s, argc, argv).rest;
    if (!command)
        cli_refuse("no application: use: collprof run [OPTION...] ./app");
    s.output = make_absolute(s.output);
    s.tuned = make_absolute(s.tuned);
    export_settings(&s, &before);
    check_application(command, s.output, &application);
    set_watchdog(&s);
    if (s.yield) /* makes Open MPI yield; other MPIs yield by the transport library */
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    if (*s.tune) /* Open MPI reads this in MPI_Init; without rules it has no effect */
        setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
    if (s.yield || !strcmp(s.trace, "transport"))
        preload("libcollprof-transport.so");
    preload("libcollprof.so");
    if (*application.sanitizer)
        beside_preload_path(application.sanitizer);
    execvp(command[0], command);
    int error = errno;
    if (!cli_silent)
        say_what_is_meant(command[0], command[-1], strerror(error));
    return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_EXECUTE;
}
