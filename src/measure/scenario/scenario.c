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

static bool check_script(const struct script *s, int ranks, char why[SCENARIO_WHY])
{
    const struct action *pending = NULL, *last = s->action + s->n - 1;
    for (const struct action *a = s->action; a <= last; a++) {
        if ((a->kind == ACTION_START) != (a == s->action) ||
            (a->kind == ACTION_STOP) != (a == last))
            return scenario_wrong(why, a->line, "expected start first, and stop last");
        if (a->kind == ACTION_ISSUE && a->root >= ranks)
            return scenario_wrong(why, a->line,
                                  "root %d is out of range: %d ranks take part, 0 to %d", a->root,
                                  ranks, ranks - 1);
        if (a->kind == ACTION_SYNC)
            pending = NULL;
        else if (a->kind == ACTION_ISSUE && a->twin)
            pending = a;
    }
    return !pending || scenario_wrong(why, pending->line,
                                      "no rank waits for this non-blocking operation: add a sync");
}

static const struct action *next_issue(const struct script *s, int *at)
{
    for (; *at < s->n; ++*at)
        if (s->action[*at].kind == ACTION_ISSUE)
            return &s->action[(*at)++];
    return NULL;
}

/* Whether two ranks issue the same operations in the same order: MPI matches the collective calls
 * of a communicator by order alone, and a blocking one never matches a non-blocking one. */
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
            x->by != y->by || x->own != y->own ||
            (x->root != y->root && operation_is_rooted(x->operation)))
            return scenario_wrong(why, y->line,
                                  "another operation, size or root than others issue here: "
                                  "MPI would hang");
    }
}

static const struct script *script_of(const struct scenario *s, int rank, int ranks,
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

struct script scenario_script(const struct scenario *s, int rank, int ranks,
                              const struct scenario_point *point)
{
    const struct script *of = script_of(s, rank, ranks, point);
    struct script filled = of ? *of : (struct script){0};
    for (struct action *a = filled.action; a < filled.action + filled.n; a++) {
        if (!a->operation) {
            a->operation = point->operation;
            a->twin = point->twin;
            a->by = point->by;
            a->own = point->own;
        }
        if (a->root == SWEPT_ROOT)
            a->root = point->root;
        if (a->bytes == SWEPT_BYTES)
            a->bytes = point->bytes;
        if (a->seconds < 0)
            a->seconds = a->kind == ACTION_COMP ? point->comp : point->delay;
    }
    return filled;
}

bool scenario_check(const struct scenario *s, int ranks, const struct scenario_point *point,
                    char why[SCENARIO_WHY])
{
    for (const struct script *c = s->script; c < s->script + s->n; c++)
        if (c->who == WHO_RANKS && c->last >= ranks)
            return scenario_wrong(why, c->line,
                                  "rank %d is out of range: %d ranks take part, 0 to %d", c->last,
                                  ranks, ranks - 1);
    struct scenario_point any_size = *point;
    any_size.bytes = SWEPT_BYTES;
    const struct script first = scenario_script(s, 0, ranks, &any_size);
    for (int rank = 0; rank < ranks; rank++) {
        const struct script own = scenario_script(s, rank, ranks, &any_size);
        if (own.n == 0)
            return scenario_wrong(why, own.line,
                                  "rank %d has nothing to do: expected actions, as of "
                                  "\"participants others\"",
                                  rank);
        if (!check_script(&own, ranks, why) || !check_same_issues(&first, &own, why))
            return false;
    }
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

double scenario_delay(const struct scenario *s, int ranks, const struct scenario_point *point)
{
    double longest = NAN;
    for (int rank = 0; rank < ranks; rank++) {
        const struct script own = scenario_script(s, rank, ranks, point);
        double sum = 0;
        for (const struct action *a = own.action; a < own.action + own.n; a++)
            if (a->kind == ACTION_DELAY)
                longest = fmax(longest, sum += a->seconds);
    }
    return longest;
}
