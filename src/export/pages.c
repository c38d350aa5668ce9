/* Pages for a browser: the documents of a run and of a benchmark. */
#include "base/text.h"
#include "document/page.h"
#include "export/export.h"

#include <string.h>

bool export_page(const struct profile *p, const struct profile *trace,
                 const struct timeline_view *view, const struct report_options *o, FILE *out)
{
    struct document *d = report_document(p, o);
    char title[300], all[24] = "";
    picture_ranks(d, p);
    picture_efficiency(d, p);
    const bool has_timeline = trace && picture_timeline(d, trace, view);
    const size_t ranks = trace ? trace->ranks.n : p->ranks.n; /* a trace may lack some */
    if ((int64_t)ranks < p->size)
        snprintf(all, sizeof all, " of %d", p->size);
    snprintf(title, sizeof title, "%.200s on %zu%s rank%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", ranks, all,
             !*all && ranks == 1 ? "" : "s");
    page_write(d, title, out);
    document_free(d);
    return has_timeline;
}

bool export_document_page(const json_t *json, FILE *out)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    char title[100];
    if (!schema || strncmp(schema, "collbench-", 10) != 0 ||
        !json_is_object(json_object_get(json, "tables")))
        return false;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(schema, "/"), schema);
    page_write_json(json, title, out);
    return true;
}
