/* Pages for a browser: the documents of a run, with pictures, and of a benchmark. */
#include "base/text.h"
#include "document/page.h"
#include "export/export.h"
#include "report/efficiency.h"

#include <math.h>
#include <string.h>

static const struct column rank_columns[] = {
    {"rank", NULL, COLUMN_RANK, 0, NULL},
    {"part", NULL, COLUMN_TEXT, 0, "of its run"},
    {"time", NULL, COLUMN_TIME, 0, NULL},
};

static void rank_part(struct table *t, int32_t rank, const char *part, double ns)
{
    table_integer(t, rank);
    table_text(t, part);
    table_real(t, fmax(0, ns) / 1e9);
}

/* Parts that add up to the rank's wall time. Unknown for a rank that was killed in a call. Waiting
 * in messages is what a trace shows, or at least the time by which the rank that is outside of MPI
 * for LONGEST seconds exceeds this one, without this one's waiting in collectives. */
static void rank_parts(struct table *t, const struct profile *p, size_t at, double longest)
{
    const struct profile_rank *r = &p->ranks.at[at];
    bool known = r->collective_ns >= 0 && r->message_ns >= 0;
    double mpi = (double)r->mpi_ns, collective = known ? (double)r->collective_ns : 0,
           message = known ? (double)r->message_ns : 0, outside = 1e9 * rank_outside(r),
           wait = known ? fmax(0, (double)r->collective_wait_ns) : 0,
           shown = fmax((double)r->message_wait_ns, 1e9 * longest - outside - wait),
           wait_message = fmin(message, fmax(0, shown));
    if (r->in_call)
        return;
    rank_part(t, r->rank, "outside of MPI", outside);
    rank_part(t, r->rank, "waiting for late ranks", wait + wait_message);
    rank_part(t, r->rank, "messages", message - wait_message);
    rank_part(t, r->rank, "collectives", collective - wait);
    rank_part(t, r->rank, "other MPI calls", mpi - collective - message);
    if (r->injected_ns)
        rank_part(t, r->rank, "measurements of collprof", (double)r->injected_ns);
}

static void picture_ranks(struct document *d, const struct profile *p)
{
    if (p->ranks.n < 2)
        return;
    const double longest = efficiency_of(p).most;
    struct table *t = document_table_of(d, "rank_parts", "Time of each rank", rank_columns);
    for (size_t i = 0; i < p->ranks.n; i++)
        rank_parts(t, p, i, longest);
    document_picture(d, &(struct picture){.kind = PICTURE_BARS,
                                          .name = "ranks",
                                          .title = "Where the ranks spent their time",
                                          .table = "rank_parts",
                                          .x = "rank",
                                          .y = "time",
                                          .series = "part"});
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
                                              .y_label = "percent"});
}

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
