/* What Python code a thread is in, read from CPython's own frames: 3.11 to 3.13.
 *
 * Only memory is read. No object is made, no count of references changed, and the interpreter's
 * lock neither needed nor taken: mpi4py and ctypes give it back while they are in MPI. A thread's
 * frames stay as they are while the thread is in a C function, and keep their code alive. Where
 * these structures lie is known by version; before the first use they are read with care, and an
 * interpreter that has them elsewhere is left alone. */
#ifndef COLLPROF_RECORD_PYTHON_H
#define COLLPROF_RECORD_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Python call in progress. Its pointers are valid only until the thread continues. */
struct python_call {
    const char *code; /* the function's code object */
    int instruction;  /* byte in it */
    uint64_t mark;    /* hash of CODE, INSTRUCTION and the code's content: a freed code object's
                         address may be reused */
};

struct python_place {
    char file[4096], function[256]; /* in UTF-8; cut where they are longer */
    uint32_t line;
};

/* The script in this process's command line; "" if PROGRAM is not Python or has no script (-c).
 */
void python_script(const char *program, char *script, size_t room);

/* Looks for an interpreter in LIBRARY (NULL: in the global symbols of the process). Returns an
 * address in its machine code; NULL if there is none, or its version's frames are not supported.
 */
const void *python_find(const char *library);

/* The innermost calls of this thread, at most MOST; those of the import system are left out. */
unsigned python_calls(struct python_call *call, unsigned most);

/* False: not known. */
bool python_place_of(const struct python_call *call, struct python_place *place);

#endif
