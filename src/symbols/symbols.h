/* Which function, file and line an address is in. The reader is a module of its own, loaded when
 * it is needed: libdw and what it needs take 0.4 MiB, which an application that is only watched
 * must not pay for. */
#ifndef COLLPROF_SYMBOLS_SYMBOLS_H
#define COLLPROF_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbol {
    const char *function; /* NULL where not known; valid until the next is found. Of C++ and
                             Fortran modules as it was written, cut in its middle where it is
                             long */
    const char *file;     /* the same; valid until the file is closed */
    uint32_t line;
    bool inlined;
    uint64_t offset; /* from the function's beginning, else the return address */
};

struct symbols; /* one file */

struct symbols_reader {
    /* NULL if PATH cannot be read, or is no longer the file that BUILD_ID (hexadecimal, "" if not
     * known) names: then CHANGED is set. NAMES_ONLY: functions, without debug information. */
    struct symbols *(*open)(const char *path, const char *build_id, bool names_only, bool *changed);
    /* RETURN_ADDRESS: in the file's own terms. LEVEL 0: the innermost function there; if that is
     * inlined, 1 is the one that calls it, and so on. */
    void (*find)(struct symbols *file, uint64_t return_address, unsigned level,
                 struct symbol *found);
    void (*close)(struct symbols *file);
};

/* The module's only symbol. Its number changes as the structure does: a program that is linked
 * statically may find a later module. */
#define SYMBOLS_MODULE "collprof-symbols.so"
#define SYMBOLS_READER "collprof_symbols_2"

#endif
