/* Why a map is as it is: some rounds more, in which what the transport does under MPI is heard of
 * (--trace=transport preloads what tells it), and when, as seen from node 0's computation. */
#include "base/clock.h"
#include "base/format.h"
#include "measure/overlap/overlap_inner.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20, MOST = 1000 };

/* What one node has heard in one round; times by clock_now(), in ns. Filled by any of its threads.
 */
static struct heard {
    struct overlap_spans computing;
    uint32_t n;
    struct transport_event at[MOST];
} heard;

static uint64_t now(void)
{
    return (uint64_t)(1e9 * clock_now());
}

void overlap_compute(struct overlap_side *s)
{
    struct overlap_spans *c = &heard.computing;
    size_t i = c->n < OVERLAP_SPANS ? c->n++ : OVERLAP_SPANS - 1;
    c->span[i].from = now();
    work_do(&s->work);
    c->span[i].to = now();
}

static void hear(const struct transport_event *e)
{
    uint32_t i = __atomic_fetch_add(&heard.n, 1, __ATOMIC_RELAXED);
    if (i < MOST)
        heard.at[i] = *e;
}

static bool is_copy(const struct transport_event *e)
{
    return e->kind == TRANSPORT_COPY || e->kind == TRANSPORT_WROTE || e->kind == TRANSPORT_READ;
}

static double length_of(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) : 0;
}

/* Shares out PART by how much of E's time lies beside computation; the rest comes before all of it,
 * or after some. */
static void add(double sum[3], const struct transport_event *e, double part,
                const struct overlap_spans *c)
{
    double beside = 0, length = length_of(e->from, e->to);
    for (size_t i = 0; i < c->n; i++) {
        const struct overlap_span *s = &c->span[i];
        uint64_t from = e->from > s->from ? e->from : s->from, to = e->to < s->to ? e->to : s->to;
        beside += length > 0 ? length_of(from, to) / length : e->from > s->from && e->from < s->to;
    }
    bool before = c->n > 0 && e->from < c->span[0].from;
    sum[OVERLAP_BESIDE] += part * beside;
    sum[before ? OVERLAP_BEFORE : OVERLAP_AFTER] += part * (1 - beside);
}

static bool is_send(const struct overlap_seen *seen, const struct transport_event *e)
{
    return e->kind == TRANSPORT_SEND && e->bytes >= seen->bytes &&
           e->bytes != TRANSPORT_UNKNOWN_BYTES;
}

void overlap_see(struct overlap_seen *seen, const struct transport_event *e, size_t n, bool first,
                 const struct overlap_spans *computing)
{
    for (size_t i = 0; i < n; i++) {
        if (is_copy(&e[i]))
            add(seen->moved + (first ? 0 : 3), &e[i], (double)e[i].bytes, computing);
        if (first && e[i].kind == TRANSPORT_POLL)
            add(seen->found, &e[i], 1, computing);
        if (is_send(seen, &e[i])) {
            seen->sends++;
            seen->at_once += e[i].at_once;
        }
    }
}

/* The last message of that size from another node, and where node 0 looked for the first time
 * since: it lay, if a computation ended in between. */
void overlap_see_lying(struct overlap_seen *seen, const struct transport_event *mine, size_t n,
                       const struct transport_event *theirs, size_t m,
                       const struct overlap_spans *computing)
{
    uint64_t sent = 0, found = UINT64_MAX;
    for (size_t i = 0; i < m; i++)
        if (is_send(seen, &theirs[i]))
            sent = theirs[i].to;
    for (size_t i = 0; i < n; i++)
        if ((mine[i].kind == TRANSPORT_POLL || is_copy(&mine[i])) && mine[i].to >= sent &&
            mine[i].from < found)
            found = mine[i].from;
    if (!sent || found == UINT64_MAX || seen->messages == OVERLAP_MESSAGES)
        return;
    seen->messages++;
    for (size_t i = 0; i < computing->n; i++)
        if (sent < computing->span[i].to && found >= computing->span[i].to) {
            seen->lay_ns[seen->lay++] = (double)(found - sent);
            return;
        }
}

/* --- the sentence --- */

/* The parts of SUM that are not 0. */
static void put_shares(char *text, size_t room, const char *what, const double part[], size_t n,
                       const char *const name[])
{
    char share[32];
    double sum = 0;
    int at = snprintf(text, room, "%s", what);
    for (size_t i = 0; i < n; i++)
        sum += part[i];
    for (size_t i = 0; i < n; i++)
        if (part[i] > 0)
            at += snprintf(text + at, room - (size_t)at, "%s%s %s",
                           at > (int)strlen(what) ? ", " : " ", format_share(share, part[i], sum),
                           name[i]);
}

void overlap_why(const struct overlap_seen *seen, char *text, size_t room)
{
    static const char *const who[] = {
        "by node 0 before its computation", "by node 0 while it computed",
        "by node 0 after its computation",  "by the others before it",
        "by the others while it computed",  "by the others after it"};
    static const char *const where[] = {"before its computation", "beside it", "after it"};
    char time[32];
    double moved = 0, found = 0;
    for (int i = 0; i < 6; i++)
        moved += seen->moved[i];
    for (int i = 0; i < 3; i++)
        found += seen->found[i];
    /* Less than the messages themselves is the transport's own talk. */
    if (moved > 0 && moved >= seen->rounds * (double)seen->bytes)
        put_shares(text, room, "moved by system calls,", seen->moved, 6, who);
    else if (seen->sends && seen->at_once == seen->sends)
        snprintf(text, room, "every send was complete when its call returned");
    else if (found > 0)
        put_shares(text, room, "what moved it is not seen; node 0's polls found something",
                   seen->found, 3, where);
    else
        snprintf(text, room, "nothing of it is seen");
    size_t at = strlen(text);
    if (seen->lay)
        snprintf(text + at, room - at,
                 "; %d of %d messages, or their announcements, came while node 0 computed and lay "
                 "until it looked, for %s (median)",
                 seen->lay, seen->messages,
                 format_time(time, stats_summarize(seen->lay_ns, (size_t)seen->lay).median));
    at = strlen(text);
    if (seen->apart)
        snprintf(text + at, room - at, "; of other hosts' doing nothing is known");
}

/* --- the rounds --- */

static void gather(struct overlap_seen *seen, const struct overlap_side *s)
{
    uint32_t n = heard.n < MOST ? heard.n : MOST;
    if (s->rank != 0) {
        PMPI_Send(heard.at, (int)(n * sizeof *heard.at), MPI_BYTE, 0, OVERLAP_TAG_ACK, s->comm);
        return;
    }
    overlap_see(seen, heard.at, n, true, &heard.computing);
    seen->rounds++;
    for (int from = 1; from < s->size; from++) {
        static struct transport_event theirs[MOST];
        MPI_Status status;
        int bytes;
        PMPI_Recv(theirs, sizeof theirs, MPI_BYTE, from, OVERLAP_TAG_ACK, s->comm, &status);
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        size_t m = (size_t)bytes / sizeof *theirs;
        if (seen->apart)
            continue;
        overlap_see(seen, theirs, m, false, &heard.computing);
        overlap_see_lying(seen, heard.at, n, theirs, m, &heard.computing);
    }
}

static bool on_one_host(MPI_Comm comm, int size)
{
    MPI_Comm host;
    int here;
    PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    PMPI_Comm_size(host, &here);
    PMPI_Comm_free(&host);
    return here == size;
}

bool overlap_watch(const struct overlap_benchmark *b, struct overlap_stage *stage, size_t bytes,
                   const struct work *work, char *text, size_t room)
{
    struct transport *t = dlsym(RTLD_DEFAULT, "collprof_transport");
    bool there = t && t->version == TRANSPORT_VERSION && !b->by_threads;
    if (!overlap_all_have(stage->comm, there))
        return false;
    struct overlap_seen seen = {.bytes = bytes, .apart = !on_one_host(stage->comm, stage->size)};
    struct overlap_side s;
    if (!overlap_side_open(&s, b, stage, bytes, 0, 0))
        return false;
    s.work = *work;
    uint64_t (*was_now)(void) = t->now;
    void (*was_event)(const struct transport_event *) = t->event;
    for (int i = 0; i < ROUNDS; i++) {
        heard.n = 0;
        heard.computing.n = 0;
        t->event = NULL;
        t->now = now;
        __atomic_store_n(&t->event, hear, __ATOMIC_RELEASE);
        if (s.rank == 0)
            b->first(&s);
        else
            b->others(&s);
        t->event = NULL;
        if (i > 0) /* the first one connects */
            gather(&seen, &s);
    }
    t->now = was_now;
    __atomic_store_n(&t->event, was_event, __ATOMIC_RELEASE);
    overlap_side_close(&s);
    if (s.rank == 0)
        overlap_why(&seen, text, room);
    return s.rank == 0;
}
