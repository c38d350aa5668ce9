/* Measurements on the page: what was injected into a run, and the documents that the benchmarks
 * write. Both are tables of whatever they hold. */
#include "data/html.h"

#include "base/format.h"
#include "base/quote.h"
#include "data/html_measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void text_cell(const json_t *value, const char *text, FILE *out)
{
    if (json_is_number(value))
        fprintf(out, "<td data-v=\"%.17g\">", json_number_value(value));
    else
        fputs(!json_is_string(value) ? "<td data-v=\"\">"
              : strlen(text) > 40    ? "<td class=\"t long\">"
                                     : "<td class=t>",
              out);
    quote_html(text, out);
}

static void value_cell(const char *key, const json_t *value, FILE *out)
{
    char text[1000];
    finding_value(key, value, text, sizeof text);
    text_cell(value, text, out);
}

static void open_table(const char *id, size_t number, const char *title, FILE *out)
{
    fprintf(out, "<section class=l id=%s-%zu><h2>", id, number);
    quote_html(title, out);
    fputs("</h2><div class=wide tabindex=0 role=region aria-label=\"", out);
    quote_html(title, out);
    fputs("\"><table><thead><tr>", out);
}

static void close_table(FILE *out)
{
    fputs("</tbody></table></div></section>\n", out);
}

/* --- of a run --- */

/* A bar from 0, and the interval. */
static void bar(const json_t *value, const json_t *low, const json_t *high, double most, FILE *out)
{
    double from = json_number_value(low), to = json_number_value(high);
    fputs("<td class=t>", out);
    if (!(most > 0) || !json_is_number(value))
        return;
    fprintf(out,
            "<svg class=d viewBox=\"0 0 100 20\" preserveAspectRatio=none role=img "
            "aria-label=\"bar and interval\"><path d=\"M0 4h%.1fv12h-%.1fz\"/>",
            100 * json_number_value(value) / most, 100 * json_number_value(value) / most);
    if (to > from)
        fprintf(out, "<path fill=\"var(--ink)\" d=\"M%.1f 9h%.1fv2h-%.1fz\"/>", 100 * from / most,
                100 * (to - from) / most, 100 * (to - from) / most);
    fputs("</svg>", out);
}

static double largest(const json_t *rows, const char *key, double most)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        most = fmax(most, json_number_value(json_object_get(json_array_get(rows, i), key)));
    return most;
}

static void table_of(const struct finding_kind *as, const json_t *rows, FILE *out)
{
    struct finding_column column[FINDING_COLUMNS];
    const json_t *first = json_array_get(rows, 0);
    char text[1000], upper[100];
    size_t n = finding_columns(as, first, column), at;
    bool has_bar = finding_interval(column, n, first, &at, upper, sizeof upper);
    const char *measured = has_bar ? column[at - 1].key : "";
    double most = largest(rows, upper, largest(rows, measured, 0));
    for (size_t c = 0; c < n; c++) {
        finding_head(&column[c], first, text, sizeof text);
        html_head(out, column[c].key, text, column[c].key,
                  json_is_string(json_object_get(first, column[c].key)));
    }
    if (has_bar)
        html_head(out, "bar", "from 0 on", "the same as a bar, with its 95 % interval", true);
    if (json_object_get(first, "remark"))
        html_head(out, "remark", "remark", "what else is to be known of it", true);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        fputs("<tr>", out);
        for (size_t c = 0; c < n; c++) {
            finding_cell(column[c].key, row, text, sizeof text);
            text_cell(json_object_get(row, column[c].key), text, out);
        }
        if (has_bar)
            bar(json_object_get(row, measured), json_object_get(row, column[at].key),
                json_object_get(row, upper), most, out);
        if (json_object_get(first, "remark"))
            value_cell("remark", json_object_get(row, "remark"), out);
        fputc('\n', out);
    }
}

static void facts_of(const json_t *finding, FILE *out)
{
    const char *key, *between = "<p class=faint>";
    json_t *value;
    char name[100], text[1000];
    json_object_foreach((json_t *)finding, key, value)
    {
        if (json_is_array(value) || json_is_object(value) || json_is_null(value))
            continue;
        finding_key(key, name, sizeof name);
        finding_value(key, value, text, sizeof text);
        fputs(between, out);
        quote_html(name, out);
        fputs(" <b>", out);
        quote_html(text, out);
        fputs("</b>", out);
        between = ", ";
    }
    fputs("</p>\n", out);
}

void html_findings(const struct profile *p, FILE *out)
{
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *finding = p->findings.at[i].value, *rows = finding_rows(finding);
        const struct finding_kind *as = finding_kind(p->findings.at[i].kind);
        json_t *alone = NULL;
        if (!rows && json_is_object(finding) && json_object_size(finding))
            rows = alone = json_pack("[O]", finding);
        if (!rows)
            continue;
        const char *operation = json_string_value(json_object_get(finding, "operation"));
        char title[200], bytes[32];
        snprintf(title, sizeof title, operation && !alone ? "%s: %.60s of %s" : "%s", as->title,
                 operation,
                 format_bytes(bytes, json_number_value(json_object_get(finding, "bytes"))));
        open_table("finding", i, title, out);
        table_of(as, rows, out);
        close_table(out);
        if (!alone)
            facts_of(finding, out);
        html_schedule(json_object_get(finding, "schedule"), out);
        if (as->legend &&
            (i + 1 == p->findings.n || strcmp(p->findings.at[i].kind, p->findings.at[i + 1].kind)))
            fprintf(out, "<p class=faint>%s</p>\n", as->legend);
        json_decref(alone);
    }
}

/* --- documents of the benchmarks: src/document/document.h --- */

static bool is_table(const json_t *value)
{
    return json_is_array(value) && json_is_object(json_array_get(value, 0)) &&
           json_object_size(json_array_get(value, 0));
}

/* Times to as many digits as a benchmark's text has, whatever their size. */
static void measured_cell(const char *unit, const json_t *value, FILE *out)
{
    static const char *const units[] = {"us", "ms", "s"};
    double figure = json_number_value(value);
    char text[40];
    size_t u = 0;
    if (!json_is_number(value) || (strcmp(unit, "us") && strcmp(unit, "B"))) {
        value_cell("", value, out);
        return;
    }
    if (*unit == 'B') {
        format_bytes(text, figure);
    } else {
        for (; fabs(figure) >= 9999.5 && u < 2; u++)
            figure /= 1e3;
        snprintf(text, sizeof text, "%.*f %s", fabs(figure) < 99.995 ? 2 : 1, figure, units[u]);
    }
    text_cell(value, text, out);
}

static void html_document_table(const char *name, const json_t *table, size_t number, FILE *out)
{
    const json_t *columns = json_object_get(table, "columns"),
                 *rows = json_object_get(table, "rows");
    const json_t *title = json_object_get(table, "title");
    if (!is_table(columns) || !is_table(rows))
        return;
    open_table("table", number, json_is_string(title) ? json_string_value(title) : name, out);
    for (size_t c = 0; c < json_array_size(columns); c++) {
        const json_t *column = json_array_get(columns, c);
        const char *key = json_string_value(json_object_get(column, "name")),
                   *unit = json_string_value(json_object_get(column, "unit")),
                   *meaning = json_string_value(json_object_get(column, "meaning"));
        char head[200], heading[120];
        finding_key(key ? key : "", heading, sizeof heading);
        bool in_cell = unit && (!strcmp(unit, "us") || !strcmp(unit, "B"));
        snprintf(head, sizeof head, unit && !in_cell ? "%.100s (%.40s)" : "%.100s", heading, unit);
        html_head(out, key ? key : "", head, meaning ? meaning : head,
                  key && json_is_string(json_object_get(json_array_get(rows, 0), key)));
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        fputs("<tr>", out);
        for (size_t c = 0; c < json_array_size(columns); c++) {
            const json_t *column = json_array_get(columns, c);
            const char *key = json_string_value(json_object_get(column, "name")),
                       *unit = json_string_value(json_object_get(column, "unit"));
            measured_cell(unit ? unit : "",
                          key ? json_object_get(json_array_get(rows, i), key) : NULL, out);
        }
        fputc('\n', out);
    }
    close_table(out);
}

/* 0, hidden: blue; 1, nothing hidden: vermillion; between: as dense as it is far from the middle.
 * Not known: empty; not certain: crossed. */
static void map_cell(size_t x, size_t y, const json_t *ratio, bool doubtful, const char *title,
                     FILE *out)
{
    double value = json_is_number(ratio) ? fmin(fmax(json_number_value(ratio), 0), 1) : NAN;
    fprintf(out, "<rect x=%zu y=%zu width=30 height=22 stroke=\"var(--line)\" ", x, y);
    if (isnan(value))
        fputs("fill=none>", out);
    else
        fprintf(out, "fill=\"var(--%s)\" fill-opacity=\"%.2f\">", value < 0.5 ? "accent" : "late",
                2 * fabs(value - 0.5));
    fprintf(out, "<title>%s, %s", title, isnan(value) ? "not known" : "ratio ");
    if (!isnan(value))
        fprintf(out, "%.2f%s", json_number_value(ratio), doubtful ? ", not certain" : "");
    fputs("</title></rect>", out);
    if (doubtful)
        fprintf(out, "<path stroke=\"var(--ink)\" d=\"M%zu %zul30 22m0 -22l-30 22\"/>", x, y);
}

static void document_map(const json_t *map, FILE *out)
{
    const json_t *x = json_object_get(map, "bytes"), *y = json_object_get(map, "comp_us"),
                 *ratio = json_object_get(map, "ratio"), *doubt = json_object_get(map, "doubt");
    const char *title = json_string_value(json_object_get(map, "title"));
    bool by_threads = json_is_true(json_object_get(map, "by_threads"));
    y = json_is_array(y) ? y : json_object_get(map, "threads");
    size_t nx = json_array_size(x), ny = json_array_size(y);
    if (by_threads || !nx || !ny || json_array_size(ratio) != ny)
        return;
    fputs("<figure><figcaption>", out);
    quote_html(title ? title : "", out);
    fprintf(out,
            "</figcaption><div class=chart tabindex=0 role=region aria-label=\"overlap map\"><svg "
            "class=map style=\"max-width:%zupx;min-width:%zupx\" viewBox=\"0 0 %zu %zu\" role=img "
            "aria-label=\"overlap by size and computation; the table of cells has the numbers\">",
            90 + 30 * nx, 90 + 30 * nx, 90 + 30 * nx, 40 + 22 * ny);
    for (size_t r = 0; r < ny; r++) {
        char time[32], bytes[32], text[100];
        size_t top = 22 * (ny - 1 - r);
        const json_t *row = json_array_get(ratio, r), *doubts = json_array_get(doubt, r);
        format_time(time, 1e3 * json_number_value(json_array_get(y, r)));
        fprintf(out, "<text x=72 y=%zu text-anchor=end>%s</text>", top + 16, time);
        for (size_t c = 0; c < nx; c++) {
            const json_t *d = json_array_get(doubts, c);
            format_bytes(bytes, json_number_value(json_array_get(x, c)));
            snprintf(text, sizeof text, "%s, %s of computation", bytes, time);
            map_cell(80 + 30 * c, top, json_array_get(row, c),
                     json_is_true(d) || json_number_value(d) > 0, text, out);
        }
    }
    for (size_t c = 0; c < nx; c += 2) {
        char bytes[32];
        fprintf(out, "<text x=%zu y=%zu>%s</text>", 80 + 30 * c, 22 * ny + 18,
                format_bytes(bytes, json_number_value(json_array_get(x, c))));
    }
    fputs("</svg></div></figure>", out);
}

static void document_maps(const json_t *maps, FILE *out)
{
    if (!is_table(maps))
        return;
    fputs("<h2>Overlap</h2><p>Message size to the right, computation upwards. ", out);
    html_key(out, "accent", "the shorter of the two is hidden");
    html_key(out, "late",
             "one after the other; pale: in part; crossed: not certain; empty: not known");
    fputs("</p>", out);
    for (size_t i = 0; i < json_array_size(maps); i++)
        document_map(json_array_get(maps, i), out);
}

bool data_is_document(const json_t *document)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    return schema && !strncmp(schema, "collbench-", 10) &&
           json_is_object(json_object_get(document, "tables"));
}

/* A method's name and what it is stand in two columns in a text. */
static void note_item(const char *note, FILE *out)
{
    size_t n = strcspn(note, " "), blanks = strspn(note + n, " ");
    char name[40];
    fputs("<li>", out);
    if (blanks > 1 && n < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)n, note);
        quote_html(name, out);
        fputs(": ", out);
        note += n + blanks;
    }
    quote_html(note, out);
}

/* What of the header says that the figures mean little, on top as on a profile's page. */
static void document_doubts(const json_t *header, FILE *out)
{
    const char *key, *begin = "<section class=\"box bad\"><h2>The times mean little</h2><ul>",
                     *end = "";
    json_t *value;
    json_object_foreach((json_t *)header, key, value)
    {
        const char *said = json_is_string(value) ? json_string_value(value) : "";
        if (!strstr(said, "not to be relied on") && !strstr(said, "not meaningful"))
            continue;
        fprintf(out, "%s<li>", begin);
        quote_html(key, out);
        fputs(": ", out);
        quote_html(said, out);
        begin = "";
        end = "</ul></section>";
    }
    fputs(end, out);
}

void data_html_document(const json_t *document, FILE *out)
{
    const json_t *tables = json_object_get(document, "tables"),
                 *header = json_object_get(document, "header"),
                 *notes = json_object_get(document, "notes");
    const char *schema = json_string_value(json_object_get(document, "schema")), *key;
    json_t *value;
    size_t number = 0;
    const char *slash = strchr(schema, '/');
    char title[100], *drawn = NULL;
    size_t size;
    FILE *part = memory_open_text(&drawn, &size);
    bool curves = html_curves_of(tables, part);
    fclose(part);
    snprintf(title, sizeof title, "%.*s", slash && slash - schema < 90 ? (int)(slash - schema) : 90,
             schema);
    html_begin(out, title, curves);
    document_doubts(header, out);
    for (int ranks = 0; ranks < 2; ranks++) { /* where each rank is: many lines, folded up */
        fputs(ranks ? "<details><summary>each rank's host</summary><dl>" : "<dl>", out);
        json_object_foreach((json_t *)header, key, value)
        {
            char text[1000];
            if ((strncmp(key, "rank ", 5) == 0) != (ranks == 1))
                continue;
            finding_value("", value, text, sizeof text);
            fputs("<dt>", out);
            quote_html(key, out);
            fputs("<dd>", out);
            quote_html(text, out);
        }
        fputs(ranks ? "</dl></details>" : "</dl>", out);
    }
    if (json_array_size(notes)) {
        fputs("<div class=box><ul>", out);
        for (size_t i = 0; i < json_array_size(notes); i++) {
            const char *note = json_string_value(json_array_get(notes, i));
            note_item(note ? note : "", out);
        }
        fputs("</ul></div>", out);
    }
    fputs(drawn, out);
    document_maps(json_object_get(document, "maps"), out);
    html_schedule(json_object_get(document, "schedule"), out);
    html_paths(json_object_get(json_object_get(tables, "path"), "rows"), out);
    json_object_foreach((json_t *)tables, key, value)
        html_document_table(key, value, number++, out);
    html_end(out, curves);
    free(drawn);
}
