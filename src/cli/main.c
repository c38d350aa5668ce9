#include "cli/cli.h"
#include "config.h"

#include "base/quote.h"
#include "base/text.h"
#include "document/page.h"
#include "document/text.h"
#include "report/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command {
    const char *name, *summary; /* SUMMARY is NULL for an alias, which --help does not list */
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run an MPI application and profile it", cli_run},
    {"report", "show the report of a run again, or write it for other programs", cli_report},
    {"export", NULL, cli_report}, /* uses --format=csv by default */
    {"plot", NULL, cli_report},   /* uses --format=html by default */
    {"where", "show where a run is stuck, and at which rank", cli_where},
    {"top", "watch a run while it progresses", cli_top},
    {"compare", "show what changed between runs, and which changes are significant", cli_compare},
    {"scale", "show how a program scales with its number of ranks", cli_scale},
    {"repeat", "run an application or a benchmark several times", cli_repeat},
    {"info", "show what this installation can do", cli_info},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const char *cli_name = "collprof";
bool cli_silent;

static void print_usage(FILE *out)
{
    fputs("Usage: collprof [run] [OPTION...] APPLICATION [ARGUMENT...]\n"
          "       collprof COMMAND [OPTION...] [ARGUMENT...]\n"
          "Profiles MPI applications, without recompiling or relinking them.\n\n"
          "  mpiexec -n 4 collprof ./app    run and profile it; the report comes at the end\n"
          "  collprof report                show that report again\n\n"
          "Commands:\n",
          out);
    for (int i = 0; i < N_COMMANDS; i++)
        if (commands[i].summary)
            fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`collprof COMMAND --help` shows a command's options; collprof-COMMAND(1) has more.\n",
          out);
}

void cli_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!cli_silent)
        reason_print_list(cli_name, format, arguments);
    va_end(arguments);
    exit(STATUS_USAGE);
}

void cli_say(const char *format, ...)
{
    FREED char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line, format, arguments) >= 0) {
        quote_plain(line);
        puts(line);
    }
    va_end(arguments);
}

struct option_parser cli_parse(const struct option_program *program, void *values, int argc,
                               char **argv)
{
    struct option_parser parser = {.program = program, .name = argv[0], .values = values};
    cli_name = argv[0];
    switch (options_parse(&parser, argc, argv)) {
    case OPTIONS_GOOD:
        return parser;
    case OPTIONS_HELP:
        options_help(&parser, stdout);
        break;
    case OPTIONS_VERSION:
        puts(PACKAGE_STRING);
        break;
    default:
        cli_refuse("%s", parser.mistake);
    }
    exit(cli_flush() ? STATUS_GOOD : STATUS_FAILED);
}

error_t cli_take_directory(struct option_parser *parser, void *values, char *word)
{
    const char **directory = values;
    if (*directory)
        return option_refuse(parser, "expected one directory, not '%s' and '%s'", *directory, word);
    for (size_t n = strlen(word); n > 1 && word[n - 1] == '/'; n--)
        word[n - 1] = '\0';
    *directory = word;
    return 0;
}

error_t cli_take_paths(struct option_parser *parser, void *values, char *word)
{
    ARRAY(const char *) *paths = values;
    (void)parser;
    *PUSH(paths) = word;
    return 0;
}

const char *const cli_formats[] = {"text", "csv", "json", "html", NULL};

int cli_write(struct document *d, int format, size_t rows, const char *title, enum status status)
{
    if (!d)
        return STATUS_FAILED;
    if (format == CLI_PAGE)
        page_write(d, title, stdout);
    else if (format == FORMAT_TEXT)
        document_text_write(d, stdout,
                            &(struct text_options){.width = report_width(stdout), .rows = rows});
    else
        document_write(d, stdout, (enum format)format);
    document_free(d);
    return cli_flush() ? status : STATUS_FAILED;
}

struct profile **cli_load_runs(const char *const *path, size_t n)
{
    struct profile **run = memory_alloc((n + 1) * sizeof *run);
    for (size_t i = 0; i < n; i++)
        if (!(run[i] = profile_load(path[i]))) {
            cli_free_runs(run, i);
            return NULL;
        }
    return run;
}

void cli_free_runs(struct profile **run, size_t n)
{
    while (n)
        profile_free(run[--n]);
    free(run);
}

bool cli_flush(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    reason_print(cli_name, "standard output: %s", errno ? strerror(errno) : "not all was written");
    return false;
}

bool cli_is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

bool cli_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

struct command_call {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
    int status;
};

static void run_command(void *call)
{
    struct command_call *c = call;
    c->status = c->run(c->argc, c->argv);
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

/* Refuses WORD, which is no command, if it is similar to a command. An existing file is accepted:
 * it is an application. */
static void check_application(const char *word)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (text_is_like(word, commands[i].name) && access(word, F_OK) != 0 && !is_launcher(word))
            cli_refuse("unknown command '%s': did you mean %s?", word, commands[i].name);
}

int main(int argc, char **argv)
{
    char name[32];
    const char *first = argc > 1 ? argv[1] : "";
    if (argc < 2)
        cli_refuse("no command: use: mpiexec -n N collprof ./app; `collprof --help` lists others");
    if (argc == 3 && !strcmp(first, "help") && find_command(argv[2])) { /* as COMMAND --help */
        first = argv[1] = argv[2];
        argv[2] = "--help";
    }
    const bool help = !strcmp(first, "help") || !strcmp(first, "--help") || !strcmp(first, "-h");
    if (help || !strcmp(first, "--version") || !strcmp(first, "-V")) {
        if (help)
            print_usage(stdout);
        else
            puts(PACKAGE_STRING);
        return cli_flush() ? STATUS_GOOD : STATUS_FAILED;
    }
    const struct command *c = find_command(first);
    if (!c && *first != '-')
        check_application(first);
    int shift = c ? 1 : 0;
    c = c ? c : &commands[0];
    snprintf(name, sizeof name, "collprof %s", c->name);
    cli_name = argv[shift] = name;
    struct command_call call = {c->run, argc - shift, argv + shift, STATUS_FAILED};
    if (!memory_try(run_command, &call))
        reason_give("out of memory");
    reason_print_stored("collprof");
    return call.status;
}
