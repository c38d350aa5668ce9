/* The page of a run for a browser: the report's document, with pictures. */
#include "document/page.h"
#include "export/export.h"

/* The parts of each rank's run, of the report's table "ranks". */
static void picture_ranks(struct document *d, const struct profile *p)
{
    static const char *const parts[] = {"outside", "waiting",   "messages", "collectives",
                                        "other",   "measuring", NULL};
    if (p->ranks.n > 1)
        document_picture(d, &(struct picture){.kind = PICTURE_BARS,
                                              .name = "ranks",
                                              .title = "Where the ranks spent their time",
                                              .table = "ranks",
                                              .x = "rank",
                                              .columns = parts,
                                              .y_label = "time"});
}

/* Over time, of the report's table "slices". */
static void picture_efficiency(struct document *d, const struct profile *p)
{
    static const char *const factors[] = {"efficiency", "load_balance", "communication", NULL};
    if (p->slices.n)
        document_picture(d, &(struct picture){.kind = PICTURE_LINES,
                                              .name = "efficiency",
                                              .title = "Parallel efficiency over time",
                                              .table = "slices",
                                              .x = "begin",
                                              .columns = factors,
                                              .x_label = "since the start of the run",
                                              .y_label = "percent"});
}

bool export_page(const struct profile *p, const struct profile *trace,
                 const struct timeline_view *view, const struct report_options *o, FILE *out)
{
    struct document *d = report_document(p, o);
    char title[RUN_TITLE];
    picture_ranks(d, p);
    picture_efficiency(d, p);
    const bool has_timeline = trace && picture_timeline(d, trace, view);
    page_write(d, run_title(trace ? trace : p, title), out);
    document_free(d);
    return has_timeline;
}
