/* Pictures of the page, as SVG: the ranks' time, who is late where, who sends to whom. Equal
 * colours mean equal things in all of them (report.css). */
#include "data/html.h"

#include "base/array.h"
#include "base/format.h"
#include "base/quote.h"
#include "report/layout.h"

#include <math.h>
#include <stdlib.h>

enum part { WORK, MESSAGES, LATE, COLLECTIVES, OTHER, ENDS, PARTS };
static const struct {
    const char *colour, *name;
} parts[PARTS] = {[WORK] = {"work", "computation"},
                  [MESSAGES] = {"messages", "messages and requests"},
                  [LATE] = {"late", "collectives: waiting for a late rank"},
                  [COLLECTIVES] = {"collectives", "collectives, the rest"},
                  [OTHER] = {"other", "other MPI"},
                  [ENDS] = {"ends", "MPI_Init and MPI_Finalize"}};

static double known(int64_t ns)
{
    return ns > 0 ? (double)ns : 0;
}

/* Time of all threads may be more than that of the run: then it is cut off. Without a split (an
 * older profile) all of it is other MPI. */
static void split(const struct profile_rank *r, double ns[PARTS])
{
    double wall = r->wall * 1e9, mpi = (double)r->mpi_ns;
    ns[MESSAGES] = known(r->message_ns);
    ns[LATE] = known(r->late_wait_ns);
    ns[COLLECTIVES] = fmax(0, known(r->collective_ns) - ns[LATE]);
    ns[OTHER] = fmax(0, mpi - ns[MESSAGES] - known(r->collective_ns));
    ns[WORK] = fmax(0, wall - mpi);
    ns[ENDS] = (double)r->lifecycle_ns;
    for (int i = MESSAGES; mpi > wall && i <= OTHER; i++)
        ns[i] *= wall / mpi;
}

enum { FEW = 96 }; /* bars with gaps: more of them would be all gaps */

static void bar(const struct profile_rank *r, size_t i, size_t width, double longest, FILE *out)
{
    double ns[PARTS], at = 100;
    char a[32], b[32];
    split(r, ns);
    fprintf(out, "<g><title>rank %d: %s, of it %s in MPI%s</title>", r->rank,
            format_time(a, r->wall * 1e9), format_time(b, (double)r->mpi_ns),
            r->in_call ? ", and then in a call in which it was cut off" : "");
    for (int k = 0; k < PARTS; k++) {
        double height = 100 * ns[k] / longest;
        if (height > 0)
            fprintf(out, "<path fill=\"var(--%s)\" d=\"M%zu %.2fh%zuv-%.2fh-%zuz\"/>",
                    parts[k].colour, 10 * i, at, width, height, width);
        at -= height;
    }
    fputs("</g>\n", out);
}

/* Below the bars, since it lies in any part of them, and on their scale: they are 10rem high. */
static void kept_off(const struct profile *p, size_t width, double longest, FILE *out)
{
    double most = 0;
    char text[32];
    for (size_t i = 0; i < p->ranks.n; i++)
        most = fmax(most, known(p->ranks.at[i].delayed_ns));
    if (!(most > 0))
        return;
    fprintf(out,
            "<p>Of that, ready to run but without a processor: up to %s, on the same "
            "scale.</p><div style=\"max-width:%zurem\"><svg class=ranks "
            "style=\"height:max(1px,%.3frem)\" viewBox=\"0 0 %zu 100\" "
            "preserveAspectRatio=none role=img aria-label=\"time without a processor by "
            "rank\"><path fill=\"var(--off)\" d=\"",
            format_time(text, most), 6 * p->ranks.n, 10 * most / longest,
            10 * (p->ranks.n - 1) + width);
    for (size_t i = 0; i < p->ranks.n; i++)
        fprintf(out, "M%zu 100h%zuv-%.2fh-%zuz", 10 * i, width,
                100 * known(p->ranks.at[i].delayed_ns) / most, width);
    fputs("\"/></svg></div>", out);
}

/* What there is of each part in all ranks together, and how far it is known. */
static void legend(const struct profile *p, FILE *out)
{
    double used[PARTS] = {0}, ns[PARTS];
    bool waits_known = true, split_known = true;
    for (size_t i = 0; i < p->ranks.n; i++) {
        waits_known = waits_known && p->ranks.at[i].late_wait_ns >= 0;
        split_known = split_known && p->ranks.at[i].collective_ns >= 0;
        split(&p->ranks.at[i], ns);
        for (int k = 0; k < PARTS; k++)
            used[k] += ns[k];
    }
    for (int k = 0; k < PARTS; k++)
        if (used[k] > 0)
            html_key(out, parts[k].colour,
                     k == OTHER && !split_known ? "MPI, not told apart in this profile"
                     : k == COLLECTIVES && !waits_known
                         ? "collectives; how much of it is waiting is not known, for not all of "
                           "them were recorded"
                         : parts[k].name);
}

void html_ranks(const struct profile *p, const char *doubt, FILE *out)
{
    double longest = 0;
    char wall[32];
    for (size_t i = 0; i < p->ranks.n; i++)
        longest = fmax(longest, p->ranks.at[i].wall * 1e9 + (double)p->ranks.at[i].lifecycle_ns);
    if (!(longest > 0))
        return;
    size_t width = p->ranks.n > FEW ? 10 : 8;
    fprintf(out,
            "<h2 id=time-of-ranks>Where the time of each rank goes%s</h2><p>Height: up to %s. ",
            doubt, format_time(wall, longest));
    legend(p, out);
    fprintf(out,
            "</p><div style=\"max-width:%zurem\"><svg class=ranks viewBox=\"0 0 %zu 100\" "
            "preserveAspectRatio=none role=img aria-label=\"time by rank; the table of ranks has "
            "the numbers\">\n",
            6 * p->ranks.n, 10 * (p->ranks.n - 1) + width);
    for (size_t i = 0; i < p->ranks.n; i++)
        bar(&p->ranks.at[i], i, width, longest, out);
    fprintf(out, "</svg><div class=ends><span>rank %d</span>", p->ranks.at[0].rank);
    if (p->ranks.n > 1)
        fprintf(out, "<span>rank %d</span>", p->ranks.at[p->ranks.n - 1].rank);
    fputs("</div></div>", out);
    kept_off(p, width, longest, out);
}

/* --- maps: cells of one colour, as dense as their figure is large --- */

enum { MOST_COLUMNS = 64, LEAST_CELL = 14, MOST_CELL = 40, MAP = 600, HEIGHT = 18 };

struct map {
    size_t rows, columns, per_column; /* ranks that a cell stands for */
    size_t cell;                      /* how wide */
    double *at, largest;
};

static struct map map_new(size_t rows, size_t columns, size_t per_column)
{
    size_t cell = columns ? MAP / columns : MAP;
    cell = cell < LEAST_CELL ? LEAST_CELL : cell > MOST_CELL ? MOST_CELL : cell;
    return (struct map){.rows = rows,
                        .columns = columns,
                        .per_column = per_column,
                        .cell = cell,
                        .at = memory_alloc((rows * columns + 1) * sizeof(double))};
}

static void map_add(struct map *m, size_t row, size_t column, double value)
{
    if (row >= m->rows || column >= m->columns)
        return;
    double *at = &m->at[row * m->columns + column];
    *at += value;
    m->largest = fmax(m->largest, *at);
}

static size_t per_cell(size_t ranks)
{
    return ranks ? (ranks + MOST_COLUMNS - 1) / MOST_COLUMNS : 1;
}

static void map_begin(const struct map *m, size_t label, const char *what, FILE *out)
{
    fprintf(out,
            "<div class=chart tabindex=0 role=region aria-label=\"%s\"><svg class=map "
            "style=\"max-width:%zupx;min-width:%zupx\" viewBox=\"0 0 %zu %zu\" role=img "
            "aria-label=\"%s\">",
            what, label + m->cell * m->columns + 40, label + m->cell * m->columns + 40,
            label + m->cell * m->columns + 40, HEIGHT * m->rows + 24, what);
}

/* Ranks are whole numbers, and not more of them than have room. */
static void map_columns(const struct map *m, size_t label, FILE *out)
{
    size_t step = m->columns > 8 ? (m->columns + 7) / 8 : 1;
    if (m->cell * step < 28)
        step = 2;
    for (size_t c = 0; c < m->columns; c += step)
        fprintf(out, "<text x=%zu y=14>%zu</text>", label + m->cell * c, c * m->per_column);
}

static void map_cell(const struct map *m, size_t label, size_t row, size_t column,
                     const char *colour, double share, FILE *out)
{
    fprintf(out,
            "<rect x=%zu y=%zu width=%zu height=%d fill=\"var(--%s)\" fill-opacity=\"%.2f\" "
            "stroke=\"var(--line)\">",
            label + m->cell * column, 20 + HEIGHT * row, m->cell, HEIGHT, colour, share);
}

/* Cells without anything are not drawn. */
static void map_frame(const struct map *m, size_t label, FILE *out)
{
    fprintf(out, "<path d=\"M%zu 20h%zuv%zuh-%zuz\" fill=none stroke=\"var(--line)\"/>", label,
            m->cell * m->columns, HEIGHT * m->rows, m->cell * m->columns);
}

static void end_of_map(FILE *out)
{
    fputs("</svg></div>", out);
}

static size_t highest_rank(const struct profile *p)
{
    size_t highest = p->ranks.n;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].rank >= 0 && (size_t)p->ranks.at[i].rank >= highest)
            highest = (size_t)p->ranks.at[i].rank + 1;
    return highest < 1u << 20 ? highest : p->ranks.n;
}

static int longer_wait(const void *a, const void *b)
{
    const struct profile_arrival *const *x = a, *const *y = b;
    return ORDER((*y)->wait_ns, (*x)->wait_ns);
}

/* Who was last in the kept instances of each place. */
static void count_last(const struct profile *p, struct map *m,
                       const struct profile_arrival *const *place)
{
    uint32_t *kind = comm_kinds(p, false);
    for (size_t i = 0, end; i < p->events.n; i = end) {
        const struct profile_event *e = &p->events.at[i], *last = e;
        end = events_next(p, i);
        for (const struct profile_event *other = e + 1; other < p->events.at + end; other++)
            last = other->entry_ns > last->entry_ns ? other : last;
        if (end - i < 2 || end - i != p->comms.at[e->comm].size)
            continue;
        for (size_t k = 0; k < m->rows; k++)
            if (place[k]->site == e->site && place[k]->operation == e->operation &&
                place[k]->comm == kind[e->comm])
                map_add(m, k, last->rank / m->per_column, 1);
    }
    free(kind);
}

/* What each place is called, no two alike. */
static char **labels_of(const struct view *v, const struct profile_arrival *const *place, size_t n)
{
    enum { MOST_LETTERS = 44 };
    char **text = memory_alloc((n + 1) * sizeof *text);
    for (size_t i = 0; i < n; i++) {
        const struct profile_arrival *a = place[i];
        char on[COMM_LABEL], label[1000];
        comm_label(v->p, a->comm, on, sizeof on);
        snprintf(label, sizeof label, "%s %s on %s", v->p->operations.at[a->operation].name + 4,
                 a->site == PROFILE_NONE ? "" : v->label[a->site], on);
        text[i] = memory_strdup(label);
    }
    layout_shorten(text, n, 1, MOST_LETTERS);
    return text;
}

void html_late(const struct view *v, const char *doubt, FILE *out)
{
    const struct profile *p = v->p;
    enum { PLACES = 16 };
    size_t n = p->arrivals.n, ranks = highest_rank(p);
    const struct profile_arrival **place = memory_alloc((n + 1) * sizeof *place);
    for (size_t i = 0; i < n; i++)
        place[i] = &p->arrivals.at[i];
    qsort(place, n, sizeof *place, longer_wait);
    size_t per = per_cell(ranks), rows = n < PLACES ? n : PLACES;
    struct map m = map_new(rows, (ranks + per - 1) / per, per);
    count_last(p, &m, place);
    if (m.largest > 0) {
        char **text = labels_of(v, place, rows);
        size_t label = 0;
        for (size_t k = 0; k < rows; k++)
            label = layout_length(text[k]) > label ? layout_length(text[k]) : label;
        label = 7 * label + 12;
        fprintf(out,
                "<h2 id=late>Who is late, where%s</h2><p>Full colour: the rank that is always the "
                "last to enter that collective%s. Places with most waiting first; instances that "
                "were kept.</p>",
                doubt, per > 1 ? "; a cell stands for several ranks" : "");
        map_begin(&m, label, "who is late, where; the table of collectives has the numbers", out);
        map_columns(&m, label, out);
        for (size_t k = 0; k < rows; k++) {
            double sum = 0;
            fprintf(out, "<text x=0 y=%zu>", 33 + HEIGHT * k);
            quote_html(text[k], out);
            fputs("</text>", out);
            free(text[k]);
            for (size_t c = 0; c < m.columns; c++)
                sum += m.at[k * m.columns + c];
            for (size_t c = 0; c < m.columns && sum > 0; c++) {
                double count = m.at[k * m.columns + c];
                if (!(count > 0))
                    continue;
                map_cell(&m, label, k, c, "late", count / sum, out);
                fprintf(out, "<title>rank %zu%s: last in %.0f of %.0f</title></rect>", c * per,
                        per > 1 ? " and following" : "", count, sum);
            }
        }
        map_frame(&m, label, out);
        end_of_map(out);
        free(text);
    }
    free(m.at);
    free(place);
}

void html_messages(const struct profile *p, FILE *out)
{
    size_t ranks = highest_rank(p), per = per_cell(ranks), n = (ranks + per - 1) / per;
    char most[32], bytes[32];
    struct map m = map_new(n, n, per);
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *e = &p->peers.at[i];
        if (!e->received)
            map_add(&m, e->rank / per, e->peer / per, (double)e->bytes);
    }
    if (m.largest > 0) {
        enum { NARROW = 60 };
        fprintf(out,
                "<h2 id=matrix>Who sends to whom</h2><p>Rows send, columns receive%s. Full colour: "
                "%s; half as strong: a hundredth of it.</p>",
                per > 1 ? "; a cell stands for several ranks" : "", format_bytes(most, m.largest));
        map_begin(&m, NARROW, "bytes from rank to rank; the table of messages has the numbers",
                  out);
        map_columns(&m, NARROW, out);
        for (size_t r = 0; r < n; r++) {
            fprintf(out, "<text x=%d y=%zu text-anchor=end>%zu</text>", NARROW - 6, 33 + HEIGHT * r,
                    r * per);
            for (size_t c = 0; c < n; c++) {
                double value = m.at[r * n + c];
                if (!(value > 0))
                    continue;
                map_cell(&m, NARROW, r, c, "messages", fmax(0.05, 1 + log10(value / m.largest) / 4),
                         out);
                fprintf(out, "<title>%zu to %zu: %s</title></rect>", r * per, c * per,
                        format_bytes(bytes, value));
            }
        }
        map_frame(&m, NARROW, out);
        end_of_map(out);
    }
    free(m.at);
}
