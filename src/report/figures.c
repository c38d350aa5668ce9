#include "report/figures_inner.h"

#include "base/format.h"
#include "profile/noise.h"

#include <stdlib.h>

const struct listing listings[] = {
    {"operations", "time in MPI, by operation", &calls_figures, IN_OPERATIONS, list_operations},
    {"call_sites", "time in MPI and requests, by operation and call site", &calls_figures, IN_SITES,
     list_sites},
    {"collectives", "who is late to collective operations, and what it costs", &collective_figures,
     0, list_arrivals},
    {"waits", "wait states: what calls waited for, and for which rank (--trace)", &wait_figures, 0,
     list_waits},
    {"transport", "what MPI did below its calls, by call site (--trace=transport)", &below_figures,
     0, list_below},
    {"messages", "messages by rank, peer and call site: the communication matrix", &message_figures,
     0, list_messages},
    {"ranks", "the ranks", &rank_figures, 0, list_ranks},
    {"regions", "regions that the application named", &region_figures, 0, list_regions},
    {"communicators", "communicators; of one name, size and place where they are made, together",
     &comm_figures, 0, list_comms},
    {"entries",
     "by operation, call site, communicator, region and size; with the calls that start and end "
     "MPI, which are in no other table but that of histograms",
     &calls_figures, IN_ENTRIES, list_entries},
    {"histograms", "durations of the calls of each entry, a row per bucket", &histogram_figures, 0,
     list_buckets},
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
        if (!strcmp(l->figures->at[i].key, key) && listing_has(l, &l->figures->at[i]))
            return &l->figures->at[i];
    return NULL;
}

struct sorting {
    const struct view *v;
    const struct figure *by, *time;
};

static int larger_first(const void *a, const void *b, void *arg)
{
    const struct sorting *s = arg;
    const struct figure *by[] = {s->by, s->time};
    for (int i = 0; i < 2; i++) {
        double x = by[i] ? by[i]->get(s->v, a) : 0, y = by[i] ? by[i]->get(s->v, b) : 0;
        if (isnan(x) || isnan(y)) {
            if (isnan(x) != isnan(y))
                return isnan(x) ? 1 : -1;
        } else if (x != y) {
            return x > y ? -1 : 1;
        }
    }
    return 0;
}

/* qsort() need not keep the order of equals: positions decide. */
struct place {
    const void *row;
    size_t at;
    struct sorting *s;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = larger_first(x->row, y->row, x->s);
    return order ? order : (x->at < y->at ? -1 : 1);
}

void listed_open(struct listed *rows, const struct listing *l, const struct view *v,
                 const char *key)
{
    *rows = (struct listed){0};
    l->list(rows, v->p);
    struct sorting s = {v, key ? figure_find(l, key) : NULL, figure_find(l, "time")};
    if ((!s.by || !s.by->get) && !(s.by = s.time))
        return; /* in the order that they have */
    struct place *place = memory_alloc((rows->n + 1) * sizeof *place);
    char *sorted = memory_alloc(rows->n * rows->size + 1);
    for (size_t i = 0; i < rows->n; i++)
        place[i] = (struct place){rows->at + i * rows->size, i, &s};
    qsort(place, rows->n, sizeof *place, compare_places);
    for (size_t i = 0; i < rows->n; i++)
        memcpy(sorted + i * rows->size, place[i].row, rows->size);
    free(place);
    free(rows->memory);
    rows->at = rows->memory = sorted;
}

void listed_close(struct listed *rows)
{
    profile_free(rows->owner);
    free(rows->memory);
    *rows = (struct listed){0};
}

double figure_data(const struct figure *f, const struct view *v, const void *row)
{
    double value = f->get(v, row);
    return f->unit == UNIT_TIME ? value / 1e3 : value;
}

void figure_name(const struct figure *f, char name[64])
{
    static const char *const unit[] = {
        [UNIT_TIME] = "_us", [UNIT_SHARE] = "_percent", [UNIT_BYTES] = "_bytes"};
    const char *end = f->unit < sizeof unit / sizeof *unit ? unit[f->unit] : NULL;
    snprintf(name, 64, "%s%s", f->key, end && strcmp(f->key, "bytes") != 0 ? end : "");
}

/* Figures with their units right behind them: a table has no room for spaces. */
static void unspaced(char *text, size_t room, const char *from)
{
    size_t figure = strcspn(from, " ");
    snprintf(text, room, "%.*s%s", (int)figure, from, from[figure] ? from + figure + 1 : "");
}

void figure_show(const struct figure *f, double value, char *text, size_t room)
{
    char shown[32] = "", bytes[32];
    if (isnan(value))
        snprintf(shown, sizeof shown, "-");
    else if (f->unit == UNIT_TIME)
        format_time(shown, value);
    else if (f->unit == UNIT_BYTES)
        snprintf(shown, sizeof shown, "%s", value > 0 ? format_bytes(bytes, value) : "");
    else if (f->unit == UNIT_COUNT)
        format_count(shown, whole_count(value));
    else
        snprintf(shown, sizeof shown, "%.1f", value);
    unspaced(text, room, shown);
}

void figure_brief(const struct figure *f, const struct view *v, const void *row, char *text,
                  size_t room)
{
    if (f->brief || f->unit == UNIT_TEXT)
        (f->brief ? f->brief : f->text)(v, row, text, room);
    else
        figure_show(f, f->get(v, row), text, room);
}

void view_open(struct view *v, const struct profile *p)
{
    *v = (struct view){.p = p, .ranks = p->ranks.n ? (double)p->ranks.n : 1};
    v->mpi_ns = profile_mpi_ns(p);
    v->spoiled = noise_of(p).level == NOISE_SPOILED;
    v->label = site_labels(p);
}

void view_close(struct view *v)
{
    site_labels_free(v->p, v->label);
}
