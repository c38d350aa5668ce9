/* The report's tables: which figures of which rows, from figures.c. */
#include "report/text.h"

#include "profile/noise.h"
#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

/* FIGURES: keys in the order of the columns. One with ? before it gives way, the last of these
 * first, where the page is too narrow for the last column's names. */
struct page_table {
    const char *listing, *figures;
    const char *sort;        /* NULL: as the reader asked */
    const char *title, *row; /* what one row is, for "and 3 more" */
    const char *note;
    bool (*shown)(const struct profile *p, size_t rows);
    bool (*of_interest)(const void *row); /* NULL: every row */
};

static bool always(const struct profile *p, size_t rows)
{
    (void)p;
    return rows > 0;
}

static bool with_sites(const struct profile *p, size_t rows)
{
    return p->stack_depth && rows > 0;
}

static bool several(const struct profile *p, size_t rows)
{
    (void)p;
    return rows > 1;
}

static bool of_several(const struct profile *p, size_t rows)
{
    return rows > 0 && p->ranks.n > 1;
}

static bool posts_requests(const void *row)
{
    return entry_requests(row) > 0;
}

static bool is_sent(const void *row)
{
    return !((const struct profile_peer *)row)->received;
}

/* A note is sentences, each of one or more columns, and said only if one of these is there. */
static const struct page_table tables[] = {
    {"operations",
     "operation calls apart ?bytes time_per_rank share mean ?median ?p99 max ?worst_rank", NULL,
     "Time in MPI, by operation", "operation",
     "calls, bytes: of all ranks. apart: calls during or right after what collprof injected; their "
     "times are in no table but that of ranks. time/rank: mean of all ranks. % MPI: of all time in "
     "MPI. mean, median, p99, max: of one call; 99 of 100 are shorter than p99. worst: the rank "
     "that spends most, and how many times the mean that is.",
     always, NULL},
    {"call_sites",
     "operation calls apart ?bytes time_per_rank share ?mean ?median ?p99 ?max ?worst_rank "
     "call_site",
     NULL, "Time in MPI, by call site", "call site",
     "apart: calls during or right after what collprof injected; their times are in no table but "
     "that of ranks.",
     with_sites, NULL},
    {"call_sites",
     "operation requests ?size ?open ?until_wait ?in_wait done wait_per_rank overlap call_site",
     "wait", "Non-blocking requests, by the call that posted them", "call site",
     "size, open, until wait, in wait: means per request. open: from post to completion. until "
     "wait: from the post to the call that completed it. in wait: in that call. done: complete "
     "when it was waited for. cost/rank: time in these calls, mean of all ranks; a call that "
     "completes several is shared out evenly. overlap: whether the work in between hides the "
     "transfer; tests in vain are taken for work.",
     always, posts_requests},
    {"collectives",
     "operation members instances skew ?skew_max late_rank waiting ?duration ?duration_max "
     "call_site",
     "wait", "Collective operations: who is late, and what it costs", "place",
     "instances: calls of all ranks together. skew: last minus first entry, median. last rank: the "
     "one that most often enters last. waiting: part of the time in these calls before the awaited "
     "rank had entered; without what a root waits for those it sends to, which is not known; - of "
     "calls that do not block and of neighbourhoods, which a trace judges. "
     "duration: from that entry to the last exit, median.",
     always, NULL},
    {"waits", "state for_rank ?calls time ?mean ?share operation call_site", NULL,
     "Waiting, by what was waited for", "row",
     "waiting: a late sender or receiver is the other side of a message; in the other states a "
     "rank that the collective needs comes later (n-to-n: needs all). all time: of all ranks "
     "together. % wait: of all waiting that has a name. A call that completes several requests "
     "waits for the one "
     "that was possible last.",
     always, NULL},
    {"transport",
     "operation sends eager rendezvous ?eager_max ?rendezvous_min ?receives lay ?same_call "
     "other_call ?outside ?polls ?empty_polls ?moved carrier call_site",
     NULL, "Under MPI, by the call that started it", "call site",
     "eager, rdv: % of the sends; of the others it was not seen. lay: in the transport, before the "
     "receiver entered the call that found it. here, later, apart: % of transfers "
     "that ended in the call that started them, in a later one, in none. "
     "polls: per call.",
     always, NULL},
    {"messages", "rank peer messages bytes ?size operation call_site", "bytes",
     "Messages, by sender and receiver", "row", NULL, always, is_sent},
    {"communicators",
     "?communicator members ?groups ?made calls bytes time_per_rank share ?made_at", NULL,
     "Time in MPI, by communicator", "communicator",
     "groups: with different members. made: how often such a one was made. time/rank: mean of all "
     "ranks.",
     several, NULL},
    {"ranks", "rank wall mpi mpi_share ?calls ?cpu ?delayed ?preempted ?last_in ended ?host", "mpi",
     "Ranks, most time in MPI first", "rank",
     "wall: from MPI_Init to MPI_Finalize. % run: of that time; above 100 where several threads "
     "are in MPI at once. processor: time it had one. kept off: it could run, but had no "
     "processor. preempted: how often it lost its processor. last in: collectives that it entered "
     "last.",
     of_several, NULL},
    {"regions", "?region entered time_per_rank mpi_per_rank mpi_share calls", NULL, "Regions",
     "region",
     "time/rank, MPI/rank: mean of all ranks, without regions within it. % MPI: of the region's "
     "time.",
     always, NULL},
};
enum { N_TABLES = sizeof tables / sizeof *tables, MAX_COLUMNS = 16 };

struct chosen {
    const struct figure *figure[MAX_COLUMNS];
    bool gives_way[MAX_COLUMNS];
    size_t n;
};

/* An unknown key is a mistake in the table above: tests/unit/page.c would see it. */
static void choose(struct chosen *c, const struct listing *l, const char *keys)
{
    c->n = 0;
    for (const char *at = keys; *at && c->n < MAX_COLUMNS; at += strspn(at, " ")) {
        char key[40];
        size_t length = strcspn(at, " ");
        c->gives_way[c->n] = *at == '?';
        snprintf(key, sizeof key, "%.*s", (int)(length - (*at == '?')), at + (*at == '?'));
        c->figure[c->n] = figure_find(l, key);
        c->n += c->figure[c->n] != NULL;
        at += length;
    }
}

/* The ranks stay in a filtered profile, for means are of all of them. */
static bool is_asked(const struct page_table *t, const void *row, const struct filter *f)
{
    return !f || !f->one_rank || strcmp(t->listing, "ranks") != 0 ||
           ((const struct profile_rank *)row)->rank == f->rank;
}

static struct layout *fill(const struct chosen *c, const struct page_table *t, const struct view *v,
                           const struct listed *rows, const struct report_options *o, size_t *count)
{
    char align[MAX_COLUMNS + 1] = "";
    for (size_t i = 0; i < c->n; i++)
        align[i] = c->figure[i]->unit != UNIT_TEXT
                       ? (c->gives_way[i] ? 'o' : 'r')
                       : (c->figure[i]->brief || c->gives_way[i] ? 'L' : 'l');
    struct layout *l = layout_new(align);
    for (size_t i = 0; i < c->n; i++)
        layout_cell(l, "%s", c->figure[i]->head);
    *count = 0;
    for (size_t k = 0; k < rows->n; k++) {
        const void *row = rows->at + k * rows->size;
        if ((t->of_interest && !t->of_interest(row)) || !is_asked(t, row, o->filter) ||
            ++*count > (size_t)o->top)
            continue;
        for (size_t i = 0; i < c->n; i++) {
            char text[512];
            figure_brief(c->figure[i], v, row, text, sizeof text);
            layout_cell(l, "%s", text);
        }
    }
    return l;
}

/* Of a sentence that begins with the names of columns ("mean, max: ...") those that are shown,
 * nothing if none of them is; one that names no column is said as it is. */
static void append_sentence(char *said, const char *sentence, size_t length, const struct layout *l,
                            size_t width)
{
    const char *colon = memchr(sentence, ':', length);
    size_t named = 0, shown = 0;
    for (const char *at = sentence; colon && at < colon; at += strspn(at, ", ")) {
        char name[40];
        size_t n = strcspn(at, ",:");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        named += layout_has(l, name);
        if (layout_shows(l, name, width)) {
            strcat(said, shown++ ? ", " : "");
            strcat(said, name);
        }
        at += n;
    }
    const char *from = shown ? colon : sentence;
    if (shown || !named)
        strncat(said, from, length - (size_t)(from - sentence));
}

char *text_note(const char *note, const struct layout *l)
{
    char *said = memory_alloc(strlen(note) + 2);
    while (*note) {
        const char *end = strstr(note, ". ");
        size_t length = end ? (size_t)(end - note) + 2 : strlen(note);
        append_sentence(said, note, length, l, text_width());
        note += length;
    }
    return said;
}

void text_doubt(const struct profile *p, FILE *out)
{
    if (noise_of(p).level == NOISE_SPOILED)
        fprintf(out, "  %s(disturbed: times mean little; ? is not judged)%s\n",
                style_on(STYLE_DOUBT), style_off());
}

/* Each column that is shown; the names of those that there was no room for. */
enum visible { SHOWN, NO_ROOM, EMPTY };
static void explain(const struct chosen *c, const enum visible *visible, FILE *out)
{
    char left_out[400] = "";
    for (size_t i = 0; i < c->n; i++) {
        char mark[40];
        size_t n = strlen(left_out);
        snprintf(mark, sizeof mark, "  %-10s  ", c->figure[i]->head);
        if (visible[i] == SHOWN)
            text_paragraph(out, mark, c->figure[i]->about);
        else if (visible[i] == NO_ROOM)
            snprintf(left_out + n, sizeof left_out - n, "%s%s", n ? ", " : "", c->figure[i]->head);
    }
    if (*left_out)
        text_paragraph(out, "  no room for (--width): ", left_out);
}

static void print_table(const struct page_table *t, const struct view *v, FILE *out,
                        const struct report_options *o)
{
    const struct listing *l = listing_find(t->listing);
    struct listed rows;
    struct chosen c;
    size_t count;
    choose(&c, l, t->figures);
    listed_open(&rows, l, v, t->sort ? t->sort : o->sort);
    struct layout *layout = fill(&c, t, v, &rows, o, &count);
    bool shown = t->shown(v->p, count);
    char *note = text_note(t->note && shown ? t->note : "", layout);
    bool timed = false;
    for (size_t i = 0; i < c.n; i++)
        timed = timed || c.figure[i]->unit == UNIT_TIME;
    if (shown)
        text_title(out, t->title);
    if (shown && timed)
        text_doubt(v->p, out);
    enum visible visible[MAX_COLUMNS];
    for (size_t i = 0; i < c.n; i++)
        visible[i] = layout_shows_column(layout, i, (size_t)o->width) ? SHOWN
                     : layout_shows_column(layout, i, 10000)          ? NO_ROOM
                                                                      : EMPTY;
    layout_print(layout, shown ? out : NULL, (size_t)o->width);
    if (shown) {
        text_more(out, count, count < (size_t)o->top ? count : (size_t)o->top, t->row);
        if (o->explain)
            explain(&c, visible, out);
        else if (*note) {
            fputs(style_on(STYLE_FAINT), out);
            text_paragraph(out, "  ", note);
            fputs(style_off(), out);
        }
    }
    free(note);
    listed_close(&rows);
}

void text_tables(const struct view *v, FILE *out, const struct report_options *o, const char *first,
                 const char *last)
{
    bool on = false;
    for (size_t i = 0; i < N_TABLES; i++) {
        on = on || !strcmp(tables[i].listing, first);
        if (on)
            print_table(&tables[i], v, out, o);
        if (on && !strcmp(tables[i].listing, last) &&
            (i + 1 == N_TABLES || strcmp(tables[i + 1].listing, last)))
            return;
    }
}
