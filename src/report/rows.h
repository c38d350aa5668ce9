/* The counts of a profile, summed up for a table; and how call sites are called. */
#ifndef COLLPROF_REPORT_ROWS_H
#define COLLPROF_REPORT_ROWS_H

#include "base/histogram.h"
#include "profile/profile.h"

struct rows {
    struct profile_entry *at; /* of a communicator, region and size: none */
    size_t n;
};

/* A row for each operation (none for the calls that start and end MPI), BY_SITE: for each call site
 * and operation; the longest time first. For rows_free(). */
struct rows rows_of(const struct profile *p, bool by_site);
void rows_free(struct rows *rows);

static inline double entry_quantile(const struct profile_entry *e, double q)
{
    return histogram_quantile(e->histogram, q, e->min_ns, e->max_ns);
}

/* For each site where the call was made: "heat.c:42 exchange", "exchange+0x1f",
 * "libfoo.so+0x1234"; "-": unknown. Sites that have that in common have as many callers behind it
 * as distinguish them: "heat.c:42 exchange < main.c:7"; several calls in one line have one label.
 * For site_labels_free(), which takes NULL, too. */
char **site_labels(const struct profile *p);
void site_labels_free(const struct profile *p, char **label);

/* The functions of all frames, without lines: what does not change when a program is edited. */
void site_functions(const struct profile *p, uint32_t site, char *text, size_t room);

/* "MPI_COMM_WORLD", a name that the application gave, or "4 ranks from 0, made at x.c:12 main". */
enum { COMM_LABEL = 640 };
void comm_label(const struct profile *p, uint32_t comm, char text[COMM_LABEL]);

/* Gives the communicators of measurements the names that tables use: once, when all ranks' are
 * there and call sites have names. */
void measured_name(struct profile *p);

#endif
