#include "measure/scenario/scenario.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool scenario_wrong(char why[SCENARIO_WHY], int line, const char *format, ...)
{
    va_list args;
    int n = line ? snprintf(why, SCENARIO_WHY, "line %d: ", line) : 0;
    va_start(args, format);
    vsnprintf(why + n, (size_t)(SCENARIO_WHY - n), format, args);
    va_end(args);
    return false;
}

/* --- whether a scenario can run --- */

static bool check_script(const struct script *s, int ranks, const struct scenario_point *point,
                         char why[SCENARIO_WHY])
{
    bool starts = false, stops = false;
    const struct action *pending = NULL;
    for (const struct action *a = s->action; a < s->action + s->n; a++) {
        starts = starts || a->kind == ACTION_START;
        stops = stops || a->kind == ACTION_STOP;
        if (stops && !starts)
            return scenario_wrong(why, a->line, "stop without start: start comes first");
        if (stops && a->kind == ACTION_START)
            return scenario_wrong(why, a->line, "start after stop: start comes before stop");
        if (a->kind == ACTION_ISSUE && a->root >= ranks)
            return scenario_wrong(why, a->line,
                                  "root %d is out of range: %d ranks take part, 0 to %d", a->root,
                                  ranks, ranks - 1);
        if (a->kind == ACTION_SYNC)
            pending = NULL;
        else if (a->kind == ACTION_ISSUE && (a->operation ? a->twin : point->twin))
            pending = a;
    }
    if (pending)
        return scenario_wrong(why, pending->line,
                              "no rank waits for this non-blocking operation: add a sync");
    return (starts && stops) ||
           scenario_wrong(why, s->line, "these participants never %s", starts ? "stop" : "start");
}

static const struct action *next_issue(const struct script *s, int *at)
{
    for (; *at < s->n; ++*at)
        if (s->action[*at].kind == ACTION_ISSUE)
            return &s->action[(*at)++];
    return NULL;
}

/* MPI matches the collective calls of a communicator only by their order, and never a blocking with
 * a non-blocking one. */
static bool check_same_issues(const struct script *a, const struct script *b,
                              char why[SCENARIO_WHY])
{
    for (int i = 0, k = 0;;) {
        const struct action *x = next_issue(a, &i), *y = next_issue(b, &k);
        if (!x && !y)
            return true;
        if (!x || !y)
            return scenario_wrong(why, x ? x->line : y->line,
                                  "an operation that not all participants issue: MPI would hang");
        if (x->operation != y->operation || x->twin != y->twin || x->bytes != y->bytes ||
            (x->root != y->root && (!x->operation || x->operation->rooted)))
            return scenario_wrong(why, y->line,
                                  "another operation, size or root than others issue here: "
                                  "MPI would hang");
    }
}

const struct script *scenario_script(const struct scenario *s, int rank, int ranks,
                                     const struct scenario_point *point)
{
    const struct script *others = NULL;
    for (const struct script *c = s->script; c < s->script + s->n; c++) {
        if ((c->who == WHO_RANKS && c->first <= rank && rank <= c->last) ||
            (c->who == WHO_LAST && rank == ranks - 1) ||
            (c->who == WHO_DELAYED && rank == point->delayed))
            return c;
        if (c->who == WHO_OTHERS)
            others = c;
    }
    return others;
}

bool scenario_check(const struct scenario *s, int ranks, const struct scenario_point *point,
                    char why[SCENARIO_WHY])
{
    for (const struct script *c = s->script; c < s->script + s->n; c++) {
        if (c->who == WHO_RANKS && c->last >= ranks)
            return scenario_wrong(why, c->line,
                                  "rank %d is out of range: %d ranks take part, 0 to %d", c->last,
                                  ranks, ranks - 1);
        if (!check_script(c, ranks, point, why) || !check_same_issues(s->script, c, why))
            return false;
    }
    for (int rank = 0; rank < ranks; rank++)
        if (!scenario_script(s, rank, ranks, point))
            return scenario_wrong(why, 0, "rank %d has nothing to do: add \"participants others\"",
                                  rank);
    return true;
}

struct scenario_sweep scenario_sweeps(const struct scenario *s)
{
    struct scenario_sweep sweep = {0};
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->script[i].n; k++) {
            const struct action *a = &s->script[i].action[k];
            bool issue = a->kind == ACTION_ISSUE;
            sweep.operation |= issue && !a->operation;
            sweep.bytes |= issue && a->bytes == SWEPT_BYTES &&
                           (!a->operation || a->operation->recv != EXTENT_NONE);
            sweep.delay |= a->kind == ACTION_DELAY && a->seconds < 0;
            sweep.comp |= a->kind == ACTION_COMP && a->seconds < 0;
        }
    return sweep;
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
