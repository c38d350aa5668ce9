/* A verdict in words: one sentence, the ranks in groups, and who cannot be seen. */
#ifndef COLLPROF_VERDICT_TEXT_H
#define COLLPROF_VERDICT_TEXT_H

#include "verdict/records.h"

#include <jansson.h>
#include <stdio.h>

/* Ranks that are in the same call. */
struct verdict_group {
    int32_t *rank; /* N of them, ascending; for free() */
    size_t n;
    char *text;  /* "in MPI_Recv from rank 1 (tag 4, ...), at x.c:12 main"; for free() */
    char *alike; /* the same without what differs among them */
    bool at_fault;
};

struct account {
    char *sentence; /* for free() */
    ARRAY(struct verdict_group) groups;
    ARRAY(char *) notes;
};

/* For account_free(). */
struct account *account_of(struct evidence *e, const struct verdict *v);
void account_free(struct account *a);

/* Writes A to OUT in lines of WIDTH, the sentence behind MARK. */
void account_write(const struct account *a, FILE *out, const char *mark, size_t width);

/* {"kind", "proven", "text", "ranks", "groups", "notes"}; a new reference. */
json_t *account_json(const struct account *a, const struct verdict *v);

#endif
