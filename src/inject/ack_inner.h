/* One broadcast of a stream, with an acknowledgement, with a plan or with neither; what the files
 * behind ack.h share.
 *
 * It begins with the entry of MPI_Bcast, MPI_Ibcast or MPI_Start, and is over with the return of
 * the call that completes it; the first of these is the same call. */
#ifndef COLLPROF_INJECT_ACK_INNER_H
#define COLLPROF_INJECT_ACK_INNER_H

#include "inject/ack.h"

#define ACK_FORGOTTEN SIZE_MAX

struct ack_message {
    uint64_t number;      /* of the broadcast in its stream */
    struct ack_plan plan; /* of a plan */
    double cost;          /* of an acknowledgement: seconds that one takes its sender */
    bool prompt;          /* of an echo: the root was waiting */
};

/* A message that is awaited: of a plan, an acknowledgement at the root, its echo. */
struct ack_pending {
    struct ack_pending *next;
    MPI_Request request;
    struct ack_message message;
    int from; /* in the stream's communicator */
    enum ack_tag tag;
    uint64_t number;  /* of the broadcast that it is expected of */
    size_t broadcast; /* index of its stamp; ACK_FORGOTTEN */
    bool waited_for, done;
};

/* A broadcast that is under way. */
struct ack_open {
    struct ack_open *next;
    struct ack_stream *stream;
    enum { ACK_NOTHING, ACK_PLANNED, ACK_NOW } kind;
    uint64_t number;
    size_t broadcast;         /* index of its stamp; ACK_FORGOTTEN */
    int one;                  /* who acknowledges it */
    struct ack_pending *plan; /* awaited */
    double begun, left;       /* entry of the call that begins it, and its return */
    double idle;              /* seconds since the last return from MPI, then */
};

/* How it ended, for this rank: entry and return of the call that completed it. */
struct ack_end {
    double entry, exit;
    bool at_once;  /* the call was the one that began it, or no call to MPI was made in between */
    bool may_wait; /* the root may stay for acknowledgements, as long as PATIENCE (seconds) */
    double patience;
};

/* --- ack_messages.c --- */

/* NULL without memory. */
struct ack_pending *ack_expect(struct ack_stream *a, int from, enum ack_tag tag,
                               const struct ack_open *o);
void ack_send(const struct ack_stream *a, int to, enum ack_tag tag, const struct ack_message *m);
bool ack_has_come(struct ack_stream *a, struct ack_pending *p);
void ack_echo(const struct ack_stream *a, const struct ack_pending *p, bool prompt);
/* Forgets what has come. A late acknowledgement is answered, since its sender will take one. */
void ack_sweep(struct ack_stream *a);
void ack_pause_since(double start);

/* --- ack_broadcast.c --- */

enum { ACK_WORTH = 3 }; /* broadcasts of a stream before the first is acknowledged */

/* The next broadcast of A is about to begin, or has just been begun. True if it is disturbed. */
bool ack_begin(struct ack_stream *a, struct ack_open *o, uint64_t bytes, bool all);
void ack_complete(struct ack_open *o, const struct ack_end *end, bool all);

#endif
