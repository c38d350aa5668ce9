/* What --ack keeps of a stream: the broadcasts of one size from one root on one communicator, and
 * of one kind; of persistent ones, those of one request. */
#ifndef COLLPROF_INJECT_ACK_H
#define COLLPROF_INJECT_ACK_H

#include "inject/ack_judge.h"
#include "inject/ack_plan.h"
#include "inject/inject_inner.h"

#include <pthread.h>

enum { ACK_KEPT_MAX = 256, ACK_PERIODS = 64 };

struct ack_pending;
struct ack_open;

/* How long from one broadcast's entry to the next, of the last ACK_PERIODS. */
struct ack_periods {
    double value[ACK_PERIODS];
    uint64_t n;
};

struct ack_stream {
    struct ack_stream *next;
    uint64_t id; /* equal on all members */
    const char *operation;
    char name[MPI_MAX_OBJECT_NAME + 40];
    uint32_t comm; /* in the ledger */
    bool lasts;    /* requests may refer to it to the end */
    int *streams;  /* of this root, being acknowledged: they share what --ack-share allows */
    pthread_mutex_t lock;
    int root, rank, size;
    int *world;           /* ranks of the members on the layer's communicator */
    uint64_t least, most; /* bytes */
    uint64_t calls;       /* so far: the number of the next broadcast */
    uint64_t acknowledged;
    struct ack_plan plan;
    uint32_t of_plan;      /* acknowledged of this plan */
    bool hearing;          /* the next plan is told with a broadcast that is not complete */
    bool off;              /* the root's plan did not come */
    struct ack_open *open; /* those begun and not completed, unless they are blocking */
    uint64_t most_open;

    /* Of the acknowledged broadcasts that are kept, one of 2^thinned: this member in each. */
    struct ack_stamp *stamp;
    size_t n;
    unsigned thinned;
    /* At the root. */
    struct ack_seen *seen;
    size_t n_seen, seen_room;
    uint64_t given_up;
    struct ack_periods plain, disturbed; /* after broadcasts without, with an acknowledgement */
    double last_entry;
    bool last_disturbed;

    struct ack_pending *pending;
    struct ack_packet *packet; /* at the end: what the root gets */
    MPI_Request sending;
    unsigned unanswered; /* acknowledgements in a row that no echo came for */
    double cost, theirs; /* seconds that one takes its sender, at most: this rank, the others */
    double began;        /* clock_now() */
    double inside;       /* seconds in the broadcasts */
    double waited;       /* seconds that acknowledging took besides */
};

enum ack_tag { ACK_TAG_PLAN, ACK_TAG_ACK, ACK_TAG_ECHO, ACK_TAG_STAMPS, ACK_TAGS };
enum { ACK_TAG_FIRST = 1000 };
/* On the layer's communicator; streams have their own as far as there are enough. */
int ack_tag(const struct ack_stream *a, enum ack_tag tag);

/* What is still on its way, at the end: waited for a moment, then given up. First on all ranks as
 * roots, then as destinations. */
void ack_drain(struct ack_stream *a, bool as_root);

/* Collective over all ranks: STREAMS (a list, by their id) are judged at their roots. Frees them.
 * BROADCASTS: others that this rank was root of. */
void ack_finish(struct ack_stream *streams, uint64_t broadcasts, double elapsed);
void ack_stream_free(struct ack_stream *a);

#endif
