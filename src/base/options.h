/* Declared options: one table for each program, from which come its parser, its --help, its
 * environment variables, and the answers to mistakes. `collprof`, the settings of the profiling
 * layer (base/settings.h) and all collbench programs use it.
 *
 *   struct mine { int root; bool full; };
 *   static const struct option_entry entries[] = {
 *       {"root", 0, "RANK", "the rank that sends", 1, option_take_count,
 *        offsetof(struct mine, root), &(const struct option_limits){0, 9, "a rank from 0 to 9"}},
 *       {"full", 'f', NULL, "print all columns", 1, option_take_flag,
 *        offsetof(struct mine, full), NULL},
 *       {0}};
 *   static const struct option_program program = {.does = "Sends.", .options = entries};
 *   struct mine mine = {.root = 3};                     // the defaults, as --help shows them
 *   struct option_parser parser = {.program = &program, .name = "mine", .values = &mine};
 *   switch (options_parse(&parser, argc, argv)) ...
 *
 * Nothing is printed here: the mistake is left in the parser, and help is written to a FILE. */
#ifndef COLLPROF_BASE_OPTIONS_H
#define COLLPROF_BASE_OPTIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct option_entry;
struct option_parser;

/* Puts what ARG says into VALUE. ARG is NULL for a flag, and where an optional argument was left
 * out. Returns 0, or what option_refuse() returns; VALUE is then unchanged. */
typedef error_t option_take(struct option_parser *parser, const struct option_entry *entry,
                            const char *arg, void *value);

/* Added to GROUP: accepted as an option and as a variable, in the manual, not listed by --help. */
enum { OPTION_RARE = 0x100 };

struct option_entry {
    const char *name;     /* --NAME */
    int letter;           /* 0: none */
    const char *argument; /* its name in --help; NULL: a flag; "[LIST]": may be left out */
    const char *help;     /* "%s" stands for the names of the registry FROM; the default is added */
    int group;            /* the program's own, but for OPTION_RARE */
    option_take *take;
    size_t offset;    /* of the value in the program's values */
    const void *from; /* what TAKE needs, see there */
};

/* Things with names, 0, 1, 2, ... until NAME, or WORD, is NULL. */
struct option_registry {
    const char *what;                 /* "benchmark", for messages; NULL: the option's */
    const char *(*name)(size_t i);    /* "" is a thing that cannot be chosen */
    const char *(*summary)(size_t i); /* NULL: --help lists no summaries */
    bool (*in_all)(size_t i, const void *values); /* whether "all" has it; NULL: it has */
    const char *const *word;                      /* the names, instead of NAME */
    bool several;                                 /* option_take_names: with commas between them */
};
/* A function as NAME or SUMMARY of a registry of N things: TEXT is that of the I-th. */
#define OPTION_TEXT(function, n, text)                                                             \
    static const char *function(size_t i)                                                          \
    {                                                                                              \
        return i < (n) ? (text) : NULL;                                                            \
    }
/* The FROM of an option with names of its own. */
#define OPTION_WORDS(list) (&(const struct option_registry){.word = (list)})

/* Things of a registry, in the order in which they were asked for, none twice. */
enum { OPTION_CHOSEN_MAX = 48 };
struct option_chosen {
    size_t n, at[OPTION_CHOSEN_MAX];
    bool all; /* "all" was among the words */
};

/* From MIN to MAX in powers of two, or in steps of STEP if that is not 0; MAX is always one. */
struct option_range {
    size_t min, max, step;
};

/* The FROM of option_take_count, option_take_real and option_take_range. */
struct option_limits {
    double least, most;
    const char *expected; /* "a number from 1 to 30" */
    double bare;          /* of option_take_real: the value where the argument is left out */
};
option_take option_take_flag;  /* bool; yes, no, 1 or 0; - */
option_take option_take_text;  /* const char *, not empty; - */
option_take option_take_word;  /* int: which of a struct option_registry */
option_take option_take_names; /* const char *: its word, or several; the first one if bare */
option_take option_take_count; /* int within struct option_limits; units K, M, G */
option_take option_take_real;  /* double within struct option_limits; a "%" behind it is ignored */
option_take option_take_range; /* struct option_range within struct option_limits */
option_take option_take_list;  /* struct option_chosen; struct option_registry */

struct option_program {
    const char *does, *note; /* before and after the options in --help; NOTE may be NULL */
    const struct option_entry *options;          /* end by {0} */
    const struct option_registry *const *listed; /* with summaries, behind the options; ends by
                                                    NULL; or NULL */
    error_t (*check)(struct option_parser *parser, void *values); /* all together; or NULL */
    /* Takes a word that is no option; NULL: there are none. */
    error_t (*word)(struct option_parser *parser, void *values, char *word);
    const char *arguments; /* "[DIR]", for --help; NULL: none */
    bool passes_on;        /* the first word and all behind it are another program's command line */
};

struct option_parser {
    const struct option_program *program;
    const char *name;                  /* for messages and --help: "collprof run" */
    void *values;                      /* what the offsets refer to */
    const struct option_entry *shared; /* further options, end by {0}; or NULL */
    const char *without; /* names of options that would change nothing here, between blanks, and
                            are refused; or NULL */
    const char *prefix;  /* "COLLPROF_": of the environment variables; NULL: there are none */
    /* Results */
    char mistake[1200]; /* one line: what is wrong and what is expected; "": nothing */
    char **rest;        /* with PASSES_ON: the other command line, ends by NULL; NULL: none */
    int divided_at;     /* how many words came before "--"; -1: there was none */
    int words;          /* so far */
};

enum options_result { OPTIONS_GOOD, OPTIONS_WRONG, OPTIONS_HELP, OPTIONS_VERSION };

/* Parses ARGV, whose first word is passed over. Options may stand behind words unless the program
 * passes on. -h, --help, -V and --version end the parsing. */
enum options_result options_parse(struct option_parser *parser, int argc, char **argv);

/* Takes over every variable of ENVIRONMENT with the parser's prefix; an empty one is not given
 * where the argument may be left out. COMPLAIN is called with one line for each that is unknown or
 * wrong; those are passed over. */
void options_read(struct option_parser *parser, char *const *environment,
                  void (*complain)(const char *line, void *arg), void *arg);

/* Leaves one line in the parser, which is what a take() or check() returns with. Returns EINVAL. */
error_t option_refuse(struct option_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --help: usage, options with their defaults (as VALUES has them now), what can be chosen. */
void options_help(const struct option_parser *parser, FILE *out);

/* The value of an entry as text, for --help and for lists of settings; "" if there is none, or if
 * it is outside of the entry's limits. */
void option_show(const struct option_entry *entry, const void *values, char *text, size_t room);

/* Whether its value is a const char *. */
bool option_is_text(const struct option_entry *entry);

/* "COLLPROF_BENCHMARK_BUDGET" for "benchmark-budget". NAME has room for 64. */
void option_variable(const char *prefix, const struct option_entry *entry, char name[64]);

/* Adds what LIST names; "all" adds everything that belongs to it. */
error_t option_choose(struct option_parser *parser, const struct option_registry *r,
                      const char *list, struct option_chosen *chosen);
void option_choose_all(const struct option_registry *r, const void *values,
                       struct option_chosen *chosen);

/* "64", "64K", "1M", "2G" (powers of 1024). False, and *BYTES unchanged, if it is no size. */
bool option_parse_size(const char *text, size_t *bytes);
/* "MIN:MAX", "MIN:MAX:STEP" or "N" (both ends N) of sizes. False, and *RANGE unchanged, if it is no
 * range, MIN > MAX, or STEP is 0. */
bool option_parse_range(const char *text, struct option_range *range);
/* The next value of a range. False, and VALUE unchanged, after the last. Start with range->min. */
bool option_next(const struct option_range *range, size_t *value);
/* "8:64K", or "8" where both ends are. */
void option_show_range(const struct option_range *range, char *text, size_t room);

#endif
