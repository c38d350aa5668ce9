/* A part of a profile: what the reader asked for. */
#ifndef COLLPROF_REPORT_FILTER_H
#define COLLPROF_REPORT_FILTER_H

#include "profile/profile.h"

struct filter {
    const char *only; /* operations of this name, with or without MPI_, * and ?; NULL: all */
    bool one_rank;
    int rank;
    /* Filled in by filter_apply(): what is left, of how much. */
    uint64_t calls, all_calls;
    double time_ns, all_ns;
};

static inline bool filter_is_on(const struct filter *f)
{
    return f && (f->only || f->one_rank);
}

/* Takes out of P what F does not name: of one rank what is known of it alone (call sites where it
 * spends most, collectives where it is the late rank, its messages). P's list of ranks stays, for
 * means are of all ranks. False if nothing is left: then WHY says what there is. */
bool filter_apply(struct profile *p, struct filter *f, char *why, size_t room);

/* Takes the other ranks out, too: for data, in which there are no means. */
void filter_ranks(struct profile *p, const struct filter *f);

/* What is shown, in a paragraph; for free(). */
char *filter_sentences(const struct filter *f);

#endif
