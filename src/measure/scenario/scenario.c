#include "measure/scenario/scenario.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define START .kind = ACTION_START
#define ISSUE .kind = ACTION_ISSUE, .root = SWEPT_ROOT, .bytes = SWEPT_BYTES
#define SYNC .kind = ACTION_SYNC, .issued = ISSUED_ALL
#define COMP .kind = ACTION_COMP, .seconds = SWEPT_SECONDS
#define DELAY .kind = ACTION_DELAY, .seconds = SWEPT_SECONDS
#define STOP .kind = ACTION_STOP

const struct scenario scenarios[3] = {
    {.name = "1",
     .summary = "collective only",
     .n = 1,
     .script = {{.who = WHO_OTHERS, .n = 4, .action = {{START}, {ISSUE}, {SYNC}, {STOP}}}}},
    {.name = "2",
     .summary = "collective with delay",
     .n = 2,
     .script = {{.who = WHO_DELAYED, .n = 5, .action = {{START}, {DELAY}, {ISSUE}, {SYNC}, {STOP}}},
                {.who = WHO_OTHERS, .n = 4, .action = {{START}, {ISSUE}, {SYNC}, {STOP}}}}},
    {.name = "3",
     .summary = "collective overlapping with computation",
     .n = 1,
     .script = {{.who = WHO_OTHERS, .n = 5, .action = {{START}, {ISSUE}, {COMP}, {SYNC}, {STOP}}}}},
};

__attribute__((format(printf, 3, 4))) static bool wrong(struct scenario_error *error, int line,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    error->line = line;
    return false;
}

static bool check_times(const struct script *s, struct scenario_error *error)
{
    int started = -1, stopped = -1;
    for (int i = 0; i < s->n; i++) {
        int line = s->action[i].line;
        if (s->action[i].kind == ACTION_START) {
            if (started >= 0)
                return wrong(error, line, "a second start: a participant starts once");
            started = i;
        } else if (s->action[i].kind == ACTION_STOP) {
            if (started < 0)
                return wrong(error, line, "stop without start: start comes first");
            if (stopped >= 0)
                return wrong(error, line, "a second stop: a participant stops once");
            stopped = i;
        }
    }
    if (started < 0)
        return wrong(error, s->line, "these participants never start");
    if (stopped < 0)
        return wrong(error, s->line, "these participants never stop");
    return true;
}

static bool check_syncs(const struct script *s, const struct scenario_point *point,
                        struct scenario_error *error)
{
    bool pending[SCENARIO_ACTIONS] = {false}, issued = false;
    for (int i = 0; i < s->n; i++) {
        const struct action *a = &s->action[i];
        if (a->kind == ACTION_ISSUE) {
            pending[i] = a->operation ? a->twin : point->twin;
            issued = true;
        } else if (a->kind == ACTION_SYNC) {
            bool wants_one = a->issued != ISSUED_ALL;
            if (!issued || (wants_one && (a->issued < 0 || a->issued >= i ||
                                          s->action[a->issued].kind != ACTION_ISSUE)))
                return wrong(error, a->line, "sync without issue: issue the operation before it");
            for (int k = 0; k < i; k++)
                if (!wants_one || k == a->issued)
                    pending[k] = false;
        }
    }
    for (int i = 0; i < s->n; i++)
        if (pending[i])
            return wrong(error, s->action[i].line,
                         "a non-blocking operation that nobody waits for: add a sync");
    return true;
}

static bool check_ranks(const struct script *s, int ranks, struct scenario_error *error)
{
    if (s->who == WHO_RANKS && (s->first < 0 || s->last < s->first || s->last >= ranks))
        return wrong(error, s->line, "rank %d is out of range: %d ranks take part, 0 to %d",
                     s->last, ranks, ranks - 1);
    for (int i = 0; i < s->n; i++) {
        const struct action *a = &s->action[i];
        if (a->kind == ACTION_ISSUE && a->root >= ranks)
            return wrong(error, a->line, "root %d is out of range: %d ranks take part, 0 to %d",
                         a->root, ranks, ranks - 1);
    }
    return true;
}

const struct script *scenario_script(const struct scenario *s, int rank, int ranks,
                                     const struct scenario_point *point)
{
    const struct script *others = NULL;
    for (int i = 0; i < s->n; i++) {
        const struct script *c = &s->script[i];
        if ((c->who == WHO_RANKS && c->first <= rank && rank <= c->last) ||
            (c->who == WHO_LAST && rank == ranks - 1) ||
            (c->who == WHO_DELAYED && rank == point->delayed))
            return c;
        if (c->who == WHO_OTHERS)
            others = c;
    }
    return others;
}

static const struct action *next_issue(const struct script *s, int *at)
{
    for (; *at < s->n; ++*at)
        if (s->action[*at].kind == ACTION_ISSUE)
            return &s->action[(*at)++];
    return NULL;
}

/* MPI matches collective calls of a communicator by their order alone, and does not match a
 * blocking one with a non-blocking one. */
static bool check_same_issues(const struct script *a, const struct script *b,
                              struct scenario_error *error)
{
    int i = 0, k = 0;
    for (;;) {
        const struct action *x = next_issue(a, &i), *y = next_issue(b, &k);
        if (!x && !y)
            return true;
        if (!x || !y)
            return wrong(error, x ? x->line : y->line,
                         "an operation that not all participants issue: MPI would hang");
        if (x->operation != y->operation || x->twin != y->twin || x->by != y->by ||
            x->bytes != y->bytes || (x->root != y->root && (!x->operation || x->operation->rooted)))
            return wrong(error, y->line,
                         "another operation, size or root than others issue at "
                         "this place: MPI would hang");
    }
}

bool scenario_check(const struct scenario *s, int ranks, const struct scenario_point *point,
                    struct scenario_error *error)
{
    for (int i = 0; i < s->n; i++)
        if (!check_ranks(&s->script[i], ranks, error) || !check_times(&s->script[i], error) ||
            !check_syncs(&s->script[i], point, error) ||
            !check_same_issues(&s->script[0], &s->script[i], error))
            return false;
    for (int rank = 0; rank < ranks; rank++)
        if (!scenario_script(s, rank, ranks, point))
            return wrong(error, 0, "rank %d has nothing to do: add \"participants others\"", rank);
    return true;
}

static const struct action *find_action(const struct scenario *s,
                                        bool (*is)(const struct action *a, enum action_kind kind),
                                        enum action_kind kind)
{
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->script[i].n; k++)
            if (is(&s->script[i].action[k], kind))
                return &s->script[i].action[k];
    return NULL;
}

static bool has_swept_length(const struct action *a, enum action_kind kind)
{
    return a->kind == kind && a->seconds < 0;
}

static bool has_swept_operation(const struct action *a, enum action_kind kind)
{
    return a->kind == kind && !a->operation;
}

static bool has_swept_bytes(const struct action *a, enum action_kind kind)
{
    return a->kind == kind && a->bytes == SWEPT_BYTES &&
           (!a->operation || a->operation->recv != EXTENT_NONE);
}

bool scenario_sweeps(const struct scenario *s, enum action_kind kind)
{
    return find_action(s, has_swept_length, kind) != NULL;
}

bool scenario_sweeps_operation(const struct scenario *s)
{
    return find_action(s, has_swept_operation, ACTION_ISSUE) != NULL;
}

bool scenario_sweeps_bytes(const struct scenario *s)
{
    return find_action(s, has_swept_bytes, ACTION_ISSUE) != NULL;
}

double scenario_delay(const struct scenario *s, const struct scenario_point *point)
{
    double longest = NAN;
    for (int i = 0; i < s->n; i++) {
        double sum = 0;
        for (int k = 0; k < s->script[i].n; k++)
            if (s->script[i].action[k].kind == ACTION_DELAY) {
                double seconds = s->script[i].action[k].seconds;
                sum += seconds < 0 ? point->delay : seconds;
                longest = fmax(longest, sum);
            }
    }
    return longest;
}
