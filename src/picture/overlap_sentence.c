/* What a heat map shows, in words. Only cells where neither time is more than eight times the
 * other speak: far from the T_comm line the ratio divides by a time that is a small part of what
 * was measured. */
#include "picture/overlap_map.h"

#include "base/stats.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARABLE = 8, SEGMENTS_MAX = 5 };

enum verdict { FULL, PARTIAL, NONE, SLOWER, UNKNOWN };

static enum verdict verdict_of(double ratio)
{
    if (isnan(ratio))
        return UNKNOWN;
    return ratio < 0.25 ? FULL : ratio < 0.75 ? PARTIAL : ratio <= 1.3 ? NONE : SLOWER;
}

static const char *const verdict_words[] = {[FULL] = "overlaps",
                                            [PARTIAL] = "overlaps in part",
                                            [NONE] = "does not overlap",
                                            [SLOWER] = "is slower than without trying to overlap"};

/* The median ratio of sizes FROM to TO, both included. */
static double typical(const struct overlap_map *m, size_t from, size_t to)
{
    double *x = malloc(m->nx * m->ny * sizeof *x);
    size_t n = 0;
    for (size_t i = from; x && i <= to; i++) {
        for (size_t j = 0; j < m->ny; j++) {
            double comm = m->comm[i], comp = m->y[j], ratio = *overlap_map_at(m, i, j);
            bool speaks = comp <= COMPARABLE * comm && comm <= COMPARABLE * comp;
            if (speaks && isfinite(ratio))
                x[n++] = ratio;
        }
    }
    double median = n ? stats_median(x, n) : NAN;
    free(x);
    return median;
}

struct segment {
    size_t from, to;
    enum verdict verdict;
};

/* Neighbouring sizes of one verdict together. One that differs from equal neighbours is noise. */
static size_t find_segments(const struct overlap_map *m, struct segment *segment)
{
    enum verdict *verdict = malloc(m->nx * sizeof *verdict);
    size_t n = 0;
    for (size_t i = 0; verdict && i < m->nx; i++)
        verdict[i] = verdict_of(typical(m, i, i));
    for (size_t i = 1; verdict && i + 1 < m->nx; i++)
        if (verdict[i - 1] == verdict[i + 1])
            verdict[i] = verdict[i - 1];
    for (size_t i = 0; verdict && i < m->nx; i++) {
        if (verdict[i] == UNKNOWN)
            continue;
        if (n > 0 && segment[n - 1].verdict == verdict[i])
            segment[n - 1].to = i;
        else
            segment[n++] = (struct segment){i, i, verdict[i]};
    }
    free(verdict);
    return n;
}

static const char *bytes_text(double bytes, char text[24])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, 24, "%.*f %s", bytes < 10 && bytes != floor(bytes) ? 1 : 0, bytes, units[unit]);
    return text;
}

/* Text that grows to the right. */
struct writer {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = w->used < w->size ? vsnprintf(w->text + w->used, w->size - w->used, format, args) : 0;
    va_end(args);
    w->used += (size_t)(n > 0 ? n : 0);
}

static void put_segment(struct writer *w, const struct overlap_map *m, const struct segment *s,
                        bool first, bool last)
{
    char from[24], to[24];
    bytes_text(m->x[s->from], from);
    bytes_text(m->x[s->to], to);
    if (first && last && s->from == s->to)
        put(w, "at %s ", from);
    else if (first && last)
        put(w, "at every size from %s to %s ", from, to);
    else if (first)
        put(w, "up to %s ", to);
    else if (last)
        put(w, "; from %s on ", from);
    else if (s->from == s->to)
        put(w, "; at %s ", from);
    else
        put(w, "; from %s to %s ", from, to);
    put(w, "it %s (ratio %.2f)", verdict_words[s->verdict],
        fmax(typical(m, s->from, s->to), -9.99));
}

/* A better verdict that ends for good at some size is what a change of protocol looks like. */
static void put_threshold(struct writer *w, const struct overlap_map *m, const struct segment *s,
                          size_t n)
{
    char below[24], above[24];
    const struct segment *last = &s[n - 1], *before = &s[n - 2];
    if (last->verdict <= before->verdict || last->verdict < NONE || last->to == last->from)
        return;
    put(w, "; the step between %s and %s looks like a rendezvous threshold",
        bytes_text(m->x[before->to], below), bytes_text(m->x[last->from], above));
}

static void put_threads(struct writer *w, const struct overlap_map *m)
{
    double *x = malloc(m->nx * sizeof *x);
    for (size_t j = 0; x && j < m->ny; j++) {
        size_t n = 0;
        for (size_t i = 0; i < m->nx; i++)
            if (isfinite(*overlap_map_at(m, i, j)))
                x[n++] = *overlap_map_at(m, i, j);
        if (n == 0)
            continue;
        double median = stats_median(x, n);
        if (m->y[j] == 0)
            continue; /* what the others are compared with */
        put(w, "%swith %g computing thread%s communication takes %.*f times as long",
            w->used ? "; " : "", m->y[j], m->y[j] == 1 ? "" : "s", median < 10 ? 1 : 0, median);
        if (x[n - 1] > 3 * median) /* sorted by now */
            put(w, " (up to %.0f)", x[n - 1]);
    }
    free(x);
}

void overlap_map_sentence(const struct overlap_map *m, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    struct segment *segment = malloc(m->nx * sizeof *segment);
    *text = '\0';
    size_t n = m->by_threads || !segment ? 0 : find_segments(m, segment);
    if (m->by_threads) {
        put_threads(&w, m);
    } else if (n > SEGMENTS_MAX) {
        double all = typical(m, 0, m->nx - 1);
        put(&w, "no clear pattern over the sizes: half of the ratios are above %.2f", all);
    } else {
        for (size_t i = 0; i < n; i++)
            put_segment(&w, m, &segment[i], i == 0, i + 1 == n);
        if (n > 1)
            put_threshold(&w, m, segment, n);
    }
    if (w.used == 0)
        put(&w, "nothing can be said: no cell is certain enough");
    free(segment);
}

static const struct overlap_map *find(const struct overlap_map *m, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(m[i].name, name) == 0)
            return &m[i];
    return NULL;
}

static void put_sides(struct writer *w, const char *which, double sender, double receiver)
{
    static const char *const words[] = {[FULL] = "overlap",
                                        [PARTIAL] = "overlap in part",
                                        [NONE] = "do not overlap",
                                        [SLOWER] = "do not overlap"};
    enum verdict s = verdict_of(sender), r = verdict_of(receiver);
    if (s == UNKNOWN || r == UNKNOWN)
        return;
    put(w, "%s%s messages %s on ", w->used ? "; " : "", which, words[s]);
    if (words[s] == words[r])
        put(w, "either side");
    else
        put(w, "the sender's side, and %s on the receiver's", words[r]);
}

void overlap_maps_sentence(const struct overlap_map *m, size_t n, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    const struct overlap_map *sender = find(m, n, "sender"), *receiver = find(m, n, "receiver");
    *text = '\0';
    if (!sender || !receiver || sender->nx != receiver->nx)
        return;
    size_t small = 0, last = sender->nx - 1, quarter = sender->nx / 4;
    put_sides(&w, "small", typical(sender, small, quarter), typical(receiver, small, quarter));
    put_sides(&w, "large", typical(sender, last - quarter, last),
              typical(receiver, last - quarter, last));
}

/* --- the paper's classes of behaviour (its section V-A) --- */

static enum verdict part_of(const struct overlap_map *m, bool large)
{
    if (!m)
        return UNKNOWN;
    size_t last = m->nx - 1, quarter = m->nx / 4;
    return verdict_of(large ? typical(m, last - quarter, last) : typical(m, 0, quarter));
}

/* The median ratio of large messages beside the J-th computation, near T_comm or not. */
static double beside(const struct overlap_map *m, size_t j)
{
    double *x = malloc(m->nx * sizeof *x);
    size_t n = 0;
    for (size_t i = m->nx - 1 - m->nx / 4; x && i < m->nx; i++)
        if (isfinite(*overlap_map_at(m, i, j)))
            x[n++] = *overlap_map_at(m, i, j);
    double median = n ? stats_median(x, n) : NAN;
    free(x);
    return median;
}

/* The longest computation that large messages overlap with where with longer ones they do not: two
 * of either at least. 0: there is none. */
static double short_ones(const struct overlap_map *m)
{
    size_t below = 0, above = 0;
    double longest = 0;
    for (size_t j = 0; m && j < m->ny; j++) {
        enum verdict v = verdict_of(beside(m, j));
        if (v == UNKNOWN)
            continue;
        if ((v < NONE && above > 0) || (v == PARTIAL && below == 0))
            return 0;
        if (v == FULL)
            below++, longest = m->y[j];
        above += v >= NONE;
    }
    return below > 1 && above > 1 ? longest : 0;
}

static double slowdown(const struct overlap_map *load)
{
    double most = 0;
    for (size_t j = 0; load && j < load->ny; j++)
        if (load->y[j] > 0)
            most = fmax(most, beside(load, j));
    return most;
}

void overlap_maps_class(const struct overlap_map *m, size_t n, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    const struct overlap_map *sender = find(m, n, "sender"), *receiver = find(m, n, "receiver");
    enum verdict s = part_of(sender, true), r = part_of(receiver, true);
    *text = '\0';
    if (s == UNKNOWN || r == UNKNOWN)
        return;
    double brief = fmax(short_ones(sender), short_ones(receiver));
    put(&w, "of the paper's classes: ");
    if (s == FULL && r == FULL)
        put(&w, "as its threaded libraries, large messages overlap on both sides");
    else if (s < r && s < NONE)
        put(&w, "as its non-threaded libraries, which leave the transfer to the network card, "
                "large messages overlap on the sender's side");
    else if (s < NONE || r < NONE)
        put(&w, "none, large messages overlap in part, or on the receiver's side");
    else if (brief > 0)
        put(&w,
            "as on TCP, large messages overlap with up to %g us, which are over before the "
            "rendezvous is answered",
            1e6 * brief);
    else
        put(&w, "as its libraries on shared memory, large messages overlap on neither side");
    bool small = (r >= NONE && part_of(receiver, false) < NONE) ||
                 (s >= NONE && part_of(sender, false) < NONE);
    if (small && brief == 0)
        put(&w, "; rendezvous threshold, small ones overlap");
    enum verdict v = part_of(find(m, n, "vector"), true);
    if (v != UNKNOWN && v > s)
        put(&w, "; non-contiguous data overlaps less");
    enum verdict cpu = part_of(find(m, n, "cpu"), true);
    if (cpu == NONE || cpu == SLOWER)
        put(&w, "; a send costs its processor all of its time");
    double times = slowdown(find(m, n, "load"));
    if (times > 3)
        put(&w, "; computing threads slow communication down %.0f times", times);
}
