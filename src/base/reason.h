/* Why something could not be done. Who finds out gives the reason and goes back; nobody prints but
 * who speaks with the user: a program's main, or the layer as the run ends. Each thread has its
 * own. */
#ifndef COLLPROF_BASE_REASON_H
#define COLLPROF_BASE_REASON_H

#include <stdarg.h>
#include <stdbool.h>

/* Prints "PROGRAM: line" to standard error. Names in it may be anybody's: what is no printable
 * character becomes '?' (base/quote.h). */
void reason_say(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
void reason_say_list(const char *program, const char *format, va_list arguments);

/* Keeps a line, "what is wrong: expected X" or "use: X", unless it was given before; returns false.
 */
bool reason_give(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Tells each line that was given since the last time. */
void reason_tell(const char *program);

#endif
