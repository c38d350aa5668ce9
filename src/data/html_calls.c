/* The page's tables: all rows of the declared figures; of calls their stack, durations and spread,
 * too. */
#include "data/html.h"

#include "base/format.h"
#include "base/quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many rows have their durations drawn: a page of 10,000 drawings opens slowly. */
enum { MOST_OPEN = 1500, MOST_DRAWN = 1000 };

static bool is_calls(const struct listing *l)
{
    return !strcmp(l->name, "operations") || !strcmp(l->name, "call_sites");
}

/* Bars over the logarithm of the duration, from the shortest call to the longest. */
static void histogram(const struct profile_entry *e, FILE *out)
{
    unsigned first = histogram_bucket(e->min_ns), last = histogram_bucket(e->max_ns);
    uint64_t most = 1;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        most = e->histogram[b] > most ? e->histogram[b] : most;
    fprintf(out,
            "<svg class=d viewBox=\"0 0 %u 20\" preserveAspectRatio=none role=img "
            "aria-label=\"durations of calls\"><path d=\"",
            last >= first ? last - first + 1 : 1);
    for (unsigned b = first; b <= last && e->calls; b++)
        if (e->histogram[b])
            fprintf(out, "M%u 20v-%.1fh1v%.1fz", b - first,
                    1 + 19 * (double)e->histogram[b] / (double)most,
                    1 + 19 * (double)e->histogram[b] / (double)most);
    fputs("\"/></svg>", out);
}

/* What the columns have no room for: percentiles, and how the ranks share in it. */
static void calls_in_detail(const struct profile_entry *e, FILE *out)
{
    static const double quantile[] = {0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999};
    const struct spread *s = &e->spread;
    char a[32], b[32], c[32];
    if (entry_timed(e)) {
        fputs("<br>Durations: ", out);
        for (size_t i = 0; i < sizeof quantile / sizeof *quantile; i++)
            fprintf(out, "%sp%g %s", i ? ", " : "", 100 * quantile[i],
                    format_time(a, entry_quantile(e, quantile[i])));
        fprintf(out, "; %s to %s.", format_time(a, (double)e->min_ns),
                format_time(b, (double)e->max_ns));
    }
    if (s->ranks > 1)
        fprintf(out, "<br>Of %u ranks: from %s (rank %u) to %s (rank %u), mean %s.", s->ranks,
                format_time(a, (double)s->min), s->best, format_time(b, (double)s->max), s->worst,
                format_time(c, (double)s->sum / s->ranks));
}

static void text_cell(const struct listing *l, const struct figure *f, const struct view *v,
                      const void *row, const char *brief, FILE *out)
{
    char whole[2200];
    bool is_site = !strcmp(f->column.name, "site");
    bool opens = is_calls(l) && !strcmp(f->column.name, is_site ? "site" : "operation") &&
                 is_site == !strcmp(l->name, "call_sites");
    f->text(v, row, whole, sizeof whole);
    fputs(is_site ? "<td class=\"t n\">" : "<td class=t>", out);
    if (!opens && !(strlen(whole) > strlen(brief) + 4)) {
        quote_html(brief, out);
        return;
    }
    fputs("<details><summary>", out);
    quote_html(brief, out);
    fputs("</summary>", out);
    quote_html(whole, out);
    if (opens)
        calls_in_detail(row, out);
    fputs("</details>", out);
}

static void cell(const struct listing *l, const struct figure *f, const struct view *v,
                 const void *row, FILE *out)
{
    char brief[2200];
    figure_brief(f, v, row, brief, sizeof brief);
    if (f->text) {
        text_cell(l, f, v, row, brief, out);
        return;
    }
    double value = f->get(v, row);
    fputs("<td data-v=\"", out);
    if (!isnan(value))
        fprintf(out, "%.9g", value);
    fputs("\">", out);
    quote_html(brief, out);
}

/* What a sentence links to; see text_sentences(). */
static void begin_row(const struct listing *l, const void *row, FILE *out)
{
    if (is_calls(l)) {
        const struct profile_entry *e = row;
        fprintf(out, "<tr id=%s-%d-%u>", l->name, (int)e->site, e->operation);
    } else if (!strcmp(l->name, "ranks")) {
        fprintf(out, "<tr id=ranks-%d>", ((const struct profile_rank *)row)->rank);
    } else {
        fputs("<tr>", out);
    }
}

void html_key(FILE *out, const char *colour, const char *text)
{
    fprintf(out, "<span class=k style=\"--c:var(--%s)\">", colour);
    quote_html(text, out);
    fputs("</span> ", out);
}

void html_head(FILE *out, const char *key, const char *head, const char *about, bool is_text)
{
    fprintf(out, "<th%s data-key=\"", is_text ? " class=t" : "");
    quote_html(key, out);
    fputs("\" title=\"", out);
    quote_html(about, out);
    fputs("\">", out);
    quote_html(head, out);
}

/* A table of the page: a listing, or the half of the call sites' figures that is about requests,
 * which most of them have none of. */
enum { MOST_FIGURES = 64 };
struct table {
    const struct listing *l;
    const char *id, *title;
    bool of_requests;
    const void **row;
    size_t n;
    bool shown[MOST_FIGURES];
};

/* What is sent is also received: once is enough. */
static bool is_asked(const struct table *t, const void *row)
{
    if (!strcmp(t->l->name, "messages"))
        return !((const struct profile_peer *)row)->received;
    (void)row;
    return true;
}

/* As in the text, a column that says nothing of any row is left out. */
static bool is_shown(const struct table *t, const struct view *v, const struct figure *f)
{
    bool any = false;
    if ((f->column.flags & COLUMN_DATA_ONLY) || !listing_has(t->l, f))
        return false;
    for (size_t i = 0; i < t->n && !any; i++) {
        char brief[2200];
        figure_brief(f, v, t->row[i], brief, sizeof brief);
        any = *brief && strcmp(brief, "-") != 0;
    }
    return any;
}

static void heads(const struct table *t, FILE *out)
{
    fputs("<table><thead><tr>", out);
    for (size_t i = 0; i < t->l->figures->n; i++) {
        const struct figure *f = &t->l->figures->at[i];
        if (t->shown[i])
            html_head(out, f->column.name, f->column.head ? f->column.head : f->column.name,
                      f->column.meaning, f->text != NULL);
    }
    if (is_calls(t->l) && !t->of_requests)
        html_head(out, "durations", "durations",
                  "how many calls took how long; logarithmic, from the shortest to the longest",
                  true);
    fputs("</tr></thead><tbody>\n", out);
}

static void write_row(const struct table *t, const struct view *v, const void *row, bool drawn,
                      FILE *out)
{
    if (t->of_requests)
        fputs("<tr>", out);
    else
        begin_row(t->l, row, out);
    for (size_t i = 0; i < t->l->figures->n; i++)
        if (t->shown[i])
            cell(t->l, &t->l->figures->at[i], v, row, out);
    if (is_calls(t->l) && !t->of_requests) {
        fputs("<td class=t>", out);
        if (drawn)
            histogram(row, out);
    }
    fputc('\n', out);
}

/* Rows beyond MOST_OPEN are for a browser with scripts a text, until they are asked for: it would
 * take seconds to lay out 10,000. Without scripts they are a table like the first. */
static void write_table(struct table *t, const struct view *v, const char *doubt, FILE *out)
{
    struct listed rows;
    listed_open(&rows, t->l, v, t->of_requests ? "wait" : NULL);
    t->row = memory_alloc((rows.n + 1) * sizeof *t->row);
    for (size_t k = 0; k < rows.n; k++)
        if (is_asked(t, rows.at + k * rows.size))
            t->row[t->n++] = rows.at + k * rows.size;
    for (size_t i = 0; i < t->l->figures->n && i < MOST_FIGURES; i++)
        t->shown[i] = is_shown(t, v, &t->l->figures->at[i]);
    if (t->n) {
        fprintf(out,
                "<section class=l id=%s><h2>%c%s%s</h2><div class=wide tabindex=0 role=region "
                "aria-label=\"%s\">",
                t->id, t->title[0] & ~0x20, t->title + 1, doubt, t->title);
        heads(t, out);
        for (size_t k = 0; k < t->n; k++) {
            if (k == MOST_OPEN) {
                fputs("</tbody></table><noscript>", out);
                heads(t, out);
            }
            write_row(t, v, t->row[k], k < MOST_DRAWN, out);
        }
        fprintf(out, "</tbody></table>%s</div>", t->n > MOST_OPEN ? "</noscript>" : "");
        if (t->n > MOST_DRAWN && is_calls(t->l) && !t->of_requests)
            fprintf(out, "<p class=faint>Durations are drawn of the first %d rows.</p>",
                    MOST_DRAWN);
        fputs("</section>\n", out);
    }
    free(t->row);
    listed_close(&rows);
}

void html_listing(const struct listing *l, const struct view *v, const char *doubt, FILE *out)
{
    write_table(&(struct table){.l = l, .id = l->name, .title = l->about}, v, doubt, out);
}
