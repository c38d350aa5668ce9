/* A run as a page for a browser: the report's document with pictures. */
#include "document/page.h"
#include "export/export.h"

#include <math.h>

static const struct picture pictures[] = {
    {.kind = PICTURE_BARS,
     .title = "Where the ranks spent their time",
     .table = "ranks",
     .x = "rank",
     .columns = (const char *const[]){"outside", "waiting", "messages", "collectives", "other",
                                      "measuring", NULL},
     .y_label = "time"},
    {.kind = PICTURE_LINES,
     .name = "efficiency",
     .title = "Parallel efficiency over time",
     .table = "slices",
     .x = "begin",
     .columns = (const char *const[]){"efficiency", "load_balance", "communication", NULL},
     .x_label = "since the start of the run",
     .y_label = "percent"},
};

static bool write_page(const struct export_request *r, struct profile *p, FILE *out)
{
    char title[RUN_TITLE];
    json_decref(export_verdict(r, p, NULL));
    struct document *d = report_document(p, &r->options);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (table_rows(document_find_table(d, pictures[i].table)) > 1)
            document_picture(d, &pictures[i]);
    const bool drawn = r->trace && picture_timeline(d, r->trace, &r->view);
    page_write(d, run_title(r->trace ? r->trace : p, title), out);
    document_free(d);
    return drawn || (isnan(r->view.from) && isnan(r->view.to)) ||
           reason_give("--from and --to: no timeline: %s",
                       p->trace.on ? "no MPI call is in that time"
                                   : "the run was not traced: use: collprof run --trace");
}

/* A page for a browser, with all tables and pictures; it writes DIR/report.html. */
const struct export_format export_html = {.name = "html",
                                          .file = "report.html",
                                          .note = ": open it in a browser",
                                          .events = EVENTS_BESIDE,
                                          .write = write_page};
