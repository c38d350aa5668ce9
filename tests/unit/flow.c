/* Protects predictions where messages share what they travel on: closed forms. */
#include "trees/flow.h"

#include "made_graphs.h"

#include <stdlib.h>

/* A chain of three, d = 1, w = 2, four segments: the last leaves the root at 4, and takes
 * 2 + 1 + 2 more. */
Test(flow, segments_overlap)
{
    struct graph g = uniform(3, 2, 1);
    const int parent[] = {-1, 0, 1};
    struct schedule s = tree(&g, parent);
    cr_assert_float_eq(flow_completion(&s, &g, 4, NULL), 9, 1e-12);
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 6, 1e-12);
    schedule_free(&s);
    graph_free(&g);
}

/* Two sites whose way takes 10 per message: four messages across arrive 10 apart, and "sites"
 * sends one. By the paper's model, which knows of no way, the flat tree would be the best. */
Test(flow, sites_share_their_way)
{
    struct graph g = uniform(8, 1, 0.01);
    struct schedule s;
    cr_assert(graph_add_gaps(&g));
    g.group = calloc(8, sizeof *g.group);
    g.area = calloc(8, sizeof *g.area);
    for (int u = 0; u < 8; u++) {
        g.group[u] = g.area[u] = u / 4;
        g.out[u] = 0.01;
        for (int v = 0; v < 8; v++) {
            g.gap[u * 8 + v] = u / 4 == v / 4 ? 0.01 : 10;
            g.w[u * 8 + v] = u / 4 == v / 4 ? 1 : 50;
            g.call[u * 8 + v] = 0.01;
        }
    }
    double flat = build("flat", &g, 0), sites = build("sites", &g, 0);
    cr_assert_float_eq(flat, 30 + 50.04, 1e-9, "%g", flat);
    cr_assert_float_eq(sites, 50.01 + 1.03, 1e-9, "%g", sites);
    cr_assert_float_eq(build("grid", &g, 0), sites, 1e-12);
    cr_assert(schedule_build(bcast_find("sites"), &g, 0, &s));
    /* Four segments: the last one leaves the way 30 after the first. */
    cr_assert_float_eq(flow_completion(&s, &g, 4, NULL), sites + 30, 0.1);
    schedule_free(&s);
    graph_free(&g);
}

/* One sender, two receivers 10 away, gaps of 4 and 0.1, and a way out that takes 1. The first
 * starts to be transmitted at 6 and can take no more than 0.25; from 9.9 on the other has the
 * 0.75 that it leaves, and from 10 on everything: 0.075 + 0.925. */
Test(flow, a_way_out_is_shared)
{
    struct graph g = uniform(3, 10, 0);
    const int parent[] = {-1, 0, 0};
    double arrival[3];
    cr_assert(graph_add_gaps(&g));
    g.out[0] = 1;
    g.gap[1] = 4;
    g.gap[2] = 0.1;
    struct schedule s = tree(&g, parent);
    cr_assert_float_eq(flow_completion(&s, &g, 1, arrival), 10.925, 1e-9);
    cr_assert_float_eq(arrival[1], 10, 1e-9);
    schedule_free(&s);
    graph_free(&g);
}

/* The call that sends to the first child takes 5, though nothing is told of it by the way out. */
Test(flow, a_sender_is_busy_for_its_call)
{
    struct graph g = uniform(3, 10, 0);
    const int parent[] = {-1, 0, 0};
    double arrival[3];
    cr_assert(graph_add_gaps(&g));
    g.call[1] = 5;
    struct schedule s = tree(&g, parent);
    cr_assert_float_eq(flow_completion(&s, &g, 1, arrival), 15, 1e-9);
    cr_assert_float_eq(arrival[1], 10, 1e-9);
    schedule_free(&s);
    graph_free(&g);
}

/* Of eight segments on one way, all under way at once, none is there before all of them nearly
 * are; one at a time they take the whole way each. */
Test(flow, a_window_limits_what_is_under_way)
{
    struct graph g = uniform(2, 10, 0);
    const int parent[] = {-1, 0};
    cr_assert(graph_add_gaps(&g));
    g.gap[1] = 2;
    struct schedule s = tree(&g, parent);
    cr_assert_float_eq(flow_completion(&s, &g, 8, NULL), 8 + 8 * 2, 1e-9);
    s.window[1] = 1;
    cr_assert_float_eq(flow_completion(&s, &g, 8, NULL), 8 * 10, 1e-9);
    s.window[1] = 4; /* twice four that share, each half with the travel before it */
    cr_assert_float_eq(flow_completion(&s, &g, 8, NULL), 2 * (8 + 4 * 2), 1e-9);
    schedule_free(&s);
    graph_free(&g);
}

/* Four ranks on two hosts, each sends to one of the other host, 2 per message alone, all at once
 * from time 8 on: a card that takes 2 gives each half, one that takes 1 all; what comes back is
 * nobody's loss on full duplex, and on half duplex everybody's; a cable is shared by all. */
Test(flow, hosts_share_their_cards)
{
    struct graph g = uniform(5, 10, 0);
    const int parent[] = {-1, 0, 0, 0, 0};
    cr_assert(graph_add_gaps(&g) && graph_add_hosts(&g));
    for (int u = 0; u < 5; u++) {
        g.host[u] = u;
        for (int v = 0; v < 5; v++)
            g.gap[u * 5 + v] = 2;
    }
    struct schedule s = tree(&g, parent);
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 10, 1e-9);
    g.card_out[0] = 2;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 8 + 4 * 2, 1e-9);
    g.card_out[0] = 1;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 8 + 4 * 1, 1e-9);
    g.host[3] = g.host[4] = 0; /* these two are near, and need no card */
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 8 + 2, 1e-9);
    g.host[1] = g.host[2] = 1;
    g.card_in[1] = g.card_in[2] = 4;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 8 + 2 * 4, 1e-9);
    g.card_in[1] = g.card_in[2] = 0;
    g.cable = 3;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 8 + 2 * 3, 1e-9);
    schedule_free(&s);
    graph_free(&g);
}

/* A chain in segments: the one in the middle receives and sends at once. Of what takes 1 each way,
 * half duplex leaves half to each. */
Test(flow, half_duplex_takes_both_ways)
{
    struct graph g = uniform(3, 2, 0);
    const int parent[] = {-1, 0, 1};
    cr_assert(graph_add_gaps(&g) && graph_add_hosts(&g));
    for (int u = 0; u < 3; u++) {
        g.host[u] = u;
        g.card_out[u] = g.card_in[u] = 1;
        for (int v = 0; v < 3; v++)
            g.gap[u * 3 + v] = 1;
    }
    struct schedule s = tree(&g, parent);
    s.window[1] = s.window[2] = 4;
    double full = flow_completion(&s, &g, 64, NULL);
    g.cross = 1;
    double half = flow_completion(&s, &g, 64, NULL);
    cr_assert(full > 64 && full < 90, "%g", full);
    cr_assert(half > 1.7 * full && half < 2.1 * full, "%g of %g", half, full);
    /* The same where only what comes in, or goes out, has a limit: either takes of the other. */
    double *const cards[] = {g.card_in, g.card_out};
    for (int limited = 0; limited < 2; limited++) {
        for (int u = 0; u < 3; u++) {
            cards[limited][u] = 1;
            cards[!limited][u] = 0;
        }
        half = flow_completion(&s, &g, 64, NULL);
        cr_assert(half > 1.7 * full && half < 2.1 * full, "%d: %g of %g", limited, half, full);
    }
    schedule_free(&s);
    graph_free(&g);
}

/* A hundred at once on a cable that takes 1: too many to look at together, but all have their
 * share. */
Test(flow, a_crowd_shares_too)
{
    enum { N = 101 };
    struct graph g = uniform(N, 10, 0);
    int parent[N];
    cr_assert(graph_add_gaps(&g) && graph_add_hosts(&g));
    for (int u = 0; u < N; u++) {
        g.host[u] = u;
        parent[u] = u == 0 ? -1 : 0;
        for (int v = 0; v < N; v++)
            g.gap[u * N + v] = 2;
    }
    g.cable = 1;
    struct schedule s = tree(&g, parent);
    double all = flow_completion(&s, &g, 1, NULL);
    cr_assert_float_eq(all, 8 + 100, 3, "%g", all);
    schedule_free(&s);
    graph_free(&g);
}

/* A card that takes 1, three messages of 2 through it at once, 8 on their way before. Where it was
 * seen what each two share, that counts: those that share 2 are there at 12, the third meanwhile;
 * nothing where nothing is shared. Not as long as it is not known of all; nor where two were seen
 * to share as much as the card takes: then three do. */
Test(flow, what_edges_were_seen_to_share)
{
    struct graph g = uniform(4, 10, 0);
    const int parent[] = {-1, 0, 0, 0};
    double arrival[4];
    cr_assert(graph_add_gaps(&g) && graph_add_hosts(&g));
    g.together = calloc(3, sizeof *g.together);
    for (int u = 0; u < 4; u++) {
        g.host[u] = u;
        g.gap[u] = 2;
    }
    g.card_out[0] = 1;
    for (int k = 0; k < 3; k++)
        g.together[k] = (struct graph_together){{0, 0}, {1 + k / 2, 2 + (k + 1) / 2}, 0};
    struct schedule s = tree(&g, parent);
    g.n_together = 2;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 11, 1e-9);
    g.n_together = 3;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 10, 1e-9);
    g.together[0].gap = 2;
    cr_assert_float_eq(flow_completion(&s, &g, 1, arrival), 12, 1e-9);
    cr_assert_float_eq(arrival[3], 10, 1e-9);
    g.together[0].gap = 1;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 11, 1e-9);
    g.together[0].gap = g.together[1].gap = g.together[2].gap = 2;
    cr_assert_float_eq(flow_completion(&s, &g, 1, NULL), 14, 1e-9);
    schedule_free(&s);
    graph_free(&g);
}
