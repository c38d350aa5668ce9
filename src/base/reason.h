/* Why something could not be done. Who finds out gives the reason and goes back; nobody prints but
 * who speaks with the user: a program's main, or the layer as the run ends. Each thread has its
 * own. */
#ifndef COLLPROF_BASE_REASON_H
#define COLLPROF_BASE_REASON_H

#include <stdbool.h>

/* Keeps a line, "what is wrong: what would be right", unless it was given before; returns false. */
bool reason_give(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints each line that was given since the last time to standard error, after "PROGRAM: ". */
void reason_tell(const char *program);

#endif
