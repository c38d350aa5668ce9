/* Measurements on the page: what was injected into a run, and the documents that the benchmarks
 * write. Both are tables of whatever they hold. */
#include "data/html.h"

#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void value_text(const char *key, const json_t *value, char *text, size_t room)
{
    char figure[32];
    if (json_is_string(value))
        snprintf(text, room, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, room, "%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_null(value) || !json_is_number(value))
        snprintf(text, room, "-");
    else if (text_ends_with(key, "_ns"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value)));
    else if (text_ends_with(key, "_us"))
        snprintf(text, room, "%s", format_time(figure, json_number_value(value) * 1e3));
    else if (json_is_integer(value))
        snprintf(text, room, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, room, "%.5g", json_real_value(value));
}

static void value_cell(const char *key, const json_t *value, FILE *out)
{
    char text[1000];
    value_text(key, value, text, sizeof text);
    if (json_is_number(value))
        fprintf(out, "<td data-v=\"%.17g\">", json_number_value(value));
    else
        fputs(json_is_string(value) ? "<td class=t>" : "<td data-v=\"\">", out);
    quote_html(text, out);
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

static bool is_table(const json_t *value)
{
    return json_is_array(value) && json_is_object(json_array_get(value, 0)) &&
           json_object_size(json_array_get(value, 0));
}

/* A bar from 0 and, where there is one, the interval of the first figure that has one. */
static void interval(const json_t *row, const char *name, double most, FILE *out)
{
    char key[100], low_key[100], high_key[100];
    snprintf(key, sizeof key, "%s_us", name);
    snprintf(low_key, sizeof low_key, "%s_low_us", name);
    snprintf(high_key, sizeof high_key, "%s_high_us", name);
    double value = json_number_value(json_object_get(row, key)),
           low = json_number_value(json_object_get(row, low_key)),
           high = json_number_value(json_object_get(row, high_key));
    fputs("<td class=t>", out);
    if (!(most > 0) || !json_is_number(json_object_get(row, key)))
        return;
    fprintf(
        out,
        "<svg class=d viewBox=\"0 0 100 20\" preserveAspectRatio=none role=img aria-label=\"bar "
        "and interval\"><path d=\"M0 4h%.1fv12h-%.1fz\"/>",
        100 * value / most, 100 * value / most);
    if (high > low)
        fprintf(out, "<path fill=\"var(--ink)\" d=\"M%.1f 9h%.1fv2h-%.1fz\"/>", 100 * low / most,
                100 * (high - low) / most, 100 * (high - low) / most);
    fputs("</svg>", out);
}

/* The name of the first figure with an interval: "ol" for ol_low_us. */
static bool with_interval(const json_t *row, char name[64])
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)row, key, value)
    {
        if (!text_ends_with(key, "_low_us"))
            continue;
        snprintf(name, 64, "%.*s", (int)(strlen(key) - 7), key);
        return true;
    }
    return false;
}

static double largest(const json_t *rows, const char *name)
{
    char key[100];
    double most = 0;
    for (int end = 0; end < 2; end++) {
        snprintf(key, sizeof key, end ? "%s_high_us" : "%s_us", name);
        for (size_t i = 0; i < json_array_size(rows); i++)
            most = fmax(most, json_number_value(json_object_get(json_array_get(rows, i), key)));
    }
    return most;
}

static void plain_name(const char *key, char *name, size_t room)
{
    snprintf(name, room, "%s", key);
    if (text_ends_with(name, "_us") || text_ends_with(name, "_ns"))
        name[strlen(name) - 3] = '\0';
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

static void finding_rows(const json_t *rows, FILE *out)
{
    const char *key;
    const json_t *first = json_array_get(rows, 0);
    json_t *value;
    char name[100], measured[64] = "";
    bool has_interval = with_interval(first, measured);
    double most = has_interval ? largest(rows, measured) : 0;
    json_object_foreach((json_t *)first, key, value)
    {
        plain_name(key, name, sizeof name);
        html_head(out, key, name, key, json_is_string(value));
    }
    if (has_interval)
        html_head(out, "bar", measured, "from 0 on, with the 95 % interval", true);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        fputs("<tr>", out);
        json_object_foreach((json_t *)first, key, value)
            value_cell(key, json_object_get(row, key), out);
        if (has_interval)
            interval(row, measured, most, out);
        fputc('\n', out);
    }
}

static void finding_facts(const json_t *finding, FILE *out)
{
    const char *key;
    json_t *value;
    char name[100], text[1000];
    fputs("<p class=faint>", out);
    json_object_foreach((json_t *)finding, key, value)
    {
        if (json_is_array(value) || json_is_object(value) || json_is_null(value))
            continue;
        plain_name(key, name, sizeof name);
        value_text(key, value, text, sizeof text);
        quote_html(name, out);
        fputs(" <b>", out);
        quote_html(text, out);
        fputs("</b>, ", out);
    }
    fputs("</p>\n", out);
}

void html_findings(const struct profile *p, FILE *out)
{
    static const struct {
        const char *kind, *title;
    } known[] = {{"ack", "Broadcast latency by destination, by injected acknowledgements"},
                 {"benchmark", "Measuring methods side by side, before the application's call"},
                 {"broadcast", "Broadcast replaced"}};
    for (size_t i = 0; i < p->findings.n; i++) {
        const json_t *finding = p->findings.at[i].value, *rows = NULL;
        const char *key, *title = p->findings.at[i].kind;
        json_t *value;
        json_object_foreach((json_t *)finding, key, value) if (!rows && is_table(value)) rows =
            value;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            title = strcmp(title, known[k].kind) ? title : known[k].title;
        json_t *alone = NULL;
        if (!rows && json_is_object(finding) && json_object_size(finding))
            rows = alone = json_pack("[O]", finding);
        if (!rows)
            continue;
        open_table("finding", i, title, out);
        finding_rows(rows, out);
        close_table(out);
        if (!alone)
            finding_facts(finding, out);
        json_decref(alone);
    }
}

/* --- documents of the benchmarks: src/results/document.h --- */

static void document_table(const char *name, const json_t *table, size_t number, FILE *out)
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
        plain_name(key ? key : "", heading, sizeof heading);
        snprintf(head, sizeof head, unit ? "%.100s (%.40s)" : "%.100s", heading, unit);
        html_head(out, key ? key : "", head, meaning ? meaning : head,
                  key && json_is_string(json_object_get(json_array_get(rows, 0), key)));
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        fputs("<tr>", out);
        for (size_t c = 0; c < json_array_size(columns); c++) {
            const char *key =
                json_string_value(json_object_get(json_array_get(columns, c), "name"));
            value_cell("", key ? json_object_get(json_array_get(rows, i), key) : NULL, out);
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
        fprintf(out, "fill=\"var(--%s)\" fill-opacity=\"%.2f\">",
                value < 0.5 ? "collectives" : "late", 2 * fabs(value - 0.5));
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
    fputs("<h2>Overlap</h2><p>Message size to the right, computation upwards.<span class=k "
          "style=\"background:var(--accent)\"></span>the shorter of the two is hidden<span "
          "class=k style=\"background:var(--late)\"></span>one after the other; pale: in part; "
          "crossed: not certain; empty: not known</p>",
          out);
    for (size_t i = 0; i < json_array_size(maps); i++)
        document_map(json_array_get(maps, i), out);
}

bool data_is_document(const json_t *document)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    return schema && !strncmp(schema, "collbench-", 10) &&
           json_is_object(json_object_get(document, "tables"));
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
    char title[100];
    snprintf(title, sizeof title, "%.*s", slash && slash - schema < 90 ? (int)(slash - schema) : 90,
             schema);
    html_begin(out, title, false);
    fputs("<dl>", out);
    json_object_foreach((json_t *)header, key, value)
    {
        char text[1000];
        value_text("", value, text, sizeof text);
        fputs("<dt>", out);
        quote_html(key, out);
        fputs("<dd>", out);
        quote_html(text, out);
    }
    fputs("</dl>", out);
    if (json_array_size(notes)) {
        fputs("<div class=box><ul>", out);
        for (size_t i = 0; i < json_array_size(notes); i++) {
            const char *note = json_string_value(json_array_get(notes, i));
            fputs("<li>", out);
            quote_html(note ? note : "", out);
        }
        fputs("</ul></div>", out);
    }
    document_maps(json_object_get(document, "maps"), out);
    json_object_foreach((json_t *)tables, key, value) document_table(key, value, number++, out);
    html_end(out, false);
}
