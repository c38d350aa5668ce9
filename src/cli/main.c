#include "cli/cli.h"
#include "config.h"

#include "base/input.h"
#include "base/quote.h"
#include "base/text.h"
#include "document/save.h"
#include "profile/profile.h"
#include "report/listings.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run an MPI application and profile it", cli_run},
    {"report", "show the report of a run again, or of one that crashed", cli_report},
    {"list", "list the runs in a directory", cli_list},
    {"compare", "show what changed between runs, and what of it is noise", cli_compare},
    {"repeat", "run a command several times, for compare", cli_repeat},
    {"launches", "run a benchmark several times, with intervals between launches", cli_launches},
    {"export", "write a run's figures as CSV, JSON or a trace", cli_export},
    {"plot", "draw pictures of a run", cli_plot},
    {"info", "show what this collprof was built for, the clock, the machine", cli_info},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const char *argp_program_version = PACKAGE_STRING;
const char *cli_name = "collprof";

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
    fputs("\n`collprof help COMMAND` shows a command's options; so does its manual page,\n"
          "collprof-COMMAND(1).\n",
          out);
}

static const char *command_name(size_t i)
{
    return i < N_COMMANDS ? commands[i].name : NULL;
}

void cli_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reason_say_list(cli_name, format, arguments);
    va_end(arguments);
    exit(CLI_USAGE);
}

struct profile *cli_load_trace(const char *directory)
{
    struct profile *p = profile_load_trace(directory);
    if (p && (int64_t)p->ranks.n < p->size)
        reason_say(cli_name,
                   "%s: of %d ranks %zu are in the trace: collprof report names the others",
                   directory, p->size, p->ranks.n);
    return p;
}

void cli_say(const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line, format, arguments) >= 0) {
        quote_plain(line);
        puts(line);
    }
    va_end(arguments);
    free(line);
}

/* The known option that one of ARGV nearly is; NULL: none is meant so. */
static const char *option_meant(const struct argp *argp, char **argv)
{
    for (; *argv && strcmp(*argv, "--"); argv++) {
        const char *nearest = NULL;
        char given[40];
        size_t n = strcspn(*argv, "="), least = TEXT_SLIPS + 1;
        if (strncmp(*argv, "--", 2) || n >= sizeof given)
            continue;
        snprintf(given, sizeof given, "%.*s", (int)n - 2, *argv + 2);
        for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
            size_t far = o->name ? text_slips(o->name, given) : least;
            if (o->name && !strncmp(o->name, given, strlen(given)))
                far = 0; /* in full, or short for it */
            if (far < least) {
                least = far;
                nearest = o->name;
            }
        }
        if (nearest && least)
            return nearest;
    }
    return NULL;
}

void cli_give_up(int status)
{
    reason_tell(cli_name);
    exit(status);
}

/* getopt has just said which option is wrong. */
static void list_options(const struct argp *argp, char **argv)
{
    const char *meant = option_meant(argp, argv + 1);
    if (meant)
        reason_say(cli_name, "did you mean --%s?", meant);
    fprintf(stderr, "%s: known options are", cli_name);
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        if (o->name && !(o->flags & OPTION_HIDDEN))
            fprintf(stderr, " --%s%s%s", o->name,
                    o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "",
                    o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? o->arg : "");
    fputs(" --help --version\n", stderr);
}

/* What getopt says of a wrong option has its name as it is: that is kept back, and told. */
static error_t parse_quietly(const struct argp *argp, int argc, char **argv, unsigned flags,
                             void *input)
{
    char *said = NULL;
    size_t size, name = strlen(argv[0]) + strlen(": ");
    FILE *shown = stderr, *kept = open_memstream(&said, &size);
    stderr = kept ? kept : shown; /* reason_say() goes another way */
    error_t error = argp_parse(argp, argc, argv, flags, NULL, input);
    stderr = shown;
    if (kept && !fclose(kept) && size > name) {
        said[size - 1] = '\0'; /* the line's end */
        reason_say(cli_name, "%s", said + name);
    }
    free(said);
    return error;
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
        exit(cli_flush() ? 0 : 1);
    case 'V':
        puts(argp_program_version);
        exit(cli_flush() ? 0 : 1);
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
    cli_name = argv[0];
    /* argp's own --help would end the process; so would its errors, before the list is out. */
    if (parse_quietly(&whole, argc, argv, flags | ARGP_NO_HELP | ARGP_NO_EXIT, input)) {
        list_options(argp, argv);
        exit(CLI_USAGE);
    }
}

void cli_parse_options(struct option_parser *parser, int argc, char **argv)
{
    cli_name = argv[0];
    switch (options_parse(parser, argc, argv)) {
    case OPTIONS_GOOD:
        return;
    case OPTIONS_HELP:
        options_help(parser, stdout);
        exit(cli_flush() ? STATUS_GOOD : STATUS_FAILED);
    case OPTIONS_VERSION:
        puts(PACKAGE_STRING);
        exit(cli_flush() ? STATUS_GOOD : STATUS_FAILED);
    default:
        cli_refuse("%s", parser->mistake);
    }
}

long cli_number(const char *option, const char *text, long least, long most, const char *right)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < least || n > most)
        cli_refuse("--%s is '%s': %s would be right", option, text, right);
    return n;
}

long cli_lines(const char *text)
{
    return cli_number("top", text, 1, LONG_MAX, "a number of lines from 1");
}

size_t cli_choice(const char *what, const char *text, const char *(*choice)(size_t i))
{
    char known[1000] = "";
    const char *nearest = NULL;
    size_t length = 0, least = TEXT_SLIPS + 1;
    for (size_t i = 0; choice(i); i++) {
        if (!strcmp(choice(i), text))
            return i;
        size_t far = text_slips(choice(i), text);
        if (far < least) {
            least = far;
            nearest = choice(i);
        }
        if (length < sizeof known)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                       choice(i));
    }
    if (nearest)
        cli_refuse("%s '%s': did you mean %s? One of %s would be right", what, text, nearest,
                   known);
    cli_refuse("%s '%s': one of %s would be right", what, text, known);
}

static bool is_ours(FILE *file, const char *head)
{
    static const char page[] = "<title>collprof: ", picture[] = "tEXtSoftware\0collprof";
    char text[1024] = "";
    size_t n = fread(text, 1, sizeof text - 1, file);
    if (n == 0 || memmem(text, n, page, sizeof page - 1))
        return true; /* nothing is lost with an empty file */
    if (head && !strncmp(text, head, n < strlen(head) ? n : strlen(head)))
        return true;
    return !fseek(file, -64, SEEK_END) && (n = fread(text, 1, 64, file)) > 0 &&
           memmem(text, n, picture, sizeof picture - 1);
}

void cli_may_replace(const char *path, bool force, const char *option, const char *head)
{
    struct stat st;
    if (!save_is_safe(path))
        cli_give_up(EXIT_FAILURE);
    if (force || lstat(path, &st) || !S_ISREG(st.st_mode))
        return;
    const char *why;
    FILE *file = input_file(AT_FDCWD, path, &why);
    bool ours = file && is_ours(file, head);
    if (file)
        fclose(file);
    if (!ours)
        cli_refuse(
            "%s is there, and is not what this version of collprof writes: %s, or --force to "
            "replace it, would be right",
            path, option);
}

int cli_width(const char *text)
{
    char right[60];
    snprintf(right, sizeof right, "a number of columns from %d", REPORT_LEAST_WIDTH);
    return (int)cli_number("width", text, REPORT_LEAST_WIDTH, 10000, right);
}

/* The i-th numeric figure of call sites and of requests. */
static const char *sort_key(size_t i)
{
    static const char *const of[] = {"call_sites", "requests"};
    for (size_t m = 0; m < 2; m++) {
        const struct listing *l = listing_find(of[m]);
        for (size_t k = 0; k < l->figures->n; k++)
            if (l->figures->at[k].get && listing_has(l, &l->figures->at[k]) && i-- == 0)
                return l->figures->at[k].column.name;
    }
    return NULL;
}

const char *cli_figure(const char *option, const char *text)
{
    char what[40];
    snprintf(what, sizeof what, "--%s is", option);
    return sort_key(cli_choice(what, text, sort_key));
}

bool cli_flush(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (!errno) { /* what failed was written before: the next byte has the same reason */
        clearerr(stdout);
        putchar('\n');
        fflush(stdout);
    }
    reason_say(cli_name, "standard output: %s", errno ? strerror(errno) : "not all was written");
    return false;
}

struct call {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
    int status;
};

static void run_command(void *call)
{
    struct call *c = call;
    c->status = c->run(c->argc, c->argv);
}

/* Says why, where it could not do what it was asked. */
static int do_call(struct call c)
{
    c.status = EXIT_FAILURE;
    if (!memory_try(run_command, &c))
        reason_give("out of memory");
    reason_tell("collprof");
    return c.status;
}

static bool asks(const char *argument, const char *option, char letter)
{
    return !strcmp(argument, option) ||
           (argument[0] == '-' && argument[1] == letter && !argument[2]);
}

int main(int argc, char **argv)
{
    char name[32];
    char *help[] = {name, (char[]){"--help"}, NULL};
    const char *first = argc > 1 ? argv[1] : "";
    bool helps = !strcmp(first, "help");
    if (argc < 2)
        cli_refuse("a command is missing: mpiexec -n N collprof run ./app would be right; "
                   "`collprof help` lists the others");
    if (asks(first, "--help", '?') || (helps && argc == 2)) {
        print_usage(stdout);
        return cli_flush() ? 0 : 1;
    }
    if (asks(first, "--version", 'V')) {
        puts(argp_program_version);
        return 0;
    }
    const struct command *c =
        &commands[cli_choice("there is no command", helps ? argv[2] : first, command_name)];
    snprintf(name, sizeof name, "collprof %s", c->name);
    cli_name = argv[1] = name;
    return do_call(helps ? (struct call){c->run, 2, help, 0}
                         : (struct call){c->run, argc - 1, argv + 1, 0});
}
