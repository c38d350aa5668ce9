/* A trace as JSON for Perfetto and chrome://tracing: a process for each rank (numbered from 1,
 * since viewers hide process 0), a slice for each call, an arrow for each matched message. Each
 * event is written at once, since the JSON may be larger than memory. */
#include "export/export.h"

#include "report/labels.h"

#include <math.h>

struct perfetto {
    const struct profile *p;
    const struct timeline *t;
    FILE *out;
    char **label; /* name of each call site */
    size_t events, messages;
};

/* Writes EVENT, and releases it. */
static void put(struct perfetto *w, json_t *event)
{
    fputs(w->events++ ? ",\n" : "\n", w->out);
    json_write(event, w->out, false);
}

/* Microseconds since the start of the run. */
static double time_us(const struct perfetto *w, int64_t ns)
{
    return ns > w->p->trace.first_ns ? (double)(ns - w->p->trace.first_ns) / 1e3 : 0;
}

/* Makes an event of the trace format's phase PH; releases ARGS (NULL: none). */
static json_t *event(const char *ph, const char *name, const char *category, double ts,
                     uint32_t rank, uint8_t thread, json_t *args)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:i, s:i, s:o*}", "ph", ph, "name", name, "cat",
                     category, "ts", ts, "pid", (int)rank + 1, "tid", thread + 1, "args", args);
}

static void put_process(struct perfetto *w, const char *what, int rank, const char *key,
                        json_t *value)
{
    put(w, json_pack("{s:s, s:i, s:s, s:{s:o}}", "ph", "M", "pid", rank + 1, "name", what, "args",
                     key, value));
}

static void put_names(struct perfetto *w)
{
    for (EACH(const struct profile_rank, r, w->p->ranks)) {
        put_process(w, "process_name", r->rank, "name", json_sprintf("rank %d", r->rank));
        put_process(w, "process_sort_index", r->rank, "sort_index", json_integer(r->rank));
        put_process(w, "process_labels", r->rank, "labels",
                    json_text(w->p->hosts.at[r->host].name, SIZE_MAX));
    }
}

static json_t *site_json(const struct perfetto *w, uint32_t site)
{
    return site == PROFILE_NONE ? json_null() : json_text(w->label[site], SIZE_MAX);
}

/* Writes a call with its N events. A call that sends and receives shows the bytes that it sends, as
 * in the report. */
static void put_call(struct perfetto *w, const uint32_t *of, size_t n)
{
    const struct event *a = &w->p->events.at[*of];
    uint64_t bytes = 0;
    bool sends = false;
    for (size_t i = 0; i < n; i++)
        sends = sends || w->p->events.at[of[i]].kind == EVENT_SEND;
    for (size_t i = 0; i < n; i++)
        if (!sends || w->p->events.at[of[i]].kind == EVENT_SEND)
            bytes += timeline_bytes(w->t, of[i]);
    json_t *args =
        json_pack("{s:o, s:I}", "call site", site_json(w, a->site), "bytes", (json_int_t)bytes);
    if (n == 1 && a->kind != EVENT_COLLECTIVE && a->peer != TIMELINE_NONE) {
        json_put(args, "peer", json_integer(a->peer));
        json_put(args, "tag", json_integer(a->tag));
    }
    for (size_t i = 0; i < n; i++) {
        if (!w->t->wait_ns[of[i]])
            continue;
        json_put(args, "wait", json_string(wait_names[w->t->cause[of[i]].wait_state]));
        json_put(args, "waited for rank", json_integer(w->t->cause[of[i]].enabling_rank));
        json_put(args, "waited us", json_real((double)w->t->wait_ns[of[i]] / 1e3));
    }
    json_t *call = event("X", w->p->operations.at[a->operation].name, "mpi",
                         time_us(w, a->entry_ns), a->rank, a->thread, args);
    json_put(call, "dur", json_real(fmax((double)(a->exit_ns - a->entry_ns) / 1e3, 0)));
    put(w, call);
}

/* Writes a message's arrow. It must begin in the sender's slice and end in the receiver's. */
static void put_message(struct perfetto *w, size_t receive)
{
    const struct event *to = &w->p->events.at[receive],
                       *from = &w->p->events.at[w->t->partner[receive]];
    int64_t exit_ns = to->exit_ns > to->entry_ns ? to->exit_ns - 1 : to->exit_ns;
    json_t *ends[] = {
        event("s", "message", "message", time_us(w, from->entry_ns), from->rank, from->thread,
              NULL),
        event("f", "message", "message", time_us(w, exit_ns), to->rank, to->thread, NULL)};
    w->messages++;
    for (int i = 0; i < 2; i++)
        json_put(ends[i], "id", json_integer((json_int_t)w->messages));
    json_put(ends[1], "bp", json_string("e"));
    put(w, ends[0]);
    put(w, ends[1]);
}

static bool write_perfetto(const struct export_request *r, struct profile *p, FILE *out)
{
    struct timeline t RELEASED(timeline_free) = {0};
    (void)r;
    timeline_find(&t, p->events.at, p->events.n, within_far(p->trace.error_ns));
    struct perfetto w = {.p = p, .t = &t, .out = out, .label = site_labels(p)};
    fputs("{\"traceEvents\":[", out);
    put_names(&w);
    for (size_t i = 0, next; i < p->events.n; i = next) {
        next = timeline_call_end(&t, i);
        put_call(&w, t.order + i, next - i);
    }
    for (size_t i = 0; i < p->events.n; i++)
        if (p->events.at[i].kind == EVENT_RECEIVED && t.partner[i] != TIMELINE_NONE)
            put_message(&w, i);
    fputs("\n],\n\"displayTimeUnit\":\"ns\"}\n", out);
    site_labels_free(p, w.label);
    return true;
}

/* With --trace: every call with its wait state, and messages as arrows; not the transport, which a
 * page draws. */
const struct export_format export_perfetto = {
    .name = "perfetto", .events = EVENTS_NEEDED, .write = write_perfetto};
