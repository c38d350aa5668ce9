/* An injection: something that the layer does besides watching, a declared value in a list. It may
 * measure before a collective of the application, and do its broadcast in another way.
 *
 * Injections that do broadcasts are nested in the order of the list: each passes the broadcast on
 * to the next, and the last one to the library, so that none knows of another. Adding one is
 * adding a file and a line in list.c, and its heading in src/page/text_findings.c. */
#ifndef COLLPROF_INJECT_INJECT_INNER_H
#define COLLPROF_INJECT_INJECT_INNER_H

#include "inject/inject.h"
#include "record/call.h"
#include "sync/sync.h"

#include <jansson.h>

enum { INJECTIONS_MAX = 8, STARTED_MAX = 32 };

/* A kind of operation that members started without meeting in it. */
struct started {
    unsigned operation;
    int root;
    uint64_t bytes;
    bool measured;
};

/* What is kept for a communicator; made at its first collective that an injection might treat. */
struct shadow {
    struct comm *of;
    int rank, size;
    char name[MPI_MAX_OBJECT_NAME + 24]; /* for findings */
    void *kept[INJECTIONS_MAX];          /* one for each injection, its own; NULL at first */
    MPI_Comm comm;                       /* see injection_comm() */
    bool comm_refused;
    uint64_t meetings;                   /* calls in which all members met, until has_met */
    bool has_met;                        /* all members have one */
    struct started started[STARTED_MAX]; /* the same on all members when they meet */
    int n_started;
};

/* A collective of the application, on every member of an intracommunicator of two or more. */
struct collective {
    struct call *call;
    struct shadow *on;
    MPI_Comm comm; /* the application's */
    int root;      /* -1: none */
    uint64_t bytes;
    const struct operands *operands; /* NULL: it is a broadcast, or only started */
    /* Of a broadcast only: */
    bool is_broadcast;
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
};

/* What an injection remembers of a request: the first member of a structure of its own. */
struct injected {
    const struct injection *by;
};

struct injection {
    const char *name; /* the kind of its findings in the profile */
    bool together;    /* members communicate before the call or in its place, so all must do it */
    /* Reads layer.settings; false if it is not asked for. */
    bool (*start)(void);
    /* Before the call, innermost injection first: whatever all members have to do together. */
    void (*before)(const struct collective *c);
    /* After a non-blocking or persistent collective was asked for; nobody may wait here. What it
     * returns (NULL: nothing) is handed to BEGUN after MPI_Start, and to COMPLETED after the call
     * that completed the request; AGAIN: it is persistent. NULL: is passed over. */
    struct injected *(*started)(const struct collective *c);
    void (*begun)(struct injected *i, const struct call *call);
    void (*completed)(struct injected *i, const struct call *call, bool tested, bool again);
    /* Does the broadcast, by way of injection_pass() or itself; returns MPI's code. NULL: is
     * passed over. */
    int (*instead)(const struct collective *c);
    /* The communicator goes: adds its findings and frees what is kept. All members call it, in the
     * same order for all communicators. */
    void (*close)(struct shadow *s);
    /* The run ends, all communicators are closed. All ranks call it. */
    void (*finish)(void);

    /* Filled by the dispatcher. */
    bool on;
    int index;          /* into kept[] */
    json_t *findings;   /* an array */
    char remark[400];   /* for the report, written by finish() */
    uint64_t untreated; /* calls that had to go to the library */
};

extern struct injection *const injections[];
extern const size_t n_injections;

/* The clock that all ranks have in common. */
struct sync_clock *injection_clock(void);

/* Does the broadcast as the injections after SELF in the list do it. Stamps the call's entry and
 * exit around what the innermost does. */
int injection_pass(const struct injection *self, const struct collective *c);
/* Whether any injection after SELF does broadcasts. */
bool injection_passes(const struct injection *self);

/* A communicator of the same members for the layer's own traffic, made at first use, when all
 * members call this; errors are returned. It is made from the group, so that no attribute of the
 * application's communicator is copied. MPI_COMM_NULL on all members if contexts run low: there
 * are few of them in an MPI, and the application's come first. */
MPI_Comm injection_comm(struct shadow *s);

/* What SELF keeps for the communicator, SIZE zeroed bytes, made at first use by all members
 * together by way of injection_comm(); NULL on all if there is none or no memory. SELF's close()
 * frees it. */
void *injection_kept(const struct injection *self, struct shadow *s, size_t size);

/* Takes over FINDING (NULL: nothing); the first ones are kept. */
void injection_found(struct injection *self, json_t *finding);

static inline void injection_untreated(struct injection *self)
{
    __atomic_fetch_add(&self->untreated, 1, __ATOMIC_RELAXED);
}

#endif
