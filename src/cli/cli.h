/* The command collprof: one file per subcommand. No MPI is linked. */
#ifndef COLLPROF_CLI_CLI_H
#define COLLPROF_CLI_CLI_H

#include "base/reason.h"
#include "profile/profile.h"

#include "base/options.h"
#include "base/status.h"
#include <argp.h>
#include <stdbool.h>

enum { CLI_USAGE = 2, CLI_CHANGED = 3, CLI_CANNOT_EXECUTE = 126, CLI_NOT_FOUND = 127 };

/* ARGV[0] is "collprof run"; the result is the exit status. */
int cli_run(int argc, char **argv);
int cli_repeat(int argc, char **argv);
int cli_launches(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_info(int argc, char **argv);

/* "collprof run": messages begin with it. */
extern const char *cli_name;

/* Where a command looks that is told of no directory. */
#define CLI_DIRECTORY "collprof.out"

/* Parses, or ends the process: after --help with 0, after an error with CLI_USAGE. An unknown
 * option is answered with the list of the known ones. */
void cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Parses, or ends the process: after --help with 0, after a mistake with STATUS_USAGE. */
void cli_parse_options(struct option_parser *parser, int argc, char **argv);

/* A line on standard output; what in it is not printable becomes '?'. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* profile_load_trace(), and a line on standard error where ranks are not in it. */
struct profile *cli_load_trace(const char *directory);

/* Ends the process with STATUS after the reasons that were given (base/reason.h). */
_Noreturn void cli_give_up(int status);

/* Ends the process with CLI_USAGE after "NAME: message". */
_Noreturn void cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The number that TEXT gives to OPTION; ends the process, with what would be RIGHT, if it is none
 * from LEAST to MOST. */
long cli_number(const char *option, const char *text, long least, long most, const char *right);

/* A number of table lines; ends the process if TEXT is none. */
long cli_lines(const char *text);

/* Which of the choices TEXT is (they end with NULL); otherwise ends the process, with "WHAT
 * 'TEXT':" and what would be right. */
size_t cli_choice(const char *what, const char *text, const char *(*choice)(size_t i));

/* The key of a numeric figure of call sites, for --OPTION. */
const char *cli_figure(const char *option, const char *text);

/* Columns of the page; ends the process if TEXT is no number from 80 on. */
int cli_width(const char *text);

/* Starts a viewer on PATH, BROWSER or xdg-open. False, with a word why, if there is none. */
bool cli_show(const char *path);

/* Ends the process if PATH, a name that the user has not chosen, may not be written: see
 * save_is_safe(), and, but with FORCE, a file that is not what collprof writes: pages, pictures and
 * databases that say so, and what begins with HEAD (NULL: nothing). OPTION would name another. */
void cli_may_replace(const char *path, bool force, const char *option, const char *head);

/* Flushes standard output. False, with a word why, if it could not be written (a full disk). */
bool cli_flush(void);

#endif
