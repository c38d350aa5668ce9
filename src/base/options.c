#include "base/options.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 79 };

error_t option_refuse(struct option_parser *parser, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(parser->mistake, sizeof parser->mistake, format, list);
    va_end(list);
    return EINVAL;
}

/* Sets *BEST to NAME if NAME is similar to TEXT, and more so than *BEST (NULL: no name yet). */
static void offer(const char **best, const char *text, const char *name)
{
    if (*name && text_is_like(text, name) &&
        (!*best || text_edit_distance(name, text) < text_edit_distance(*best, text)))
        *best = name;
}

static const char *name_at(const struct option_registry *r, size_t i)
{
    return r->word ? r->word[i] : r->name(i);
}

/* The index of NAME in the registry R; SIZE_MAX if there is none. */
static size_t find_thing(const struct option_registry *r, const char *name)
{
    const char *other;
    for (size_t i = 0; *name && (other = name_at(r, i)); i++)
        if (!strcmp(other, name))
            return i;
    return r->find ? r->find(name) : SIZE_MAX;
}

/* Appends to TEXT the names in R that can be chosen: "a, b, c". */
static void add_names(char *text, size_t room, const struct option_registry *r)
{
    const char *name;
    for (size_t i = 0; (name = name_at(r, i)); i++)
        if (*name)
            text_add(text, room, "%s%s", *text ? ", " : "", name);
}

/* Refuses the name GIVEN and lists the valid ones. OPTION: its name, for the message if R->what is
 * NULL. ALSO: a valid name that is not in R, or "". */
static error_t refuse_name(struct option_parser *parser, const char *option,
                           const struct option_registry *r, const char *given, const char *also)
{
    char known[1000] = "", meant[200] = "";
    const char *name, *near = NULL;
    text_add(known, sizeof known, "%s", also);
    add_names(known, sizeof known, r);
    for (size_t i = 0; (name = name_at(r, i)); i++)
        offer(&near, given, name);
    if (near)
        snprintf(meant, sizeof meant, "did you mean %s? ", near);
    return option_refuse(
        parser, r->what ? "unknown %s '%s': %sexpected: %s" : "--%s is '%s': %sexpected: %s",
        r->what ?: option, given, meant, known);
}

static error_t refuse_value(struct option_parser *parser, const struct option_entry *entry,
                            const char *given)
{
    return option_refuse(parser, "--%s is '%s': expected %s", entry->name, given,
                         ((const struct option_limits *)entry->from)->expected);
}

static bool is_within(const struct option_entry *entry, double value)
{
    const struct option_limits *limits = entry->from;
    return value >= limits->least && value <= limits->most;
}

error_t option_take_flag(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    bool yes = !arg || !strcmp(arg, "yes") || !strcmp(arg, "1");
    if (!yes && strcmp(arg, "no") != 0 && strcmp(arg, "0") != 0)
        return option_refuse(parser, "--%s is '%s': expected yes or no", entry->name, arg);
    *(bool *)value = yes;
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
    size_t i = find_thing(entry->from, arg);
    if (i == SIZE_MAX)
        return refuse_name(parser, entry->name, entry->from, arg, "");
    *(int *)value = (int)i;
    return 0;
}

/* Copies the first name in LIST ("a,b,c") to WORD. Returns the other names, NULL if none. */
static const char *next_word(const char *list, char word[64])
{
    size_t length = strcspn(list, ",");
    text_copy_part(word, 64, list, length);
    return list[length] ? list + length + 1 : NULL;
}

error_t option_take_names(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    const struct option_registry *r = entry->from;
    char name[64];
    for (const char *at = arg && *arg ? arg : NULL; at;) {
        at = next_word(at, name);
        if (find_thing(r, name) == SIZE_MAX || (at && !r->several))
            return refuse_name(parser, entry->name, r, r->several ? name : arg, "");
    }
    *(const char **)value = arg ? arg : *r->word;
    return 0;
}

bool option_parse_size(const char *text, size_t *bytes)
{
    static const char units[] = "KMG";
    if (!isdigit((unsigned char)*text)) /* strtoull would accept "-1" and " 1" */
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
    char copy[64], *rest = copy;
    size_t part[3] = {0}, n = 0;
    text_copy(copy, sizeof copy, text);
    for (char *word; n < 3 && (word = strsep(&rest, ":")); n++)
        if (!option_parse_size(word, &part[n]))
            return false;
    if (n == 1)
        part[1] = part[0];
    if (strlen(text) >= sizeof copy || rest || part[0] > part[1] || (n == 3 && part[2] == 0))
        return false;
    *range = (struct option_range){part[0], part[1], part[2]};
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

error_t option_take_count(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    size_t count;
    if (!option_parse_size(arg, &count) || !is_within(entry, (double)count))
        return refuse_value(parser, entry, arg);
    *(int *)value = (int)count;
    return 0;
}

error_t option_take_real(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    char *end = "";
    double real = arg ? strtod(arg, &end) : ((const struct option_limits *)entry->from)->bare;
    if (end == arg || (*end && strcmp(end, "%") != 0) || !is_within(entry, real))
        return refuse_value(parser, entry, arg);
    *(double *)value = real;
    return 0;
}

error_t option_take_range(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    struct option_range range;
    if (!option_parse_range(arg, &range) || !is_within(entry, (double)range.min) ||
        !is_within(entry, (double)range.max))
        return refuse_value(parser, entry, arg);
    *(struct option_range *)value = range;
    return 0;
}

/* Adds I, the index of a thing in a registry, to CHOSEN unless it was added before. */
static void choose_one(struct option_chosen *chosen, size_t i)
{
    for (size_t k = 0; k < chosen->n; k++)
        if (chosen->at[k] == i)
            return;
    if (chosen->n < OPTION_CHOSEN_MAX)
        chosen->at[chosen->n++] = i;
}

error_t option_choose(struct option_parser *parser, const struct option_registry *r,
                      const char *list, struct option_chosen *chosen)
{
    char word[64];
    for (const char *at = list; at;) {
        at = next_word(at, word);
        size_t i = find_thing(r, word);
        if (i != SIZE_MAX) {
            choose_one(chosen, i);
        } else if (strcmp(word, "all") == 0) {
            chosen->all = true;
            for (i = 0; name_at(r, i); i++)
                if (*name_at(r, i) && (!r->in_all || r->in_all(i, parser->values)))
                    choose_one(chosen, i);
        } else {
            return refuse_name(parser, NULL, r, word, "all");
        }
    }
    return 0;
}

error_t option_take_list(struct option_parser *parser, const struct option_entry *entry,
                         const char *arg, void *value)
{
    return option_choose(parser, entry->from, arg, value);
}

/* The I-th of the program's options, followed by the shared ones; NULL after the last. */
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
    return parser->without && text_has_word(parser->without, entry->name);
}

static error_t take(struct option_parser *parser, const struct option_entry *entry, const char *arg)
{
    if (is_refused(parser, entry))
        return option_refuse(parser, "--%s has no use in this program: leave it out", entry->name);
    return entry->take(parser, entry, arg, (char *)parser->values + entry->offset);
}

static bool may_be_bare(const struct option_entry *entry)
{
    return !entry->argument || *entry->argument == '[';
}

static const struct option_entry *find_entry(const struct option_parser *parser, const char *name,
                                             int letter)
{
    const struct option_entry *e;
    for (size_t i = 0; (e = entry_at(parser, i)); i++)
        if (letter ? e->letter == letter : !strcmp(e->name, name))
            break;
    return e;
}

static bool has_names(const struct option_entry *entry)
{
    return entry->take == option_take_word || entry->take == option_take_names ||
           entry->take == option_take_list;
}

/* Refuses the unknown option NAME and suggests another: --format=csv for --csv, else an option that
 * begins with NAME, else the most similar option. */
static error_t refuse_option(struct option_parser *parser, const char *name)
{
    const struct option_entry *e;
    const char *near = NULL;
    for (size_t i = 0; (e = entry_at(parser, i)); i++)
        if (has_names(e) && find_thing(e->from, name) != SIZE_MAX)
            return option_refuse(parser, "unknown option --%s: did you mean --%s=%s?", name,
                                 e->name, name);
    offer(&near, name, "help");
    for (size_t i = 0; (e = entry_at(parser, i)); i++) {
        offer(&near, name, e->name);
        if (*name && !strncmp(e->name, name, strlen(name))) {
            near = e->name;
            break;
        }
    }
    if (near)
        return option_refuse(parser, "unknown option --%s: did you mean --%s?", name, near);
    return option_refuse(parser, "unknown option --%s: `%s --help` lists all", name, parser->name);
}

/* Parses the option ARGV[*AT] with its argument; increases *AT if the argument is the next word. */
static error_t take_option(struct option_parser *parser, char **argv, int *at)
{
    const char *word = argv[*at], *arg = word[2] ? word + 2 : NULL;
    char name[64] = "";
    bool is_long = word[1] == '-';
    if (is_long) {
        text_copy_part(name, sizeof name, word + 2, strcspn(word + 2, "="));
        arg = strchr(word, '=') ? strchr(word, '=') + 1 : NULL;
    }
    const struct option_entry *e = find_entry(parser, name, is_long ? 0 : word[1]);
    if (!e)
        return is_long ? refuse_option(parser, name)
                       : option_refuse(parser, "unknown option -%c: `%s --help` lists all", word[1],
                                       parser->name);
    if (arg && !e->argument)
        return option_refuse(parser, "--%s takes no argument: leave out '%s'", e->name, arg);
    if (!arg && !may_be_bare(e) && !(arg = argv[++*at]))
        return option_refuse(parser, "--%s needs an argument: use: --%s=%s", e->name, e->name,
                             e->argument);
    return take(parser, e, arg);
}

static error_t take_word(struct option_parser *parser, char *word)
{
    parser->words++;
    return parser->program->word
               ? parser->program->word(parser, parser->values, word)
               : option_refuse(parser, "unexpected argument '%s': see `%s --help`", word,
                               parser->name);
}

enum options_result options_parse(struct option_parser *parser, int argc, char **argv)
{
    const struct option_program *program = parser->program;
    *parser->mistake = '\0';
    parser->divided_at = -1;
    for (int i = 1; i < argc; i++) {
        bool is_word = argv[i][0] != '-' || !argv[i][1] || parser->divided_at >= 0;
        bool divides = !is_word && !strcmp(argv[i], "--");
        if (program->passes_on && (is_word || divides)) {
            parser->rest = argv[i + divides] ? argv + i + divides : NULL;
            break;
        }
        if (divides)
            parser->divided_at = parser->words;
        else if (!is_word && (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")))
            return OPTIONS_HELP;
        else if (!is_word && (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V")))
            return OPTIONS_VERSION;
        else if (is_word ? take_word(parser, argv[i]) : take_option(parser, argv, &i))
            return OPTIONS_WRONG;
    }
    return program->check && program->check(parser, parser->values) ? OPTIONS_WRONG : OPTIONS_GOOD;
}

void option_variable(const char *prefix, const struct option_entry *entry, char name[64])
{
    int n = snprintf(name, 64, "%s%s", prefix, entry->name);
    for (int i = 0; i < n && i < 63; i++)
        name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
}

/* Sets the option of the environment variable NAME to VALUE. LINE gets an error message, if any. */
static void take_variable(struct option_parser *parser, const char *name, const char *value,
                          char *line, size_t room)
{
    const struct option_entry *e;
    char known[64] = "";
    for (size_t i = 0; (e = entry_at(parser, i)); i++) {
        option_variable(parser->prefix, e, known);
        if (!strcmp(known, name))
            break;
    }
    if (!e)
        snprintf(line, room, "unknown variable %s", name);
    else if ((*value || !may_be_bare(e) || e->take == option_take_flag) && take(parser, e, value))
        snprintf(line, room, "%s: %s", name, parser->mistake);
}

void options_read_environment(struct option_parser *parser, char *const *environment,
                              void (*complain)(const char *line, void *arg), void *arg)
{
    for (char *const *v = environment; v && *v; v++) {
        char name[64], line[1400] = "";
        size_t length = strcspn(*v, "=");
        if (strncmp(*v, parser->prefix, strlen(parser->prefix)) || length >= sizeof name)
            continue;
        text_copy_part(name, sizeof name, *v, length);
        take_variable(parser, name, (*v)[length] ? *v + length + 1 : "", line, sizeof line);
        if (*line && complain)
            complain(line, arg);
    }
    *parser->mistake = '\0';
}

bool option_is_text(const struct option_entry *entry)
{
    return entry->take == option_take_text || entry->take == option_take_names;
}

void option_show(const struct option_entry *entry, const void *values, char *text, size_t room)
{
    const void *value = (const char *)values + entry->offset;
    const int *count = value;
    const double *real = value;
    const struct option_range *range = value;
    *text = '\0';
    if (entry->take == option_take_flag)
        text_add(text, room, "%s", *(const bool *)value ? "yes" : "no");
    else if (option_is_text(entry))
        text_add(text, room, "%s", *(const char *const *)value ?: "");
    else if (entry->take == option_take_word)
        text_add(text, room, "%s", name_at(entry->from, (size_t)*count) ?: "");
    else if (entry->take == option_take_count && is_within(entry, *count))
        text_add(text, room, "%d", *count);
    else if (entry->take == option_take_real && is_within(entry, *real))
        text_add(text, room, "%g", *real);
    else if (entry->take == option_take_range)
        text_add(text, room, "%zu:%zu", range->min, range->max);
}

/* Writes an option in two columns; HELP is on the next line if the option is too wide. */
static void put_entry(FILE *out, const char letter, const char *name, const char *argument,
                      const char *help)
{
    enum { INDENT = 25 };
    char mark[200] = "";
    text_add(mark, sizeof mark, letter ? "  -%c, --%s" : "    %c --%s", letter ?: ' ', name);
    if (argument)
        text_add(mark, sizeof mark, *argument == '[' ? "[=%s" : "=%s",
                 argument + (*argument == '['));
    if (strlen(mark) >= INDENT) {
        fprintf(out, "%s\n", mark);
        *mark = '\0';
    }
    text_add(mark, sizeof mark, "%*s", INDENT - (int)strlen(mark), "");
    text_paragraph_write(out, mark, help, WIDTH);
}

static void put_options(const struct option_parser *parser, FILE *out)
{
    const struct option_entry *e;
    fputs("\n", out);
    for (size_t i = 0; (e = entry_at(parser, i)); i++) {
        char value[400] = "", help[1000] = "", names[1000] = "";
        const char *list = strstr(e->help, "%s");
        if (e->flags & OPTION_RARE || is_refused(parser, e))
            continue;
        if (e->take != option_take_flag)
            option_show(e, parser->values, value, sizeof value);
        if (list)
            add_names(names, sizeof names, e->from);
        snprintf(help, sizeof help, "%.*s%s%s", list ? (int)(list - e->help) : 1000, e->help, names,
                 list ? list + 2 : "");
        if (*value)
            text_add(help, sizeof help, " (%s)", value);
        if (e == parser->shared)
            fputs("\n", out);
        put_entry(out, (char)e->letter, e->name, e->argument, help);
    }
    put_entry(out, 'h', "help", NULL, "print this help");
}

void options_help(const struct option_parser *parser, FILE *out)
{
    const struct option_program *p = parser->program;
    fprintf(out, "Usage: %s [OPTION...]%s%s\n", parser->name, p->arguments ? " " : "",
            p->arguments ? p->arguments : "");
    text_paragraph_write(out, "", p->does, WIDTH);
    put_options(parser, out);
    if (p->note) {
        fputs("\n", out);
        text_paragraph_write(out, "", p->note, WIDTH);
    }
}
