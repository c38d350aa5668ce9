/* Every table of a run, declared once: the report, --table, --explain, CSV and the page use this
 * list. To add a column: a line in the table's columns, and its cell at the same position in the
 * function that adds the rows. */
#pragma once

#include "document/document.h"
#include "profile/noise.h"
#include "report/labels.h"

/* Where the time of a run is spent: POP's parallel efficiency and its factors. Useful time is time
 * outside of MPI. With the useful time C(r) of rank r, n ranks, and the run time T from MPI_Init to
 * MPI_Finalize of the slowest rank, C and T without experiments (--ack and others):
 *   load balance = mean C / max C     communication efficiency = max C / T
 *   parallel efficiency = mean C / T = load balance x communication efficiency
 * With a trace, and T0 the run time of its replay on an ideal network:
 *   serialisation = max C / T0        transfer = T0 / T
 *   communication efficiency = serialisation x transfer
 * Shares are of n x T. */
struct efficiency {
    bool known; /* false if a rank was killed in a call, or has several threads in MPI at once */
    double run; /* T, seconds */
    double compute; /* useful share: the parallel efficiency */
    double waiting; /* lower bound of the share in which ranks wait for others */
    double other;   /* remaining share in MPI: transfer, and waiting that is not recognized */
    double load_balance, communication;
    double serialisation, transfer; /* NAN if unknown */
    double mean, most;              /* of C, seconds */
};
struct efficiency efficiency_of(const struct profile *p);

/* "66.0 % = load balance 71.0 % x serialisation 98.0 % x transfer 95.0 %", or with communication
 * instead of the last two, if they are unknown. E must be known. Returns TEXT. */
enum { EFFICIENCY_TEXT = 120 };
const char *efficiency_text(const struct efficiency *e, char text[EFFICIENCY_TEXT]);

/* PART: the parts of a rank's wall time, ns: outside of MPI; waiting, a lower bound; messages,
 * collectives and other time in MPI; experiments (NaN: none were made). NaN: unknown, as for a rank
 * that was killed in a call. MOST: as in struct efficiency. */
enum { RANK_PARTS = 6 };
void rank_parts(const struct profile_rank *r, double most, double part[RANK_PARTS]);

/* A profile, with values that are computed once for all tables. */
struct view {
    const struct profile *p;
    double mpi_ns; /* time in MPI, sum over all ranks; NaN if unknown for a rank */
    double ranks;  /* at least 1 */
    struct noise noise;
    struct efficiency where;
    char **label;                     /* one for each call site */
    const struct report_table *table; /* the table that its function FILL is to fill */
};
void view_open(struct view *v, const struct profile *p);
void view_close(struct view *v);

/* The algorithm that all calls of OPERATION used, "several" if they differ; NULL if unknown. */
const char *algorithm_of(const struct profile *p, uint32_t operation);

/* "MPI_Recv at x.c:12 main": a call with its call site, if known. Returns TEXT, or NONE if
 * OPERATION is PROFILE_NONE. */
enum { CALL_LABEL = 600 };
const char *call_label(const struct view *v, uint32_t operation, uint32_t site, const char *none,
                       char text[CALL_LABEL]);
/* call_label() in a text that lasts as long as the innermost block around the macro. */
#define AS_CALL(v, operation, site, none)                                                          \
    call_label(v, operation, site, none, (char[CALL_LABEL]){0})

/* COLUMN: always shown; OPTIONAL: left out of narrow text; NAME: has texts that may be cut. */
#define COLUMN(name, kind, head, meaning)                                                          \
    {                                                                                              \
        name, NULL, COLUMN_##kind, 0, meaning, head, 0                                             \
    }
#define OPTIONAL(name, kind, head, meaning)                                                        \
    {                                                                                              \
        name, NULL, COLUMN_##kind, 2, meaning, head, COLUMN_OPTIONAL                               \
    }
#define NAME(name, head, meaning)                                                                  \
    {                                                                                              \
        name, NULL, COLUMN_TEXT, 0, meaning, head, COLUMN_SHORTEN                                  \
    }

/* measured.c: tables of measurements made in the run. */
extern const struct column ack_columns[11], benchmark_columns[10], broadcast_columns[11],
    tune_columns[14], algorithm_columns[5];
void fill_measured(struct table *t, const struct view *v);
/* sampled.c: the table of samples. */
extern const struct column sample_columns[7];
void fill_samples(struct table *t, const struct view *v);

struct report_table {
    const char *name, *title;
    const char *option; /* option of `collprof run` without which the table is empty; or NULL */
    const struct column *columns;
    size_t n_columns;
    void (*fill)(struct table *t, const struct view *v); /* adds the rows, in any order */
    const char *sort; /* rows are sorted by descending values of this column; NULL: not sorted */
    const char *rows; /* fill_measured(): member of a measurement that is the array of its rows;
                         NULL: each measurement is one row */
};
extern const struct report_table report_tables[];
extern const size_t n_report_tables;

const struct report_table *report_table_find(const char *name); /* NULL if there is none */

/* Adds the table WHICH, with its rows, to D, which owns it. */
struct table *report_table_add(struct document *d, const struct report_table *which,
                               const struct view *v);
