/* Documents as text for people. */
#pragma once

#include "base/text.h"
#include "document/document.h"

struct text_options {
    size_t width;  /* characters; 0: unlimited */
    size_t rows;   /* most rows shown of a table; the number of omitted rows follows; 0: all */
    bool comments; /* heads, facts, and remarks (below their row) begin with '#', and each row is
                      one line, so that awk and plotters can read the table */
    bool brief;    /* each row is one line; optional columns and the number of omitted rows are not
                      shown */
    bool explain;  /* the meaning of each column follows its table */
};

/* Writes facts, findings and the tables that have rows; with COMMENTS: findings, then all tables,
 * then facts. */
void document_text_write(const struct document *d, FILE *out, const struct text_options *o);

/* Writes one table, without its title. A name that is too wide continues on the next line. */
void table_text_write(const struct table *t, FILE *out, const struct text_options *o);
