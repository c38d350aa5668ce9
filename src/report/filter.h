/* A part of a profile: what the reader asked for. */
#ifndef COLLPROF_REPORT_FILTER_H
#define COLLPROF_REPORT_FILTER_H

#include "profile/profile.h"

#include <stdbool.h>

/* NULL: all. Names may hold * and ?; upper and lower case are the same, and MPI_ may be left out.
 */
struct filter {
    const char *only, *comm, *region; /* operation; communicator; region */
    bool one_rank;
    int rank;
    /* Filled in by filter_apply(). */
    uint64_t calls, all_calls;
    size_t findings, all_findings;
    size_t places, all_places; /* operations at call sites */
    double time_ns, all_ns;
};

static inline bool filter_is_on(const struct filter *f)
{
    return f && (f->only || f->comm || f->region || f->one_rank);
}

/* Takes out of P what F does not name; its ranks stay, for means are of all of them. False if that
 * leaves nothing: then WHY says what there is. What is not known by communicator, region or rank
 * goes. */
bool filter_apply(struct profile *p, struct filter *f, char *why, size_t room);

/* Takes the other ranks out, too: for data, of which no means are made. */
void filter_ranks(struct profile *p, const struct filter *f);

/* What is shown, and what cannot be: lines, for free(). */
char *filter_sentences(const struct filter *f);

#endif
