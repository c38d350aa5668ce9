/* Quotes text that is not collprof's own (names of functions, files, hosts, communicators), so that
 * a terminal, shell, CSV reader or browser does not interpret it. All output uses this. */
#pragma once

#include <stdio.h>

/* Makes TEXT safe for a terminal, in place: control characters, also those for the direction of
 * writing, and invalid UTF-8 become '?'; newlines and tabulators become blanks. */
void quote_plain(char *text);

/* Stores NAME in WORD, of ROOM bytes (at least 8), as a word that can be pasted into a shell: made
 * plain as by quote_plain(), in quotation marks if needed, truncated if too long. */
void quote_shell(const char *name, char *word, size_t room);

/* Writes a text (NULL: an empty one) as a field of CSV, in quotation marks if needed. A text that a
 * spreadsheet would take for a formula, such as "=1", gets an apostrophe before it. Not for
 * numbers, since "-1" would get one, too. */
void quote_csv(const char *text, FILE *out);

/* Writes TEXT as the content of an HTML element, or of an attribute in quotation marks. */
void quote_html(const char *text, FILE *out);
