/* Figures of wait states and of the communication matrix. */
#include "report/figures_inner.h"

/* --- wait states: struct wait --- */

TEXT(wait_state, wait, "%s", wait_names[e->state < WAIT_STATES ? e->state : WAIT_NONE])
TEXT(wait_operation, wait, "%s", p->operations.at[e->operation].name)
TEXT(wait_operation_brief, wait, "%s", text_without_mpi(p->operations.at[e->operation].name))
TEXT(wait_rank_brief, wait, "%u", e->rank)
TEXT(wait_site_brief, wait, "%s", e->site == PROFILE_NONE ? "-" : v->label[e->site])
GET(wait_rank, wait, e->rank)
GET(wait_calls, wait, e->calls)
GET(wait_time, wait, e->wait_ns)
GET(wait_mean, wait, ratio((double)e->wait_ns, (double)e->calls))
GET(wait_share, wait, ratio(100 * (double)e->wait_ns, (double)v->p->trace.wait_ns))
GET(wait_in_turn, wait, ratio(100 * (double)e->in_turn, (double)e->followed))
GET(wait_call_share, wait, ratio(100 * (double)e->wait_ns, (double)v->p->trace.calls_ns))

static void wait_site(const struct view *v, const void *row, char *text, size_t room)
{
    site_path(v->p, ((const struct wait *)row)->site, text, room);
}

static const struct figure list_of_wait[] = {
    {"state", "waiting", UNIT_TEXT,
     "what for: late sender or receiver: the other side of a message; wrong order: while one that "
     "was sent before lay ready; the others: a rank that the collective needs",
     .text = wait_state},
    {"for_rank", "for rank", UNIT_RANK, "the rank that was waited for", .get = wait_rank,
     .brief = wait_rank_brief},
    {"calls", "calls", UNIT_COUNT, "calls that waited so", .get = wait_calls},
    {"time", "all time", UNIT_TIME, "waited in them, all ranks together", .get = wait_time},
    {"mean", "mean", UNIT_TIME, "waited in one of them", .get = wait_mean},
    {"share", "% wait", UNIT_SHARE, "part of all waiting", .get = wait_share},
    {"calls_share", NULL, UNIT_SHARE, "part of the time in all MPI calls", .get = wait_call_share},
    {"in_turn", NULL, UNIT_SHARE,
     "how often, at an n-to-n, the next that was waited for was the same as the time before",
     .get = wait_in_turn},
    {"operation", "operation", UNIT_TEXT, "the MPI function that waited", .text = wait_operation,
     .brief = wait_operation_brief},
    {"call_site", "call site", UNIT_TEXT, "where it is called", .text = wait_site,
     .brief = wait_site_brief},
};
FIGURES(wait);
LIST(list_waits, waits)

/* --- messages: struct profile_peer --- */

TEXT(peer_direction, profile_peer, "%s", e->received ? "received" : "sent")
TEXT(peer_operation, profile_peer, "%s",
     e->operation == PROFILE_NONE ? "-" : p->operations.at[e->operation].name)
TEXT(peer_operation_brief, profile_peer, "%s",
     e->operation == PROFILE_NONE ? "-" : text_without_mpi(p->operations.at[e->operation].name))
TEXT(peer_rank_brief, profile_peer, "%u", e->rank)
TEXT(peer_peer_brief, profile_peer, "%u", e->peer)
TEXT(peer_site_brief, profile_peer, "%s", e->site == PROFILE_NONE ? "-" : v->label[e->site])
GET(peer_rank, profile_peer, e->rank)
GET(peer_peer, profile_peer, e->peer)
GET(peer_messages, profile_peer, e->messages)
GET(peer_bytes, profile_peer, e->bytes)
GET(peer_size, profile_peer, ratio((double)e->bytes, (double)e->messages))

static void peer_site(const struct view *v, const void *row, char *text, size_t room)
{
    const struct profile_peer *m = row;
    if (m->site == PROFILE_NONE)
        snprintf(text, room, "-");
    else
        site_path(v->p, m->site, text, room);
}

static const struct figure list_of_message[] = {
    {"rank", "rank", UNIT_RANK, "the rank that sent or received", .get = peer_rank,
     .brief = peer_rank_brief},
    {"direction", NULL, UNIT_TEXT, "whether it sent or received", .text = peer_direction},
    {"peer", "to", UNIT_RANK, "the rank at the other end", .get = peer_peer,
     .brief = peer_peer_brief},
    {"messages", "messages", UNIT_COUNT, "messages between them", .get = peer_messages},
    {"bytes", "bytes", UNIT_BYTES, "their payload", .get = peer_bytes},
    {"size", "size", UNIT_BYTES, "of one message, mean", .get = peer_size},
    {"operation", "operation", UNIT_TEXT, "the MPI function that sent, or that posted the receive",
     .text = peer_operation, .brief = peer_operation_brief},
    {"call_site", "call site", UNIT_TEXT, "where it is called", .text = peer_site,
     .brief = peer_site_brief},
};
FIGURES(message);
LIST(list_messages, peers)
