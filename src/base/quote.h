/* Text from outside (names of functions, files, hosts, communicators) on its way
 * into a language that would interpret it. One function for each language, and no other way. */
#ifndef COLLPROF_BASE_QUOTE_H
#define COLLPROF_BASE_QUOTE_H

#include <stdio.h>

/* For a terminal, in place: what is no printable character becomes '?', so that nothing moves the
 * cursor, ends the line or turns the writing round. UTF-8 stays; what is not UTF-8 does not. */
void quote_plain(char *text);

/* A word of the shell in ROOM characters, at least 8, cut off to fit, as it can be shown on a
 * terminal and pasted from there: in quotation marks where it needs them, with '?' for what is no
 * printable character. What begins with '-' gets "./" in front: it is the name of a file. */
void quote_shell(const char *name, char *word, size_t room);

/* The same for an argument, which may begin with '-'. */
void quote_word(const char *argument, char *word, size_t room);

/* A field, in quotation marks where they are needed. A text that a spreadsheet would take for a
 * formula begins with an apostrophe; numbers go another way. */
void quote_csv(const char *text, FILE *out);

/* For the text of an element, or of an attribute in quotation marks. */
void quote_html(const char *text, FILE *out);

#endif
