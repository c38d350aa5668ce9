/* The parts of the report, in the order in which they are printed. */
#ifndef COLLPROF_PAGE_TEXT_H
#define COLLPROF_PAGE_TEXT_H

#include "profile/fields.h"

enum { TEXT_WIDTH = 112 };

void text_header(const struct profile *p, FILE *out);
void text_summary(const struct profile *p, FILE *out);
void text_operations(const struct profile *p, FILE *out, const struct report_options *options);
void text_sites(const struct profile *p, FILE *out, const struct report_options *options);
void text_ranks(const struct profile *p, FILE *out, const struct report_options *options);
void text_sizes(const struct profile *p, FILE *out, const struct report_options *options);
void text_communicators(const struct profile *p, FILE *out, const struct report_options *options);
void text_requests(const struct profile *p, FILE *out, const struct report_options *options);
void text_arrivals(const struct profile *p, FILE *out, const struct report_options *options);
void text_regions(const struct profile *p, FILE *out, const struct report_options *options);
void text_findings(const struct profile *p, FILE *out, const struct report_options *options);
void text_warnings(const struct profile *p, FILE *out);

/* Time in MPI of all ranks together, ns. */
double text_mpi_ns(const struct profile *p);

/* A line, broken at the page's width and continued under its beginning. */
void text_wrapped(FILE *out, const char *mark, const char *text);

/* What is said about "N more" under a table that was cut. */
void text_more(FILE *out, size_t rows, size_t shown, const char *what);

/* "MPI_Bcast" without "MPI_". */
const char *text_operation(const struct profile *p, uint32_t operation);

/* "3 x1.25": the rank that spends most, and how many times the mean of all ranks that is. */
char *text_worst(const struct profile *p, const struct spread *s, char text[32]);

#endif
