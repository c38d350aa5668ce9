#include "measure/pairs/choose.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* With more than SEGMENTS_MANY larger segments are as good. Of more ranks than MANY only a few
 * candidates are built, which take little time. */
enum { SEGMENTS_MANY = 512, MANY = 512, MANY_CANDIDATES = 3 };

const size_t choice_segments[CHOICE_SEGMENTS] = {2048, 8192, 32768};

bool choice_is_known(const struct pairs *p, const struct schedule *s)
{
    return s->segment == 0 && p->slowdown > 0 && p->slowdown <= PAIRS_SHARED;
}

void choice_name(struct schedule *s)
{
    char name[sizeof s->name];
    if (strncmp(s->name, "grid (", 6) == 0)
        return;
    snprintf(name, sizeof name, "grid (%.20s)", s->name);
    memcpy(s->name, name, sizeof name);
}

/* S is used up. */
static void choice_add(struct choice *c, const struct bcast *by, struct schedule *s)
{
    if (c->n == CHOICE_MAX) {
        schedule_free(s);
        return;
    }
    int at = c->n++;
    for (; at > 0 && c->s[at - 1].completion > s->completion; at--) {
        c->s[at] = c->s[at - 1];
        c->by[at] = c->by[at - 1];
    }
    c->s[at] = *s;
    c->by[at] = by;
}

void choice_free(struct choice *c)
{
    while (c->n > 0)
        schedule_free(&c->s[--c->n]);
}

static int segments_of(size_t bytes, size_t segment)
{
    return segment > 0 && segment < bytes ? (int)((bytes + segment - 1) / segment) : 1;
}

static void choice_build(struct choice *c, const struct bcast *by, const struct graph *g, int root,
                         size_t segment, int segments)
{
    struct schedule s;
    if (!schedule_build(by, g, root, &s))
        return;
    if (segments > 1) {
        s.segment = segment;
        schedule_set_windows(&s, g);
        schedule_predict(&s, g, segments);
    }
    choice_add(c, by, &s);
}

/* One size of segment, 0 for whole messages. "grid" is the best of all candidates, optimised: for
 * whole messages one more candidate. */
static bool choice_of_segment(const struct pairs *p, int root, size_t bytes, size_t segment,
                              const struct bcast *only, struct choice *c, char *why, size_t size)
{
    int segments = segments_of(bytes, segment);
    struct graph g;
    if (!pairs_graph(p, segments > 1 ? segment : bytes, segments > 1, &g)) {
        snprintf(why, size, "no memory for %d ranks", p->n);
        return false;
    }
    bool good = graph_check(&g, root, why, size);
    size_t n = only ? 0 : p->n > MANY ? MANY_CANDIDATES : n_bcast_candidates;
    if (good && only)
        choice_build(c, only, &g, root, segment, segments);
    for (size_t i = 0; good && i < n; i++)
        choice_build(c, bcast_candidates[i], &g, root, segment, segments);
    if (good && !only && segments == 1 && p->n <= MANY)
        choice_build(c, &tree_grid, &g, root, segment, segments);
    graph_free(&g);
    return good;
}

bool choice_find(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
                 size_t segment, struct choice *c, char *why, size_t size)
{
    bool any = segment == SIZE_MAX;
    builder = builder == &tree_grid ? NULL : builder;
    *c = (struct choice){0};
    bool good = choice_of_segment(p, root, bytes, any ? 0 : segment, builder, c, why, size);
    for (size_t i = 0; good && any && i < CHOICE_SEGMENTS; i++) {
        size_t segments = bytes / choice_segments[i];
        if (segments >= 2 && (segments <= SEGMENTS_MANY || i + 1 == CHOICE_SEGMENTS))
            good = choice_of_segment(p, root, bytes, choice_segments[i], builder, c, why, size);
    }
    if (good && c->n == 0) {
        snprintf(why, size, "no schedule: the algorithm does not fit %d ranks", p->n);
        good = false;
    }
    if (!good)
        choice_free(c);
    return good;
}

bool choice_best(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
                 size_t segment, struct schedule *s, char *why, size_t size)
{
    struct choice c;
    if (!choice_find(p, root, bytes, builder, segment, &c, why, size))
        return false;
    *s = c.s[0];
    c.s[0] = (struct schedule){0};
    if (!builder || builder == &tree_grid)
        choice_name(s);
    choice_free(&c);
    return true;
}

struct estimate choice_predict(const struct pairs *p, size_t bytes, struct schedule *s)
{
    struct graph g;
    struct estimate e = {NAN, NAN, NAN};
    int segments = segments_of(bytes, s->segment);
    if (!pairs_graph(p, segments > 1 ? s->segment : bytes, segments > 1, &g))
        return e;
    if (schedule_predict(s, &g, segments))
        e.value = s->completion;
    if (choice_is_known(p, s)) {
        e.low = e.value;
        e.high = schedule_latest(s, &g);
    }
    graph_free(&g);
    return e;
}
