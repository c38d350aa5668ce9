#include "measure/pairs/best.h"

#include "base/hash.h"
#include "trees/flow.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* SEGMENTS_MANY: with more than these, larger ones are as good. */
enum {
    SLOW_MAX = 8,
    TIED_MOST = 16,
    TURNS = 8,
    MANY = 512,
    SEGMENTS_MANY = 256,
    SEGMENTS_MOST = 4096
};

const size_t best_segments[BEST_SEGMENTS] = {2048, 8192, 32768};

static void best_drop(struct best *b, int i)
{
    schedule_free(&b->s[i]);
    b->n--;
    memmove(&b->s[i], &b->s[i + 1], (size_t)(b->n - i) * sizeof *b->s);
    memmove(&b->by[i], &b->by[i + 1], (size_t)(b->n - i) * sizeof *b->by);
}

static void best_offer(struct best *b, const struct bcast *by, struct schedule *s)
{
    int same = 0, at = 0;
    while (same < b->n && b->by[same] != by)
        same++;
    int worst = same < b->n ? same : BEST_MAX - 1;
    if (worst < b->n && s->completion >= b->s[worst].completion) {
        schedule_free(s);
        return;
    }
    if (worst < b->n)
        best_drop(b, worst);
    while (at < b->n && b->s[at].completion <= s->completion)
        at++;
    memmove(&b->s[at + 1], &b->s[at], (size_t)(b->n - at) * sizeof *b->s);
    memmove(&b->by[at + 1], &b->by[at], (size_t)(b->n - at) * sizeof *b->by);
    b->s[at] = *s;
    b->by[at] = by;
    b->n++;
}

void best_free(struct best *b)
{
    while (b->n > 0)
        schedule_free(&b->s[--b->n]);
}

/* What is quickest in segments is not what is quickest with one: each gets its chance. For a great
 * many ranks only some, which take little time. */
static bool is_offered(const struct bcast *b, int n, bool cut)
{
    static const char *const quick[] = {"sites", "sites-binary", "binomial", "flat", "look-ahead"};
    if (!b->build || (b->max_n > 0 && n > SLOW_MAX))
        return false;
    if (strcmp(b->name, "grid") == 0 || n <= MANY)
        return true;
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (cut && strcmp(b->name, quick[i]) == 0)
            return true;
    return false;
}

static int segments_of(size_t bytes, size_t segment)
{
    return segment > 0 && segment < bytes ? (int)((bytes + segment - 1) / segment) : 1;
}

/* Among equals a builder takes the first. It does not know what they share, by which the prediction
 * may tell them apart: others come first each TURN, the same ones everywhere. */
static void break_ties(struct graph *g, size_t turn)
{
    for (size_t k = 0; k < (size_t)g->n * (size_t)g->n; k++)
        g->w[k] *= 1 - 1e-5 * (double)(hash_mix(turn, k) % 16);
}

/* One size of segment (0: whole) with every builder that suits it. */
static bool offer_segment(const struct pairs *p, int root, size_t bytes, size_t segment,
                          const struct bcast *only, struct best *best, char *why, size_t size)
{
    struct graph g;
    int segments = segments_of(bytes, segment);
    if (!pairs_graph(p, segment > 0 ? segment : bytes, segments > 1, PAIRS_LIKELY, &g)) {
        snprintf(why, size, "no memory for %d ranks", p->n);
        return false;
    }
    bool good = graph_check(&g, root, why, size);
    for (size_t i = 0; good && i < (p->n <= TIED_MOST ? TURNS : 1) * n_bcasts; i++) {
        struct schedule s;
        const struct bcast *b = bcasts[i % n_bcasts];
        if (i > 0 && i % n_bcasts == 0)
            break_ties(&g, i);
        /* "grid" takes long, and is all others. */
        bool wanted = only ? b == only
                           : is_offered(b, p->n, segments > 1) &&
                                 (i < n_bcasts || (b->max_n == 0 && strcmp(b->name, "grid") != 0));
        if (!wanted || !schedule_build(b, &g, root, &s))
            continue;
        s.segment = segments > 1 ? segment : 0;
        if (segments > 1) {
            schedule_set_windows(&s, &g);
            s.completion = flow_completion(&s, &g, segments, NULL);
        }
        best_offer(best, b, &s);
    }
    graph_free(&g);
    return good;
}

bool best_find(const struct pairs *p, int root, size_t bytes, const struct bcast *only,
               size_t segment, struct best *best, char *why, size_t size)
{
    *best = (struct best){0};
    bool good =
        offer_segment(p, root, bytes, segment == SIZE_MAX ? 0 : segment, only, best, why, size);
    for (size_t i = 0; good && segment == SIZE_MAX && i < BEST_SEGMENTS; i++)
        if (best_segments[i] * 2 <= bytes &&
            bytes / best_segments[i] <= (i + 1 < BEST_SEGMENTS ? SEGMENTS_MANY : SEGMENTS_MOST))
            good = offer_segment(p, root, bytes, best_segments[i], only, best, why, size);
    if (good && best->n == 0) {
        snprintf(why, size, "no schedule: the algorithm does not fit %d ranks", p->n);
        good = false;
    }
    if (!good)
        best_free(best);
    return good;
}

const char *best_builder(const struct schedule *s, int *length)
{
    const char *open = strchr(s->name, '(');
    *length = open ? (int)strcspn(open + 1, ")") : (int)strlen(s->name);
    return open ? open + 1 : s->name;
}

void best_name_choice(struct schedule *s)
{
    char name[sizeof s->name];
    int length;
    const char *by = best_builder(s, &length);
    snprintf(name, sizeof name, "grid (%.*s)", length, by);
    memcpy(s->name, name, sizeof name);
}

bool best_schedule(const struct pairs *p, int root, size_t bytes, const struct bcast *builder,
                   size_t segment, struct schedule *s, char *why, size_t size)
{
    struct best best;
    if (!best_find(p, root, bytes, builder, segment, &best, why, size))
        return false;
    *s = best.s[0];
    if (!builder)
        best_name_choice(s);
    while (best.n > 1)
        schedule_free(&best.s[--best.n]);
    return true;
}

static double predict(const struct pairs *p, size_t bytes, enum pairs_way way, struct schedule *s)
{
    struct graph g;
    int segments = segments_of(bytes, s->segment);
    if (!pairs_graph(p, segments > 1 ? s->segment : bytes, segments > 1, way, &g))
        return NAN;
    schedule_predict(s, &g);
    if (segments > 1)
        s->completion = flow_completion(s, &g, segments, NULL);
    graph_free(&g);
    return s->completion;
}

struct estimate best_predict(const struct pairs *p, size_t bytes, struct schedule *s)
{
    struct estimate e = {NAN, NAN, NAN};
    if (pairs_ways_doubtful(p)) {
        e.low = predict(p, bytes, PAIRS_SOONEST, s);
        e.high = predict(p, bytes, PAIRS_LATEST, s);
    }
    e.value = predict(p, bytes, PAIRS_LIKELY, s);
    return e;
}
