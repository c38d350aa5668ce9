/* Figures of wait states and of the communication matrix. */
#include "page/figures_inner.h"

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
    {"state", "waiting", UNIT_TEXT, NULL,
     "what for: late sender or receiver: the other side of a message; wrong order: while one that "
     "was sent before lay ready; the others: a rank that the collective needs",
     wait_state, NULL, 0},
    {"for_rank", "for rank", UNIT_RANK, wait_rank, "the rank that was waited for", NULL,
     wait_rank_brief, 0},
    {"calls", "calls", UNIT_COUNT, wait_calls, "calls that waited so", NULL, NULL, 0},
    {"time", "all time", UNIT_TIME, wait_time, "waited in them, all ranks together", NULL, NULL, 0},
    {"mean", "mean", UNIT_TIME, wait_mean, "waited in one of them", NULL, NULL, 0},
    {"share", "% wait", UNIT_SHARE, wait_share, "part of all waiting", NULL, NULL, 0},
    {"calls_share", NULL, UNIT_SHARE, wait_call_share, "part of the time in all MPI calls", NULL,
     NULL, 0},
    {"in_turn", NULL, UNIT_SHARE, wait_in_turn,
     "how often, at an n-to-n, the next that was waited for was the same as the time before", NULL,
     NULL, 0},
    {"operation", "operation", UNIT_TEXT, NULL, "the MPI function that waited", wait_operation,
     wait_operation_brief, 0},
    {"call_site", "call site", UNIT_TEXT, NULL, "where it is called", wait_site, wait_site_brief,
     0},
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
    {"rank", "rank", UNIT_RANK, peer_rank, "the rank that sent or received", NULL, peer_rank_brief,
     0},
    {"direction", NULL, UNIT_TEXT, NULL, "whether it sent or received", peer_direction, NULL, 0},
    {"peer", "to", UNIT_RANK, peer_peer, "the rank at the other end", NULL, peer_peer_brief, 0},
    {"messages", "messages", UNIT_COUNT, peer_messages, "messages between them", NULL, NULL, 0},
    {"bytes", "bytes", UNIT_BYTES, peer_bytes, "their payload", NULL, NULL, 0},
    {"size", "size", UNIT_BYTES, peer_size, "of one message, mean", NULL, NULL, 0},
    {"operation", "operation", UNIT_TEXT, NULL,
     "the MPI function that sent, or that posted the receive", peer_operation, peer_operation_brief,
     0},
    {"call_site", "call site", UNIT_TEXT, NULL, "where it is called", peer_site, peer_site_brief,
     0},
};
FIGURES(message);
LIST(list_messages, peers)
