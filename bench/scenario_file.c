#include "scenario_file.h"

#include "bench.h"
#include "trees/bcast.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 32 };

struct reader {
    struct scenario *scenario;
    struct scenario_error *error;
    int line;
    char *rest; /* of the line, not yet read */
    struct script *script;
    char name[SCENARIO_ACTIONS][NAME_MAX_LENGTH]; /* of the issues of this script */
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->error->text, sizeof r->error->text, format, args);
    va_end(args);
    r->error->line = r->line;
    return false;
}

/* NULL at the end of the line. */
static char *next_word(struct reader *r)
{
    return strtok_r(NULL, " \t\r\n", &r->rest);
}

static bool line_ends(struct reader *r)
{
    char *word = next_word(r);
    return !word || wrong(r, "\"%s\" is too much on this line", word);
}

static bool read_rank(struct reader *r, const char *word, const char **end, int *rank)
{
    char *after;
    long value = word ? strtol(word, &after, 10) : -1;
    if (!word || after == word || value < 0 || value > INT_MAX - 1)
        return wrong(r, "\"%s\" is no rank: 0, 1, ...", word ? word : "");
    *rank = (int)value;
    *end = after;
    return true;
}

static bool read_participants(struct reader *r)
{
    struct scenario *s = r->scenario;
    const char *word = next_word(r), *end = "";
    if (!word)
        return wrong(r, "which participants? others, last, delayed, a rank, or FIRST-LAST");
    if (s->n == SCENARIO_SCRIPTS)
        return wrong(r, "too many kinds of participants: at most %d", SCENARIO_SCRIPTS);
    r->script = &s->script[s->n++];
    r->script->line = r->line;
    if (strcmp(word, "others") == 0 || strcmp(word, "all") == 0) {
        r->script->who = WHO_OTHERS;
    } else if (strcmp(word, "last") == 0) {
        r->script->who = WHO_LAST;
    } else if (strcmp(word, "delayed") == 0) {
        r->script->who = WHO_DELAYED;
    } else {
        if (!read_rank(r, word, &end, &r->script->first))
            return false;
        r->script->last = r->script->first;
        if (*end == '-' && !read_rank(r, end + 1, &end, &r->script->last))
            return false;
        if (*end || r->script->last < r->script->first)
            return wrong(
                r, "\"%s\" is no participant: others, last, delayed, a rank, or FIRST-LAST", word);
    }
    return line_ends(r);
}

static bool read_operation(struct reader *r, struct action *a)
{
    const char *word = next_word(r);
    if (!word)
        return wrong(r, "issue what? an operation, as in \"issue ibroadcast\"");
    a->root = SWEPT_ROOT;
    a->bytes = SWEPT_BYTES;
    if (strcmp(word, "operation") == 0)
        return true;
    a->operation = operation_find(word, &a->twin);
    return a->operation ||
           wrong(r, "unknown operation \"%s\": see collbench-scenario --help", word);
}

static bool read_name(struct reader *r, const char *word)
{
    int at = r->script->n;
    if (!word || strlen(word) >= NAME_MAX_LENGTH)
        return wrong(r, "as what? a name of at most %d letters", NAME_MAX_LENGTH - 1);
    for (int i = 0; i < at; i++)
        if (strcmp(r->name[i], word) == 0)
            return wrong(r, "\"%s\" is issued already", word);
    strcpy(r->name[at], word);
    return true;
}

static bool read_algorithm(struct reader *r, const char *word, struct action *a)
{
    a->by = word ? bcast_find(word) : NULL;
    if (!a->by || !a->by->run)
        return wrong(r, "\"%s\" is no algorithm: see collbench-scenario --help", word ? word : "");
    if (!a->operation || a->twin || !operation_has_own(a->operation, a->by))
        return wrong(r, "there is no form of our own by %s of this operation", word);
    return true;
}

static bool read_issue(struct reader *r, struct action *a)
{
    const char *word, *end = "";
    if (!read_operation(r, a))
        return false;
    while ((word = next_word(r))) {
        const char *value = next_word(r);
        bool good;
        if (strcmp(word, "root") == 0)
            good = read_rank(r, value, &end, &a->root) &&
                   (*end == '\0' || wrong(r, "\"%s\" is no rank", value));
        else if (strcmp(word, "bytes") == 0)
            good = (value && option_parse_size(value, &a->bytes) && a->bytes <= INT_MAX) ||
                   wrong(r, "\"%s\" is no size: bytes, as in 64 or 4K", value ? value : "");
        else if (strcmp(word, "as") == 0)
            good = read_name(r, value);
        else if (strcmp(word, "by") == 0)
            good = read_algorithm(r, value, a);
        else
            good = wrong(r, "\"%s\" after an operation: root, bytes, by or as", word);
        if (!good)
            return false;
    }
    return true;
}

static bool read_sync(struct reader *r, struct action *a)
{
    const char *word = next_word(r);
    a->issued = ISSUED_ALL;
    if (!word)
        return true;
    for (int i = 0; i < r->script->n; i++)
        if (strcmp(r->name[i], word) == 0)
            a->issued = i;
    if (a->issued == ISSUED_ALL)
        return wrong(r, "sync without issue: nothing was issued as \"%s\"", word);
    return line_ends(r);
}

static bool read_length(struct reader *r, struct action *a)
{
    const char *word = next_word(r);
    char *end;
    a->seconds = SWEPT_SECONDS;
    if (!word)
        return true;
    double us = strtod(word, &end);
    if (end == word || *end || !isfinite(us) || us < 0)
        return wrong(r, "\"%s\" is no time: microseconds, as in 12.5", word);
    a->seconds = 1e-6 * us;
    return line_ends(r);
}

static bool read_action(struct reader *r, const char *word)
{
    static const char *const names[] = {
        [ACTION_START] = "start", [ACTION_ISSUE] = "issue", [ACTION_SYNC] = "sync",
        [ACTION_COMP] = "comp",   [ACTION_DELAY] = "delay", [ACTION_STOP] = "stop"};
    size_t kind = 0;
    while (kind < sizeof names / sizeof *names && strcmp(word, names[kind]) != 0)
        kind++;
    if (kind == sizeof names / sizeof *names)
        return wrong(r, "unknown action \"%s\": start, issue, sync, comp, delay or stop", word);
    if (!r->script)
        return wrong(r, "\"%s\" before any participants: say whose, as in \"participants others\"",
                     word);
    if (r->script->n == SCENARIO_ACTIONS)
        return wrong(r, "too many actions: at most %d", SCENARIO_ACTIONS);
    struct action *a = &r->script->action[r->script->n];
    *a = (struct action){.kind = (enum action_kind)kind, .line = r->line};
    r->name[r->script->n][0] = '\0';
    bool good = kind == ACTION_ISSUE                          ? read_issue(r, a)
                : kind == ACTION_SYNC                         ? read_sync(r, a)
                : kind == ACTION_COMP || kind == ACTION_DELAY ? read_length(r, a)
                                                              : line_ends(r);
    r->script->n++;
    return good;
}

static bool read_title(struct reader *r)
{
    const char *name = next_word(r);
    if (!name)
        return wrong(r, "scenario what? a name, and what it shows");
    snprintf(r->scenario->name, sizeof r->scenario->name, "%s", name);
    const char *summary = r->rest ? r->rest + strspn(r->rest, " \t") : "";
    snprintf(r->scenario->summary, sizeof r->scenario->summary, "%.*s",
             (int)strcspn(summary, "\r\n"), summary);
    return true;
}

static bool read_line(struct reader *r, char *line)
{
    line[strcspn(line, "#")] = '\0';
    const char *word = strtok_r(line, " \t\r\n", &r->rest);
    if (!word)
        return true;
    if (strcmp(word, "scenario") == 0)
        return read_title(r);
    if (strcmp(word, "participants") == 0)
        return read_participants(r);
    return read_action(r, word);
}

bool scenario_read(FILE *file, const char *name, struct scenario *s, struct scenario_error *error)
{
    struct reader r = {.scenario = s, .error = error};
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    *s = (struct scenario){0};
    snprintf(s->name, sizeof s->name, "%s", name);
    while (good && getline(&line, &room, file) >= 0) {
        r.line++;
        good = read_line(&r, line);
    }
    free(line);
    r.line = 0;
    return good && (s->n > 0 || wrong(&r, "no participants: say whose actions, as in "
                                          "\"participants others\""));
}
