#include "cli/cli.h"
#include "config.h"

#include "page/rows.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run an MPI application and profile it", cli_run},
    {"report", "show the report of a run again, or of one that crashed", cli_report},
    {"compare", "show what changed between two runs", cli_compare},
    {"export", "write a run's figures as CSV, its collectives as a trace", cli_export},
    {"plot", "draw pictures of a run", cli_plot},
    {"info", "show what this collprof was built for, the clock, the machine", cli_info},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const char *argp_program_version = PACKAGE_STRING;

static void print_usage(FILE *out)
{
    fputs("Usage: collprof COMMAND [OPTION...] [ARGUMENT...]\n"
          "Profiles MPI applications, without recompiling or relinking them.\n\n"
          "  mpiexec -n 4 collprof run ./app    run and profile it; the report comes at the end\n"
          "  collprof report                    show that report again\n\n"
          "Commands:\n",
          out);
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`collprof COMMAND --help' shows a command's options; so does its manual page,\n"
          "collprof-COMMAND(1).\n",
          out);
}

static void join_names(char *text, size_t room)
{
    size_t at = 0;
    for (int i = 0; i < N_COMMANDS && at < room; i++)
        at += (size_t)snprintf(text + at, room - at, "%s%s", i ? ", " : "", commands[i].name);
}

void cli_refuse(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(CLI_USAGE);
}

/* getopt has just said which option is wrong. */
static void list_options(const char *name, const struct argp *argp)
{
    fprintf(stderr, "%s: known options are", name);
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        if (o->name)
            fprintf(stderr, " --%s%s%s", o->name,
                    o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "",
                    o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? o->arg : "");
    fputs(" --help --version\n", stderr);
}

static error_t parse_common(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        state->err_stream = NULL; /* argp's hint names a --usage that there is not */
        return 0;
    case '?':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        exit(cli_flush(state->name) ? 0 : 1);
    case 'V':
        puts(argp_program_version);
        exit(cli_flush(state->name) ? 0 : 1);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    static const struct argp_option common[] = {{"help", '?', NULL, 0, "show this help", -1},
                                                {"version", 'V', NULL, 0, "show the version", -1},
                                                {0}};
    const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
    const struct argp whole = {common, parse_common, NULL, NULL, children, NULL, NULL};
    /* argp's own --help would end the process; so would its errors, before the list is out. */
    if (argp_parse(&whole, argc, argv, flags | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, input)) {
        list_options(argv[0], argp);
        exit(CLI_USAGE);
    }
}

long cli_lines(const char *name, const char *text)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < 1)
        cli_refuse(name, "--top is '%s': a number of lines from 1 would be right", text);
    return n;
}

const char *cli_sort_key(const char *name, const char *text)
{
    char known[100] = "";
    for (size_t i = 0; rows_sort_keys[i]; i++) {
        if (!strcmp(rows_sort_keys[i], text))
            return rows_sort_keys[i];
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 rows_sort_keys[i]);
    }
    cli_refuse(name, "--sort is '%s': one of %s would be right", text, known);
}

bool cli_flush(const char *name)
{
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "%s: standard output: %s\n", name, strerror(errno ? errno : EIO));
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    char known[200], name[32];
    join_names(known, sizeof known);
    if (argc < 2)
        cli_refuse("collprof", "a command is missing: one of %s would be right", known);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return cli_flush("collprof") ? 0 : 1;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts(argp_program_version);
        return 0;
    }
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        snprintf(name, sizeof name, "collprof %s", commands[i].name);
        argv[1] = name; /* messages begin with it */
        return commands[i].run(argc - 1, argv + 1);
    }
    cli_refuse("collprof", "there is no command '%s': one of %s would be right", argv[1], known);
}
