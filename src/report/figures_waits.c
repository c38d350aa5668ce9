/* Figures of arrivals at collectives, wait states, messages, and the transport below MPI. */
#include "report/figures_parts.h"

#include "profile/arrivals.h"

/* --- collectives: struct profile_arrival --- */

CALL(arrival, profile_arrival)

static void arrival_comm(const struct view *v, const void *row, char *text, size_t room)
{
    comm_label(v->p, ((const struct profile_arrival *)row)->comm, text, room);
}

static bool is_awaited(const struct profile *p, const struct profile_arrival *a)
{
    return arrivals_kind(p, a->operation) != COLLECTIVE_OTHER;
}

GET(members, profile_arrival, v->p->comms.at[e->comm].size)
GET(instances, profile_arrival, e->instances)
GET(stand_for, profile_arrival, e->stand_for)
GET(skew, profile_arrival, e->skew_median_ns)
GET(skew_max, profile_arrival, e->skew_max_ns)
GET(duration, profile_arrival, e->duration_median_ns)
GET(duration_max, profile_arrival, e->duration_max_ns)
GET(arrival_time, profile_arrival, e->time_ns)
GET(arrival_wait, profile_arrival, is_awaited(v->p, e) ? (double)e->wait_ns : NAN)
GET(waiting, profile_arrival,
    is_awaited(v->p, e) ? ratio(100 * (double)e->wait_ns, (double)e->time_ns) : NAN)
GET(late_rank, profile_arrival, e->late_rank)
GET(late_count, profile_arrival, e->late_count)
GET(cost_rank, profile_arrival, e->cost_ns &&is_awaited(v->p, e) ? (double)e->cost_rank : NAN)
GET(cost_share, profile_arrival,
    is_awaited(v->p, e) ? ratio(100 * (double)e->cost_ns, (double)e->wait_ns) : NAN)

static const struct figure list_of_collective[] = {
    OPERATION(arrival),
    PATH(arrival, 0),
    NUMBER("members", COUNT, "ranks", "ranks in the communicator", members),
    NUMBER("instances", COUNT, "instances",
           "operations that were seen on all members, and kept; medians and max are of these",
           instances),
    DATA("stand_for", COUNT,
         "so many operations there were; about, where not all were kept and calls do not tell",
         stand_for),
    OPTIONAL("skew", TIME, "skew", "last minus first arrival, median of the operations", skew),
    OPTIONAL("skew_max", TIME, "max", "the largest skew", skew_max),
    OPTIONAL("cost_rank", RANK, "late rank",
             "the rank for which the others waited longest; '-': none, or unknown for "
             "non-blocking and neighbourhood calls without --trace",
             cost_rank),
    OPTIONAL("cost_share", SHARE, "its part", "share of the waiting that was for that rank",
             cost_share),
    DATA("late_rank", RANK, "the rank that arrived last most often", late_rank),
    DATA("late_count", COUNT, "how often that rank was last", late_count),
    NUMBER("waiting", SHARE, "waiting",
           "share of the call time until the last needed rank arrived; how long a root waits for "
           "those it sends to is unknown",
           waiting),
    DATA("wait", TIME, "the same as a time, all ranks together", arrival_wait),
    DATA("time", TIME, "time in these calls, all ranks together", arrival_time),
    OPTIONAL("duration", TIME, "duration",
             "from the arrival of the awaited rank to the last exit, median", duration),
    OPTIONAL("duration_max", TIME, "max", "the largest duration", duration_max),
    SITE(arrival, 0),
    {{"communicator", NULL, COLUMN_TEXT, 0, "on which communicator", NULL, COLUMN_DATA_ONLY},
     NULL,
     arrival_comm},
};
FIGURES(collective);
LIST(list_arrivals, arrivals)

/* --- wait states: struct wait --- */

CALL(wait, wait)
TEXT(wait_state, wait, "%s", wait_names[e->state < WAIT_STATES ? e->state : WAIT_NONE])
GET(wait_rank, wait, e->rank)
GET(wait_calls, wait, e->calls)
GET(wait_time, wait, e->wait_ns)
GET(wait_mean, wait, ratio((double)e->wait_ns, (double)e->calls))
GET(wait_share, wait, ratio(100 * (double)e->wait_ns, (double)v->p->trace.wait_ns))

static const struct figure list_of_wait[] = {
    {{"state", NULL, COLUMN_TEXT, 0,
      "late sender or receiver: the other side of a message; wrong order: while one that was sent "
      "before was unreceived; the others: a rank that the collective needs (n-to-n: needs all)",
      "waiting", 0},
     NULL,
     wait_state},
    NUMBER("for_rank", RANK, "for rank", "the awaited rank", wait_rank),
    OPTIONAL("calls", COUNT, "calls", "calls that waited so", wait_calls),
    NUMBER("time", TIME, "time", "waited in them, all ranks together", wait_time),
    OPTIONAL("mean", TIME, "mean", "waited in one of them", wait_mean),
    OPTIONAL("share", SHARE, "of waits", "share of all waiting that has a name", wait_share),
    OPERATION(wait),
    PATH(wait, 0),
    SITE(wait, 0),
};
FIGURES(wait);
LIST(list_waits, waits)

/* --- messages: struct profile_peer --- */

CALL(peer, profile_peer)
TEXT(peer_direction, profile_peer, "%s", e->received ? "received" : "sent")
GET(peer_rank, profile_peer, e->rank)
GET(peer_peer, profile_peer, e->peer)
GET(peer_messages, profile_peer, e->messages)
GET(peer_bytes, profile_peer, e->bytes)
GET(peer_size, profile_peer, ratio((double)e->bytes, (double)e->messages))

static const struct figure list_of_message[] = {
    NUMBER("rank", RANK, "rank", "the rank that sent or received", peer_rank),
    {{"direction", NULL, COLUMN_TEXT, 0, "whether it sent or received", NULL, 0},
     NULL,
     peer_direction},
    NUMBER("peer", RANK, "peer", "the rank at the other end", peer_peer),
    NUMBER("messages", COUNT, "messages", "messages between them", peer_messages),
    NUMBER("bytes", BYTES, "bytes", "their payload", peer_bytes),
    OPTIONAL("size", BYTES, "size", "of one message, mean", peer_size),
    OPERATION(peer),
    PATH(peer, 0),
    SITE(peer, 0),
};
FIGURES(message);
LIST(list_messages, peers)

/* --- below MPI: struct net_row --- */

CALL(below, net_row)
GET(below_sends, net_row, e->sends)
GET(below_eager, net_row, ratio(100 * (double)e->eager, (double)e->sends))
GET(below_rendezvous, net_row, ratio(100 * (double)e->rendezvous, (double)e->sends))
GET(below_eager_max, net_row, e->eager ? (double)e->eager_max : NAN)
GET(below_rendezvous_min, net_row, e->rendezvous ? (double)e->rendezvous_min : NAN)
GET(below_receives, net_row, e->receives)
GET(below_lay, net_row, ratio((double)e->lay_ns, (double)e->lay))
GET(below_same, net_row, ratio(100 * (double)e->same_call, (double)(e->sends + e->receives)))
GET(below_other, net_row, ratio(100 * (double)e->other_call, (double)(e->sends + e->receives)))
GET(below_outside, net_row, ratio(100 * (double)e->outside, (double)(e->sends + e->receives)))
GET(below_moved, net_row, e->moved_bytes)

static void below_carrier(const struct view *v, const void *row, char *text, size_t room)
{
    const struct net_row *e = row;
    bool known = e->carrier_operation != PROFILE_NONE, site = e->carrier_site != PROFILE_NONE;
    snprintf(text, room, "%s%s%s", known ? v->p->operations.at[e->carrier_operation].name : "-",
             known && site ? " " : "", known && site ? v->label[e->carrier_site] : "");
}

/* Polls are counted with the calls, of which a row may have several kinds. */
static double polls_of(const struct view *v, const struct net_row *e, bool per_call)
{
    double polls = 0, empty = 0, calls = 0;
    for (size_t i = 0; i < v->p->entries.n; i++) {
        const struct profile_entry *of = &v->p->entries.at[i];
        if (of->operation != e->operation || of->site != e->site)
            continue;
        polls += (double)of->polls;
        empty += (double)of->empty_polls;
        calls += (double)of->calls;
    }
    return per_call ? ratio(polls, calls) : ratio(100 * empty, polls);
}
GET(below_polls, net_row, polls_of(v, e, true))
GET(below_empty, net_row, polls_of(v, e, false))

static const struct figure list_of_below[] = {
    OPERATION(below),
    PATH(below, 0),
    NUMBER("sends", COUNT, "sends", "sends that it gave to the transport", below_sends),
    NUMBER("eager", SHARE, "eager",
           "of the sends, complete at once or before the receive was posted", below_eager),
    NUMBER("rendezvous", SHARE, "rendezv.",
           "of the sends, seen to wait for their receive, or copied from one process to the other",
           below_rendezvous),
    OPTIONAL("eager_max", BYTES, "eager to", "the largest send that was eager", below_eager_max),
    OPTIONAL("rendezvous_min", BYTES, "rend. from", "the smallest send that was a rendezvous",
             below_rendezvous_min),
    OPTIONAL("receives", COUNT, "receives", "receives that it gave to the transport",
             below_receives),
    OPTIONAL("lay", TIME, "unreceived",
             "how long a message, or its announcement, was in the transport until its receiver "
             "entered the call in which it was found, mean",
             below_lay),
    OPTIONAL("same_call", SHARE, "here",
             "of the transfers whose end was seen, ended in the call that started them",
             below_same),
    NUMBER("other_call", SHARE, "later",
           "of the transfers whose end was seen, ended in a later MPI call", below_other),
    OPTIONAL("outside", SHARE, "outside",
             "of the transfers whose end was seen, ended in no MPI call of the application",
             below_outside),
    OPTIONAL("polls", REAL, "polls", "polls of the transport per call", below_polls),
    OPTIONAL("empty_polls", SHARE, "empty", "of the polls, found nothing", below_empty),
    OPTIONAL("moved", BYTES, "moved",
             "bytes copied between processes or through sockets in these calls", below_moved),
    {{"carrier", NULL, COLUMN_TEXT, 0, "the later call in which most of them ended", "mostly in",
      COLUMN_SHORTEN},
     NULL,
     below_carrier},
    SITE(below, 0),
};
FIGURES(below);
LIST(list_below, below)
