/* The time axis of the run: every recorded collective, how far apart its ranks came and how long it
 * took from then on. Drawn as SVG; the script may put curves in its place that can be zoomed. */
#include "data/html.h"

#include "base/array.h"
#include "base/format.h"

#include <math.h>
#include <stdlib.h>

struct moment {
    double at, skew, duration; /* seconds from the first; us */
};
typedef ARRAY(struct moment) moments;

enum { WIDTH = 900, HEIGHT = 220, LEFT = 70, BOTTOM = 24 };

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    return ORDER(x->at, y->at);
}

/* Instances of which every member's entry and exit are there. */
static void find_moments(const struct profile *p, moments *list)
{
    int64_t start = events_origin(p);
    for (size_t i = 0, end; i < p->events.n; i = end) {
        const struct profile_event *e = &p->events.at[i];
        int64_t first = e->entry_ns, last = e->entry_ns, out = e->exit_ns;
        end = events_next(p, i);
        for (const struct profile_event *other = e + 1; other < p->events.at + end; other++) {
            first = other->entry_ns < first ? other->entry_ns : first;
            last = other->entry_ns > last ? other->entry_ns : last;
            out = other->exit_ns > out ? other->exit_ns : out;
        }
        if (end - i < 2 || end - i != p->comms.at[e->comm].size || out < last)
            continue;
        *PUSH(list) = (struct moment){(double)(last - start) / 1e9, (double)(last - first) / 1e3,
                                      (double)(out - last) / 1e3};
    }
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_time);
}

/* Decades, so that a microsecond and a second have room on one axis. */
struct axis {
    double from, to; /* exponents of us */
};

static double height_of(const struct axis *y, double us)
{
    double exponent = log10(fmax(us, 1e-3));
    return (HEIGHT - BOTTOM) * (1 - (exponent - y->from) / (y->to - y->from));
}

static void draw_points(const moments *list, const struct axis *y, double end, bool skew, FILE *out)
{
    fprintf(out, "<path fill=\"var(--%s)\" d=\"", skew ? "late" : "accent");
    for (size_t i = 0; i < list->n; i++) {
        const struct moment *m = &list->at[i];
        fprintf(out, "M%.1f %.1fh3v3h-3z", LEFT + (WIDTH - LEFT - 10) * m->at / end,
                height_of(y, skew ? m->skew : m->duration) - 1.5);
    }
    fputs("\"/>", out);
}

static void draw(const moments *list, const char *hint, FILE *out)
{
    struct axis y = {3, -3};
    double end = list->at[list->n - 1].at > 0 ? list->at[list->n - 1].at : 1;
    char text[32];
    for (size_t i = 0; i < list->n; i++) {
        double low = fmin(list->at[i].skew, list->at[i].duration);
        y.from = fmin(y.from, floor(log10(fmax(low, 1e-3))));
        y.to = fmax(y.to, ceil(log10(fmax(fmax(list->at[i].skew, list->at[i].duration), 1e-3))));
    }
    y.to = y.to > y.from ? y.to : y.from + 1;
    fputs("<div class=chart tabindex=0 role=region aria-label=\"collectives over time\" "
          "data-points=\"[",
          out);
    for (size_t i = 0; i < list->n; i++)
        fprintf(out, "%s[%.7g,%.4g,%.4g]", i ? "," : "", list->at[i].at,
                fmax(list->at[i].skew, 1e-3), fmax(list->at[i].duration, 1e-3));
    fprintf(out,
            "]\" data-from=%g data-to=%g><svg class=times viewBox=\"0 0 %d %d\" role=img "
            "aria-label=\"%s\">",
            pow(10, y.from), 1.5 * pow(10, y.to), WIDTH, HEIGHT, hint);
    for (double e = y.from; e <= y.to; e++)
        fprintf(out,
                "<path stroke=\"var(--line)\" d=\"M%d %.1fh%d\"/><text x=%d y=%.1f "
                "text-anchor=end>%s</text>",
                LEFT, height_of(&y, pow(10, e)), WIDTH - LEFT, LEFT - 6,
                fmax(height_of(&y, pow(10, e)) + 4, 13), format_time(text, 1e3 * pow(10, e)));
    for (int k = 0; k <= 4; k++)
        fprintf(out, "<text x=%d y=%d text-anchor=%s>%s</text>", LEFT + (WIDTH - LEFT - 10) * k / 4,
                HEIGHT - 6, k == 4 ? "end" : "start", format_time(text, 1e9 * end * k / 4));
    draw_points(list, &y, end, false, out);
    draw_points(list, &y, end, true, out);
    fputs("</svg></div>", out);
}

bool html_times(const struct profile *p, const char *doubt, FILE *out)
{
    moments list = {0};
    if (p->hosts.n < 2 || p->synchronized)
        find_moments(p, &list);
    if (list.n > 1) {
        fprintf(out,
                "<h2 id=times>Collectives over the time of the run%s</h2><p>%zu that were kept, "
                "since the first of them. ",
                doubt, list.n);
        html_key(out, "late", "from the first to the last rank's entry");
        html_key(out, "accent", "from there to the last exit");
        fputs("</p>", out);
        draw(&list, "spread of arrivals and duration of collectives over time", out);
        if (*html_curves)
            fputs("<p class=\"faint zoom\">Drag to zoom, double-click to see all again.</p>", out);
    }
    free(list.at);
    return list.n > 1 && *html_curves;
}
