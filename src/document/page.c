#include "document/page.h"

#include "base/memory.h"
#include "base/quote.h"

#include <stdlib.h>

/* JSON inside of a script element: '<', which is in texts only, would end it. */
static bool put_json(const struct document *d, FILE *out)
{
    json_t *json = document_json(d);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    for (const char *c = text; c && *c; c++) {
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    }
    free(text);
    json_decref(json);
    return text != NULL;
}

static void put_text(const struct document *d, const char *text, FILE *out)
{
    char *written = NULL;
    size_t size;
    if (!text) {
        FILE *memory = memory_open_text(&written, &size);
        document_write(d, memory, FORMAT_TEXT);
        fclose(memory);
    }
    fputs("<noscript><pre>", out);
    quote_html(text ? text : written, out);
    fputs("</pre></noscript>\n", out);
    free(written);
}

bool page_write(const struct document *d, const char *title, const char *text, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline'\">"
          "<title>collprof: ",
          out);
    quote_html(title, out);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>collprof: ", page_style);
    quote_html(title, out);
    fputs("</h1>\n<main></main>\n", out);
    put_text(d, text, out);
    fputs("<p class=faint>The meaning of a column is shown over its heading.", out);
    if (*page_charts)
        fprintf(out, " Pictures: Chart.js, MIT licence, https://www.chartjs.org.");
    fputs("</p><script type=\"application/json\" id=document>", out);
    bool good = put_json(d, out);
    fprintf(out, "</script>\n<script>%s</script>\n<script>%s</script></body></html>\n", page_charts,
            page_script);
    return good;
}
