/* What is said of a trace, beside its table. */
#include "report/text.h"

#include "base/array.h"
#include "base/format.h"
#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sentence on the calls whose waiting has no name, if they matter; empty. */
static const char *not_judged(const struct profile *p, char *text, size_t room)
{
    double time = 0, all = 0;
    char share[32];
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        uint32_t family = p->operations.at[e->operation].family;
        all += family == FAMILY_LIFECYCLE ? 0 : (double)e->time_ns;
        if (family == FAMILY_ONE_SIDED || family == FAMILY_IO || family == FAMILY_COMM)
            time += (double)e->time_ns;
    }
    *text = '\0';
    if (time > 0 && time * 100 >= all)
        snprintf(text, room,
                 ". %s of the time in MPI is in calls on windows, files and communicators: what is "
                 "waited there is not judged",
                 format_share(share, time, all));
    return text;
}

static double window_of(const struct profile *p)
{
    return p->trace.time_mask ? (double)(1ull << __builtin_ctzll(p->trace.time_mask)) : INFINITY;
}

/* A wait is seen where both of its ends lie in one window: the longer it is the less often, and
 * never if it is as long as that. Of the time in calls whose waits have names, the share in calls
 * of a quarter of a window and more, seen or not. */
static double share_unseen(const struct profile *p)
{
    double all = 0, unseen = 0, least = window_of(p) / 4;
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        uint32_t family = p->operations.at[e->operation].family;
        if (family >= FAMILY_ONE_SIDED || !e->histogram)
            continue;
        all += (double)e->time_ns;
        for (unsigned b = histogram_bucket((uint64_t)fmin(least, 1e18)); b < HISTOGRAM_BUCKETS; b++)
            unseen += (double)e->histogram[b] * (double)histogram_floor(b);
    }
    return isfinite(least) && all > 0 ? fmin(1, unseen / all) : 0;
}

void text_trace(const struct profile *p, FILE *out)
{
    const struct profile_trace *t = &p->trace;
    char text[1200], share[32], covered[32], error[32], count[32];
    if (!t->on)
        return;
    if (!p->waits.n) {
        text_title(out, "Waiting, by what was waited for");
        text_paragraph(out, "  ",
                       "No call waited for a rank, as far as can be seen; whether a root waited "
                       "for those it sends to is not known.");
    }
    uint64_t ends = t->sends > t->receives ? t->sends : t->receives;
    format_share(covered, t->covered, 1);
    if (t->covered > 0 && t->covered < 0.001)
        snprintf(covered, sizeof covered, "%.1g %%", 100 * t->covered);
    int n = snprintf(text, sizeof text, "From a trace of %s of the run", covered);
    if (t->time_mask)
        n += snprintf(text + n, sizeof text - (size_t)n, ", in windows of %s",
                      format_time(error, window_of(p)));
    if (ends)
        n += snprintf(text + n, sizeof text - (size_t)n, ": of %s messages %s have both ends in it",
                      format_count(count, ends),
                      format_share(share, (double)t->matched, (double)ends));
    if (t->matched < ends && t->time_mask)
        n += snprintf(text + n, sizeof text - (size_t)n, ", the others cross an edge");
    if (t->contradictions)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; %s pairs cannot be one message and are not used, nor what comes behind",
                      format_count(count, t->contradictions));
    if (t->unnumbered)
        n += snprintf(text + n, sizeof text - (size_t)n, "; of %s ends the order is not known",
                      format_count(count, t->unnumbered));
    if (t->error_ns > 0)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; waits below %s are none, by which clocks may differ",
                      format_time(error, t->error_ns));
    if (t->time_mask)
        n +=
            snprintf(text + n, sizeof text - (size_t)n,
                     ". Waits as long as a window are in none of these rows, shorter ones the less "
                     "often the longer they are: calls of a quarter of a window and more take %s "
                     "of the time in calls that may wait",
                     format_share(share, share_unseen(p), 1));
    not_judged(p, text + n, sizeof text - (size_t)n);
    text_paragraph(out, "  ", text);
}

/* What could be seen of the transport, and what not. */
void text_transport(const struct profile *p, FILE *out)
{
    const struct profile_trace *t = &p->trace;
    char text[700], share[32], polls[32], empty[32];
    if (t->network == LEDGER_NETWORK_OFF)
        return;
    if (t->network == LEDGER_NETWORK_MISSING) {
        text_paragraph(out, "  ",
                       "Of the transport under MPI nothing was seen: libcollprof-transport.so is "
                       "not in the process, where `collprof run` preloads it (a static program has "
                       "no place for it)");
        return;
    }
    int n = snprintf(text, sizeof text, "Of the transport under MPI: ");
    if (t->sends)
        n += snprintf(text + n, sizeof text - (size_t)n, "the start of %s of %llu messages",
                      format_share(share, (double)t->below, (double)t->sends),
                      (unsigned long long)t->sends);
    else
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "the application sent no message that could be followed there");
    if (t->network == LEDGER_NETWORK_NO_UCX)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; this collprof was built without libucx-dev and sees system calls alone");
    else if (t->below < t->sends)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; the others went by memory that ranks share, by a transport without UCX's "
                      "functions, or several in one call");
    if (t->outside_polls)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; threads of MPI's own looked for news %s times, %s of them in vain",
                      format_count(polls, t->outside_polls),
                      format_share(empty, (double)t->outside_empty, (double)t->outside_polls));
    if (t->below)
        snprintf(
            text + n, sizeof text - (size_t)n,
            "; what UCX moves through mapped memory inside of its polls has no time of its own");
    text_paragraph(out, "  ", text);
}

/* What the one who is waited for does. */
static const char *doing(uint32_t state)
{
    switch (state) {
    case WAIT_LATE_SENDER:
        return "sends late";
    case WAIT_WRONG_ORDER:
        return "sends late, while earlier messages lie ready";
    case WAIT_LATE_RECEIVER:
        return "receives late";
    case WAIT_LATE_ROOT:
        return "is its root and comes late";
    case WAIT_LATE_NEIGHBOUR:
        return "is a neighbour and comes late";
    case WAIT_EARLY_ROOT:
        return "comes late to a root that is early";
    default:
        return "comes late";
    }
}

/* Those for one rank in a row, the longest first. */
static int by_place(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation) ?: ORDER(x->rank, y->rank)
        ?: ORDER(y->wait_ns, x->wait_ns);
}

/* Messages between two ranks, at any place: of many ranks there are too many pairs to look at all
 * of them for each; they are in order. */
static uint64_t messages_between(const struct profile *p, uint32_t from, uint32_t to)
{
    const struct profile_peer *m = p->peers.at, *end = m + p->peers.n;
    uint64_t messages = 0;
    for (size_t n = p->peers.n; n > 0; n /= 2) {
        const struct profile_peer *middle = m + n / 2;
        if (middle->rank < from || (middle->rank == from && middle->peer < to)) {
            m = middle + 1;
            n--;
        }
    }
    for (; m < end && m->rank == from && m->peer == to; m++)
        messages += m->received ? 0 : m->messages;
    return messages;
}

/* How many ranks wait at the place of W for what that rank sends them, which they send to as well.
 */
static size_t served(const struct profile *p, const struct wait *w)
{
    size_t clients = 0;
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *m = &p->peers.at[i];
        clients += m->received && m->peer == w->rank && m->site == w->site &&
                   m->operation == w->operation && messages_between(p, m->rank, w->rank) > 0;
    }
    return clients;
}

static double mean_size(const struct profile *p, const struct wait *w)
{
    double bytes = 0, calls = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].site == w->site && p->entries.at[i].operation == w->operation) {
            bytes += (double)p->entries.at[i].bytes;
            calls += (double)p->entries.at[i].calls;
        }
    return calls > 0 ? bytes / calls : 0;
}

/* Several are waited for at one place, of which no one alone: in what order they come has a
 * sentence of its own. Chance would give the same one as the time before to half of them at the
 * most. */
static void say_order(FILE *out, const struct wait *w, size_t n)
{
    enum { LEAST = 8, IN_TURN = 90, BY_CHANCE = 60 };
    uint64_t followed = 0, in_turn = 0;
    for (size_t i = 0; i < n; i++) {
        followed += w[i].followed;
        in_turn += w[i].in_turn;
    }
    fprintf(out, "; no rank alone is: %zu are waited for", n);
    if (followed >= LEAST && in_turn * 100 >= IN_TURN * followed)
        fputs(".\nwaits\tThe pattern is a diffuse procedure: these ranks come late one after "
              "another, "
              "each in its turn, as if a slow procedure went round",
              out);
    else if (followed >= LEAST && in_turn * 100 <= BY_CHANCE * followed)
        fputs(".\nwaits\tThe pattern is a random barrier: another of these ranks comes late each "
              "time, in no order, by chance",
              out);
}

/* Of the N rows of one place that at which those for the rank begin that is waited for most, NS. */
static const struct wait *most_of(const struct wait *w, size_t n, double *ns)
{
    const struct wait *most = w;
    *ns = 0;
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && w[end].rank == w[i].rank; end++)
            sum += (double)w[end].wait_ns;
        if (sum > *ns) {
            *ns = sum;
            most = &w[i];
        }
    }
    return most;
}

/* PLACE: its N rows, which come to SUM. */
static void say_whom(const struct view *v, FILE *out, const struct wait *place, size_t n,
                     double sum)
{
    enum { CLIENTS = 3, LATE_RANKS = 3, BIG = 64 << 10 };
    const struct profile *p = v->p;
    double waited;
    const struct wait *w = most_of(place, n, &waited);
    const char *label = w->site == PROFILE_NONE ? "an unknown place" : v->label[w->site];
    char share[32], time[32], size[32];
    fprintf(out, "waits\t%s of the waiting in %s at %s (%s per rank) is for rank %u, which %s",
            format_share(share, waited, sum), p->operations.at[w->operation].name, label,
            format_time(time, sum / (double)(p->ranks.n ? p->ranks.n : 1)), w->rank,
            doing(w->state));
    size_t clients = w->state == WAIT_LATE_SENDER ? served(p, w) : 0;
    if (w->state == WAIT_N_TO_N && n >= LATE_RANKS && 2 * waited <= sum)
        say_order(out, place, n);
    else if (clients >= CLIENTS)
        fprintf(out, "; it serves %zu ranks, which send to it and wait there", clients);
    else if (w->state == WAIT_LATE_RECEIVER && mean_size(p, w) >= BIG)
        fprintf(out, "; big messages, of %s, wait for their receive",
                format_bytes(size, mean_size(p, w)));
    fputs(".\n", out);
}

/* A place that sends small messages one by one, with nothing coming back: the time that they take
 * there is to be a part of the run. */
void text_small_messages(const struct view *v, FILE *out)
{
    enum { LEAST_PERCENT = 2, LEAST = 1000, SMALL = 256, ONE_WAY = 100 };
    const struct profile *p = v->p;
    const struct profile_peer *most = NULL;
    double time = 0;
    char size[32], count[32];
    for (size_t i = 0; i < p->peers.n; i++) {
        const struct profile_peer *m = &p->peers.at[i];
        if (!m->received && m->site != PROFILE_NONE && m->messages >= LEAST &&
            m->bytes <= m->messages * SMALL && (!most || m->messages > most->messages) &&
            messages_between(p, m->peer, m->rank) <= m->messages / ONE_WAY)
            most = m;
    }
    for (size_t i = 0; most && i < p->entries.n; i++)
        if (p->entries.at[i].site == most->site && p->entries.at[i].operation == most->operation)
            time += (double)p->entries.at[i].time_ns;
    if (most && time * 100 >= LEAST_PERCENT * profile_wall_ns(p))
        fprintf(
            out,
            "messages\t%s at %s sends small messages one by one: %s of %s from rank %u to rank %u, "
            "which sends next to nothing back.\n",
            p->operations.at[most->operation].name, v->label[most->site],
            format_count(count, most->messages),
            format_bytes(size, (double)most->bytes / (double)most->messages), most->rank,
            most->peer);
}

/* The place where most is waited, and for whom there. Little waiting is no finding. */
void text_most_waited(const struct view *v, FILE *out)
{
    const struct profile *p = v->p;
    enum { LEAST_PERCENT = 2, UNSEEN_PERCENT = 10 };
    double unseen = share_unseen(p);
    char share[32], window[32];
    if (unseen * 100 >= UNSEEN_PERCENT) {
        fprintf(
            out,
            "waits\tFor whom most is waited is not known: calls too long for the trace's windows "
            "of %s take %s of the time in calls that may wait. A larger --memory has longer "
            "ones.\n",
            format_time(window, window_of(p)), format_share(share, unseen, 1));
        return;
    }
    struct wait *w = memory_alloc((p->waits.n + 1) * sizeof *w);
    const struct wait *place = NULL;
    size_t rows = 0;
    double run = profile_wall_ns(p) * p->trace.covered, most = 0;
    if (p->waits.n)
        memcpy(w, p->waits.at, p->waits.n * sizeof *w);
    qsort(w, p->waits.n, sizeof *w, by_place);
    for (size_t i = 0, end; i < p->waits.n; i = end) {
        double sum = 0;
        for (end = i;
             end < p->waits.n && w[end].site == w[i].site && w[end].operation == w[i].operation;
             end++)
            sum += (double)w[end].wait_ns;
        if (sum > most) {
            most = sum;
            place = &w[i];
            rows = end - i;
        }
    }
    if (place && most * 100 >= LEAST_PERCENT * run)
        say_whom(v, out, place, rows, most);
    free(w);
}
