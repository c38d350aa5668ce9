/* The report as one page of HTML: everything is in the file, and complete without the script, which
 * sorts, filters and zooms. */
#include "data/html.h"

#include "base/clock.h"
#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"
#include "profile/noise.h"
#include "report/findings.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static void fact(FILE *out, const char *key, const char *value)
{
    fprintf(out, "<dt>%s<dd>", key);
    quote_html(value, out);
}

static void facts(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    char text[200], a[32], when[64];
    fputs("<dl>", out);
    for (size_t i = 0; i < p->programs.n; i++)
        fact(out, "application", p->programs.at[i]);
    for (size_t i = 0; i < p->libraries.n; i++)
        fact(out, "MPI", p->libraries.at[i]);
    if (*profile_started(p, "%Y-%m-%d %H:%M:%S", when))
        fact(out, "started", when);
    fact(out, "wall time", format_time(a, profile_longest_ns(p)));
    if (v->where.known) {
        snprintf(text, sizeof text, "%.1f %% = load balance %.1f %% x communication %.1f %%",
                 100 * v->where.compute, 100 * v->where.load_balance, 100 * v->where.communication);
        fact(out, "parallel efficiency", text);
    }
    fputs("</dl>", out);
}

/* What the times rest on, before any of them. */
static void trust(const struct profile *p, FILE *out)
{
    static const char *const said[] = {
        [NOISE_UNKNOWN] = "Whether the times can be believed is not known",
        [NOISE_QUIET] = "The times can be believed: the ranks had their processors",
        [NOISE_FELT] = "The times can be believed in part: the run was disturbed",
        [NOISE_SPOILED] = "The times mean little; counts and bytes are right"};
    const struct noise n = noise_of(p);
    bool simulated = p->clock == CLOCK_SOURCE_EXTERNAL;
    char text[800], a[32];
    uint64_t dropped = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        dropped += p->ranks.at[i].dropped[LEDGER_ENTRIES];
    fprintf(out, "<section id=trust class=\"box%s\"><h2>%s</h2><dl>",
            n.level == NOISE_QUIET || simulated ? "" : " bad",
            simulated ? "The times are those of a simulated clock" : said[n.level]);
    enum { HOSTS = 8 };
    for (uint32_t i = 0; i < p->hosts.n && i < HOSTS && !simulated; i++) {
        const struct profile_host *h = &p->hosts.at[i];
        snprintf(text, sizeof text, "%s: %u rank%s on %u processor%s%s", h->name, h->ranks,
                 h->ranks == 1 ? "" : "s", h->processors, h->processors == 1 ? "" : "s",
                 noise_crowded(p, i) ? ": they wait for each other's time slices" : "");
        fact(out, "host", text);
    }
    if (p->hosts.n > HOSTS || simulated) {
        snprintf(text, sizeof text, simulated ? "%zu, simulated" : "%zu more",
                 p->hosts.n - (simulated ? 0 : HOSTS));
        fact(out, "hosts", text);
    }
    snprintf(text, sizeof text, "%s%s", clock_name_of(p->clock),
             p->hosts.n < 2    ? "; one for all ranks"
             : p->synchronized ? "; synchronized between hosts"
                               : "; not synchronized between hosts");
    fact(out, "clock", text);
    if (dropped) {
        snprintf(text, sizeof text, "%s calls found the tables full: they are in no row",
                 format_count(a, dropped));
        fact(out, "not seen", text);
    }
    fputs("</dl></section>", out);
}

/* The findings; of a part of a run there are none, but what it is. */
static void in_short(const struct view *v, const struct filter *part, FILE *out)
{
    fprintf(out, "<section id=in-short class=box><h2>%s</h2><ul>", part ? "Shown" : "Findings");
    struct diagnoses *all = findings_of(v, NULL);
    char *shown = part ? filter_sentences(part) : NULL;
    for (size_t i = 0; i < (part ? 1 : all->n); i++) {
        fputs("<li>", out);
        quote_html(part ? shown : all->at[i]->text, out);
    }
    fputs("</ul></section>", out);
    findings_free(all);
    free(shown);
}

static void warnings(const struct profile *p, FILE *out)
{
    if (!p->warnings.n)
        return;
    fputs("<section class=\"box bad\"><h2>Warnings</h2><ul>", out);
    for (size_t i = 0; i < p->warnings.n; i++) {
        fputs("<li>", out);
        quote_html(p->warnings.at[i], out);
    }
    fputs("</ul></section>", out);
}

void html_begin(FILE *out, const char *title, bool curves)
{
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline'\">"
          "<title>collprof: ",
          out);
    quote_html(title, out);
    fprintf(out, "</title><style>%s%s</style></head><body>\n<h1>collprof: ",
            curves ? html_curves_style : "", html_style);
    quote_html(title, out);
    fputs("</h1>\n", out);
}

void html_end(FILE *out, bool curves)
{
    fprintf(out, "<p class=faint>What a column means is shown over its heading.%s</p>",
            curves ? " Curves: dygraphs, MIT licence, https://dygraphs.com." : "");
    if (curves)
        fprintf(out, "<script>%s</script>", html_curves);
    fprintf(out, "<script>%s</script></body></html>\n", html_script);
}

void data_html(const struct profile *p, const struct filter *part, const char *timeline, FILE *out)
{
    struct view v;
    view_open(&v, p);
    const char *doubt =
        noise_of(p).level == NOISE_SPOILED
            ? " <span class=faint>(disturbed: times mean little; ? is not judged)</span>"
            : "";
    char title[300], *times = NULL;
    size_t size;
    FILE *drawn = memory_open_text(&times, &size);
    bool curves = html_times(p, doubt, drawn); /* before the head: whether it carries the library */
    fclose(drawn);
    snprintf(title, sizeof title, "%.200s on %zu rank%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", p->ranks.n,
             p->ranks.n == 1 ? "" : "s");
    html_begin(out, title, curves);
    trust(p, out);
    in_short(&v, part, out);
    warnings(p, out);
    facts(&v, out);
    html_ranks(p, doubt, out);
    fputs(times, out);
    html_late(&v, doubt, out);
    html_messages(p, out);
    if (timeline)
        fprintf(out,
                "<h2 id=timeline>Around the longest wait</h2><div class=lanes tabindex=0 "
                "role=region aria-label=timeline>%s</div>",
                timeline);
    html_findings(p, out);
    for (size_t i = 0; i < n_listings; i++)
        if (strcmp(listings[i].name, "entries") && strcmp(listings[i].name, "histograms"))
            html_listing(&listings[i], &v, doubt, out);
    html_end(out, curves);
    free(times);
    view_close(&v);
}
