/* What the subcommands of `collprof` share. Each subcommand has its own file; none links MPI. */
#pragma once

#include "base/array.h"
#include "base/options.h"
#include "base/reason.h"
#include "base/status.h"
#include "document/document.h"
#include "profile/profile.h"

/* The subcommands. ARGV[0] is "collprof run" etc.; returns the exit status (base/status.h). */
int cli_run(int argc, char **argv);
int cli_repeat(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_where(int argc, char **argv);
int cli_top(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_scale(int argc, char **argv);
int cli_info(int argc, char **argv);

/* The subcommand's name, as "collprof run", with which its messages begin. */
extern const char *cli_name;

/* True on all ranks but one: cli_refuse() prints nothing, since all ranks have the same message. */
extern bool cli_silent;

/* The default of --output and DIR: a link to the newest run's directory. */
#define CLI_DIRECTORY "collprof.out"

/* Parses the options of PROGRAM into VALUES. Ends the process after --help and --version with 0,
 * and after a mistake with a message and STATUS_USAGE. */
struct option_parser cli_parse(const struct option_program *program, void *values, int argc,
                               char **argv);

/* For option_program.word: stores WORD, a directory or file, without slashes at its end in the
 * const char * with which VALUES begins. Refuses a second word. */
error_t cli_take_directory(struct option_parser *parser, void *values, char *word);

/* For option_program.word: adds WORD to the ARRAY(const char *) with which VALUES begins. */
error_t cli_take_paths(struct option_parser *parser, void *values, char *word);

/* Names for --format: those of enum format, then "html", which is CLI_PAGE. Ends with NULL. */
enum { CLI_PAGE = FORMAT_JSON + 1 };
extern const char *const cli_formats[];

/* Writes D to standard output and frees it. FORMAT is an index of cli_formats; text has at most
 * ROWS rows of each table (0: all), a page has TITLE. Returns STATUS; STATUS_FAILED if D is NULL or
 * could not be written. */
int cli_write(struct document *d, int format, size_t rows, const char *title, enum status status);

/* The profiles of the runs in N paths. NULL, with a reason, if one cannot be read. Release by
 * cli_free_runs(). */
struct profile **cli_load_runs(const char *const *path, size_t n);
void cli_free_runs(struct profile **run, size_t n);

/* Prints a line on standard output, without control characters: quote_plain() (base/quote.h). */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "CLI_NAME: message" unless CLI_SILENT, and ends the process with STATUS_USAGE. */
_Noreturn void cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether PATH is a regular file; whether A and B are the same file, also under other names. */
bool cli_is_file(const char *path);
bool cli_is_same(const char *a, const char *b);

/* Flushes standard output. False, after a message, if not all could be written (a full disk). */
bool cli_flush(void);

/* A run with a readable profile or records. */
struct kept_run {
    char *path;
    struct profile *profile;
};
struct kept_runs {
    ARRAY(struct kept_run) list; /* the latest comes first */
};

/* Finds the runs in DIRECTORY, in its subdirectories, and in directories "DIRECTORY-...". The list
 * is empty, with a reason, if there is no run. Release by runs_free(). */
struct kept_runs runs_find(const char *directory);
void runs_free(struct kept_runs *runs);

/* Path of the newest run "DIRECTORY-JOB" that started after LATEST (seconds since 1970) and has a
 * living process for which WANTED(ARG, pid) is true (WANTED NULL: any run, also an ended one). NULL
 * if there is no such run. Release by free(). */
char *runs_newest(const char *directory, double latest, bool (*wanted)(const void *arg, pid_t pid),
                  const void *arg);

/* Path of the newest run of the link DIRECTORY, running or ended: a run "DIRECTORY-JOB" that
 * started after the link was made (a run sets the link only after MPI_Init), otherwise DIRECTORY
 * itself. Release by free(). */
char *runs_current(const char *directory);

/* Prints a table of the runs that runs_find() finds; false, with a reason, if there is none. */
bool runs_print(const char *directory);

/* What the file of a program shows about whether and how a library can be preloaded into it. */
struct executable {
    bool is_static; /* has no dynamic loader: LD_PRELOAD has no effect */
    bool is_shell;  /* a shell or a shell script */
    char mpi[64];   /* name of the first MPI library that it or its libraries need; "" if none */
    /* Path of the address sanitizer's library if the program needs it, otherwise "". This library
     * must be loaded before all others. */
    char sanitizer[4200];
};

/* Examines PROGRAM, a path or a name to be found in PATH. False if it cannot be read. */
bool executable_examine(struct executable *x, const char *program);

/* Whether PROGRAM is mpiexec, srun or another launcher. */
bool is_launcher(const char *program);

/* Registers the calling process, which will become a rank of RUN (struct launcher), with its host's
 * watchdog, which the first process on a host starts. OUTPUT: absolute path of `collprof run
 * --output`. The watchdog reports SECONDS without progress, and with ABORT ends ranks that can
 * never continue. Returns 0, or an errno if the rank has no watchdog. */
int watchdog_register(uint64_t run, const char *output, double seconds, bool abort);

/* As `collprof compare`: compares the runs in the first BEFORE paths with those in the next AFTER.
 * AFTER is 0 for files of one benchmark, whose launches are summarized. TUNED: the directory of
 * rules (--tuned) that the AFTER runs used, or NULL: removes rules there whose gain these runs do
 * not show. Returns the exit status. */
int cli_compare_sets(const char *const *path, size_t before, size_t after, const char *tuned);
