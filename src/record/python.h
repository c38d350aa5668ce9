/* Reads the Python call stack of this thread from the frame objects of CPython 3.11 to 3.13.
 *
 * It only reads memory, without Python's API: mpi4py and ctypes have released the interpreter's
 * lock (GIL) when they call MPI. A thread's frames do not change while the thread is in a C
 * function. The frames' layout depends on CPython's version; if the first reading does not fit the
 * expected layout, call sites are without Python functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Python function on the stack. CODE may be freed once the thread runs Python again. */
struct python_call {
    const char *code; /* the function's code object (PyCodeObject) */
    int instruction;  /* offset of its present instruction in the bytecode */
    uint64_t mark;    /* hash of CODE, INSTRUCTION and the code's content, since a freed code
                         object's address may be reused */
};

struct python_place {
    char file[4096], function[256]; /* in UTF-8; truncated to fit */
    uint32_t line;
};

/* Looks for an interpreter in the global symbols of the process. Returns an address in its machine
 * code; NULL if there is none, or its version's frames are not supported. */
const void *python_find(void);

/* Whether an interpreter was found. */
bool python_is_known(void);

/* Stores the innermost Python calls of this thread, without those of Python's import system; at
 * most MOST. Returns their number. */
unsigned python_stack_read(struct python_call *call, unsigned most);

/* python_stack_read() for a signal handler, which may interrupt the interpreter while it changes
 * frames: reads memory by a system call that fails instead of crashing. Before a call is used
 * later, python_call_is_valid() must be true: its code object still has the same content. */
unsigned python_stack_check(struct python_call *call, unsigned most);
bool python_call_is_valid(const struct python_call *call);

/* Sets PLACE to file, function and line of CALL. False if they are unknown. */
bool python_locate(const struct python_call *call, struct python_place *place);
