/* The differences as a page, and as one for a tracker or a pull request. */
#include "report/text.h"
#include "base/format.h"
#include "compare/differences.h"
#include "report/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_name[] = {
    [DIFFERENCE_WALL] = "run",          [DIFFERENCE_OUTSIDE] = "outside before",
    [DIFFERENCE_COMPUTING] = "outside", [DIFFERENCE_OWN] = "not waiting",
    [DIFFERENCE_TIME] = "time",         [DIFFERENCE_WAIT] = "waiting"};

const char *difference_kind_name(enum difference_kind kind)
{
    return kind_name[kind];
}

const char *difference_median(const struct difference *x, int side, char text[32])
{
    return x->in[side] ? format_time(text, x->median[side]) : "-";
}

/* "Allreduce late.c:41 second_sum, rank 1" */
static const char *where(const struct difference *x, char *text, size_t room)
{
    int n = snprintf(text, room, "%s%s%s", x->operation, *x->place ? " " : "", x->place);
    if (x->rank >= 0)
        snprintf(text + n, room - (size_t)n, "%srank %d", n ? ", " : "", (int)x->rank);
    return text;
}

static void put_runs(const struct differences_page *p, FILE *out)
{
    for (int side = 0, run = 0; side < 2; side++) {
        size_t n = p->d->runs[side], room = 64;
        for (size_t i = 0; i < n; i++)
            room += strlen(p->name[run + (int)i]) + 2;
        char *text = memory_alloc(room), *at = text;
        at += sprintf(at, "%zu run%s: ", n, n == 1 ? "" : "s");
        for (size_t i = 0; i < n; i++, run++)
            at += sprintf(at, "%s%s", i ? ", " : "", p->name[run]);
        text_paragraph(out, side ? "  B  " : "  A  ", text);
        free(text);
    }
}

/* Numbered, causes first. */
static size_t put_sentences(const struct differences_page *p, FILE *out)
{
    char text[1200], mark[32];
    size_t shown = 0, *number = memory_alloc((p->d->list.n + 1) * sizeof *number);
    for (size_t i = 1; i < p->d->list.n && shown < (size_t)p->top; i++) {
        const struct difference *x = &p->d->list.at[i];
        if (x->certainty == CERTAINTY_NONE || x->joined)
            continue;
        number[i] = ++shown;
        difference_sentence(p->d, x, text, sizeof text);
        size_t n = strlen(text);
        if (x->follows && number[x->follows - 1])
            snprintf(text + n, sizeof text - n, "; follows from %zu", number[x->follows - 1]);
        snprintf(mark, sizeof mark, "  %zu. ", shown);
        text_paragraph(out, mark, text);
    }
    free(number);
    return shown;
}

static void put_gate(const struct differences_page *p, FILE *out, const char *mark)
{
    char text[1500];
    if (isnan(p->share))
        return;
    const struct difference *x = differences_above(p->d, p->share);
    int n = snprintf(text, sizeof text, "--fail-above=%g%%: %s", 100 * p->share,
                     x ? "failed: " : "passed: nothing that can be told from noise grew by more");
    if (x)
        difference_sentence(p->d, x, text + n, sizeof text - (size_t)n);
    text_paragraph(out, mark, text);
}

static void put_row(struct layout *l, const struct differences *d, const struct difference *x)
{
    char place[700], change[40];
    layout_cell(l, "%s", kind_name[x->kind]);
    for (int side = 0; side < 2; side++)
        if (x->in[side])
            layout_time(l, x->median[side]);
        else
            layout_cell(l, "-");
    layout_cell(l, "%s", difference_time(x->change, change));
    layout_cell(l, "%+.1f%%", 100 * x->change / (d->wall_ns > 0 ? d->wall_ns : 1));
    if (d->enough) {
        char low[40], high[40];
        layout_cell(l, "%s to %s", difference_time(x->low, low), difference_time(x->high, high));
        layout_cell(l, "%.0f%%", 100 * x->superiority);
        layout_cell(l, "%.2g", x->p_rank);
        layout_cell(l, "%.2g", x->p_together);
    }
    layout_cell(l, "%s", x->certainty != CERTAINTY_NONE ? "yes" : "");
    layout_cell(l, "%s", where(x, place, sizeof place));
}

/* Of what is in the table with enough runs, and with few. */
static const char *const columns_notes[] = {
    [true] =
        "95 % interval: of the change, by bootstrap over runs. B>A: share of the pairs of runs "
        "in which B's is larger. p: rank test of this row alone. p of all: how often any row "
        "would differ so much if nothing did. told: at 0.01 of that and below, from 1 % of the "
        "run.",
    [false] = "exceeds: calls, and what is before them: each side's median lies outside of the "
              "other's middle 80 %; the run, and all outside of MPI: the sides lie farther apart "
              "than the runs of either, or, for one run a side, a rank's is as much as that of a "
              "call that exceeds, and longer than any rank had no processor."};

static void put_table(const struct differences_page *p, FILE *out)
{
    struct layout *l = layout_new(p->d->enough ? "lrrrrooorlL" : "lrrrrlL");
    layout_heading(l, p->d->enough
                          ? "time|A|B|change|of run|95 % interval|B>A|p|p of all|told|where"
                          : "time|A|B|change|of run|exceeds|where");
    size_t shown = 0;
    for (size_t i = 0; i < p->d->list.n && shown < (size_t)p->top; i++, shown++)
        put_row(l, p->d, &p->d->list.at[i]);
    fputs("\nAll that varies by 1 % of the run (medians of the runs, per rank)\n", out);
    char *note = memory_strdup(columns_notes[p->d->enough]);
    layout_print(l, out, text_width());
    text_more(out, p->d->list.n, shown, "row");
    if (*note)
        text_paragraph(out, "  ", note);
    free(note);
}

void differences_text(const struct differences_page *p, FILE *out)
{
    char text[1200];
    fputs("collprof: what changed from A to B\n", out);
    put_runs(p, out);
    char *doubts = differences_doubts(p), *rest = doubts;
    for (const char *line; (line = strsep(&rest, "\n")) && *line;)
        text_paragraph(out, "  ! ", line);
    free(doubts);
    fputc('\n', out);
    difference_sentence(p->d, differences_wall(p->d), text, sizeof text);
    text_paragraph(out, "  ", text);
    if (!put_sentences(p, out) && differences_wall(p->d)->certainty == CERTAINTY_NONE)
        text_paragraph(out, "  ",
                       p->d->enough ? "No difference can be told from noise."
                                    : "No call that both sides make, and nothing before one, "
                                      "differs by more than it does within the runs.");
    put_gate(p, out, "  ");
    put_table(p, out);
}

/* --- Markdown --- */

/* Names may hold what Markdown reads as its own. */
static void put_marked(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]()<>#+-!|~&", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_markdown_row(const struct differences *d, const struct difference *x, FILE *out)
{
    char a[32], b[32], change[40], place[700];
    fprintf(out, "| %s | ", kind_name[x->kind]);
    put_marked(where(x, place, sizeof place), out);
    fprintf(out, " | %s | %s | %s | %+.1f %% | ", difference_median(x, 0, a),
            difference_median(x, 1, b), difference_time(x->change, change),
            100 * x->change / (d->wall_ns > 0 ? d->wall_ns : 1));
    if (d->enough)
        fprintf(out, "%.2g | ", x->p_together);
    fprintf(out, "%s |\n", x->certainty != CERTAINTY_NONE ? "yes" : "");
}

void differences_markdown(const struct differences_page *p, FILE *out)
{
    const struct differences *d = p->d;
    char text[1200];
    difference_sentence(d, differences_wall(d), text, sizeof text);
    fprintf(out, "### collprof: %zu run%s against %zu\n\n", d->runs[1], d->runs[1] == 1 ? "" : "s",
            d->runs[0]);
    put_marked(text, out);
    fputs("\n\n", out);
    char *doubts = differences_doubts(p), *rest = doubts;
    for (const char *line; (line = strsep(&rest, "\n")) && *line; fputs("\n\n", out))
        put_marked(line, out);
    free(doubts);
    size_t shown = 0;
    for (size_t i = 1; i < d->list.n && shown < (size_t)p->top; i++) {
        const struct difference *x = &d->list.at[i];
        if (x->certainty == CERTAINTY_NONE || x->joined)
            continue;
        difference_sentence(d, x, text, sizeof text);
        fprintf(out, "%zu. ", ++shown);
        put_marked(text, out);
        fputc('\n', out);
    }
    if (!shown && d->enough && differences_wall(d)->certainty == CERTAINTY_NONE)
        fputs("No difference can be told from noise.\n", out);
    if (!isnan(p->share)) {
        const struct difference *x = differences_above(d, p->share);
        fprintf(out, "\n**%s** (limit: %g %% of the run)\n", x ? "failed" : "passed",
                100 * p->share);
    }
    fprintf(
        out,
        "\n| time | where | A | B | change | of run | %stold |\n|---|---|--:|--:|--:|--:|%s---|\n",
        d->enough ? "p of all | " : "", d->enough ? "--:|" : "");
    for (size_t i = 0; i < d->list.n && i < (size_t)p->top; i++)
        put_markdown_row(d, &d->list.at[i], out);
}
