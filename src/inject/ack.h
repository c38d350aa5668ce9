/* A stream: the broadcasts of one size from one root on one communicator, some of which are
 * acknowledged (--ack). Every member keeps one; ack.c records, ack_report.c puts the members'
 * records together at the end of the run. */
#ifndef COLLPROF_INJECT_ACK_H
#define COLLPROF_INJECT_ACK_H

#include "inject/ack_judge.h"
#include "inject/ack_plan.h"
#include "inject/injection.h"

enum { ACK_KEPT_MAX = 256, ACK_PERIODS = 64 };

struct ack_pending;

/* Seconds from one broadcast's entry to the next, of the last ACK_PERIODS. */
struct ack_periods {
    double value[ACK_PERIODS];
    uint64_t n;
};

struct ack_stream {
    struct ack_stream *next;
    uint64_t id; /* equal on all members */
    char name[MPI_MAX_OBJECT_NAME + 40];
    uint32_t comm; /* in the ledger */
    int root, rank, size;
    int *world;           /* ranks of the members on the layer's communicator */
    uint64_t least, most; /* bytes */
    uint64_t calls;       /* so far: the number of the next broadcast */
    uint64_t acknowledged;
    struct ack_plan plan;
    uint32_t of_plan; /* acknowledged of this plan */
    bool off;         /* the root's plan did not come: this member takes part no more */

    /* Of the acknowledged broadcasts that are kept, one of 2^thinned: this member in each. */
    struct ack_stamp *stamp;
    size_t n;
    unsigned thinned;
    /* At the root: the acknowledgements. */
    struct ack_seen *seen;
    size_t n_seen, seen_room;
    uint64_t given_up;
    struct ack_periods plain, delayed; /* after broadcasts without, with an acknowledgement */
    double last_entry;
    bool last_delayed;

    struct ack_pending *pending;
    struct ack_packet *packet; /* at the end: this member's record for the root */
    MPI_Request sending;
    unsigned unanswered; /* acknowledgements in a row without an echo */
    double cost, theirs; /* largest seconds of an acknowledgement: at this rank, at the others */
    double began;        /* clock_now() */
    double inside;       /* seconds in the broadcasts */
    double waited;       /* seconds of acknowledging */
};

enum ack_tag { ACK_TAG_PLAN, ACK_TAG_ACK, ACK_TAG_ECHO, ACK_TAG_STAMPS, ACK_TAGS };
enum { ACK_TAG_FIRST = 1000 };
/* On the layer's communicator. Streams have tags of their own as far as there are enough: every MPI
 * has 32767, most far more. */
int ack_tag(const struct ack_stream *a, enum ack_tag tag);

/* At the end: takes the messages that are still on their way, for up to a second, and gives up the
 * rest. First on all ranks as roots, then as destinations. */
void ack_drain(struct ack_stream *a, bool as_root);

/* Collective over all ranks: STREAMS (a list, by their id) are judged at their roots, which add
 * the findings, and freed. BROADCASTS: others that this rank was root of. ELAPSED: seconds. */
void ack_report(struct ack_stream *streams, uint64_t broadcasts, double elapsed);
void ack_stream_free(struct ack_stream *a);

#endif
