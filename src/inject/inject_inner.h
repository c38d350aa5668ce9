/* An injection: something that the layer does besides watching, a declared value in a list. It may
 * measure before a collective of the application, and do its broadcast in another way.
 *
 * Injections that do broadcasts are nested in the order of the list: each passes the broadcast on
 * to the next, and the last one to the library, so that none knows of another. Adding one is
 * adding a file and a line in list.c, and its heading in src/report/text_findings.c. */
#ifndef COLLPROF_INJECT_INJECT_INNER_H
#define COLLPROF_INJECT_INJECT_INNER_H

#include "inject/inject.h"
#include "record/call.h"
#include "sync/sync.h"

#include <jansson.h>

/* TRIES: calls to which members may come too late for what is done together before them. */
enum { INJECTIONS_MAX = 8, STARTED_MAX = 32, TRIES = 3 };

/* Members who meet before a call: they are all there, and they agree. */
struct meeting {
    MPI_Request here, agreed;
    uint64_t mine[3], all[3];
};

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
    char name[MPI_MAX_OBJECT_NAME + 40]; /* for what is said during the run */
    void *kept[INJECTIONS_MAX];          /* one for each injection, its own; NULL at first */
    /* Of the same members for the layer's own traffic, made from the group, so that no attribute of
     * the application's communicator is copied. MPI_COMM_NULL on all members until they have met,
     * and for ever where contexts run low: there are few of them in an MPI, and the application's
     * come first. */
    MPI_Comm comm;
    uint64_t calls; /* that an injection wants, until they have met */
    /* Those that members came too late to, and the next; the last one when it goes. */
    struct meeting meeting[TRIES + 1];
    int late;
    bool left_alone;                     /* by what members do together */
    struct started started[STARTED_MAX]; /* the same on all members when they meet */
    int n_started;
};

/* A collective of the application, on every member of an intracommunicator of two or more. */
struct collective {
    struct call *call;
    struct shadow *on; /* NULL: without memory for one */
    MPI_Comm comm;     /* the application's */
    int root;          /* -1: none */
    uint64_t bytes;
    const struct operands *operands; /* NULL: it is a broadcast, or only started */
    /* Of a broadcast only: */
    bool is_broadcast, is_measured; /* one of a measurement's own, and not of the application */
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
    size_t keeps;     /* bytes that shadows have for it, zeroed, once members have met */
    /* Reads layer.settings; false if it is not asked for. */
    bool (*start)(void);
    /* What members do together before a call, or in its place, must be done by all. Of each call:
     * whether it may be one, by what all members know alike, whatever they keep. NULL: none is. */
    bool (*wants)(const struct collective *c);
    /* Of one that is wanted, on a communicator whose members have met: counts it; whether it is due
     * now. */
    bool (*due)(const struct collective *c);
    /* Does it, innermost injection first, if all members came in time. */
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
    /* The communicator goes: adds its findings and frees what is kept. ALL: all members are here,
     * which they are not where nothing was ever done together, say. */
    void (*close)(struct shadow *s, bool all);
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

/* NULL: nothing can be injected on this communicator. */
struct shadow *shadow_of(struct comm *c);

/* What injections do together before C, if one is due and all members come in time. */
void shadow_before(const struct collective *c);

/* On all ranks; TOGETHER: an injection wants calls. Members close shadows together, in one order.
 */
void shadows_start(bool together);
void shadows_end(bool together);
void shadows_warn(void (*warn)(void *arg, const char *text), void *arg);

/* Takes over FINDING (NULL: nothing), of the ledger's communicator COMM; the first ones are kept.
 */
void injection_found(struct injection *self, uint32_t comm, json_t *finding);

static inline void injection_untreated(struct injection *self)
{
    __atomic_fetch_add(&self->untreated, 1, __ATOMIC_RELAXED);
}

#endif
