/* Creates, grows and reads ledgers: the files to which ranks record (format: record/layout.h). */
#pragma once

#include "record/layout.h"

/* A ledger in memory: the writer maps the file, a reader has a validated copy. */
struct ledger {
    struct ledger_header *header;
#define X(name, array, element, least, share, growth, most) element *array;
    LEDGER_SECTION_LIST(X)
#undef X
    bool writable;
    /* Only the writer uses the following members. */
    size_t mapped;          /* size of the mapping that begins at HEADER, in bytes */
    uint64_t device, inode; /* identify the file: the application may replace it at PATH */
    char path[4200];        /* absolute path of the file */
};

/* Creates a ledger for OPERATIONS MPI functions, of about BYTES (at least 512 KiB), as the new file
 * PATH (absolute). DIRECTORY: a descriptor of the directory in PATH, or AT_FDCWD. Disk space is
 * allocated at once, so that a full disk gives an error here instead of SIGBUS later. Returns 0, or
 * an errno (EEXIST for an existing file), with *L zeroed. */
int ledger_create(struct ledger *l, int directory, const char *path, size_t bytes,
                  uint32_t operations);

/* Address of L's pointer to the elements of SECTION. */
static inline char **ledger_array(const struct ledger *l, int section)
{
    return (char **)((char *)l + ledger_rules[section].pointer);
}

/* Makes room for one more element of SECTION; elements keep their addresses. False if the section
 * or the file cannot grow. Only for the writer; the caller serializes threads, here and below. */
bool ledger_grow(struct ledger *l, enum ledger_section section);

/* Appends a copy of ELEMENT to SECTION and returns it; NULL, with a count of the loss (DROPPED), if
 * there is no room. */
void *ledger_append(struct ledger *l, enum ledger_section section, const void *element);

/* Doubles the capacity of SECTION, up to its limit. False if it cannot grow. */
bool ledger_extend(struct ledger *l, enum ledger_section section);

/* Copies TEXT into the section TEXTS. Returns its position for ledger_text(); 0 without room. */
uint32_t ledger_add_text(struct ledger *l, const char *text);

/* The memory that a reader's copy with these sections needs, in bytes. */
uint64_t ledger_bytes(const struct ledger_table section[LEDGER_SECTIONS]);

/* Allocates *L for a ledger that another process sends, with these sections; false: no memory. The
 * caller fills the header and all elements, validates them by ledger_check(), and frees *L by
 * ledger_close() in any case. ledger_check() returns NULL, or an error message. */
bool ledger_make_room(struct ledger *l, const struct ledger_table section[LEDGER_SECTIONS]);
const char *ledger_check(const struct ledger *l);

/* The file names of records, as a pattern of glob(7). */
#define LEDGER_NAMES "rank-?*.ledger"

/* Reads only the header of the record at PATH. Returns NULL, or an error message. */
const char *ledger_peek(struct ledger_header *h, const char *path);

/* Whether the process that writes the record with this header still runs on this host. */
bool ledger_is_alive(const struct ledger_header *h);

/* Reads the record at PATH and checks that every index in it is valid. SECTIONS: bits 1 << enum
 * ledger_section of those to read, including those to which their elements refer, or LEDGER_ALL;
 * the others become empty. If the process still writes, sections were read at different times. The
 * caller frees L by ledger_close(). Returns NULL, or an error message. */
#define LEDGER_ALL UINT32_MAX
const char *ledger_open(struct ledger *l, const char *path, uint32_t sections);

/* Whether a log that was halved k times (MASK = 2^k - 1) keeps this collective. The rule is a hash
 * of the collective's identity, so that all ranks keep the same ones. The first SPARED halvings do
 * not affect this collective. ledger_represented(): how many collectives a kept one stands for. */
static inline bool ledger_is_sampled(uint64_t comm_id, uint64_t sequence, unsigned spared,
                                     uint32_t mask)
{
    uint64_t hash = (comm_id ^ sequence) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull;
    return (hash >> 32 & mask >> (spared & 31)) == 0;
}
static inline uint64_t ledger_represented(unsigned spared, uint32_t mask)
{
    return (uint64_t)(mask >> (spared & 31)) + 1;
}

/* SPARED of a collective of which CALLS calls were counted: smaller for more calls, so that a log
 * keeps rare ones. Ranks may differ in SPARED if they call a collective from different sites; it is
 * in the logs of all ranks only if the rank with the smallest SPARED keeps it. */
static inline unsigned ledger_spared(uint64_t calls)
{
    return calls < 128 ? 16 - 2 * size_class_of(calls) : 0;
}

/* The text at POSITION of the section TEXTS; "" for 0. Owned by L. */
const char *ledger_text(const struct ledger *l, uint32_t position);

/* Unmaps or frees *L, which may be zeroed; the file remains. */
void ledger_close(struct ledger *l);
