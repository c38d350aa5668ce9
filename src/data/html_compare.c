/* Runs compared, as a page: the sentences, then every row with all of its runs drawn. */
#include "data/html.h"

#include "base/quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sentences(const struct differences_page *p, FILE *out)
{
    const struct differences *d = p->d;
    char text[1200];
    size_t said = 0;
    char *doubts = differences_doubts(p), *rest = doubts;
    fprintf(out, "<section id=in-short class=\"box%s\"><h2>In short</h2><ul>",
            *doubts ? " bad" : "");
    for (const char *line; (line = strsep(&rest, "\n")) && *line;) {
        fputs("<li>", out);
        quote_html(line, out);
    }
    free(doubts);
    for (size_t i = 0; i < d->list.n && said < (size_t)p->top; i++) {
        const struct difference *x = &d->list.at[i];
        if (i && (x->certainty == CERTAINTY_NONE || x->joined))
            continue;
        difference_sentence(d, x, text, sizeof text);
        fprintf(out, "<li><a href=\"#difference-%zu\">", i);
        quote_html(text, out);
        fputs("</a>", out);
        said++;
    }
    if (said == 1 && d->enough && differences_wall(d)->certainty == CERTAINTY_NONE)
        fputs("<li>No difference can be told from noise.", out);
    fputs("</ul></section>", out);
}

static void runs(const struct differences_page *p, FILE *out)
{
    fputs("<dl>", out);
    for (size_t side = 0, run = 0; side < 2; side++) {
        fprintf(out, "<dt>%s<dd>", side ? "B" : "A");
        for (size_t i = 0; i < p->d->runs[side]; i++) {
            fputs(i ? ", " : "", out);
            quote_html(p->name[run++], out);
        }
    }
    fputs("</dl>", out);
}

/* A stroke for each run, A's above, B's below, from 0 to the largest. */
static void strokes(const struct differences *d, const struct difference *x, FILE *out)
{
    double most = 0;
    size_t n = d->runs[0] + d->runs[1];
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x->value[i]);
    if (!(most > 0))
        return;
    fputs("<svg class=d viewBox=\"0 0 102 20\" preserveAspectRatio=none role=img aria-label=\"runs "
          "of A above, of B below\">",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "<path fill=\"var(--%s)\" d=\"M%.1f %dh2v9h-2z\"/>",
                i < d->runs[0] ? "accent" : "late", 100 * fmax(0, x->value[i]) / most,
                i < d->runs[0] ? 0 : 11);
    fputs("</svg>", out);
}

static void row(const struct differences *d, size_t i, FILE *out)
{
    static const char *const certainty[] = {
        [CERTAINTY_NONE] = "no", [CERTAINTY_HINT] = "a hint", [CERTAINTY_TOLD] = "yes"};
    const struct difference *x = &d->list.at[i];
    char text[40], high[40];
    fprintf(out, "<tr id=difference-%zu><td class=t>%s<td class=t>", i,
            difference_kind_name(x->kind));
    quote_html(x->operation, out);
    fputs("<td class=\"t n\">", out);
    quote_html(x->place, out);
    fputs("<td data-v=\"", out);
    if (x->rank >= 0)
        fprintf(out, "%d\">%d", (int)x->rank, (int)x->rank);
    else
        fputs("\">all", out);
    fputs("<td class=t>", out);
    strokes(d, x, out);
    for (int side = 0; side < 2; side++)
        fprintf(out, "<td data-v=\"%.9g\">%s", x->median[side], difference_median(x, side, text));
    fprintf(out, "<td data-v=\"%.9g\">%s", x->change, difference_time(x->change, text));
    fprintf(out, "<td data-v=\"%.9g\">%+.1f %%", x->change,
            100 * x->change / (d->wall_ns > 0 ? d->wall_ns : 1));
    fputs("<td class=t>", out);
    if (d->enough && isfinite(x->low) && isfinite(x->high))
        fprintf(out, "%s to %s", difference_time(x->low, text), difference_time(x->high, high));
    fprintf(out, "<td class=t>%s\n", certainty[x->certainty]);
}

void data_html_differences(const struct differences_page *p, FILE *out)
{
    static const struct {
        const char *key, *head, *about;
        bool is_text;
    } columns[] = {{"kind", "time", "which part of the run", true},
                   {"operation", "operation", "the MPI function", true},
                   {"place", "call site", "where it is called", true},
                   {"rank", "rank", "of which rank; all: the mean of all ranks", false},
                   {"runs", "runs", "a stroke for each run from 0 on: A above, B below", true},
                   {"a", "A", "median of A's runs", false},
                   {"b", "B", "median of B's runs", false},
                   {"change", "change", "B minus A, per run and rank", false},
                   {"of_run", "of the run", "the change as part of the median run of A", false},
                   {"interval", "95 % interval", "of the change, by bootstrap over the runs", true},
                   {"told", "told from noise", "whether it can be", true}};
    char title[80];
    snprintf(title, sizeof title, "%zu run%s against %zu", p->d->runs[1],
             p->d->runs[1] == 1 ? "" : "s", p->d->runs[0]);
    html_begin(out, title, false);
    sentences(p, out);
    runs(p, out);
    fputs("<section class=l id=differences><h2>What changed from A to B</h2><p>", out);
    html_key(out, "accent", "A");
    html_key(out, "late", "B");
    fputs(
        "</p><div class=wide tabindex=0 role=region aria-label=\"what changed\"><table><thead><tr>",
        out);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        html_head(out, columns[i].key, columns[i].head, columns[i].about, columns[i].is_text);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < p->d->list.n; i++)
        row(p->d, i, out);
    fputs("</tbody></table></div></section>\n", out);
    html_end(out, false);
}
