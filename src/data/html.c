/* The report as one page of HTML: everything is in the file, and readable without the script, which
 * only sorts and filters. Texts of the profile go through quote_html() alone. */
#include "data/data.h"

#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"
#include "page/text.h"
#include "profile/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1e23;--paper:#fff;--faint:#667;--line:#d5d9e0;"
    "--row:#f4f6f9;--box:#eef4fb;--bad:#fdf0d5;--mpi:#0072b2;--off:#e69f00;--work:#c3cad4}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e7ec;--paper:#16181d;--faint:#9aa3b2;"
    "--line:#3a404b;--row:#1f232a;--box:#1b2735;--bad:#3d3013;--mpi:#56b4e9;--off:#e69f00;"
    "--work:#4a5261}}"
    "body{margin:0 auto;max-width:100rem;padding:1rem;background:var(--paper);color:var(--ink);"
    "font:15px/1.45 system-ui,sans-serif}h1{font-size:1.4rem;margin:.2rem 0}"
    "h2{font-size:1.1rem;margin:1.6rem 0 .4rem}p,ul{max-width:60rem}.faint{color:var(--faint)}"
    ".box{background:var(--box);border-radius:.4rem;padding:.1rem 1rem;margin:.8rem 0}"
    ".box.bad{background:var(--bad)}dl{display:grid;grid-template-columns:max-content 1fr;"
    "gap:.1rem 1rem;margin:.8rem 0}dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}"
    ".wide{overflow-x:auto;max-height:36rem;overflow-y:auto;border:1px solid var(--line);"
    "border-radius:.3rem}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-"
    "nums}"
    "th,td{padding:.2rem .45rem;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--line);vertical-align:top}th{position:sticky;top:0;background:var(--paper)}"
    "tbody "
    "tr:nth-child(even){background:var(--row)}.t{text-align:left}td.t{white-space:normal}td.n{"
    "overflow-wrap:anywhere;min-width:15rem}th button{all:unset;cursor:pointer}th "
    "button:focus-visible,"
    "input:focus-visible,summary:focus-visible{outline:2px solid var(--mpi)}"
    "th[aria-sort]{text-decoration:underline}input{font:inherit;color:inherit;background:var(--"
    "paper);"
    "border:1px solid var(--line);border-radius:.3rem;padding:.15rem .5rem;margin:.2rem 0;"
    "max-width:100%;box-sizing:border-box}summary{cursor:pointer}svg.ranks{width:100%;height:9rem;"
    "display:block}svg.d{width:7rem;height:1.2rem;fill:var(--mpi)}.k{display:inline-block;width:."
    "8em;"
    "height:.8em;margin:0 .3em 0 1em}nav a{margin-right:1rem;color:inherit}"
    "@media print{.wide{max-height:none;overflow:visible;border:0}input,nav{display:none}"
    "body{font-size:9px;max-width:none}td,th{padding:.1rem .3rem;position:static}}";

/* Sorting by a heading, filtering by a word. #TABLE/COLUMN/WORD in the address does the same. */
static const char script[] =
    "document.querySelectorAll('section.l').forEach(s=>{const b=s.querySelector('tbody'),"
    "r=[...b.rows],h=[...s.querySelectorAll('th')];"
    "const sort=i=>{const t=h[i],d=t.getAttribute('aria-sort')==='descending'?1:-1;"
    "h.forEach(x=>x.removeAttribute('aria-sort'));"
    "t.setAttribute('aria-sort',d<0?'descending':'ascending');"
    "const v=x=>{const c=x.cells[i];return c.dataset.v===undefined?c.textContent:"
    "c.dataset.v===''?-Infinity:+c.dataset.v};"
    "r.sort((x,y)=>{const p=v(x),q=v(y);return p<q?-d:p>q?d:0});b.append(...r)};"
    "const filter=w=>{w=w.toLowerCase();r.forEach(x=>x.hidden=![...x.cells].some("
    "c=>c.textContent.toLowerCase().includes(w)))};"
    "h.forEach((t,i)=>{const n=document.createElement('button');n.type='button';"
    "n.append(...t.childNodes);t.append(n);n.onclick=()=>sort(i)});"
    "const f=document.createElement('input');f.type='search';f.placeholder='filter';"
    "f.setAttribute('aria-label','filter rows');f.oninput=()=>filter(f.value);"
    "s.querySelector('.wide').before(f);"
    "const a=decodeURIComponent(location.hash.slice(1)).split('/');if(a[0]===s.id){"
    "const i=h.findIndex(t=>t.dataset.key===a[1]);if(i>=0)sort(i);"
    "if(a[2]){f.value=a[2];filter(a[2])}s.scrollIntoView()}});";

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

static void cell(const struct figure *f, const struct view *v, const void *row, FILE *out)
{
    char brief[2200], whole[2200];
    figure_brief(f, v, row, brief, sizeof brief);
    if (f->unit != UNIT_TEXT) {
        double value = f->get(v, row);
        fputs("<td data-v=\"", out);
        if (!isnan(value))
            fprintf(out, "%.17g", value);
        fputs("\">", out);
        quote_html(brief, out);
        return;
    }
    f->text(v, row, whole, sizeof whole);
    fputs(strcmp(f->key, "call_site") ? "<td class=t>" : "<td class=\"t n\">", out);
    if (f->brief && strlen(whole) > strlen(brief) + 4) {
        fputs("<details><summary>", out);
        quote_html(brief, out);
        fputs("</summary>", out);
        quote_html(whole, out);
        fputs("</details>", out);
    } else {
        quote_html(brief, out);
    }
}

static bool is_shown(const struct listing *l, const struct figure *f)
{
    return f->head && listing_has(l, f);
}

static void write_listing(const struct listing *l, const struct view *v, bool doubtful, FILE *out)
{
    struct listed rows;
    bool has_histogram = !strcmp(l->name, "operations") || !strcmp(l->name, "call_sites");
    listed_open(&rows, l, v, NULL);
    if (rows.n) {
        fprintf(out, "<section class=l id=%s><h2>", l->name);
        fprintf(out, "%c%s%s</h2>", l->about[0] & ~0x20, l->about + 1,
                doubtful ? " <span class=faint>(disturbed: times mean little)</span>" : "");
        fputs("<div class=wide tabindex=0><table><thead><tr>", out);
        for (size_t i = 0; i < l->figures->n; i++) {
            const struct figure *f = &l->figures->at[i];
            if (!is_shown(l, f))
                continue;
            fprintf(out, "<th%s data-key=%s title=\"", f->unit == UNIT_TEXT ? " class=t" : "",
                    f->key);
            quote_html(f->about, out);
            fprintf(out, "\">%s</th>", f->head);
        }
        fputs(has_histogram
                  ? "<th class=t title=\"how many calls took how long; logarithmic, from the "
                    "shortest to the longest\">durations</th>"
                  : "",
              out);
        fputs("</tr></thead><tbody>\n", out);
        for (size_t k = 0; k < rows.n; k++) {
            const void *row = rows.at + k * rows.size;
            fputs("<tr>", out);
            for (size_t i = 0; i < l->figures->n; i++)
                if (is_shown(l, &l->figures->at[i]))
                    cell(&l->figures->at[i], v, row, out);
            if (has_histogram) {
                fputs("<td class=t>", out);
                histogram(row, out);
            }
            fputc('\n', out);
        }
        fputs("</tbody></table></div></section>\n", out);
    }
    listed_close(&rows);
}

/* A bar per rank: in MPI, kept off its processor, the rest. What it was kept off may lie in MPI, so
 * the two are drawn beside each other, in a half of the bar each. */
static void ranks_picture(const struct profile *p, FILE *out)
{
    double longest = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        longest = p->ranks.at[i].wall > longest ? p->ranks.at[i].wall : longest;
    if (p->ranks.n < 2 || !(longest > 0))
        return;
    char wall[32];
    fprintf(
        out,
        "<h2>Ranks</h2><p class=faint>Height: wall time, up to %s."
        "<span class=k style=\"background:var(--work)\"></span>outside MPI"
        "<span class=k style=\"background:var(--mpi)\"></span>in MPI"
        "<span class=k style=\"background:var(--off)\"></span>ready, but without a processor</p>"
        "<svg class=ranks style=\"max-width:%zurem\" viewBox=\"0 0 %zu 100\" "
        "preserveAspectRatio=none role=img "
        "aria-label=\"time in MPI by rank; the table of ranks has the numbers\">\n",
        format_time(wall, longest * 1e9), 6 * p->ranks.n, 10 * p->ranks.n);
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        double whole = 100 * r->wall / longest, mpi = 100 * (double)r->mpi_ns / 1e9 / longest;
        double off = r->delayed_ns > 0 ? 100 * (double)r->delayed_ns / 1e9 / longest : 0;
        mpi = mpi > whole ? whole : mpi;
        off = off > whole ? whole : off;
        fprintf(out,
                "<g><title>rank %d</title><path fill=\"var(--work)\" d=\"M%zu 100v%.2fh9v%.2fz\"/>"
                "<path fill=\"var(--mpi)\" d=\"M%zu 100v%.2fh6v%.2fz\"/>"
                "<path fill=\"var(--off)\" d=\"M%zu 100v%.2fh3v%.2fz\"/></g>\n",
                r->rank, 10 * i, -whole, whole, 10 * i, -mpi, mpi, 10 * i + 6, -off, off);
    }
    fputs("</svg>", out);
}

static void fact(FILE *out, const char *key, const char *value)
{
    fprintf(out, "<dt>%s<dd>", key);
    quote_html(value, out);
}

static void facts(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    const struct noise n = noise_of(p);
    double wall = 0, longest = 0;
    char text[200], a[32], b[32];
    for (size_t i = 0; i < p->ranks.n; i++) {
        wall += p->ranks.at[i].wall * 1e9;
        longest = p->ranks.at[i].wall > longest ? p->ranks.at[i].wall : longest;
    }
    fputs("<dl>", out);
    for (size_t i = 0; i < p->programs.n; i++)
        fact(out, "application", p->programs.at[i]);
    for (size_t i = 0; i < p->libraries.n; i++)
        fact(out, "MPI", p->libraries.at[i]);
    for (size_t i = 0; i < p->hosts.n && i < 8; i++) {
        snprintf(text, sizeof text, "%s: %u ranks, %u processors", p->hosts.at[i].name,
                 p->hosts.at[i].ranks, p->hosts.at[i].processors);
        fact(out, "host", text);
    }
    fact(out, "wall time", format_time(a, longest * 1e9));
    snprintf(text, sizeof text, "%s per rank, %s of the run", format_time(a, v->mpi_ns / v->ranks),
             format_share(b, v->mpi_ns, wall));
    fact(out, "time in MPI", text);
    if (n.worst_rank < 0)
        snprintf(text, sizeof text, "not known");
    else
        snprintf(text, sizeof text, "without a processor %s of the run; at most %s (rank %d)",
                 format_share(a, n.mean, 1), format_share(b, n.share, 1), n.worst_rank);
    fact(out, "disturbed", text);
    fputs("</dl>", out);
}

/* The sentences of the text report, a list item each. */
static void in_short(const struct view *v, bool doubtful, FILE *out)
{
    char *text = text_sentences(v), *save = NULL;
    fprintf(out, "<div class=\"box%s\"><ul>", doubtful ? " bad" : "");
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        fputs("<li>", out);
        quote_html(line, out);
    }
    fputs("</ul></div>", out);
    free(text);
}

void data_html(const struct profile *p, const struct base_round *base, FILE *out)
{
    struct view v;
    view_open(&v, p, base);
    bool doubtful = noise_of(p).level == NOISE_SPOILED;
    char title[300];
    snprintf(title, sizeof title, "%.200s on %zu rank%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", p->ranks.n,
             p->ranks.n == 1 ? "" : "s");
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline'\">"
          "<title>collprof: ",
          out);
    quote_html(title, out);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>collprof: ", style);
    quote_html(title, out);
    fputs("</h1>\n", out);
    in_short(&v, doubtful, out);
    if (p->warnings.n) {
        fputs("<div class=\"box bad\"><ul>", out);
        for (size_t i = 0; i < p->warnings.n; i++) {
            fputs("<li>", out);
            quote_html(p->warnings.at[i], out);
        }
        fputs("</ul></div>", out);
    }
    facts(&v, out);
    ranks_picture(p, out);
    for (size_t i = 0; i < n_listings; i++)
        if (strcmp(listings[i].name, "entries") && strcmp(listings[i].name, "histograms"))
            write_listing(&listings[i], &v, doubtful, out);
    fprintf(out,
            "<p class=faint>What a column means is shown over its heading.</p>"
            "<script>%s</script></body></html>\n",
            script);
    view_close(&v);
}
