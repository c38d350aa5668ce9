/* The counts of a profile, summed up for a table. */
#ifndef COLLPROF_REPORT_ROWS_H
#define COLLPROF_REPORT_ROWS_H

#include "profile/profile.h"

enum rows_by {
    ROWS_BY_OPERATION,
    ROWS_BY_SITE, /* and operation */
    ROWS_BY_SIZE, /* and operation */
    ROWS_BY_COMM  /* and operation */
};

/* Rows (none for the calls that start and end MPI), of which what is not asked for is PROFILE_NONE
 * (size class: 0). For operations and sites the spread is that of all calls of the row together.
 * The result is for profile_free(). */
struct profile *rows_of(const struct profile *p, enum rows_by by);

/* Largest first, by a uint64_t of struct profile_entry at offset MEMBER; equals by their time. */
void rows_sort(struct profile *rows, size_t member);
#define ROWS_SORT(rows, member) rows_sort(rows, offsetof(struct profile_entry, member))

static inline double entry_quantile(const struct profile_entry *e, double q)
{
    return histogram_quantile(e->histogram, q, e->min_ns, e->max_ns);
}

/* Where a call was made: "heat.c:42 exchange", "exchange+0x1f", "libfoo.so+0x1234". What several
 * sites have in common is told apart by their callers: "heat.c:42 exchange < main.c:7". */
void site_label(const struct profile *p, uint32_t site, char *text, size_t room);

/* Of all sites, at less than the cost of one after the other. */
char **site_labels(const struct profile *p);
void site_labels_free(const struct profile *p, char **label); /* may be NULL */

/* All frames, innermost first. */
void site_path(const struct profile *p, uint32_t site, char *text, size_t room);

/* The functions of all frames, without lines: what stays when a program is edited. */
void site_functions(const struct profile *p, uint32_t site, char *text, size_t room);

/* "MPI_COMM_WORLD", a name that the application gave, or "4 ranks from 0, made at x.c:12 main". */
enum { COMM_LABEL = 400 };
void comm_label(const struct profile *p, uint32_t comm, char *text, size_t room);
/* SITE, its label, and on which communicator if A is not the only place there. */
void arrival_label(const struct profile *p, const struct profile_arrival *a, const char *site,
                   char *text, size_t room);

#endif
