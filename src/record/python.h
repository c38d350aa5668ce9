/* The Python call stack of a thread, read from CPython's own frames: 3.11 to 3.13.
 *
 * It only reads memory: it creates no objects, changes no reference counts, and does not need the
 * interpreter's lock, which mpi4py and ctypes release while they are in MPI. A thread's frames do
 * not change while it is in a C function, and keep their code alive. The layout of these structures
 * depends on the version; the first reading checks it, and an interpreter with another layout is
 * ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Python call in progress. Its pointers are valid only until the thread continues. */
struct python_call {
    const char *code; /* the function's code object */
    int instruction;  /* offset in its bytecode */
    uint64_t mark;    /* hash of CODE, INSTRUCTION and the code's content, since a freed code
                         object's address may be reused */
};

struct python_place {
    char file[4096], function[256]; /* in UTF-8; truncated to fit */
    uint32_t line;
};

/* The script in this process's command line; "" if PROGRAM is not Python or has no script (-c).
 */
void python_script(const char *program, char *script, size_t room);

/* Looks for an interpreter in the global symbols of the process. Returns an address in its machine
 * code; NULL if there is none, or its version's frames are not supported. */
const void *python_find(void);

/* Whether an interpreter was found. */
bool python_is_known(void);

/* The innermost calls of this thread, at most MOST, without those of the import system. */
unsigned python_stack_read(struct python_call *call, unsigned most);

/* The same for a signal's handler, which may interrupt the interpreter: 0 where frames cannot be
 * read. Afterwards the function may be freed: python_call_is_valid() is false if its code changed.
 */
unsigned python_stack_check(struct python_call *call, unsigned most);
bool python_call_is_valid(const struct python_call *call);

/* Finds file, function and line of CALL. False if unknown. */
bool python_locate(const struct python_call *call, struct python_place *place);
