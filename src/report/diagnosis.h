/* One finding, and how it is made. */
#ifndef COLLPROF_REPORT_DIAGNOSIS_H
#define COLLPROF_REPORT_DIAGNOSIS_H

#include "document/document.h"
#include "report/figures.h"

/* A finding with what its pointers point to. */
struct diagnosis {
    struct finding f;         /* .cost in seconds per rank, mean of all ranks */
    uint32_t site, operation; /* PROFILE_NONE: none */
    char text[700], place[600], advice[700];
    int rank[8];
};

struct diagnoses {
    struct diagnosis *
        *at; /* errors, doubts that void the rest, then findings by cost, then others */
    size_t n, room;
};

/* What findings are made from. */
struct making {
    const struct view *v;
    struct diagnoses *all;
    const char *directory; /* NULL: none */
    double run;            /* seconds */
    double n;              /* ranks */
    bool voided;           /* times cannot be judged, or MPI takes too little to matter */
    double explained;      /* seconds per rank of waiting that a finding names already */
};

/* A new finding with its text. COST in seconds per rank with the lower end LOW of its interval;
 * NaN: no cost, or no interval. */
struct diagnosis *finding_add(struct making *m, const char *key, enum severity severity,
                              double cost, double low, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void finding_rank(struct diagnosis *d, int rank);
void finding_number(struct diagnosis *d, const char *name, double value);
void finding_advise(struct diagnosis *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The call site of D; returns "MPI_Recv at x.c:12 main". */
const char *finding_place(const struct making *m, struct diagnosis *d, uint32_t operation,
                          uint32_t site);
/* The same of any call. */
void call_label(const struct view *v, uint32_t operation, uint32_t site, char *text, size_t room);

/* The finding of that KEY; NULL: there is none. */
const struct diagnosis *findings_find(const struct diagnoses *d, const char *key);

#endif
