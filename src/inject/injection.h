/* An injection: something that the layer does besides watching, a declared value in a list. It may
 * measure before a collective of the application, and do its broadcast in another way.
 *
 * Injections that do broadcasts are nested in the order of the list: each passes the broadcast on
 * to the next, and the last one to the library, so that none knows of another. Adding one is
 * adding a file and a line in list.c, and its heading in src/page/text_findings.c. */
#ifndef COLLPROF_INJECT_INJECTION_H
#define COLLPROF_INJECT_INJECTION_H

#include "record/call.h"
#include "sync/sync.h"

#include <jansson.h>

enum { INJECTIONS_MAX = 8 };

/* What is kept for a communicator: a duplicate that the application does not know, for the
 * layer's own traffic, and what each injection keeps.
 *
 * Made when the application makes the communicator, where all members meet anyway. One whose
 * creation was not seen (MPI_Comm_idup, a foreign language) has none: its calls go to the library
 * untouched, which is counted and said. */
struct shadow {
    MPI_Comm comm; /* errors are returned */
    int rank, size;
    char name[MPI_MAX_OBJECT_NAME + 24]; /* for findings */
    void *kept[INJECTIONS_MAX];          /* one for each injection, its own; NULL at first */
};

/* A collective of the application, on every member of a communicator that has a shadow. */
struct collective {
    struct call *call;
    struct shadow *on;
    MPI_Comm comm; /* the application's */
    int root;      /* -1: none */
    uint64_t bytes;
    /* Of a broadcast only: */
    bool is_broadcast;
    void *buffer;
    int count;
    MPI_Datatype type;
};

struct injection {
    const char *name; /* the kind of its findings in the profile */
    /* Reads layer.settings; false if it is not asked for. */
    bool (*start)(void);
    /* Before the call, innermost injection first: whatever all members have to do together. */
    void (*before)(const struct collective *c);
    /* Does the broadcast, by way of injection_pass() or itself; returns MPI's code. NULL: is
     * passed over. */
    int (*instead)(const struct collective *c);
    /* The communicator goes: adds its findings and frees what is kept. All members call it, in the
     * same order for all communicators. */
    void (*close)(struct shadow *s);

    /* Filled by the dispatcher. */
    bool on;
    int index;          /* into kept[] */
    json_t *findings;   /* an array */
    uint64_t untreated; /* calls that had to go to the library */
};

extern struct injection *const injections[];
extern const size_t n_injections;

/* The clock that all ranks have in common. */
const struct sync_clock *injection_clock(void);

/* Does the broadcast as the injections after SELF in the list do it. Stamps the call's entry and
 * exit around what the innermost does. */
int injection_pass(const struct injection *self, const struct collective *c);
/* Whether any injection after SELF does broadcasts. */
bool injection_passes(const struct injection *self);

/* What SELF keeps for the communicator, SIZE zeroed bytes, made at first use by all members
 * together; NULL on all if one of them has no memory. SELF's close() frees it. */
void *injection_kept(const struct injection *self, struct shadow *s, size_t size);

/* Takes over FINDING (NULL: nothing); the first ones are kept. */
void injection_found(struct injection *self, json_t *finding);

static inline void injection_untreated(struct injection *self)
{
    __atomic_fetch_add(&self->untreated, 1, __ATOMIC_RELAXED);
}

#endif
