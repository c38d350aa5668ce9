/* Declared options: one table for each program, from which come its parser, its --help, its
 * environment variables, and the answers to mistakes. `collprof`, the settings of the profiling
 * layer (base/settings.h) and all collbench programs use it.
 *
 *   struct mine { int root; bool full; };
 *   static const struct option_entry entries[] = {
 *       {"root", "RANK", "the rank that sends", option_take_count, offsetof(struct mine, root),
 *        OPTION_LIMITS(0, 9, "a rank from 0 to 9")},
 *       {"full", NULL, "print all columns", option_take_flag, offsetof(struct mine, full),
 *        .letter = 'f'},
 *       {0}};
 *   static const struct option_program program = {.does = "Sends.", .options = entries};
 *   struct mine mine = {.root = 3};                     // the defaults, as --help shows them
 *   struct option_parser parser = {.program = &program, .name = "mine", .values = &mine};
 *   switch (options_parse(&parser, argc, argv)) ...
 *
 * Nothing is printed here: the mistake is left in the parser, and help is written to a FILE. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct option_entry;
struct option_parser;

/* Parses ARG into VALUE. ARG is NULL for a flag, and if an optional argument was omitted. Returns
 * 0, or what option_refuse() returns; VALUE is then unchanged. */
typedef error_t option_take(struct option_parser *parser, const struct option_entry *entry,
                            const char *arg, void *value);

/* A flag: accepted as an option and as a variable and described in the manual, but not listed by
 * --help. */
enum { OPTION_RARE = 1 };

/* Entries name the members after TAKE's that they need; the others are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
struct option_entry {
    const char *name;     /* --NAME */
    const char *argument; /* its name in --help; NULL: a flag; "[LIST]": optional */
    const char *help;     /* "%s" is replaced by the names of the registry FROM; the default is
                             appended */
    option_take *take;
    size_t offset;    /* of the value in the program's struct */
    const void *from; /* what TAKE needs, see below */
    int letter;       /* short option; 0 if none */
    int flags;        /* OPTION_RARE; other bits are the program's own */
};

/* A list of named things, with indices 0, 1, 2, ... until NAME or WORD is NULL. */
struct option_registry {
    const char *what;                 /* "benchmark", for messages; NULL: the option's name */
    const char *(*name)(size_t i);    /* returns "" for a thing that cannot be chosen */
    size_t (*find)(const char *name); /* index by a further name, SIZE_MAX if unknown; or NULL */
    bool (*in_all)(size_t i, const void *values); /* whether "all" includes it; NULL: always */
    const char *const *word;                      /* the names, as an alternative to the function
                                                     NAME */
    bool several;                                 /* for option_take_names: accepts several,
                                                     separated by commas */
};
/* Defines the function NAME of a registry of N things; TEXT is the name at index I. */
#define OPTION_NAMES(function, n, text)                                                            \
    static const char *function(size_t i)                                                          \
    {                                                                                              \
        return i < (n) ? (text) : NULL;                                                            \
    }
/* The FROM of an option with fixed names. */
#define OPTION_WORDS(list) (&(const struct option_registry){.word = (list)})

/* Indices of chosen things, without repetitions, in the order given by the user. */
enum { OPTION_CHOSEN_MAX = 48 };
struct option_chosen {
    size_t n, at[OPTION_CHOSEN_MAX];
    bool all; /* "all" was among the words */
};

/* From MIN to MAX in powers of two, or in steps of STEP if that is not 0; MAX is always
 * included. */
struct option_range {
    size_t min, max, step;
};

/* The FROM of option_take_count, option_take_real and option_take_range. */
struct option_limits {
    double least, most;
    const char *expected; /* "a number from 1 to 30" */
    double bare;          /* for option_take_real: the value if the argument is omitted */
};
#define OPTION_LIMITS(...) (&(const struct option_limits){__VA_ARGS__})

option_take option_take_flag;  /* bool; yes, no, 1 or 0; FROM is not used */
option_take option_take_text;  /* const char *, not empty; FROM is not used */
option_take option_take_word;  /* int: index in a struct option_registry */
option_take option_take_names; /* const char *: one name or several; the first name if the argument
                                  is omitted */
option_take option_take_count; /* int within struct option_limits; units K, M, G */
option_take option_take_real;  /* double within struct option_limits; a "%" after it is ignored */
option_take option_take_range; /* struct option_range within struct option_limits */
option_take option_take_list;  /* struct option_chosen; FROM is a struct option_registry */

struct option_program {
    const char *does, *note; /* printed before and after the options by --help; NOTE may be NULL */
    const struct option_entry *options;                           /* ending with {0} */
    error_t (*check)(struct option_parser *parser, void *values); /* checks all values together; or
                                                                     NULL */
    /* Takes a word that is not an option; NULL if there must be none. */
    error_t (*word)(struct option_parser *parser, void *values, char *word);
    const char *arguments; /* "[DIR]", for --help; NULL if none */
    bool passes_on;        /* the first word and all after it are another program's command line */
};

struct option_parser {
    const struct option_program *program;
    const char *name;                  /* for messages and --help: "collprof run" */
    void *values;                      /* the struct to which the offsets refer */
    const struct option_entry *shared; /* further options, ending with {0}; or NULL */
    const char *without; /* names of options that have no effect here, between blanks; they are
                            refused; or NULL */
    const char *prefix;  /* of environment variables: "COLLPROF_"; NULL if there are none */
    /* Results: */
    char mistake[1200]; /* one line: what is wrong and what is expected; "" if nothing */
    char **rest;        /* with PASSES_ON: the other command line, ending with NULL; NULL if none */
    int divided_at;     /* number of words before "--"; -1 without */
    int words;          /* words taken so far */
};

enum options_result { OPTIONS_GOOD, OPTIONS_WRONG, OPTIONS_HELP, OPTIONS_VERSION };

/* Parses ARGV without its first word. Options may follow words unless PASSES_ON. -h, --help, -V and
 * --version end the parsing. */
enum options_result options_parse(struct option_parser *parser, int argc, char **argv);

/* Takes every variable of ENVIRONMENT that has the parser's prefix; an empty one counts as not set
 * if the argument is optional. For each unknown or wrong variable COMPLAIN is called with one line,
 * and the variable is ignored. */
void options_read_environment(struct option_parser *parser, char *const *environment,
                              void (*complain)(const char *line, void *arg), void *arg);

/* Stores one line as the parser's mistake. Returns EINVAL, for take() or check() to return. */
error_t option_refuse(struct option_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints --help: usage, options with their defaults (the present VALUES), and registries. */
void options_help(const struct option_parser *parser, FILE *out);

/* The value of an entry as text, for --help and for lists of settings; "" if there is none, or if
 * it is outside of the entry's limits. */
void option_show(const struct option_entry *entry, const void *values, char *text, size_t room);

/* Whether the entry's value is a const char *. */
bool option_is_text(const struct option_entry *entry);

/* The variable's name: "COLLPROF_BENCHMARK_BUDGET" for "benchmark-budget". */
void option_variable(const char *prefix, const struct option_entry *entry, char name[64]);

/* Adds the things that LIST names; "all" adds all that belong to it. */
error_t option_choose(struct option_parser *parser, const struct option_registry *r,
                      const char *list, struct option_chosen *chosen);
void option_choose_all(const struct option_registry *r, const void *values,
                       struct option_chosen *chosen);

/* Parses "64", "64K", "1M", "2G" (powers of 1024). False, with *BYTES unchanged, if it is
 * invalid. */
bool option_parse_size(const char *text, size_t *bytes);
/* Parses "MIN:MAX", "MIN:MAX:STEP" or "N" (both ends N), of sizes. False, with *RANGE unchanged, if
 * it is invalid, MIN > MAX, or STEP is 0. */
bool option_parse_range(const char *text, struct option_range *range);
/* Advances VALUE within a range; start with range->min. False, with VALUE unchanged, after the
 * last. */
bool option_next(const struct option_range *range, size_t *value);
