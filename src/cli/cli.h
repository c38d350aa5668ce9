/* The command collprof: one file per subcommand. No MPI is linked. */
#ifndef COLLPROF_CLI_CLI_H
#define COLLPROF_CLI_CLI_H

#include "base/array.h"
#include "base/options.h"
#include "base/reason.h"
#include "base/status.h"
#include "document/document.h"
#include "profile/profile.h"

/* ARGV[0] is "collprof run"; the result is the exit status (base/status.h). */
int cli_run(int argc, char **argv);
int cli_repeat(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_where(int argc, char **argv);
int cli_top(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_info(int argc, char **argv);

/* "collprof run": messages begin with it. */
extern const char *cli_name;

/* Another rank prints messages: cli_refuse() is silent. */
extern bool cli_silent;

/* The directory of a run, where none is given. */
#define CLI_DIRECTORY "collprof.out"

/* Parses, or ends the process: after --help with 0, after a mistake with STATUS_USAGE. */
void cli_parse(struct option_parser *parser, int argc, char **argv);

/* Takes one word, a directory or file, into the const char * that the values begin with. */
error_t cli_take_directory(struct option_parser *parser, void *values, char *word);

/* A line on standard output; what in it is not printable becomes '?'. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* profile_load_trace(), and a line on standard error where ranks are not in it. */
struct profile *cli_load_trace(const char *directory);

/* Ends the process with STATUS_USAGE after "NAME: message". */
_Noreturn void cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the process if PATH, a name that the user has not chosen, may not be written: see
 * save_is_safe(), or what is there is neither a page of collprof nor begins with HEAD (NULL:
 * nothing). */
void cli_may_replace(const char *path, const char *head);

/* Whether PATH is a regular file, and whether it has JSON: what a benchmark has written. */
bool cli_is_file(const char *path);
bool cli_is_json(const char *path);

/* Flushes standard output. False, with a reason, if it could not be written (a full disk). */
bool cli_flush(void);

/* A run that can be read. */
struct kept_run {
    char *path;
    struct profile *profile;
};
struct kept_runs {
    ARRAY(struct kept_run) list; /* the latest first */
};

/* The runs in DIRECTORY, in the directories in it, and in those beside it whose names begin with
 * "DIRECTORY-". For runs_free(). */
struct kept_runs runs_find(const char *directory);
void runs_free(struct kept_runs *runs);
/* The newest run of DIRECTORY with a living process that is WANTED (NULL: any); NULL: none. Needed
 * because the link DIRECTORY leads to a run only after its ranks have left MPI_Init. For free().
 */
char *runs_living(const char *directory, bool (*wanted)(const void *arg, pid_t pid),
                  const void *arg);
/* The newest run of DIRECTORY that started after the link DIRECTORY was made, living or dead; NULL:
 * none, or DIRECTORY is no link. For free(). */
char *runs_unlinked(const char *directory);
/* A table of them on standard output. */
void runs_print(const struct kept_runs *runs);

/* `collprof compare` of the first BEFORE paths with AFTER more; AFTER is 0 only for files of
 * benchmarks. Returns the exit status. */
int cli_compare_sets(const char *const *path, size_t before, size_t after, enum format format);

#endif
