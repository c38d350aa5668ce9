#include "scenario_file.h"

#include "bench.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 16 };

/* A line at a time. */
struct reader {
    struct scenario *scenario;
    struct scenario_error *error;
    int line;
    char *word[WORDS + 1]; /* of the line, then NULL */
    struct script *script;
};

#define WRONG(r, ...) scenario_wrong((r)->error, (r)->line, __VA_ARGS__)

static void split_line(struct reader *r, char *line)
{
    char *rest = NULL;
    int n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t\r\n", &rest); w && n < WORDS;
         w = strtok_r(NULL, " \t\r\n", &rest))
        r->word[n++] = w;
    r->word[n] = NULL;
}

static bool read_participants(struct reader *r)
{
    static const struct {
        const char *word;
        enum participants who;
    } names[] = {
        {"others", WHO_OTHERS}, {"all", WHO_OTHERS}, {"last", WHO_LAST}, {"delayed", WHO_DELAYED}};
    struct scenario *s = r->scenario;
    const char *who = r->word[1] ?: "";
    if (s->n == SCENARIO_SCRIPTS)
        return WRONG(r, "too many kinds of participants: at most %d", SCENARIO_SCRIPTS);
    struct script *c = r->script = &s->script[s->n++];
    c->line = r->line;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(who, names[i].word) == 0) {
            c->who = names[i].who;
            return true;
        }
    c->who = WHO_RANKS;
    int end = -1;
    if (sscanf(who, "%d%n-%d%n", &c->first, &end, &c->last, &end) < 2)
        c->last = c->first;
    return (end >= 0 && !who[end] && c->first >= 0 && c->last >= c->first) ||
           WRONG(r, "\"%s\" is no participant: others, last, delayed, a rank, or FIRST-LAST", who);
}

static bool read_root(struct reader *r, const char *word, int *root)
{
    size_t rank;
    if (!option_parse_size(word, &rank) || rank > INT_MAX)
        return WRONG(r, "\"%s\" is no rank: 0, 1, ...", word);
    *root = (int)rank;
    return true;
}

static bool read_issue(struct reader *r, struct action *a)
{
    const char *name = r->word[1];
    if (!name)
        return WRONG(r, "issue what? an operation, as in \"issue ibroadcast\"");
    a->root = SWEPT_ROOT;
    a->bytes = SWEPT_BYTES;
    if (strcmp(name, "operation") != 0 && !(a->operation = operation_find(name, &a->twin)))
        return WRONG(r, "unknown operation \"%s\": see collbench-scenario --help", name);
    for (int i = 2; r->word[i]; i += 2) {
        const char *what = r->word[i], *value = r->word[i + 1];
        bool good = false;
        if (!value)
            return WRONG(r, "\"%s\" has no value: root RANK or bytes SIZE", what);
        if (strcmp(what, "root") == 0)
            good = read_root(r, value, &a->root);
        else if (strcmp(what, "bytes") == 0)
            good = (option_parse_size(value, &a->bytes) && a->bytes <= INT_MAX) ||
                   WRONG(r, "\"%s\" is no size: bytes, as in 64 or 4K", value);
        else
            good = WRONG(r, "\"%s\" after an operation: root or bytes", what);
        if (!good)
            return false;
    }
    return true;
}

static bool read_length(struct reader *r, struct action *a)
{
    char *end;
    a->seconds = SWEPT_SECONDS;
    if (!r->word[1])
        return true;
    double us = strtod(r->word[1], &end);
    if (end == r->word[1] || *end || !isfinite(us) || us < 0)
        return WRONG(r, "\"%s\" is no time: microseconds, as in 12.5", r->word[1]);
    a->seconds = 1e-6 * us;
    return true;
}

static bool read_action(struct reader *r)
{
    /* How many words may follow, and what reads them. */
    static const struct {
        int words;
        bool (*read)(struct reader *r, struct action *a);
    } actions[N_ACTIONS] = {[ACTION_ISSUE] = {WORDS, read_issue},
                            [ACTION_COMP] = {1, read_length},
                            [ACTION_DELAY] = {1, read_length}};
    int kind = 0;
    while (action_names[kind] && strcmp(r->word[0], action_names[kind]) != 0)
        kind++;
    if (kind == N_ACTIONS)
        return WRONG(r, "unknown action \"%s\": start, issue, sync, comp, delay or stop",
                     r->word[0]);
    if (!r->script)
        return WRONG(r, "\"%s\" before any participants: say whose, as in \"participants others\"",
                     r->word[0]);
    if (r->script->n == SCENARIO_ACTIONS)
        return WRONG(r, "too many actions: at most %d", SCENARIO_ACTIONS);
    for (int i = 0; i < WORDS && r->word[i]; i++)
        if (i > actions[kind].words)
            return WRONG(r, "\"%s\" is too much on this line", r->word[i]);
    struct action *a = &r->script->action[r->script->n];
    *a = (struct action){.kind = (enum action_kind)kind, .line = r->line};
    if (actions[kind].read && !actions[kind].read(r, a))
        return false;
    r->script->n++;
    return true;
}

static bool read_title(struct reader *r)
{
    if (!r->word[1])
        return WRONG(r, "a scenario without a name");
    snprintf(r->scenario->name, sizeof r->scenario->name, "%s", r->word[1]);
    return true;
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
        split_line(&r, line);
        if (!r.word[0])
            continue;
        good = strcmp(r.word[0], "scenario") == 0       ? read_title(&r)
               : strcmp(r.word[0], "participants") == 0 ? read_participants(&r)
                                                        : read_action(&r);
    }
    free(line);
    r.line = 0;
    return good && (s->n > 0 || WRONG(&r, "no participants: say whose actions, as in "
                                          "\"participants others\""));
}
