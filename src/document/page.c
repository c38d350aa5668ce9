#include "document/page.h"

#include "base/memory.h"
#include "base/quote.h"

#include <stdlib.h>

/* Writes JSON for a script element. A '<' in a text could end the element, so it is escaped. */
static void put_json(const json_t *json, FILE *out)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (!text)
        memory_exhausted();
    for (const char *c = text; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    }
    free(text);
}

static void put_page(const json_t *json, const char *title, const char *text, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline'\">"
          "<title>collprof: ",
          out);
    quote_html(title, out);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>collprof: ", page_style);
    quote_html(title, out);
    fputs("</h1>\n<main></main>\n<noscript><pre>", out);
    quote_html(text, out);
    fprintf(out,
            "</pre></noscript>\n<p class=faint>Point at the heading of a column to see its "
            "meaning.%s</p><script type=\"application/json\" id=document>",
            *page_charts ? " Pictures: Chart.js, MIT licence, https://www.chartjs.org."
                         : " Built without Chart.js: tables instead of pictures.");
    put_json(json, out);
    fprintf(out, "</script>\n<script>%s</script>\n<script>%s</script></body></html>\n", page_charts,
            page_script);
}

void page_write(const struct document *d, const char *title, FILE *out)
{
    char *text;
    size_t size;
    json_t *json = document_json(d);
    FILE *memory = memory_open_text(&text, &size);
    document_write(d, memory, FORMAT_TEXT);
    fclose(memory);
    put_page(json, title, text, out);
    free(text);
    json_decref(json);
}

void page_write_json(const json_t *json, const char *title, FILE *out)
{
    put_page(json, title, "Enable JavaScript to see the results.", out);
}
