/* Control variables of the MPI library that are whole numbers or truth values, by its tool
 * interface (MPI_T). In the simulator there are none. The functions may be called between MPI_Init
 * and MPI_Finalize, by one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sets the variable NAME. Returns NULL, or the error as a phrase. */
const char *cvar_write(const char *name, long long value);

/* False, with *VALUE unchanged, if there is no such variable. */
bool cvar_read(const char *name, long long *value);

/* Puts possible value number I (from 0) of a variable into *VALUE and its name into NAME, "" if the
 * name is not known. False if I is not below their number, or if the library does not list them. */
bool cvar_possible(const char *variable, int i, int *value, char *name, size_t room);
