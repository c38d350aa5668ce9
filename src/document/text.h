/* Tables, facts and findings as text for people. */
#ifndef COLLPROF_DOCUMENT_TEXT_H
#define COLLPROF_DOCUMENT_TEXT_H

#include "base/text.h"
#include "document/document.h"

struct text_options {
    size_t width;  /* characters; 0: as wide as it takes */
    size_t rows;   /* at most so many rows of a table, and how many are left out; 0: all */
    bool comments; /* heads, facts and what is remarked on a row, below it, begin with '#', so that
                      awk and plotters skip them */
    bool brief;    /* no optional columns, and no word of rows that are left out */
    bool explain;  /* what each column means, under its table */
};

/* Everything: facts, findings and the tables that have rows; with comments, findings, all tables
 * and then facts. */
void document_text_write(const struct document *d, FILE *out, const struct text_options *o);

/* Each writes a part, without an empty line before it. */
void document_text_facts(const struct document *d, FILE *out, const struct text_options *o);
void document_text_findings(const struct document *d, FILE *out, const struct text_options *o);
void table_text_write(const struct table *t, FILE *out, const struct text_options *o);

#endif
