/* Finds the function, file and line of an address. The reader is a separate module, loaded when
 * needed: libdw and its libraries take 0.4 MiB, which an application that is only profiled must not
 * pay for. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct symbol {
    const char *function; /* NULL if unknown; valid until the next find(). Names of C++ and Fortran
                             modules are demangled, and shortened in the middle if long */
    const char *file;     /* NULL if unknown; valid until the file is closed */
    uint32_t line;
    bool inlined;
    uint64_t offset; /* from the function's beginning; without a function the return address */
};

/* The C library is on every stack, below main. Its debug information (if installed) takes 70 ms to
 * unpack, so only its symbols are used: its lines say nothing to a user, nor those of libm. */
static inline bool symbols_of_c_library(const char *path)
{
    const char *name = text_base_of(path);
    return !strncmp(name, "libc.so.", 8) || !strncmp(name, "libm.so.", 8);
}

struct symbols; /* one open file */

enum { SYMBOLS_FRAMES = 8, SYMBOLS_TEXT = 320 };

struct symbols_reader {
    /* NULL if PATH cannot be read, or is no longer the file with BUILD_ID (hexadecimal, "" if
     * unknown): then CHANGED is set. NAMES_ONLY: functions, without debug information. */
    struct symbols *(*open)(const char *path, const char *build_id, bool names_only, bool *changed);
    /* RETURN_ADDRESS: relative to the file. LEVEL 0: the innermost function there; if that is
     * inlined, 1 is its caller, and so on. */
    void (*find)(struct symbols *file, uint64_t return_address, unsigned level,
                 struct symbol *found);
    void (*close)(struct symbols *file);
    /* The innermost N frames of the first thread of process PID, as "function at file.c:12". The
     * thread is stopped for that moment: its system call may end with EINTR. NULL, or why there are
     * none. */
    const char *(*stack)(pid_t pid, char frame[SYMBOLS_FRAMES][SYMBOLS_TEXT], unsigned *n);
};

/* The module's only symbol. Its number changes with the structure, because a statically linked
 * program may find a later module. */
#define SYMBOLS_MODULE "collprof-symbols.so"
#define SYMBOLS_READER "collprof_symbols_4"
