/* Figures of what MPI did below its calls: struct net_row. */
#include "report/figures_inner.h"

GET(below_sends, net_row, e->sends)
GET(below_eager, net_row, ratio(100 * (double)e->eager, (double)e->sends))
GET(below_rendezvous, net_row, ratio(100 * (double)e->rendezvous, (double)e->sends))
GET(below_eager_max, net_row, e->eager ? (double)e->eager_max : NAN)
GET(below_rendezvous_min, net_row, e->rendezvous ? (double)e->rendezvous_min : NAN)
GET(below_receives, net_row, e->receives)
GET(below_lay, net_row, ratio((double)e->lay_ns, (double)e->lay))
GET(below_lay_max, net_row, e->lay ? (double)e->lay_max_ns : NAN)
GET(below_same, net_row, ratio(100 * (double)e->same_call, (double)(e->sends + e->receives)))
GET(below_other, net_row, ratio(100 * (double)e->other_call, (double)(e->sends + e->receives)))
GET(below_outside, net_row, ratio(100 * (double)e->outside, (double)(e->sends + e->receives)))
GET(below_moved, net_row, e->moved_bytes)
GET(below_moved_time, net_row, e->moved_ns)
TEXT(below_operation, net_row, "%s",
     e->operation == PROFILE_NONE ? "-" : p->operations.at[e->operation].name)
TEXT(below_operation_brief, net_row, "%s",
     e->operation == PROFILE_NONE ? "no call"
                                  : text_without_mpi(p->operations.at[e->operation].name))
TEXT(below_site_brief, net_row, "%s", e->site == PROFILE_NONE ? "-" : v->label[e->site])

static void below_site(const struct view *v, const void *row, char *text, size_t room)
{
    const struct net_row *e = row;
    if (e->site == PROFILE_NONE)
        snprintf(text, room, "-");
    else
        site_path(v->p, e->site, text, room);
}

static void below_carrier(const struct view *v, const void *row, char *text, size_t room)
{
    const struct net_row *e = row;
    if (e->carrier_operation == PROFILE_NONE)
        snprintf(text, room, "-");
    else
        snprintf(text, room, "%s%s%s",
                 text_without_mpi(v->p->operations.at[e->carrier_operation].name),
                 e->carrier_site == PROFILE_NONE ? "" : " ",
                 e->carrier_site == PROFILE_NONE ? "" : v->label[e->carrier_site]);
}

/* Polls are counted with the calls, of which a row may have several kinds. */
static void polls_of(const struct view *v, const struct net_row *e, double *polls, double *empty,
                     double *calls)
{
    *polls = *empty = *calls = 0;
    for (size_t i = 0; i < v->p->entries.n; i++) {
        const struct profile_entry *of = &v->p->entries.at[i];
        if (of->operation != e->operation || of->site != e->site)
            continue;
        *polls += (double)of->polls;
        *empty += (double)of->empty_polls;
        *calls += (double)of->calls;
    }
}

static double below_polls(const struct view *v, const void *row)
{
    double polls, empty, calls;
    polls_of(v, row, &polls, &empty, &calls);
    return ratio(polls, calls);
}

static double below_empty(const struct view *v, const void *row)
{
    double polls, empty, calls;
    polls_of(v, row, &polls, &empty, &calls);
    return ratio(100 * empty, polls);
}

static const struct figure list_of_below[] = {
    {"operation", "operation", UNIT_TEXT, "the MPI function; no call: threads of MPI's own",
     .text = below_operation, .brief = below_operation_brief},
    {"sends", "sends", UNIT_COUNT, "sends that it gave to the transport", .get = below_sends},
    {"eager", "eager", UNIT_SHARE,
     "% of the sends, complete at once or before the receive was posted", .get = below_eager},
    {"rendezvous", "rdv", UNIT_SHARE,
     "% of the sends, seen to wait for their receive, or copied from one process to the other",
     .get = below_rendezvous},
    {"eager_max", "eager to", UNIT_BYTES, "the largest send that was eager",
     .get = below_eager_max},
    {"rendezvous_min", "rdv from", UNIT_BYTES, "the smallest send that was a rendezvous",
     .get = below_rendezvous_min},
    {"receives", "receives", UNIT_COUNT, "receives that it gave to the transport",
     .get = below_receives},
    {"lay", "lay", UNIT_TIME,
     "how long a message, or its announcement, lay in the transport until its receiver entered the "
     "call in which it was found, mean",
     .get = below_lay},
    {"lay_max", NULL, UNIT_TIME, "the longest of these", .get = below_lay_max},
    {"same_call", "here", UNIT_SHARE,
     "% of the transfers whose end was seen that ended in the call that started them",
     .get = below_same},
    {"other_call", "later", UNIT_SHARE,
     "% of the transfers whose end was seen that ended in a later MPI call", .get = below_other},
    {"outside", "apart", UNIT_SHARE,
     "% of the transfers whose end was seen that ended in no MPI call of the application",
     .get = below_outside},
    {"carrier", "mostly in", UNIT_TEXT, "the later call in which most of them ended",
     .text = below_carrier, .brief = below_carrier},
    {"polls", "polls", UNIT_NUMBER, "looks for news per call", .get = below_polls},
    {"empty_polls", "empty", UNIT_SHARE, "% of the polls, that found nothing", .get = below_empty},
    {"moved", "moved", UNIT_BYTES,
     "bytes copied between processes or through sockets in these calls", .get = below_moved},
    {"moved_time", NULL, UNIT_TIME, "time of that, all ranks together", .get = below_moved_time},
    {"call_site", "call site", UNIT_TEXT, "where it is called", .text = below_site,
     .brief = below_site_brief},
};
FIGURES(below);
LIST(list_below, below)
