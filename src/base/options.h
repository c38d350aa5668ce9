/* Options, declared in one table for each program. The table gives the parser, --help, environment
 * variables, and messages about mistakes. `collprof`, its settings (base/settings.h) and all
 * collbench programs use it.
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
 * Nothing is printed here: a mistake is stored in the parser, and help is written to a FILE. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct option_entry;
struct option_parser;

/* Parses ARG, the argument of option ENTRY, into *VALUE. ARG is NULL if it was omitted. Returns 0;
 * or EINVAL by option_refuse(), with *VALUE unchanged. */
typedef error_t option_take(struct option_parser *parser, const struct option_entry *entry,
                            const char *arg, void *value);

/* For struct option_entry.flags: the option is listed only in the manual, not by --help. */
enum { OPTION_RARE = 1 };

/* Entries are initialized without members that are zero, of which -Wextra would warn. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
struct option_entry {
    const char *name;     /* --NAME */
    const char *argument; /* the argument's name in --help; NULL: none; "[LIST]": optional */
    const char *help;     /* for --help, which replaces "%s" by the names in the registry FROM, and
                             appends the default */
    option_take *take;
    size_t offset;    /* offset of the option's value in the program's struct */
    const void *from; /* data for TAKE, as listed with each option_take_... below */
    int letter;       /* short option; 0 if none */
    int flags;        /* OPTION_RARE; other bits are for the program's use */
};

/* A list of named things from which options choose. The things have indices 0, 1, 2, ...; NAME(i)
 * or WORD[i] is NULL after the last. */
struct option_registry {
    const char *what;                 /* kind of thing, for messages; NULL: the option's name */
    const char *(*name)(size_t i);    /* returns "" for a thing that cannot be chosen */
    size_t (*find)(const char *name); /* index of an alias, SIZE_MAX if unknown; or NULL */
    bool (*in_all)(size_t i, const void *values); /* whether "all" includes thing I; NULL: always */
    const char *const *word;                      /* names, instead of the function NAME */
    bool several; /* option_take_names accepts several names, separated by commas */
};
/* Defines the FUNCTION for the member NAME of a registry with N things; TEXT is an expression for
 * the name at index I. */
#define OPTION_NAMES(function, n, text)                                                            \
    static const char *function(size_t i)                                                          \
    {                                                                                              \
        return i < (n) ? (text) : NULL;                                                            \
    }
/* An entry's FROM for a constant list of names, ending with NULL. */
#define OPTION_WORDS(list) (&(const struct option_registry){.word = (list)})

/* Indices of the chosen things in a registry, in the order given by the user, each once. */
enum { OPTION_CHOSEN_MAX = 48 };
struct option_chosen {
    size_t n, at[OPTION_CHOSEN_MAX];
    bool all; /* "all" was among the words */
};

/* The values that option_next() gives: first MIN, then twice the previous value or, if STEP is not
 * 0, STEP more; last MAX. */
struct option_range {
    size_t min, max, step;
};

/* Values that option_take_count, option_take_real and option_take_range accept. */
struct option_limits {
    double least, most;
    const char *expected; /* for messages: "a number from 1 to 30" */
    double bare;          /* for option_take_real: the value if the argument is omitted */
};
#define OPTION_LIMITS(...) (&(const struct option_limits){__VA_ARGS__})

/* Functions TAKE for the type of *VALUE: accepted arguments; type of FROM's data. */
option_take option_take_flag;  /* bool: yes, no, 1 or 0; no FROM */
option_take option_take_text;  /* const char *: not empty; no FROM */
option_take option_take_word;  /* int: a name's index; struct option_registry */
option_take option_take_names; /* const char *: the argument, one name or SEVERAL; if it is omitted,
                                  the first name; struct option_registry with WORD */
option_take option_take_count; /* int: units K, M, G are allowed; struct option_limits */
option_take option_take_real;  /* double: a "%" after the number is ignored; struct option_limits */
option_take option_take_range; /* struct option_range: "MIN:MAX" etc.; struct option_limits */
option_take option_take_list; /* struct option_chosen: as option_choose(); struct option_registry */

struct option_program {
    const char *does, *note; /* printed before and after the options by --help; NOTE may be NULL */
    const struct option_entry *options;                           /* ending with {0} */
    error_t (*check)(struct option_parser *parser, void *values); /* checks all values together; or
                                                                     NULL */
    /* Parses a WORD that is not an option; NULL: such words are refused. */
    error_t (*word)(struct option_parser *parser, void *values, char *word);
    const char *arguments; /* "[DIR]", for --help; NULL if none */
    bool passes_on;        /* the first word begins another program's command line */
};

struct option_parser {
    const struct option_program *program;
    const char *name;                  /* for messages and --help: "collprof run" */
    void *values;                      /* the program's struct with the options' values */
    const struct option_entry *shared; /* further options, ending with {0}; or NULL */
    const char *without; /* options to refuse, since they would have no effect: their names,
                            separated by blanks; or NULL */
    const char *prefix;  /* of names of variables, such as "COLLPROF_"; NULL: reads none */
    /* Results: */
    char mistake[1200]; /* one line: what is wrong and what is expected; "" if nothing */
    char **rest;        /* with PASSES_ON: the other command line, ending with NULL; NULL if none */
    int divided_at;     /* number of words before "--"; -1: there was no "--" */
    int words;          /* number of words that were not options */
};

enum options_result { OPTIONS_GOOD, OPTIONS_WRONG, OPTIONS_HELP, OPTIONS_VERSION };

/* Parses ARGV after its first word into parser->values. Words and options may alternate unless
 * PASSES_ON. OPTIONS_WRONG: parser->mistake says why. OPTIONS_HELP and OPTIONS_VERSION: -h, --help,
 * -V or --version was found; the caller prints. */
enum options_result options_parse(struct option_parser *parser, int argc, char **argv);

/* Sets the values of all options whose variables, with the parser's PREFIX, are in ENVIRONMENT. An
 * empty variable is ignored if the option's argument is optional. An unknown variable, or a wrong
 * value, is ignored after a call of COMPLAIN (unless NULL) with one line and ARG. */
void options_read_environment(struct option_parser *parser, char *const *environment,
                              void (*complain)(const char *line, void *arg), void *arg);

/* Stores an error of one line in PARSER. Returns EINVAL, which the caller returns. */
error_t option_refuse(struct option_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes --help to OUT: usage and options. The current parser->values are shown as defaults. */
void options_help(const struct option_parser *parser, FILE *out);

/* TEXT becomes the entry's value in VALUES as the user would write it; "" if it is not set, or
 * outside of the entry's limits. */
void option_show(const struct option_entry *entry, const void *values, char *text, size_t room);

/* Whether the entry's value is a const char *. */
bool option_is_text(const struct option_entry *entry);

/* NAME becomes the option's variable: "COLLPROF_BENCHMARK_BUDGET" for "benchmark-budget". */
void option_variable(const char *prefix, const struct option_entry *entry, char name[64]);

/* Adds the things that LIST names, separated by commas; "all" adds those that R's IN_ALL includes
 * for parser->values. EINVAL, with a mistake, for an unknown name. PARSER may be NULL if all names
 * are known and R has no IN_ALL. */
error_t option_choose(struct option_parser *parser, const struct option_registry *r,
                      const char *list, struct option_chosen *chosen);

/* Parses "64", "64K", "1M", "2G" (powers of 1024). False, with *BYTES unchanged, if TEXT is none of
 * these or too large. */
bool option_parse_size(const char *text, size_t *bytes);
/* Parses "MIN:MAX", "MIN:MAX:STEP" or "N" (MIN and MAX are N), each as option_parse_size(). False,
 * with *RANGE unchanged, for anything else, for MIN > MAX, and if STEP is 0. */
bool option_parse_range(const char *text, struct option_range *range);
/* Advances *VALUE, at first range->min, to the next value of the range. False, with *VALUE
 * unchanged, after the last one. */
bool option_next(const struct option_range *range, size_t *value);
