/* Error messages. A function that fails stores the reason by reason_give() and returns. Only a
 * program's main(), or the layer at the end of the run, prints the reasons. Each thread stores its
 * own reasons. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

/* Prints "PROGRAM: line" to standard error, after quote_plain() (base/quote.h). */
void reason_print(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reason_print_list(const char *program, const char *format, va_list arguments);

/* Stores one line, such as "FILE: what is wrong: expected X" or "...: use: X", unless it is already
 * stored. Returns false, which a failing function returns. */
bool reason_give(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints and removes all lines that this thread has stored. */
void reason_print_stored(const char *program);
