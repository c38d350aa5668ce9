#include "base/options.h"

#include "base/text.h"

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_KEY = 0x200, ENTRIES_MAX = 64, WIDTH = 79 };

error_t option_refuse(struct option_parser *parser, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(parser->mistake, sizeof parser->mistake, format, list);
    va_end(list);
    return EINVAL;
}

/* Adds to TEXT, which has ROOM bytes, as much as fits. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t room, const char *format,
                                                      ...)
{
    size_t at = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + at, room - at, format, list);
    va_end(list);
}

/* --- sizes and ranges --- */

bool option_parse_size(const char *text, size_t *bytes)
{
    static const char units[] = "KMG";
    if (!isdigit((unsigned char)*text)) /* strtoull would take "-1" and " 1" */
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (errno || end[unit != NULL] || value > SIZE_MAX >> shift)
        return false;
    *bytes = (size_t)value << shift;
    return true;
}

bool option_parse_range(const char *text, struct option_range *range)
{
    char copy[64];
    struct option_range parsed = {0};
    text_copy(copy, sizeof copy, text);
    char *colon = strchr(copy, ':');
    if (colon)
        *colon = '\0';
    if (strlen(text) >= sizeof copy || !option_parse_size(copy, &parsed.min) ||
        !option_parse_size(colon ? colon + 1 : copy, &parsed.max) || parsed.min > parsed.max)
        return false;
    *range = parsed;
    return true;
}

bool option_next(const struct option_range *range, size_t *value)
{
    if (*value >= range->max)
        return false;
    if (range->step)
        *value = range->max - *value > range->step ? *value + range->step : range->max;
    else if (*value == 0)
        *value = 1;
    else
        *value = *value > range->max / 2 ? range->max : 2 * *value;
    return true;
}

size_t option_steps(const struct option_range *range)
{
    size_t n = 1, value = range->min;
    while (option_next(range, &value))
        n++;
    return n;
}

/* --- what is expected --- */

/* Keeps in *NEAREST the name that TEXT most nearly is; *SLIPS begins with TEXT_SLIPS + 1. */
static void be_near(const char *name, const char *text, const char **nearest, size_t *slips)
{
    size_t far = text_slips(name, text);
    if (far < *slips) {
        *slips = far;
        *nearest = name;
    }
}

static error_t refuse_name(struct option_parser *parser, const char *what, const char *text,
                           const char *nearest, const char *known)
{
    if (nearest)
        return option_refuse(parser, "%s '%s': did you mean %s? Expected: %s", what, text, nearest,
                             known);
    return option_refuse(parser, "%s '%s': expected: %s", what, text, known);
}

static error_t refuse_word(struct option_parser *parser, const struct option_entry *entry,
                           const char *text)
{
    const char *const *word = ((const struct option_words *)entry->from)->word, *nearest = NULL;
    char known[600] = "", what[64];
    size_t slips = TEXT_SLIPS + 1;
    for (size_t i = 0; word[i]; i++) {
        be_near(word[i], text, &nearest, &slips);
        add(known, sizeof known, "%s%s", !i ? "" : word[i + 1] ? ", " : " or ", word[i]);
    }
    snprintf(what, sizeof what, "--%s is", entry->name);
    return refuse_name(parser, what, text, nearest, known);
}

/* "a, b, c": what can be chosen. */
static void add_names(char *text, size_t room, const struct option_registry *r)
{
    for (size_t i = 0; r->name(i); i++)
        if (*r->name(i))
            add(text, room, "%s%s", *text ? ", " : "", r->name(i));
}

static error_t refuse_thing(struct option_parser *parser, const struct option_registry *r,
                            const char *text, const char *also)
{
    const char *nearest = NULL;
    char known[1000] = "", what[64];
    size_t slips = TEXT_SLIPS + 1;
    add(known, sizeof known, "%s", also);
    add_names(known, sizeof known, r);
    for (size_t i = 0; r->name(i); i++)
        be_near(r->name(i), text, &nearest, &slips);
    snprintf(what, sizeof what, "unknown %s", r->what);
    return refuse_name(parser, what, text, nearest, known);
}

/* --- values --- */

error_t option_take_flag(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    static const char *const yes[] = {"yes", "1", "on", "true", NULL};
    static const char *const no[] = {"no", "0", "off", "false", NULL};
    if (arg && !text_is_one_of(arg, yes) && !text_is_one_of(arg, no))
        return option_refuse(parser, "--%s is '%s': expected yes or no", entry->name, arg);
    *(bool *)value = !arg || text_is_one_of(arg, yes);
    return 0;
}

error_t option_take_text(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    if (!*arg)
        return option_refuse(parser, "--%s is empty: expected %s", entry->name, entry->argument);
    *(const char **)value = arg;
    return 0;
}

error_t option_take_word(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    const char *const *word = ((const struct option_words *)entry->from)->word;
    for (int i = 0; word[i]; i++)
        if (strcmp(word[i], arg) == 0) {
            *(int *)value = i;
            return 0;
        }
    return refuse_word(parser, entry, arg);
}

error_t option_take_name(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    const char *const *word = ((const struct option_words *)entry->from)->word;
    if (arg && *arg && !text_is_one_of(arg, word))
        return refuse_word(parser, entry, arg);
    *(const char **)value = arg ? arg : *word;
    return 0;
}

error_t option_take_names(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    const char *const *word = ((const struct option_words *)entry->from)->word;
    for (const char *at = arg; at && *arg;) {
        char name[64];
        size_t length = strcspn(at, ",");
        text_copy_part(name, sizeof name, at, length);
        if (!text_is_one_of(name, word))
            return refuse_word(parser, entry, name);
        at = at[length] ? at + length + 1 : NULL;
    }
    *(const char **)value = arg ? arg : *word;
    return 0;
}

error_t option_take_count(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    const struct option_limits *limits = entry->from;
    size_t count;
    if (!option_parse_size(arg, &count) || (double)count < limits->least ||
        (double)count > limits->most)
        return option_refuse(parser, "--%s is '%s': expected %s", entry->name, arg,
                             limits->expected);
    *(int *)value = (int)count;
    return 0;
}

error_t option_take_real(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    const struct option_limits *limits = entry->from;
    if (!arg) {
        *(double *)value = limits->bare;
        return 0;
    }
    char *end;
    double real = strtod(arg, &end);
    if (end == arg || (*end && strcmp(end, "%") != 0) || !(real >= limits->least) ||
        !(real <= limits->most))
        return option_refuse(parser, "--%s is '%s': expected %s", entry->name, arg,
                             limits->expected);
    *(double *)value = real;
    return 0;
}

error_t option_take_range(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    const struct option_limits *limits = entry->from;
    struct option_range range;
    if (!option_parse_range(arg, &range) || (double)range.min < limits->least ||
        (double)range.max > limits->most)
        return option_refuse(parser, "--%s is '%s': expected %s", entry->name, arg,
                             limits->expected);
    *(struct option_range *)value = range;
    return 0;
}

void option_choose_one(struct option_chosen *chosen, size_t i)
{
    for (size_t k = 0; k < chosen->n; k++)
        if (chosen->at[k] == i)
            return;
    if (chosen->n < OPTION_CHOSEN_MAX)
        chosen->at[chosen->n++] = i;
}

void option_choose_all(const struct option_registry *r, const void *values,
                       struct option_chosen *chosen)
{
    for (size_t i = 0; r->name(i); i++)
        if (*r->name(i) && (!r->in_all || r->in_all(i, values)))
            option_choose_one(chosen, i);
}

/* SIZE_MAX: there is none of that name. */
static size_t find_thing(const struct option_registry *r, const char *name)
{
    for (size_t i = 0; *name && r->name(i); i++)
        if (strcmp(r->name(i), name) == 0)
            return i;
    return SIZE_MAX;
}

error_t option_choose(struct option_parser *parser, const struct option_registry *r,
                      const char *list, struct option_chosen *chosen)
{
    for (const char *at = list; at;) {
        char word[64];
        size_t length = strcspn(at, ","), i;
        text_copy_part(word, sizeof word, at, length);
        if (strcmp(word, "all") == 0) {
            chosen->all = true;
            option_choose_all(r, parser->values, chosen);
        } else if ((i = find_thing(r, word)) != SIZE_MAX) {
            option_choose_one(chosen, i);
        } else {
            return refuse_thing(parser, r, word, "all");
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return 0;
}

error_t option_take_list(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    return option_choose(parser, entry->from, arg, value);
}

error_t option_take_pick(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    size_t i = find_thing(entry->from, arg);
    if (i == SIZE_MAX)
        return refuse_thing(parser, entry->from, arg, "");
    *(size_t *)value = i;
    return 0;
}

/* --- the parser --- */

/* The I-th of all options: the program's own, then the shared ones; NULL behind the last. */
static const struct option_entry *entry_at(const struct option_parser *parser, size_t i)
{
    const struct option_entry *e = parser->program->options;
    for (; e && e->name; e++)
        if (i-- == 0)
            return e;
    for (e = parser->shared; e && e->name; e++)
        if (i-- == 0)
            return e;
    return NULL;
}

static bool is_refused(const struct option_parser *parser, const struct option_entry *entry)
{
    size_t length = strlen(entry->name);
    for (const char *at = parser->without; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, entry->name, length) == 0)
            return true;
    return false;
}

static error_t take(struct option_parser *parser, const struct option_entry *entry, const char *arg)
{
    if (is_refused(parser, entry))
        return option_refuse(parser, "--%s would change nothing here: leave it out", entry->name);
    return entry->take(parser, entry, arg, (char *)parser->values + entry->offset);
}

static bool may_be_bare(const struct option_entry *entry)
{
    return entry->argument && *entry->argument == '[';
}

/* For getopt_long(): returns how many entries there are. */
static size_t declare(const struct option_parser *parser, bool in_order, struct option *list,
                      char *letters)
{
    size_t n = 0;
    const struct option_entry *e;
    letters += sprintf(letters, "%s:hV", in_order ? "-" : "+");
    for (; n < ENTRIES_MAX && (e = entry_at(parser, n)); n++) {
        int has = !e->argument     ? no_argument
                  : may_be_bare(e) ? optional_argument
                                   : required_argument;
        list[n] = (struct option){e->name, has, NULL, FIRST_KEY + (int)n};
        if (e->letter)
            letters += sprintf(letters, "%c%.*s", e->letter, has, "::");
    }
    list[n] = (struct option){"help", no_argument, NULL, 'h'};
    list[n + 1] = (struct option){"version", no_argument, NULL, 'V'};
    list[n + 2] = (struct option){0};
    return n;
}

static const struct option_entry *entry_of(const struct option_parser *parser, int key)
{
    const struct option_entry *e;
    if (key >= FIRST_KEY)
        return entry_at(parser, (size_t)(key - FIRST_KEY));
    for (size_t i = 0; (e = entry_at(parser, i)); i++)
        if (e->letter == key)
            return e;
    return NULL;
}

/* getopt has stopped at WORD, an option that is unknown or ambiguous; OPTOPT says whether a known
 * one has an argument too many. */
static enum options_result refuse_option(struct option_parser *parser, const char *word)
{
    const struct option_entry *e = optopt ? entry_of(parser, optopt) : NULL;
    if (e && !e->argument) {
        option_refuse(parser, "--%s takes no argument: leave out what follows the =", e->name);
    } else if (optopt) {
        option_refuse(parser, "unknown option -%c: see --help", optopt);
    } else {
        const char *nearest = NULL;
        char given[64];
        size_t slips = TEXT_SLIPS + 1;
        text_copy_part(given, sizeof given, word + 2, strcspn(word + 2, "="));
        for (size_t i = 0; (e = entry_at(parser, i)); i++) {
            be_near(e->name, given, &nearest, &slips);
            if (!strncmp(e->name, given, strlen(given)) && *given)
                nearest = e->name;
        }
        option_refuse(parser, "unknown option --%s: %s%s%s", given,
                      nearest ? "did you mean --" : "see --help", nearest ? nearest : "",
                      nearest ? "?" : "");
    }
    return OPTIONS_WRONG;
}

static error_t take_word(struct option_parser *parser, char *word)
{
    parser->words++;
    return parser->program->word
               ? parser->program->word(parser, parser->values, word)
               : option_refuse(parser, "unexpected argument '%s': see --help", word);
}

enum options_result options_parse(struct option_parser *parser, int argc, char **argv)
{
    struct option list[ENTRIES_MAX + 3];
    char letters[4 * ENTRIES_MAX];
    int key;
    declare(parser, !parser->program->passes_on, list, letters);
    *parser->mistake = '\0';
    parser->divided_at = -1;
    optind = 0; /* glibc: begin anew */
    opterr = 0;
    while ((key = getopt_long(argc, argv, letters, list, NULL)) != -1) {
        error_t error = 0;
        const struct option_entry *e = entry_of(parser, key == ':' ? optopt : key);
        if (key == 'h' || key == 'V')
            return key == 'h' ? OPTIONS_HELP : OPTIONS_VERSION;
        if (key == 1)
            error = take_word(parser, optarg);
        else if (key == ':' && e)
            error = option_refuse(parser, "--%s needs an argument: use: --%s=%s", e->name, e->name,
                                  e->argument);
        else if (!e)
            return refuse_option(parser, argv[optind - 1]);
        else
            error = take(parser, e, optarg);
        if (error)
            return OPTIONS_WRONG;
    }
    if (parser->program->passes_on && optind < argc) {
        parser->rest = argv + optind;
        optind = argc;
    } else if (optind > 1 && !strcmp(argv[optind - 1], "--"))
        parser->divided_at = parser->words;
    for (; optind < argc; optind++)
        if (take_word(parser, argv[optind]))
            return OPTIONS_WRONG;
    if (parser->program->check && parser->program->check(parser, parser->values))
        return OPTIONS_WRONG;
    return OPTIONS_GOOD;
}

/* --- environment --- */

void option_variable(const char *prefix, const struct option_entry *entry, char name[64])
{
    int n = snprintf(name, 64, "%s%s", prefix, entry->name);
    for (int i = 0; i < n && i < 63; i++)
        name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
}

static const struct option_entry *entry_of_variable(const struct option_parser *parser,
                                                    const char *variable, const char **nearest)
{
    static char name[64];
    const struct option_entry *e, *near = NULL;
    size_t slips = TEXT_SLIPS + 1;
    for (size_t i = 0; (e = entry_at(parser, i)); i++) {
        option_variable(parser->prefix, e, name);
        if (!strcmp(name, variable))
            return e;
        if (text_slips(name, variable) < slips) {
            slips = text_slips(name, variable);
            near = e;
        }
    }
    if (near)
        option_variable(parser->prefix, near, name);
    *nearest = near ? name : NULL;
    return NULL;
}

void options_read(struct option_parser *parser, char *const *environment,
                  void (*complain)(const char *line, void *arg), void *arg)
{
    for (char *const *v = environment; v && *v; v++) {
        char variable[64], line[1400] = "";
        const char *nearest = NULL;
        size_t length = strcspn(*v, "=");
        if (strncmp(*v, parser->prefix, strlen(parser->prefix)) || length >= sizeof variable)
            continue;
        text_copy_part(variable, sizeof variable, *v, length);
        const struct option_entry *e = entry_of_variable(parser, variable, &nearest);
        const char *value = (*v)[length] ? *v + length + 1 : "";
        if (!e)
            snprintf(line, sizeof line, "unknown variable %s%s%s%s", variable,
                     nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        else if (take(parser, e, value))
            snprintf(line, sizeof line, "%s: %s", variable, parser->mistake);
        if (*line && complain)
            complain(line, arg);
    }
    *parser->mistake = '\0';
}

/* --- help --- */

/* "64K" for 65536. */
static void add_size(char *text, size_t room, size_t bytes)
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t unit = 0;
    for (; bytes && bytes % 1024 == 0 && unit < 3; unit++)
        bytes /= 1024;
    add(text, room, "%zu%s", bytes, units[unit]);
}

static void show_range(const struct option_range *range, char *text, size_t room)
{
    add_size(text, room, range->min);
    if (range->max != range->min)
        add(text, room, ":");
    if (range->max != range->min)
        add_size(text, room, range->max);
}

/* A default outside of the limits stands for "not given". */
static bool is_within(const struct option_entry *entry, double value)
{
    const struct option_limits *limits = entry->from;
    return value >= limits->least && value <= limits->most;
}

void option_show(const struct option_entry *entry, const void *values, char *text, size_t room)
{
    const void *value = (const char *)values + entry->offset;
    option_take *const type = entry->take;
    *text = '\0';
    if (type == option_take_flag)
        snprintf(text, room, "%s", *(const bool *)value ? "yes" : "no");
    else if (type == option_take_text || type == option_take_name || type == option_take_names)
        snprintf(text, room, "%s", *(const char *const *)value ? *(const char *const *)value : "");
    else if (type == option_take_word)
        snprintf(text, room, "%s",
                 ((const struct option_words *)entry->from)->word[*(const int *)value]);
    else if (type == option_take_count && is_within(entry, *(const int *)value))
        snprintf(text, room, "%d", *(const int *)value);
    else if (type == option_take_real && is_within(entry, *(const double *)value))
        snprintf(text, room, "%g", *(const double *)value);
    else if (type == option_take_range)
        show_range(value, text, room);
    else if (type == option_take_pick)
        snprintf(text, room, "%s",
                 ((const struct option_registry *)entry->from)->name(*(const size_t *)value) ?: "");
}

/* TEXT in a column that begins at INDENT; AT is where the line is now. */
static void put_column(FILE *out, int at, int indent, const char *text)
{
    if (at > 0 && at >= indent)
        at = fprintf(out, "\n") - 1;
    at += fprintf(out, "%*s", indent - at, "");
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (at > indent && at + 1 + word > WIDTH)
            at = fprintf(out, "\n%*s", indent, "") - 1;
        else if (at > indent)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", word, text);
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

static void put_entry(FILE *out, const char letter, const char *name, const char *argument,
                      const char *help)
{
    enum { INDENT = 26 };
    int at = letter ? fprintf(out, "  -%c, --%s", letter, name) : fprintf(out, "      --%s", name);
    if (argument && *argument == '[')
        at += fprintf(out, "[=%s", argument + 1);
    else if (argument)
        at += fprintf(out, "=%s", argument);
    put_column(out, at + 1, INDENT, help);
}

static void put_options(const struct option_parser *parser, FILE *out)
{
    const struct option_entry *e;
    fputs("\n", out);
    for (size_t i = 0; (e = entry_at(parser, i)); i++) {
        char value[400] = "", help[1000] = "", names[1000] = "";
        const char *list = strstr(e->help, "%s");
        if (e->group & OPTION_RARE || is_refused(parser, e))
            continue;
        if (e->take != option_take_flag)
            option_show(e, parser->values, value, sizeof value);
        if (list)
            add_names(names, sizeof names, e->from);
        snprintf(help, sizeof help, "%.*s%s%s", list ? (int)(list - e->help) : 1000, e->help, names,
                 list ? list + 2 : "");
        if (*value)
            add(help, sizeof help, " (%s)", value);
        if (e == parser->shared)
            fputs("\n", out);
        put_entry(out, (char)e->letter, e->name, e->argument, help);
    }
    put_entry(out, 'h', "help", NULL, "print this help");
}

static void put_registry(const struct option_registry *r, FILE *out)
{
    int longest = 0;
    for (size_t i = 0; r->name(i); i++)
        if ((int)strlen(r->name(i)) > longest)
            longest = (int)strlen(r->name(i));
    fprintf(out, "\n%c%ss:\n", toupper((unsigned char)*r->what), r->what + 1);
    for (size_t i = 0; r->name(i); i++)
        if (*r->name(i))
            put_column(out, fprintf(out, "  %s", r->name(i)), longest + 4, r->summary(i));
}

void options_help(const struct option_parser *parser, FILE *out)
{
    const struct option_program *p = parser->program;
    fprintf(out, "Usage: %s [OPTION...]%s%s\n", parser->name, p->arguments ? " " : "",
            p->arguments ? p->arguments : "");
    put_column(out, 0, 0, p->does);
    put_options(parser, out);
    for (size_t k = 0; p->listed && p->listed[k]; k++)
        put_registry(p->listed[k], out);
    if (p->note) {
        fputs("\n", out);
        put_column(out, 0, 0, p->note);
    }
}
