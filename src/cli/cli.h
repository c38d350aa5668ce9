/* The command collprof: one file for each subcommand. MPI is not linked. */
#pragma once

#include "base/array.h"
#include "base/options.h"
#include "base/reason.h"
#include "base/status.h"
#include "document/document.h"
#include "profile/profile.h"

/* Each subcommand: ARGV[0] is "collprof run" etc.; returns the exit status (base/status.h). */
int cli_run(int argc, char **argv);
int cli_repeat(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_where(int argc, char **argv);
int cli_top(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_scale(int argc, char **argv);
int cli_info(int argc, char **argv);

/* "collprof run"; messages begin with it. */
extern const char *cli_name;

/* Set if another rank prints the messages: cli_refuse() is silent. */
extern bool cli_silent;

/* The default directory of a run. */
#define CLI_DIRECTORY "collprof.out"

/* Parses the options of PROGRAM into VALUES, or ends the process: with 0 after --help, with
 * STATUS_USAGE after a mistake. */
struct option_parser cli_parse(const struct option_program *program, void *values, int argc,
                               char **argv);

/* Takes one word, a directory or file, without slashes at its end, into the const char * at the
 * beginning of VALUES. */
error_t cli_take_directory(struct option_parser *parser, void *values, char *word);

/* Collects directories or files of the command line in the ARRAY(const char *) at the beginning of
 * VALUES. */
error_t cli_take_paths(struct option_parser *parser, void *values, char *word);

/* The formats of a document: those of enum format and a page. */
enum { CLI_PAGE = FORMAT_JSON + 1 };
extern const char *const cli_formats[];

/* Writes D (NULL: none could be made) on standard output in that format, and frees it: as text with
 * at most ROWS rows of a table (0: all); a page is entitled TITLE. Returns STATUS, or that of the
 * failure. */
int cli_write(struct document *d, int format, size_t rows, const char *title, enum status status);

/* Loads the profiles of N runs. NULL with a reason if one cannot be read; otherwise for
 * cli_free_runs(). */
struct profile **cli_load_runs(const char *const *path, size_t n);
void cli_free_runs(struct profile **run, size_t n);

/* Prints a line on standard output; characters that are not printable become '?'. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "NAME: message" and ends the process with STATUS_USAGE. */
_Noreturn void cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether PATH is a regular file; whether A and B are the same file or directory. */
bool cli_is_file(const char *path);
bool cli_is_same(const char *a, const char *b);

/* Flushes standard output. False, with a reason, on failure (a full disk). */
bool cli_flush(void);

/* A run with readable results. */
struct kept_run {
    char *path;
    struct profile *profile;
};
struct kept_runs {
    ARRAY(struct kept_run) list; /* the latest comes first */
};

/* Finds the runs in DIRECTORY, in its subdirectories, and in directories beside it whose names
 * begin with "DIRECTORY-". If there is none, gives the reason. Release by runs_free(). */
struct kept_runs runs_find(const char *directory);
void runs_free(struct kept_runs *runs);

/* Path of the newest run of DIRECTORY that started after LATEST (seconds since 1970) and has a
 * living process for which WANTED is true (NULL: any run). NULL if none. Release by free(). */
char *runs_newest(const char *directory, double latest, bool (*wanted)(const void *arg, pid_t pid),
                  const void *arg);

/* Path of the newest run of DIRECTORY, running or ended. The link DIRECTORY leads to a run only
 * after its ranks have left MPI_Init; otherwise the result is DIRECTORY itself. Release by
 * free(). */
char *runs_current(const char *directory);

/* Prints a table of the runs on standard output. */
void runs_print(const struct kept_runs *runs);

/* What a program's file shows about preloading a library into it. */
struct executable {
    bool is_static; /* no dynamic loader: LD_PRELOAD has no effect */
    bool is_shell;  /* a shell or a shell script */
    char mpi[64];   /* the first MPI library that it needs, directly or not; "" if none */
    /* The runtime library of gcc's address sanitizer, which must come first among all libraries; ""
     * if the program does not need it. */
    char sanitizer[4200];
};

/* Examines PROGRAM, found as the shell would. False if it cannot be read. */
bool executable_examine(struct executable *x, const char *program);

/* Whether PROGRAM is mpiexec or the like. */
bool is_launcher(const char *program);

/* Registers the calling process, which will become a rank of job RUN, with its host's watchdog; the
 * first process starts it. OUTPUT: the absolute path of `collprof run --output`. SECONDS: how long
 * a call may be open before it is reported. ABORT: end the ranks if they can never continue.
 * Returns 0, or an errno: the rank then runs without a watchdog. */
int watchdog_register(uint64_t run, const char *output, double seconds, bool abort);

/* Compares the first BEFORE paths with the next AFTER ones (0 only for files of benchmarks), as
 * `collprof compare`. TUNED: the directory of the rules that the next ones used, or NULL; rules
 * that the runs do not confirm are removed from it. Returns the exit status. */
int cli_compare_sets(const char *const *path, size_t before, size_t after, const char *tuned);
