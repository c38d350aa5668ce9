/* The parts of the report, in the order in which they are printed. */
#ifndef COLLPROF_REPORT_TEXT_H
#define COLLPROF_REPORT_TEXT_H

#include "profile/profile.h"
#include "report/figures.h"
#include "report/report.h"

void text_summary(const struct view *v, FILE *out);
/* A line each, for free(): what it is about (a listing, or "LISTING-ROW" as on the page for a
 * browser), a tab, the sentence. */
char *text_sentences(const struct view *v);
/* The tables of the listings FIRST to LAST, in the order of text_tables.c. */
void text_tables(const struct view *v, FILE *out, const struct report_options *options,
                 const char *first, const char *last);
void text_sizes(const struct profile *p, FILE *out);
/* Of a traced run: where most is waited, and for whom; how far the trace can be trusted. */
void text_most_waited(const struct view *v, FILE *out);
void text_small_messages(const struct view *v, FILE *out);
void text_trace(const struct profile *p, FILE *out);
void text_transport(const struct profile *p, FILE *out);

void text_most_measured(const struct view *v, FILE *out);
void text_findings(const struct profile *p, FILE *out, const struct report_options *options);

struct noise;
enum { BAD_STRETCH_ROOM = 200 };
const char *text_bad_stretch(const struct noise *n, char text[BAD_STRETCH_ROOM]);

/* What the run's times rest on, in a line each: whether it was disturbed, what the layer took.
 * False: not known at all. */
bool text_disturbed(const struct profile *p, char *text, size_t room);
bool text_cost(const struct profile *p, char *text, size_t room);

/* The last line: what to do next, with its command; nothing if nothing is certain. */
void text_next(const struct view *v, FILE *out, const char *directory);

/* profile_mpi_ns() in words. */
void text_time_in_mpi(const struct profile *p, char *text, size_t room);

/* After an empty line. */
void text_title(FILE *out, const char *title);
/* Under a title: that the times mean little, if the run was so disturbed. */
void text_doubt(const struct profile *p, FILE *out);

/* Of a NOTE of sentences, each on one or more columns of L ("mean, max: ..."), what is said of
 * those that are shown. For free(). */
struct layout;
char *text_note(const char *note, const struct layout *l);

/* TEXT behind MARK, broken at the page's width and continued under its beginning. */
void text_paragraph(FILE *out, const char *mark, const char *text);

/* How wide the page is to be that this thread writes. */
void text_set_width(size_t columns);
size_t text_width(void);

/* ASKED, or if that is 0 the width of the terminal that OUT is, or of a page. */
size_t text_width_of(FILE *out, int asked);

/* What is said about "N more" under a table that was cut. */
void text_more(FILE *out, size_t rows, size_t shown, const char *what);

#endif
