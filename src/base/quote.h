/* Quotes text from outside (names of functions, files, hosts, communicators) for a language that
 * would interpret it. There is one function for each language; nothing else quotes. */
#pragma once

#include <stdio.h>

/* For a terminal, in place: characters that are not printable become '?', so that nothing moves the
 * cursor, ends the line or reverses the writing. Valid UTF-8 is kept. */
void quote_plain(char *text);

/* Quotes a word for the shell in ROOM characters (at least 8), truncated to fit, so that it can be
 * shown on a terminal and pasted: with quotation marks if needed, and '?' for characters that are
 * not printable. */
void quote_shell(const char *name, char *word, size_t room);

/* A field of CSV, with quotation marks if needed. A text that a spreadsheet would take for a
 * formula gets an apostrophe in front; numbers are not passed here. */
void quote_csv(const char *text, FILE *out);

/* For the content of an element, or of an attribute in quotation marks. */
void quote_html(const char *text, FILE *out);
