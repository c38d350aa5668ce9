/* Error messages. A function that fails gives the reason and returns. Only a program's main(), or
 * the layer at the end of the run, prints it. Each thread has its own list. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

/* Prints "PROGRAM: line" to standard error. Characters that are not printable become '?', since
 * names may come from outside (base/quote.h). */
void reason_print(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reason_print_list(const char *program, const char *format, va_list arguments);

/* Stores a line, "what is wrong: expected X" or "use: X", unless it is stored already; returns
 * false. */
bool reason_give(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints all lines stored since the last call. */
void reason_print_stored(const char *program);
