/* Control variables of the MPI library, by its tool interface (MPI_T). In the simulator there are
 * none. The functions may be called between MPI_Init and MPI_Finalize, by one thread at a time. */
#ifndef COLLPROF_TUNE_CVAR_H
#define COLLPROF_TUNE_CVAR_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the variable NAME to the whole number in TEXT. Returns NULL, or the error as a phrase. */
const char *cvar_write(const char *name, const char *text);

/* Reads a variable that is a whole number or a truth value. False, with *VALUE unchanged, if there
 * is none of that name and kind. */
bool cvar_read(const char *name, long long *value);

/* Puts value number I (from 0) of a variable whose values have names into *VALUE and NAME. False if
 * there is none, or if the library gives no names. */
bool cvar_enum_name(const char *variable, int i, int *value, char *name, size_t room);

/* Puts the description into TEXT, truncated to ROOM; "" if there is none. */
void cvar_description(const char *name, char *text, size_t room);

#endif
