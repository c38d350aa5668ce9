#include "report/listings.h"

#include "report/figures_parts.h"

extern const struct figures calls_figures, histogram_figures, comm_figures, collective_figures,
    rank_figures, region_figures, wait_figures, message_figures, below_figures;
void list_operations(struct listed *rows, const struct profile *p);
void list_sites(struct listed *rows, const struct profile *p);
void list_requests(struct listed *rows, const struct profile *p);
void list_entries(struct listed *rows, const struct profile *p);
void list_buckets(struct listed *rows, const struct profile *p);
void list_comms(struct listed *rows, const struct profile *p);
void list_arrivals(struct listed *rows, const struct profile *p);
void list_ranks(struct listed *rows, const struct profile *p);
void list_waits(struct listed *rows, const struct profile *p);
void list_below(struct listed *rows, const struct profile *p);
void list_messages(struct listed *rows, const struct profile *p);
void list_regions(struct listed *rows, const struct profile *p);

const struct listing listings[] = {
    {"operations", "Time in MPI, by operation", "time in MPI, by operation", &calls_figures,
     IN_OPERATIONS, "time", list_operations, false},
    {"call_sites", "Time in MPI, by call site", "time in MPI, by operation and call site",
     &calls_figures, IN_SITES, "time", list_sites, false},
    {"requests", "Non-blocking requests, by the call that posted them",
     "non-blocking requests, by the call that posted them", &calls_figures, IN_REQUESTS, "wait",
     list_requests, false},
    {"collectives", "Arrival at collective operations",
     "which ranks arrive late at collective operations, and what it costs", &collective_figures, 0,
     "wait", list_arrivals, false},
    {"waits", "Wait states", "what calls waited for, and for which rank (--trace)", &wait_figures,
     0, "time", list_waits, false},
    {"transport", "Below MPI, by the call that started it",
     "what MPI did below its calls, by call site (--trace=transport)", &below_figures, 0, "sends",
     list_below, false},
    {"messages", "Messages", "messages by rank, peer and call site: the communication matrix",
     &message_figures, 0, "bytes", list_messages, false},
    {"communicators", "Time in MPI, by communicator",
     "communicators; those of one name, size and call site together", &comm_figures, 0, "time",
     list_comms, false},
    {"ranks", "Ranks", "the ranks", &rank_figures, 0, "mpi", list_ranks, false},
    {"regions", "Regions", "regions that the application named", &region_figures, 0, "time",
     list_regions, false},
    {"entries", "Entries",
     "by operation, call site, communicator, region and size; with the calls that start and end "
     "MPI, which are in no other table but that of histograms",
     &calls_figures, IN_ENTRIES, "time", list_entries, true},
    {"histograms", "Durations", "durations of the calls of each entry, a row per bucket",
     &histogram_figures, 0, NULL, list_buckets, true},
};
const size_t n_listings = sizeof listings / sizeof *listings;

const struct listing *listing_find(const char *name)
{
    for (size_t i = 0; i < n_listings; i++)
        if (!strcmp(listings[i].name, name))
            return &listings[i];
    return NULL;
}

bool listing_has(const struct listing *l, const struct figure *f)
{
    return !f->in || (f->in & l->in);
}

const struct figure *figure_find(const struct listing *l, const char *key)
{
    for (size_t i = 0; i < l->figures->n; i++)
        if (!strcmp(l->figures->at[i].column.name, key) && listing_has(l, &l->figures->at[i]))
            return &l->figures->at[i];
    return NULL;
}

/* --- sorting --- */

struct sorting {
    const struct view *v;
    const struct figure *by;
};

static int larger_first(const void *a, const void *b, void *arg)
{
    const struct sorting *s = arg;
    const char *const *x = a, *const *y = b;
    double of_x = s->by->get(s->v, *x), of_y = s->by->get(s->v, *y);
    int order =
        isnan(of_x) || isnan(of_y) ? isnan(of_x) - isnan(of_y) : (of_x < of_y) - (of_x > of_y);
    return order ? order : (*x > *y) - (*x < *y); /* qsort() need not keep the order of equals */
}

void listed_open(struct listed *rows, const struct listing *l, const struct view *v,
                 const char *key)
{
    *rows = (struct listed){0};
    l->list(rows, v->p);
    struct sorting s = {v, key ? figure_find(l, key) : NULL};
    if ((!s.by || !s.by->get) && l->sort)
        s.by = figure_find(l, l->sort);
    if (!s.by || !s.by->get || !rows->n)
        return;
    const char **place = memory_alloc(rows->n * sizeof *place);
    char *sorted = memory_alloc(rows->n * rows->size);
    for (size_t i = 0; i < rows->n; i++)
        place[i] = rows->at + i * rows->size;
    qsort_r(place, rows->n, sizeof *place, larger_first, &s);
    for (size_t i = 0; i < rows->n; i++)
        memcpy(sorted + i * rows->size, place[i], rows->size);
    free(place);
    free(rows->memory);
    rows->at = rows->memory = sorted;
}

void listed_close(struct listed *rows)
{
    rows_free(&rows->rows);
    free(rows->memory);
    *rows = (struct listed){0};
}

/* --- a listing as a table --- */

static void put_cell(struct table *t, const struct figure *f, const struct view *v, const void *row)
{
    char text[1000];
    double value = f->get ? f->get(v, row) : 0;
    if (f->text) {
        f->text(v, row, text, sizeof text);
        table_text(t, text);
    } else if (f->column.kind == COLUMN_TIME) {
        table_real(t, value / 1e9);
    } else if (f->column.kind == COLUMN_COUNT || f->column.kind == COLUMN_RANK) {
        table_integer_if(t, !isnan(value), (long long)fmin(value, 0x1p62));
    } else {
        table_real(t, value);
    }
}

/* The columns of L, which live as long as the program. */
static const struct column *columns_of(const struct listing *l, size_t *n)
{
    enum { MOST = 40 };
    static struct column columns[sizeof listings / sizeof *listings][MOST];
    struct column *of = columns[l - listings];
    *n = 0;
    for (size_t i = 0; i < l->figures->n && *n < MOST; i++)
        if (listing_has(l, &l->figures->at[i]))
            of[(*n)++] = l->figures->at[i].column;
    return of;
}

struct table *listing_table(struct document *d, const struct listing *l, const struct view *v,
                            const char *sort)
{
    struct listed rows;
    size_t n;
    const struct column *columns = columns_of(l, &n);
    struct table *t = document_table(d, l->name, l->title, columns, n);
    listed_open(&rows, l, v, sort);
    for (size_t k = 0; k < rows.n; k++)
        for (size_t i = 0; i < l->figures->n; i++)
            if (listing_has(l, &l->figures->at[i]))
                put_cell(t, &l->figures->at[i], v, rows.at + k * rows.size);
    listed_close(&rows);
    return t;
}
