#include "export/export.h"

#include "base/array.h"
#include "base/format.h"
#include "timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LANES = 64 };

/* Kinds of spans, in the order of their colours in document/report.js: the kinds that Denis and
 * Trahay's traces distinguish, and collectives. */
static const char *const kinds[] = {"blocking send",
                                    "waiting for another rank",
                                    "non-blocking post",
                                    "other MPI calls",
                                    "transport: operation started, data moved",
                                    "completing, receiving",
                                    "collective",
                                    "not recorded",
                                    "successful poll",
                                    NULL};
enum kind_index {
    SENDING,
    WAITING,
    POSTING,
    OTHER,
    TRANSPORT,
    COMPLETING,
    COLLECTIVE,
    UNRECORDED,
    POLLING
};

static const struct column span_columns[] = {
    {"begin", NULL, COLUMN_TIME, 0, "since the start of the run"},
    {"end", NULL, COLUMN_TIME, 0, NULL},
    {"lane", NULL, COLUMN_TEXT, 0, "rank and thread; transport: events below MPI"},
    {"kind", NULL, COLUMN_TEXT, 0, NULL},
    {"name", NULL, COLUMN_TEXT, 0, "the call, or its wait state and the awaited rank"},
};
static const struct column message_columns[] = {
    {"begin", NULL, COLUMN_TIME, 0, "entry of the send"},
    {"lane", NULL, COLUMN_TEXT, 0, NULL},
    {"end", NULL, COLUMN_TIME, 0, "exit of the receiving call"},
    {"to", NULL, COLUMN_TEXT, 0, NULL},
};

struct view_lane {
    uint32_t rank;
    uint8_t thread;
    char name[60];
};

struct view_of_trace {
    const struct profile *p;
    struct timeline t;
    int64_t from, to;
    struct view_lane lane[MOST_LANES];
    size_t lanes;
    struct table *spans, *messages;
};

COMPARISON(by_lane, struct view_lane, ORDER(x->rank, y->rank) ?: ORDER(x->thread, y->thread))

static const struct view_lane *lane_at(const struct view_of_trace *v, uint32_t rank, uint8_t thread)
{
    for (size_t i = 0; i < v->lanes; i++)
        if (v->lane[i].rank == rank && v->lane[i].thread == thread)
            return &v->lane[i];
    return NULL;
}

static void add_lane(struct view_of_trace *v, uint32_t rank, uint8_t thread)
{
    if (v->lanes < MOST_LANES && !lane_at(v, rank, thread))
        v->lane[v->lanes++] = (struct view_lane){.rank = rank, .thread = thread};
}

static void find_lanes(struct view_of_trace *v)
{
    for (size_t i = 0; i < v->p->events.n; i++)
        add_lane(v, v->p->events.at[i].rank, v->p->events.at[i].thread);
    for (size_t i = 0; i < v->p->nets.n; i++) /* adds threads of the MPI library */
        add_lane(v, v->p->nets.at[i].rank, v->p->nets.at[i].thread);
    qsort(v->lane, v->lanes, sizeof *v->lane, by_lane);
    for (struct view_lane *l = v->lane; l < v->lane + v->lanes; l++)
        snprintf(l->name, sizeof l->name, l->thread ? "rank %u, thread %u" : "rank %u", l->rank,
                 (unsigned)l->thread);
}

/* A typical wait, around which the timeline is drawn: among the waits with the costliest call site
 * and awaited rank, the wait nearest to their mean, as the longest is often the shutdown.
 * P->events.n if no rank waits. */
static size_t typical_wait(const struct view_of_trace *v)
{
    const struct profile *p = v->p;
    const struct wait *most = p->waits.at;
    size_t found = p->events.n;
    double nearest = INFINITY;
    for (const struct wait *w = most; w < p->waits.at + p->waits.n; w++)
        most = w->wait_ns > most->wait_ns ? w : most;
    for (size_t i = 0; most && i < p->events.n; i++) {
        const struct event *a = &p->events.at[i];
        double distance =
            fabs((double)v->t.wait_ns[i] - (double)most->wait_ns / (double)most->calls);
        if (v->t.wait_ns[i] > 0 && a->site == most->site && a->operation == most->operation &&
            v->t.cause[i].enabling_rank == most->rank && distance < nearest &&
            lane_at(v, a->rank, a->thread)) {
            nearest = distance;
            found = i;
        }
    }
    return found;
}

/* Sets the window: VIEW's, or a call with a typical wait, and the wait's length on either side. */
static void find_time(struct view_of_trace *v, const struct timeline_view *view)
{
    const struct profile *p = v->p;
    int64_t first = p->trace.first_ns, last = p->trace.last_ns;
    bool given = !isnan(view->from) || !isnan(view->to);
    size_t typical = given ? p->events.n : typical_wait(v);
    v->from = isnan(view->from) ? first : first + (int64_t)(1e9 * view->from);
    v->to = isnan(view->to) ? last : first + (int64_t)(1e9 * view->to);
    if (typical < p->events.n) {
        v->from = p->events.at[typical].entry_ns - v->t.wait_ns[typical];
        v->to = p->events.at[typical].exit_ns + v->t.wait_ns[typical];
    }
    v->from = v->from < first ? first : v->from;
    v->to = v->to > last ? last : v->to;
}

static enum kind_index kind_of(const struct profile *p, const struct event *a)
{
    static const struct {
        enum call_family family;
        enum kind_index kind;
    } kinds_of[] = {{FAMILY_IRECV, POSTING},         {FAMILY_ISEND, POSTING},
                    {FAMILY_START, POSTING},         {FAMILY_ICOLLECTIVE, POSTING},
                    {FAMILY_COLLECTIVE, COLLECTIVE}, {FAMILY_COMPLETION, COMPLETING},
                    {FAMILY_RECV, COMPLETING}};
    if (a->kind != EVENT_CALL)
        return a->kind == EVENT_SEND         ? SENDING
               : a->kind == EVENT_POST       ? POSTING
               : a->kind == EVENT_COLLECTIVE ? COLLECTIVE
                                             : COMPLETING;
    for (size_t i = 0; i < sizeof kinds_of / sizeof *kinds_of; i++)
        if (kinds_of[i].family == p->operations.at[a->operation].family)
            return kinds_of[i].kind;
    return OTHER;
}

static double seconds(const struct view_of_trace *v, int64_t ns)
{
    int64_t inside = ns < v->from ? v->from : ns > v->to ? v->to : ns;
    return (double)(inside - v->p->trace.first_ns) / 1e9;
}

/* Adds the part of a span that is in the window. */
static void span(struct view_of_trace *v, const char *lane, int64_t from, int64_t to,
                 enum kind_index kind, const char *name)
{
    if (to <= from || from >= v->to || to <= v->from)
        return;
    table_reals(v->spans, seconds(v, from), seconds(v, to));
    table_text(v->spans, lane);
    table_text(v->spans, kinds[kind]);
    table_text(v->spans, name);
}

/* Adds a call with its N events: first its waits, then the rest. */
static void span_of_call(struct view_of_trace *v, const struct view_lane *lane, const uint32_t *of,
                         size_t n)
{
    const struct event *call = &v->p->events.at[*of];
    int64_t waited = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t wait = v->t.wait_ns[of[i]];
        const struct cause *cause = &v->t.cause[of[i]];
        char name[80];
        if (wait <= waited)
            continue;
        snprintf(name, sizeof name, "%s, rank %u", wait_names[cause->wait_state],
                 cause->enabling_rank);
        span(v, lane->name, call->entry_ns + waited, call->entry_ns + wait, WAITING, name);
        waited = wait;
    }
    span(v, lane->name, call->entry_ns + waited, call->exit_ns, kind_of(v->p, call),
         v->p->operations.at[call->operation].name);
}

static void spans_of(struct view_of_trace *v, const struct view_lane *lane)
{
    for (size_t i = 0, next; i < v->t.n; i = next) {
        next = timeline_call_end(&v->t, i);
        const struct event *call = &v->t.events[v->t.order[i]];
        if (call->rank == lane->rank && call->thread == lane->thread)
            span_of_call(v, lane, v->t.order + i, next - i);
    }
}

/* Adds the transport's events in a separate lane; events without a duration get a visible width. */
static void transport_of(struct view_of_trace *v, const struct view_lane *lane)
{
    char name[80];
    snprintf(name, sizeof name, "%s, transport", lane->name);
    for (EACH(const struct net, e, v->p->nets)) {
        int64_t from =
            e->kind >= TRANSPORT_STARTS && e->kind != TRANSPORT_COMPLETED ? e->from_ns : e->to_ns;
        bool found = e->kind == TRANSPORT_POLL || e->kind == TRANSPORT_COMPLETED;
        int64_t least =
            (v->to - v->from) / (found ? 800 : 1600); /* starts, drawn over polls, are narrower */
        if (e->rank == lane->rank && e->thread == lane->thread)
            span(v, name, from, e->to_ns > from + least ? e->to_ns : from + least,
                 found ? POLLING : TRANSPORT, e->kind == TRANSPORT_POLL ? "poll" : NULL);
    }
}

/* Adds the time outside of a thinned trace's windows as "not recorded". */
static void gaps_of(struct view_of_trace *v, const struct view_lane *lane)
{
    const uint64_t mask = v->p->trace.time_mask;
    const int64_t width = mask ? 1ll << __builtin_ctzll(mask) : 0;
    for (int64_t from = v->from, to; mask && from < v->to; from = to) {
        for (to = from; to < v->to && (uint64_t)to & mask;)
            to = (to / width + 1) * width;
        if (to > from)
            span(v, lane->name, from, to, UNRECORDED, NULL);
        else
            to = (from / width + 1) * width;
    }
}

static void messages_of(struct view_of_trace *v)
{
    for (size_t i = 0; i < v->p->events.n; i++) {
        const struct event *a = &v->p->events.at[i];
        if (a->kind != EVENT_RECEIVED || v->t.partner[i] == TIMELINE_NONE)
            continue;
        const struct event *send = &v->p->events.at[v->t.partner[i]];
        const struct view_lane *from = lane_at(v, send->rank, send->thread),
                               *to = lane_at(v, a->rank, a->thread);
        if (!from || !to || send->entry_ns < v->from || a->exit_ns > v->to)
            continue;
        table_real(v->messages, seconds(v, send->entry_ns));
        table_text(v->messages, from->name);
        table_real(v->messages, seconds(v, a->exit_ns));
        table_text(v->messages, to->name);
    }
}

bool picture_timeline(struct document *d, const struct profile *p, const struct timeline_view *view)
{
    struct view_of_trace v = {.p = p};
    bool any = false;
    char title[120];
    timeline_find(&v.t, p->events.at, p->events.n, within_far(p->trace.error_ns));
    find_lanes(&v);
    find_time(&v, view);
    if (v.lanes && v.to > v.from) {
        v.spans = document_table_of(d, "timeline", "Calls around a typical wait", span_columns);
        v.messages = document_table_of(d, "timeline_messages", "Messages in it", message_columns);
        for (size_t i = 0; i < v.lanes; i++) {
            const size_t before = table_rows(v.spans);
            spans_of(&v, &v.lane[i]);
            any = any || table_rows(v.spans) > before;
            gaps_of(&v, &v.lane[i]);
            transport_of(&v, &v.lane[i]);
        }
        messages_of(&v);
    }
    timeline_free(&v.t);
    snprintf(title, sizeof title, "%s of calls and messages, from %.6f s on",
             AS_TIME((double)(v.to - v.from)), (double)(v.from - p->trace.first_ns) / 1e9);
    if (any)
        document_picture(d, &(struct picture){.kind = PICTURE_TIMELINE,
                                              .name = "timeline",
                                              .title = title,
                                              .table = "timeline",
                                              .x = "begin",
                                              .x_end = "end",
                                              .x_label = "since the start of the run",
                                              .y = "lane",
                                              .y_end = "to",
                                              .y_label = "",
                                              .series = "kind",
                                              .label = "name",
                                              .arrows = "timeline_messages",
                                              .order = kinds});
    return any;
}
