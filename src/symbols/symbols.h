/* Finds function, file and line of an address by debug information. This is done by a module that
 * is loaded only when names are needed, because libdw and its libraries take 0.4 MiB of memory. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct symbol {
    const char *function; /* NULL if unknown; valid until the next find(). Demangled (C++, Fortran
                             modules), and shortened in the middle if long */
    const char *file;     /* NULL if unknown; valid until the file is closed */
    uint32_t line;
    bool inlined;    /* FUNCTION is inlined into the function that find() gives for LEVEL + 1 */
    uint64_t offset; /* bytes from FUNCTION's beginning; if FUNCTION is NULL, the return address */
};

/* Whether PATH is the C library or libm. Only function names are read for them (NAMES_ONLY): their
 * lines do not help a user, and their debug information takes 70 ms to unpack. */
static inline bool symbols_of_c_library(const char *path)
{
    const char *name = text_base_of(path);
    return !strncmp(name, "libc.so.", 8) || !strncmp(name, "libm.so.", 8);
}

struct symbols; /* an open executable or shared object */

enum { SYMBOLS_FRAMES = 8, SYMBOLS_TEXT = 320 };

struct symbols_reader {
    /* Opens the ELF file PATH. NULL if it cannot be read, or if CHANGED: it no longer has BUILD_ID
     * (hexadecimal, "" if unknown). NAMES_ONLY: reads the symbol table, no debug information. */
    struct symbols *(*open)(const char *path, const char *build_id, bool names_only, bool *changed);
    /* Sets FOUND to a function at RETURN_ADDRESS, an ELF virtual address. LEVEL 0 is the innermost
     * function; if it is inlined, LEVEL 1 is the function into which it is inlined, and so on. */
    void (*find)(struct symbols *file, uint64_t return_address, unsigned level,
                 struct symbol *found);
    void (*close)(struct symbols *file);
    /* Stores the innermost N frames of the main thread of process PID, as "function at file.c:12".
     * The thread is stopped meanwhile: its system call may end with EINTR. Returns NULL, or an
     * error message if there are none. */
    const char *(*stack)(pid_t pid, char frame[SYMBOLS_FRAMES][SYMBOLS_TEXT], unsigned *n);
};

/* The module and its only symbol, a struct symbols_reader. The number in the name changes with the
 * structure: a statically linked program may load the module of a later version. */
#define SYMBOLS_MODULE "collprof-symbols.so"
#define SYMBOLS_READER "collprof_symbols_4"
