#include "scenario_file.h"

#include "bench.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define ALL_START "participants others\nstart\nissue operation\n"
const char *const scenarios[3] = {
    ALL_START "sync\nstop\n",
    ALL_START "sync\nstop\nparticipants delayed\nstart\ndelay\nissue operation\nsync\nstop\n",
    ALL_START "comp\nsync\nstop\n"};

enum { WORDS = 16 };

struct reader {
    struct scenario *scenario;
    int line;              /* number of the line that is being read */
    char *word[WORDS + 2]; /* words of this line, then NULL */
    struct action action;  /* action of this line */
    struct script *script; /* gets ACTION; NULL before the first line "participants" */
};

static void split_line(struct reader *r, char *line)
{
    char *rest = NULL;
    int n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t\r\n", &rest); w && n < WORDS;
         w = strtok_r(NULL, " \t\r\n", &rest))
        r->word[n++] = w;
    r->word[n] = r->word[n + 1] = NULL;
}

/* Each of the following functions reads one kind of line. False if a word is wrong. */

static bool read_title(struct reader *r)
{
    snprintf(r->scenario->name, sizeof r->scenario->name, "%s", r->word[1] ?: "");
    return r->word[1];
}

static bool read_participants(struct reader *r)
{
    static const char *const names[] = {
        [WHO_LAST] = "last", [WHO_DELAYED] = "delayed", [WHO_OTHERS] = "others"};
    struct scenario *s = r->scenario;
    const char *who = r->word[1] ?: "";
    if (s->n == SCENARIO_SCRIPTS)
        return false;
    struct script *c = r->script = &s->script[s->n++];
    *c = (struct script){.line = r->line};
    for (c->who = WHO_LAST; c->who <= WHO_OTHERS; c->who++)
        if (strcmp(who, names[c->who]) == 0)
            return true;
    c->who = WHO_RANKS;
    int end = -1;
    if (sscanf(who, "%d%n-%d%n", &c->first, &end, &c->last, &end) < 2)
        c->last = c->first;
    return end >= 0 && !who[end] && c->first >= 0 && c->last >= c->first;
}

static bool read_issue(struct reader *r)
{
    const char *name = r->word[1] ?: "";
    struct action *a = &r->action;
    a->root = SWEPT_ROOT;
    a->bytes = SWEPT_BYTES;
    if (strcmp(name, "operation") != 0 && !(a->operation = operation_find(name, &a->twin)))
        return false;
    for (int i = 2; r->word[i]; i += 2) {
        size_t value;
        if (!r->word[i + 1] || !option_parse_size(r->word[i + 1], &value) || value > INT_MAX)
            return false;
        if (strcmp(r->word[i], "root") == 0)
            a->root = (int)value;
        else if (strcmp(r->word[i], "bytes") == 0)
            a->bytes = value;
        else
            return false;
    }
    return true;
}

static bool read_length(struct reader *r)
{
    struct action *a = &r->action;
    char *end;
    a->seconds = SWEPT_SECONDS;
    if (!r->word[1])
        return true;
    a->seconds = 1e-6 * strtod(r->word[1], &end);
    return end != r->word[1] && !*end && !r->word[2] && isfinite(a->seconds) && a->seconds >= 0;
}

static bool read_alone(struct reader *r)
{
    return !r->word[1];
}

enum { LINE_PARTICIPANTS = N_ACTIONS, LINE_TITLE, N_LINES };
static const struct {
    const char *word, *rest;
    bool (*read)(struct reader *r);
} lines[N_LINES] = {
    [ACTION_START] = {"start", "", read_alone},
    [ACTION_ISSUE] = {"issue", " OPERATION [root RANK] [bytes SIZE]", read_issue},
    [ACTION_SYNC] = {"sync", "", read_alone},
    [ACTION_COMP] = {"comp", " [MICROSECONDS]", read_length},
    [ACTION_DELAY] = {"delay", " [MICROSECONDS]", read_length},
    [ACTION_STOP] = {"stop", "", read_alone},
    [LINE_PARTICIPANTS] = {"participants", " others | last | delayed | RANK | FIRST-LAST",
                           read_participants},
    [LINE_TITLE] = {"scenario", " NAME", read_title},
};

static bool read_line(struct reader *r, char why[SCENARIO_WHY])
{
    int kind = 0;
    while (kind < N_LINES && strcmp(r->word[0], lines[kind].word) != 0)
        kind++;
    if (kind == N_LINES)
        return scenario_wrong(
            why, r->line, "unknown action \"%s\": expected start, issue, sync, comp, delay or stop",
            r->word[0]);
    if (!lines[kind].read(r))
        return scenario_wrong(why, r->line, "expected %s%s", lines[kind].word, lines[kind].rest);
    if (kind >= N_ACTIONS)
        return true;
    if (!r->script || r->script->n == SCENARIO_ACTIONS)
        return scenario_wrong(why, r->line,
                              "expected \"participants\" first, and at most %d actions after each",
                              SCENARIO_ACTIONS);
    r->action.kind = (enum action_kind)kind;
    r->action.line = r->line;
    r->script->action[r->script->n++] = r->action;
    return true;
}

bool scenario_read(FILE *file, const char *name, struct scenario *s, char why[SCENARIO_WHY])
{
    struct reader r = {.scenario = s};
    FREED char *line = NULL;
    size_t room = 0;
    bool good = true;
    *s = (struct scenario){0};
    snprintf(s->name, sizeof s->name, "%s", name);
    while (good && getline(&line, &room, file) >= 0) {
        r.line++;
        r.action = (struct action){0};
        split_line(&r, line);
        good = !r.word[0] || read_line(&r, why);
    }
    return good && (s->n > 0 || scenario_wrong(why, 0,
                                               "no participants: expected "
                                               "\"participants others\""));
}
