/* The trace as JSON for Perfetto and chrome://tracing: a process per rank, numbered from 1 since
 * the viewers swallow process 0; a slice per call; an arrow per matched message; of
 * the transport slices and marks inside of the calls; a counter per rank of the messages that were
 * sent to it and not received yet. */
#include "base/array.h"
#include "config.h"
#include "data/data.h"
#include "profile/profile.h"
#include "report/rows.h"

#include <inttypes.h>
#include <stdlib.h>

struct writer {
    const struct profile *p;
    const struct timeline *t;
    FILE *out;
    char **label, **site; /* of each call site, and the same as JSON; NULL: not made yet */
    size_t messages;
};

/* To be freed. */
static char *quoted(const char *text)
{
    json_t *value = json_text(text, SIZE_MAX);
    char *result = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    return result ? result : memory_strdup("\"?\"");
}

static const char *site_of(struct writer *w, uint32_t site)
{
    if (site == PROFILE_NONE)
        return "null";
    if (!w->site[site])
        w->site[site] = quoted(w->label[site]);
    return w->site[site];
}

/* Microseconds since the start of the run, to the nanosecond. */
static void put_time(FILE *out, const char *key, int64_t ns)
{
    fprintf(out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void put_place(struct writer *w, uint32_t rank, uint8_t thread, int64_t ns)
{
    put_time(w->out, "ts", ns > w->p->trace.first_ns ? ns - w->p->trace.first_ns : 0);
    fprintf(w->out, ",\"pid\":%u,\"tid\":%u", rank + 1, thread + 1u);
}

static void put_names(struct writer *w)
{
    const char *comma = "";
    for (size_t i = 0; i < w->p->ranks.n; i++) {
        const struct profile_rank *r = &w->p->ranks.at[i];
        char *host = quoted(w->p->hosts.at[r->host].name);
        fprintf(w->out,
                "%s\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"rank "
                "%d\"}},\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":"
                "{\"sort_index\":%d}},\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_labels\","
                "\"args\":{\"labels\":%s}}",
                comma, r->rank + 1, r->rank, r->rank + 1, r->rank, r->rank + 1, host);
        comma = ",";
        free(host);
    }
}

/* One call, which may have completed N requests. */
static void put_call(struct writer *w, const uint32_t *of, size_t n)
{
    const struct act *a = &w->p->acts.at[*of];
    fprintf(w->out, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"mpi\"",
            w->p->operations.at[a->operation].name);
    put_place(w, a->rank, a->thread, a->entry_ns);
    put_time(w->out, "dur", a->exit_ns > a->entry_ns ? a->exit_ns - a->entry_ns : 0);
    fprintf(w->out, ",\"args\":{\"call site\":%s", site_of(w, a->site));
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += timeline_bytes(w->t, w->p->acts.at, of[i]);
    fprintf(w->out, ",\"bytes\":%" PRIu64, bytes);
    if (n == 1 && a->kind != ACT_COLLECTIVE && a->peer != TIMELINE_NONE)
        fprintf(w->out, ",\"peer\":%u,\"tag\":%d", a->peer, a->tag);
    for (size_t i = 0; i < n; i++)
        if (w->t->wait_ns[of[i]])
            fprintf(w->out,
                    ",\"wait\":\"%s\",\"waited for rank\":%u,\"waited us\":%" PRId64 ".%03d",
                    wait_names[w->t->cause[of[i]].state], w->t->cause[of[i]].rank,
                    w->t->wait_ns[of[i]] / 1000, (int)(w->t->wait_ns[of[i]] % 1000));
    fputs("}}", w->out);
}

/* An arrow begins inside the sending call and ends inside the receiving one. */
static void put_message(struct writer *w, size_t receive)
{
    const struct act *to = &w->p->acts.at[receive], *from = &w->p->acts.at[w->t->partner[receive]];
    w->messages++;
    fprintf(w->out, ",\n{\"ph\":\"s\",\"id\":%zu,\"name\":\"message\",\"cat\":\"message\"",
            w->messages);
    put_place(w, from->rank, from->thread, from->entry_ns);
    fprintf(w->out,
            "},\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":%zu,\"name\":\"message\",\"cat\":\"message\"",
            w->messages);
    put_place(w, to->rank, to->thread, to->exit_ns > to->entry_ns ? to->exit_ns - 1 : to->exit_ns);
    fputs("}", w->out);
}

/* A message to RANK is under way from now on, or no more. */
struct change {
    uint32_t rank;
    int step;
    int64_t ns;
};

static int by_rank_and_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->ns, y->ns) ?: ORDER(y->step, x->step);
}

static void put_counters(struct writer *w)
{
    ARRAY(struct change) list = {0};
    for (size_t i = 0; i < w->p->acts.n; i++) {
        const struct act *to = &w->p->acts.at[i];
        if (to->kind != ACT_RECEIVED || w->t->partner[i] == TIMELINE_NONE)
            continue;
        int64_t sent = w->p->acts.at[w->t->partner[i]].entry_ns;
        *PUSH(&list) = (struct change){to->rank, 1, sent};
        *PUSH(&list) = (struct change){to->rank, -1, to->exit_ns > sent ? to->exit_ns : sent};
    }
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, by_rank_and_time);
    int under_way = 0;
    for (size_t i = 0; i < list.n; i++) {
        under_way += list.at[i].step;
        fputs(",\n{\"ph\":\"C\",\"name\":\"messages under way to it\"", w->out);
        put_place(w, list.at[i].rank, 0, list.at[i].ns);
        fprintf(w->out, ",\"args\":{\"messages\":%d}}", under_way);
    }
    free(list.at);
}

static const char *const below_names[TRANSPORT_KINDS] = {
    [TRANSPORT_SEND] = "start of a send",
    [TRANSPORT_RECEIVE] = "start of a receive",
    [TRANSPORT_ONE_SIDED] = "start of a put or get",
    [TRANSPORT_FLUSH] = "start of a flush",
    [TRANSPORT_COMPLETED] = "end of a transfer",
    [TRANSPORT_POLL] = "poll that found something",
    [TRANSPORT_COPY] = "copy between processes",
    [TRANSPORT_WROTE] = "write to a socket",
    [TRANSPORT_READ] = "read from a socket",
};

/* What happened under the calls, in their rows: what took time as slices inside of theirs. */
static void put_below(struct writer *w, const struct net *e)
{
    bool lasts = e->kind >= TRANSPORT_STARTS && e->kind != TRANSPORT_COMPLETED;
    fprintf(w->out, ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"cat\":\"transport\"",
            lasts ? "X" : "i\",\"s\":\"t", below_names[e->kind]);
    put_place(w, e->rank, e->thread, lasts ? e->from_ns : e->to_ns);
    if (lasts)
        put_time(w->out, "dur", e->to_ns - e->from_ns);
    fputs(",\"args\":{", w->out);
    if (e->kind != TRANSPORT_POLL && e->kind != TRANSPORT_COMPLETED &&
        e->bytes != TRANSPORT_UNKNOWN_BYTES)
        fprintf(w->out, "\"bytes\":%" PRIu64 "%s", e->bytes, e->number ? "," : "");
    if (e->number)
        fprintf(w->out, "\"transfer\":%u", e->number);
    fputs("}}", w->out);
}

static void put_facts(struct writer *w)
{
    char *program = quoted(w->p->programs.n ? w->p->programs.at[0] : "");
    fprintf(w->out,
            "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"producer\":\"collprof %s\","
            "\"program\":%s,\"ranks in it\":%zu,\"ranks of the run\":%d,\"share of the run that is "
            "covered\":%.4f,"
            "\"messages drawn\":%zu,\"messages sent\":%" PRIu64 ",\"messages received\":%" PRIu64
            ",\"contradictions\":%" PRIu64 ",\"ends without a known order\":%" PRIu64
            ",\"not in it\":\"computation between calls, one-sided transfers, tests that found "
            "nothing, %s\"}}\n",
            PACKAGE_VERSION, program, w->p->ranks.n, w->p->size, w->p->trace.covered, w->messages,
            w->t->sends, w->t->receives, w->t->contradictions, w->t->unnumbered,
            w->p->trace.network == LEDGER_NETWORK_ON ? "polls of the transport that found nothing"
                                                     : "what MPI does below its interface");
    free(program);
}

void data_perfetto(const struct profile *p, FILE *out)
{
    struct timeline t;
    timeline_find(&t, p->acts.at, p->acts.n, within_far(p->trace.error_ns));
    struct writer w = {p, &t, out, site_labels(p), memory_alloc((p->sites.n + 1) * sizeof *w.site),
                       0};
    fputs("{\"traceEvents\":[", out);
    put_names(&w);
    for (size_t i = 0, end; i < p->acts.n; i = end) {
        end = timeline_call_end(&t, p->acts.at, p->acts.n, i);
        put_call(&w, t.order + i, end - i);
    }
    for (size_t i = 0; i < p->acts.n; i++)
        if (p->acts.at[i].kind == ACT_RECEIVED && t.partner[i] != TIMELINE_NONE)
            put_message(&w, i);
    put_counters(&w);
    for (size_t i = 0; i < p->nets.n; i++)
        put_below(&w, &p->nets.at[i]);
    put_facts(&w);
    site_labels_free(p, w.label);
    site_labels_free(p, w.site); /* as many of them */
    timeline_free(&t);
}
