#include "picture/timeline_draw.h"

#include "base/array.h"
#include "base/format.h"
#include "base/quote.h"
#include "picture/plot_inner.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 64, LANE_HEIGHT = 46, WIDTH = 1400 };

/* The kinds of Denis and Trahay's traces, and collectives, which they had none of; in Okabe and
 * Ito's colours, each the same as on the page for a browser (data/report.css). */
enum colour { WAITING, COMPLETING, SENDING, POSTING, COLLECTIVE, OTHER, POLLING, COLOURS };
static const struct {
    const char *rgb, *title;
} colours[COLOURS] = {
    [WAITING] = {"0xd55e00", "waiting for another rank"},
    [COMPLETING] = {"0x56b4e9", "completing, receiving"},
    [SENDING] = {"0x0072b2", "blocking send"},
    [POSTING] = {"0x009e73", "non-blocking post"},
    [COLLECTIVE] = {"0xf0e442", "collective"},
    [OTHER] = {"0xcc79a7", "other MPI calls"},
    [POLLING] = {"0xff1493", "polling that found something"},
};

struct lane {
    uint32_t rank;
    uint8_t thread;
};

struct drawing {
    const struct profile *p;
    const struct timeline *t;
    int64_t from, to;
    const char *unit; /* of the axis */
    double unit_ns;
    struct lane lane[MOST_LANES];
    size_t lanes;
    int height; /* pixels */
    FILE *out;
};

/* --- which ranks --- */

/* Calls EACH for every range of TEXT; false where it is no list of ranges. */
static bool ranks_in(const char *text, uint32_t rank, bool *found)
{
    do {
        char *end;
        if (!isdigit((unsigned char)*text))
            return false;
        unsigned long low = strtoul(text, &end, 10), high = low;
        if (*end == '-') {
            if (!isdigit((unsigned char)end[1]))
                return false;
            high = strtoul(end + 1, &end, 10);
        }
        if (high < low)
            return false;
        *found = *found || (rank >= low && rank <= high);
        text = end;
    } while (*text++ == ',');
    return !text[-1];
}

const char *timeline_ranks_valid(const char *text)
{
    bool found = false;
    return ranks_in(text, 0, &found) ? NULL : "ranks as 0-3,7";
}

static int by_lane(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->thread, y->thread);
}

static size_t lane_at(const struct drawing *d, uint32_t rank, uint8_t thread)
{
    for (size_t i = 0; i < d->lanes; i++)
        if (d->lane[i].rank == rank && d->lane[i].thread == thread)
            return i;
    return SIZE_MAX;
}

static size_t lane_of(const struct drawing *d, const struct act *a)
{
    return lane_at(d, a->rank, a->thread);
}

static void add_lane(struct drawing *d, const char *ranks, uint32_t rank, uint8_t thread)
{
    bool wanted = !ranks;
    if (ranks)
        ranks_in(ranks, rank, &wanted);
    if (wanted && d->lanes < MOST_LANES && lane_at(d, rank, thread) == SIZE_MAX)
        d->lane[d->lanes++] = (struct lane){rank, thread};
}

static void find_lanes(struct drawing *d, const char *ranks)
{
    for (size_t i = 0; i < d->p->acts.n; i++)
        add_lane(d, ranks, d->p->acts.at[i].rank, d->p->acts.at[i].thread);
    for (size_t i = 0; i < d->p->nets.n; i++) /* threads of MPI's own */
        add_lane(d, ranks, d->p->nets.at[i].rank, d->p->nets.at[i].thread);
    qsort(d->lane, d->lanes, sizeof *d->lane, by_lane);
}

/* --- which time --- */

/* The longest wait in the lanes, with as much again on either side. */
static void find_time(struct drawing *d, const struct picture_view *view)
{
    const struct act *longest = NULL;
    int64_t wait = 0;
    bool given = view->from >= 0 || view->to >= 0;
    d->from = d->p->trace.first_ns + (view->from >= 0 ? whole_ns(view->from) : 0);
    d->to = view->to >= 0 ? d->p->trace.first_ns + whole_ns(view->to) : d->p->trace.last_ns;
    for (size_t i = 0; i < d->p->acts.n && !given; i++)
        if (d->t->wait_ns[i] > wait && lane_of(d, &d->p->acts.at[i]) != SIZE_MAX) {
            wait = d->t->wait_ns[i];
            longest = &d->p->acts.at[i];
        }
    if (longest) {
        d->from = longest->entry_ns - wait;
        d->to = longest->exit_ns + wait;
    }
    if (d->from < d->p->trace.first_ns) /* beyond nothing is known, and white is computation */
        d->from = d->p->trace.first_ns;
    if (d->to > d->p->trace.last_ns)
        d->to = d->p->trace.last_ns;
    int64_t shown = d->to - d->from; /* numbers of five digits at most stand side by side */
    d->unit = shown < 100000000 ? "us" : shown < 100000000000 ? "ms" : "s";
    d->unit_ns = shown < 100000000 ? 1e3 : shown < 100000000000 ? 1e6 : 1e9;
}

/* --- the calls --- */

static enum colour colour_of(const struct profile *p, const struct act *a)
{
    switch (a->kind) {
    case ACT_SEND:
        return SENDING;
    case ACT_POST:
        return POSTING;
    case ACT_COLLECTIVE:
        return COLLECTIVE;
    case ACT_CALL:
        switch (p->operations.at[a->operation].family) {
        case FAMILY_IRECV:
        case FAMILY_ISEND:
        case FAMILY_START:
        case FAMILY_ICOLLECTIVE:
            return POSTING;
        case FAMILY_COLLECTIVE:
            return COLLECTIVE;
        case FAMILY_COMPLETION:
        case FAMILY_RECV:
            return COMPLETING;
        default:
            return OTHER;
        }
    default:
        return COMPLETING;
    }
}

static double place_of(const struct drawing *d, int64_t ns)
{
    int64_t inside = ns < d->from ? d->from : ns > d->to ? d->to : ns;
    return (double)(inside - d->from) / d->unit_ns;
}

static void box(const struct drawing *d, size_t lane, int64_t from, int64_t to, enum colour colour)
{
    if (to > d->from && from < d->to && to > from)
        fprintf(d->out, "%.3f %.3f %zu %s\n", place_of(d, from), place_of(d, to), lane,
                colours[colour].rgb);
}

static int64_t waited_until(const struct drawing *d, size_t i)
{
    return d->p->acts.at[i].entry_ns + d->t->wait_ns[i];
}

/* Calls first, and over them the part of each that was waiting. */
static size_t boxes(const struct drawing *d)
{
    size_t drawn = 0;
    fputs("$calls << END\n", d->out);
    for (size_t i = 0; i < d->p->acts.n; i++) {
        const struct act *a = &d->p->acts.at[i];
        size_t lane = lane_of(d, a);
        if (lane == SIZE_MAX || a->exit_ns < d->from || a->entry_ns > d->to)
            continue;
        box(d, lane, a->entry_ns, a->exit_ns, colour_of(d->p, a));
        drawn++;
    }
    for (size_t i = 0; i < d->p->acts.n; i++) {
        size_t lane = lane_of(d, &d->p->acts.at[i]);
        if (d->t->wait_ns[i] > 0 && lane != SIZE_MAX)
            box(d, lane, d->p->acts.at[i].entry_ns, waited_until(d, i), WAITING);
    }
    fputs("END\n", d->out);
    return drawn;
}

/* Under the calls: half a lane high. */
static void polls(const struct drawing *d)
{
    fputs("$polls << END\n-1 -1 0 0\n", d->out);
    for (size_t i = 0; i < d->p->nets.n; i++) {
        const struct net *e = &d->p->nets.at[i];
        size_t lane = lane_at(d, e->rank, e->thread);
        if (e->kind == TRANSPORT_POLL && lane != SIZE_MAX)
            box(d, lane, e->from_ns, e->to_ns, POLLING);
    }
    fputs("END\n", d->out);
}

/* Sticks with a bullet: black for what is started or moved, pink for what a poll found. */
static void bullets(const struct drawing *d)
{
    fputs("$below << END\n-1 -1 0\n", d->out);
    for (size_t i = 0; i < d->p->nets.n; i++) {
        const struct net *e = &d->p->nets.at[i];
        size_t lane = lane_at(d, e->rank, e->thread);
        bool found = e->kind == TRANSPORT_POLL || e->kind == TRANSPORT_COMPLETED;
        if (lane != SIZE_MAX && e->to_ns >= d->from && e->to_ns <= d->to)
            fprintf(d->out, "%.3f %zu %s\n", place_of(d, e->to_ns), lane,
                    found ? colours[POLLING].rgb : "0x000000");
    }
    fputs("END\n", d->out);
}

/* From the entry of the send to the exit of the call that received. */
static void arrows(const struct drawing *d)
{
    fputs("$messages << END\n-1 -1 -1 -1\n", d->out);
    for (size_t i = 0; i < d->p->acts.n; i++) {
        const struct act *a = &d->p->acts.at[i];
        if (a->kind != ACT_RECEIVED || d->t->partner[i] == TIMELINE_NONE)
            continue;
        const struct act *send = &d->p->acts.at[d->t->partner[i]];
        size_t from = lane_of(d, send), to = lane_of(d, a);
        if (from != SIZE_MAX && to != SIZE_MAX && send->entry_ns >= d->from && a->exit_ns <= d->to)
            fprintf(d->out, "%.3f %zu %.3f %zu\n", place_of(d, send->entry_ns), from,
                    place_of(d, a->exit_ns), to);
    }
    fputs("END\n", d->out);
}

/* The name of a wait is written into it, where there is room. */
static void labels(const struct drawing *d)
{
    double shown = (double)(d->to - d->from);
    for (size_t i = 0; i < d->p->acts.n; i++) {
        const struct act *a = &d->p->acts.at[i];
        size_t lane = lane_of(d, a);
        char text[80];
        if (!d->t->wait_ns[i] || lane == SIZE_MAX || a->entry_ns < d->from ||
            waited_until(d, i) > d->to)
            continue;
        snprintf(text, sizeof text, "%s: %u", wait_names[d->t->cause[i].state],
                 d->t->cause[i].rank);
        if ((double)d->t->wait_ns[i] / shown * WIDTH * 0.85 < 7.0 * (double)strlen(text))
            continue;
        fputs("set label ", d->out);
        quote_gnuplot(text, d->out);
        fprintf(d->out, " at %.3f,%zu center tc rgb '#ffffff' font ',9' front\n",
                place_of(d, a->entry_ns + d->t->wait_ns[i] / 2), lane);
    }
}

/* Nothing is known of the time outside of the windows: grey, not computation. */
static void gaps(const struct drawing *d)
{
    const uint64_t mask = d->p->trace.time_mask;
    if (!mask)
        return;
    const int64_t width = 1ll << __builtin_ctzll(mask);
    for (int64_t from = d->from, to; from < d->to; from = to) {
        for (to = from; to < d->to && (uint64_t)to & mask;)
            to = (to / width + 1) * width;
        if (to > from)
            fprintf(d->out,
                    "set object rectangle from %.3f,graph 0 to %.3f,graph 1 fc rgb '#c0c0c0' "
                    "fs solid noborder behind\n",
                    place_of(d, from), place_of(d, to));
        else
            to = (from / width + 1) * width;
    }
}

static void frame(const struct drawing *d)
{
    char title[200], label[100], length[32], caption[300];
    bool threads = false;
    for (size_t i = 0; i < d->lanes; i++)
        threads = threads || d->lane[i].thread;
    snprintf(title, sizeof title, "%s of what the ranks did, and their messages",
             format_time(length, (double)(d->to - d->from)));
    snprintf(label, sizeof label, "%s, from %.6f s after the start of the run", d->unit,
             (double)(d->from - d->p->trace.first_ns) / 1e9);
    script_axes(d->out, &(struct plot_axes){.title = title, .x_label = label, .y_label = ""});
    picture_caption(d->p, caption, sizeof caption);
    script_caption(d->out, caption, 1 - 10.0 / d->height); /* the key is at the bottom */
    fprintf(d->out, "set xrange [0:%.3f]\nset yrange [%zu.6:-0.6]\nset ytics (", place_of(d, d->to),
            d->lanes - 1);
    for (size_t i = 0; i < d->lanes; i++)
        fprintf(d->out, threads ? "%s'rank %u, thread %u' %zu" : "%s'rank %u'%.0u %zu",
                i ? ", " : "", d->lane[i].rank, (unsigned)d->lane[i].thread, i);
    fprintf(d->out,
            ")\nset key below horizontal samplen 2\nset bmargin %d\nset tmargin 4\nset rmargin 5\n"
            "set style fill solid noborder\n",
            d->p->nets.n ? 8 : 6);        /* rows of the key */
    for (size_t i = 0; i < d->lanes; i++) /* computation: an empty lane with a frame */
        fprintf(d->out,
                "set object rectangle from 0,%f to %.3f,%f fc rgb '#ffffff' fs border "
                "lc rgb '#808080' behind\n",
                (double)i - 0.35, place_of(d, d->to), (double)i + 0.35);
    gaps(d);
}

static void plot_commands(const struct drawing *d)
{
    bool below = d->p->nets.n > 0;
    fputs("plot $calls using (($1+$2)/2):3:1:2:($3-0.35):($3+0.35):4 with boxxyerror "
          "lc rgb variable notitle, $messages using 1:2:($3-$1):($4-$2) with vectors "
          "head filled size screen 0.006,18 lw 0.7 lc rgb '#000000' title 'message'",
          d->out);
    if (below)
        fputs(
            ", $polls using (($1+$2)/2):3:1:2:3:($3+0.35):4 with boxxyerror lc rgb variable "
            "notitle, $below using 1:2:(0):(-0.45):3 with vectors nohead lw 0.7 lc rgb variable "
            "notitle, $below using 1:($2-0.45):3 with points pt 7 ps 0.5 lc rgb variable notitle, "
            "NaN with points pt 7 ps 0.7 lc rgb '#000000' title 'transport: start, data moved'",
            d->out);
    for (int c = 0; c < (below ? COLOURS : POLLING); c++)
        fprintf(d->out, ", NaN with boxes lc rgb %s title '%s'", colours[c].rgb, colours[c].title);
    fputs(", NaN with boxes fs empty lc rgb '#808080' title 'computation'", d->out);
    fputs(d->p->trace.time_mask ? ", NaN with boxes lc rgb '#c0c0c0' title 'not recorded'\n" : "\n",
          d->out);
}

enum picture_result timeline_draw(const struct profile *p, const char *path,
                                  const struct picture_view *view)
{
    struct script script;
    struct timeline t;
    struct drawing d = {.p = p, .t = &t};
    enum picture_result result = PICTURE_EMPTY;
    timeline_find(&t, p->acts.at, p->acts.n, within_far(p->trace.error_ns));
    find_lanes(&d, view->ranks);
    find_time(&d, view);
    d.height = (p->nets.n ? 200 : 160) + LANE_HEIGHT * (int)d.lanes;
    d.height = d.height < 330 ? 330 : d.height;
    if (d.lanes && d.to > d.from) {
        result = PICTURE_FAILED;
        if (script_begin(&script, path, WIDTH, d.height)) {
            d.out = script.out;
            bool any = boxes(&d) > 0;
            arrows(&d);
            polls(&d);
            bullets(&d);
            frame(&d);
            labels(&d);
            plot_commands(&d);
            if (any) {
                result = script_run(&script) ? PICTURE_DRAWN : PICTURE_FAILED;
            } else {
                script_abandon(&script);
                result = PICTURE_EMPTY;
            }
        }
    }
    timeline_free(&t);
    return result;
}
