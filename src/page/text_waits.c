/* What waits for what: requests, and collective operations. */
#include "page/text.h"

#include "base/format.h"
#include "base/overlap.h"
#include "page/layout.h"
#include "page/rows.h"
#include "profile/arrivals.h"
#include "results/base_round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean time in the completing call, as one request sees it: not shared with others that the same
 * call completed. The time of the post is not recorded by itself; that of all calls stands for it.
 */
static double waited_ns(const struct profile_entry *e)
{
    double n = (double)e->completed;
    double post = e->calls ? (double)e->time_ns / (double)e->calls : 0;
    double rest = ((double)e->span_ns - (double)e->window_ns) / n - post;
    return rest > (double)e->wait_ns / n ? rest : (double)e->wait_ns / n;
}

/* How far the work between post and completion covers a request, in a word. A request that was
 * found done costs nothing; one that fills most of its life with waiting hides nothing. */
static const char *verdict_of(const struct profile_entry *e)
{
    double hidden = (double)e->hidden / (double)e->completed;
    double span = (double)e->span_ns / (double)e->completed;
    double waiting = span > 0 ? waited_ns(e) / span : 0;
    if (hidden >= 0.9 || waiting <= 0.05)
        return "hides";
    return waiting >= 0.5 ? "waits" : "partly";
}

/* How much of the transfer was hidden: 0 all of it, 1 nothing (Denis and Trahay's ratio). */
static void ratio_cell(struct layout *l, const struct base_round *base,
                       const struct profile_entry *e)
{
    double n = (double)e->completed;
    double ratio = base->n && e->completed_bytes
                       ? base_round_ratio(base, (double)e->window_ns / n / 1e9, waited_ns(e) / 1e9,
                                          (double)e->completed_bytes / n)
                       : NAN;
    if (isnan(ratio))
        layout_cell(l, "%s", base->n ? "-" : "");
    else if (ratio > 99)
        layout_cell(l, ">99");
    else
        layout_cell(l, "%.2f", ratio);
}

void text_requests(const struct profile *p, FILE *out, const struct report_options *o)
{
    struct base_round base = {0};
    if (o->base_round && *o->base_round)
        base_round_load(o->base_round, &base, NULL);
    struct profile *rows = rows_of(p, ROWS_BY_SITE);
    struct layout *l = layout_new("lrrrrrrrrlL");
    size_t shown = 0, all = 0;
    rows_sort(rows, "wait");
    layout_heading(l, base.n
                          ? "operation|requests|size|open|until wait|in wait|done|cost/rank|ratio|"
                            "overlap|call site"
                          : "operation|requests|size|open|until wait|in wait|done|cost/rank||"
                            "overlap|call site");
    for (size_t i = 0; i < rows->entries.n; i++) {
        const struct profile_entry *e = &rows->entries.at[i];
        char text[300];
        if (!e->completed)
            continue;
        all++;
        if (shown == (size_t)o->top)
            continue;
        shown++;
        double n = (double)e->completed;
        layout_cell(l, "%s", text_operation(p, e->operation));
        layout_count(l, e->completed);
        layout_bytes(l, (double)(e->completed_bytes / e->completed));
        layout_time(l, (double)e->span_ns / n);
        layout_time(l, (double)e->window_ns / n);
        layout_time(l, waited_ns(e));
        layout_cell(l, "%.0f %%", 100 * (double)e->hidden / n);
        layout_time(l, (double)e->wait_ns / (double)p->ranks.n);
        ratio_cell(l, &base, e);
        layout_cell(l, "%s", verdict_of(e));
        site_label(p, e->site, text, sizeof text);
        layout_cell(l, "%s", text);
    }
    if (all)
        fputs("\nNon-blocking requests, by the call that posted them\n", out);
    layout_print(l, all ? out : NULL, TEXT_WIDTH);
    text_more(out, all, shown, "call site");
    if (all)
        fputs(
            "  Means per request. open: from post to completion. until wait: from the post to the "
            "call that completed it.\n  done: complete by then. cost/rank: time in these calls, a "
            "call that completes several shared out evenly.\n",
            out);
    if (all && base.n)
        fputs("  ratio: 0 where the transfer was hidden, 1 where nothing of it was, by the base "
              "round; "
              "above 1 the\n  partner was late, too.\n",
              out);
    base_round_free(&base);
    profile_free(rows);
}

static int most_waiting_first(const void *a, const void *b)
{
    const struct profile_arrival *x = a, *y = b;
    if (x->wait_ns != y->wait_ns)
        return x->wait_ns > y->wait_ns ? -1 : 1;
    if (x->skew_median_ns != y->skew_median_ns)
        return x->skew_median_ns > y->skew_median_ns ? -1 : 1;
    return x->site < y->site ? -1 : x->site > y->site;
}

static void arrival_row(struct layout *l, const struct profile *p, const struct profile_arrival *a)
{
    enum collective_kind kind = arrivals_kind(p, a->operation);
    char text[300];
    layout_cell(l, "%s", text_operation(p, a->operation));
    layout_cell(l, "%u", p->comms.at[a->comm].size);
    layout_count(l, a->instances);
    layout_time(l, (double)a->skew_median_ns);
    layout_time(l, (double)a->skew_max_ns);
    layout_cell(l, "%u, %.0f %%", a->late_rank, 100 * (double)a->late_count / (double)a->instances);
    layout_cell(l, "%s",
                kind == COLLECTIVE_OTHER
                    ? "-"
                    : format_share(text, (double)a->wait_ns, (double)a->time_ns));
    layout_time(l, (double)a->duration_median_ns);
    layout_time(l, (double)a->duration_max_ns);
    if (p->stack_depth)
        site_label(p, a->site, text, sizeof text);
    else
        comm_label(p, a->comm, text, sizeof text);
    layout_cell(l, "%s", text);
}

void text_arrivals(const struct profile *p, FILE *out, const struct report_options *o)
{
    if (!p->arrivals.n)
        return;
    struct profile_arrival *a = profile_alloc(p->arrivals.n * sizeof *a);
    memcpy(a, p->arrivals.at, p->arrivals.n * sizeof *a);
    qsort(a, p->arrivals.n, sizeof *a, most_waiting_first);
    struct layout *l = layout_new("lrrrrrrrrL");
    layout_heading(l,
                   "operation|ranks|instances|skew|max|last rank|waiting|duration|max|call site");
    size_t shown = p->arrivals.n < (size_t)o->top ? p->arrivals.n : (size_t)o->top;
    for (size_t i = 0; i < shown; i++)
        arrival_row(l, p, &a[i]);
    fputs("\nCollective operations: who is late, and what it costs\n", out);
    layout_print(l, out, TEXT_WIDTH);
    text_more(out, p->arrivals.n, shown, "place");
    fputs("  Medians and maxima. skew: last minus first entry. last rank: the one that most often "
          "enters last. waiting:\n  part of the time in these calls before the awaited rank had "
          "entered. duration: from that entry to the last exit.\n",
          out);
    free(a);
}
