/* What commands still print with that are no documents yet. Use document/text.h. */
#ifndef COLLPROF_REPORT_TEXT_H
#define COLLPROF_REPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

void text_title(FILE *out, const char *title);
void text_paragraph(FILE *out, const char *mark, const char *text);
void text_more(FILE *out, size_t rows, size_t shown, const char *what);
void text_set_width(size_t columns);
size_t text_width(void);
size_t text_width_of(FILE *out, int asked);

#endif
