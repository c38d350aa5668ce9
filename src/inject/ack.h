/* A stream: the broadcasts of one size from one root on one communicator, some of which are
 * acknowledged (--ack). Every member keeps one; ack.c records, ack_report.c puts the members'
 * records together at the end of the run. */
#ifndef COLLPROF_INJECT_ACK_H
#define COLLPROF_INJECT_ACK_H

#include "inject/ack_judge.h"
#include "inject/ack_plan.h"
#include "inject/injection.h"

/* ACK_KEPT: acknowledged broadcasts of a stream, after which no more are acknowledged. It bounds
 * both the memory and the time that a run spends on a stream. */
enum { ACK_KEPT = 256 };

struct ack_pending;

struct ack_stream {
    struct ack_stream *next;
    uint64_t id; /* equal on all members */
    char name[MPI_MAX_OBJECT_NAME + 40];
    uint32_t comm; /* in the ledger */
    int root, rank, size;
    int *world; /* ranks of the members on the layer's communicator */
    uint64_t bytes;
    uint64_t calls; /* so far: the number of the next broadcast */
    bool off;       /* this member has no memory for its record */

    /* Of the acknowledged broadcasts: this member in each, and at the root its acknowledgement. */
    struct ack_stamp *stamp;
    struct ack_seen *seen;
    size_t n;

    struct ack_pending *pending;
    unsigned unanswered; /* acknowledgements in a row without an echo */
    double waited;       /* seconds of acknowledging */
};

/* An acknowledgement, or its echo. */
struct ack_message {
    uint64_t number; /* of the broadcast in its stream */
    bool prompt;     /* of an echo: the root was waiting */
};

enum ack_tag { ACK_TAG_STAMPS = 1000, ACK_TAG_FIRST };

/* At the end: takes the messages that are still on their way, for up to a second, and gives up the
 * rest. First on all ranks as roots, then as destinations. */
void ack_drain(struct ack_stream *a, bool as_root);

/* Collective over all ranks: STREAMS (a list, by their id) are judged at their roots, which add
 * the findings, and freed. BROADCASTS: others that this rank was root of. ELAPSED: seconds. */
void ack_report(struct ack_stream *streams, uint64_t broadcasts, double elapsed);
void ack_stream_free(struct ack_stream *a);

#endif
