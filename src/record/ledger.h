/* The ledger: what one rank has recorded, in one mapped file (record/layout.h). */
#pragma once

#include "record/layout.h"

/* A ledger in memory: mapped for its writer, a checked copy for a reader. */
struct ledger {
    struct ledger_header *header;
#define X(name, array, element, least, share, growth, most) element *array;
    LEDGER_SECTION_LIST(X)
#undef X
    bool writable;
    size_t mapped;          /* writer: size of the mapping that begins at HEADER, in bytes */
    uint64_t device, inode; /* of the writer's file */
    char path[4200];        /* of the writer's file, absolute */
};

/* Creates a ledger of about BYTES (at least 512 KiB) as the new file PATH (absolute; the file is
 * created in DIRECTORY, a descriptor or AT_FDCWD). An existing file is not touched: EEXIST. Space
 * is allocated at once, so that a full disk gives an error here instead of SIGBUS later. Returns 0
 * or an errno; *L is then zero. */
int ledger_create(struct ledger *l, int directory, const char *path, size_t bytes,
                  uint32_t operations);

/* Address of L's pointer to the elements of SECTION. */
static inline char **ledger_array(const struct ledger *l, int section)
{
    return (char **)((char *)l + ledger_rules[section].pointer);
}

/* Makes room for one more element of SECTION; false if that is impossible. Only for the writer, one
 * thread at a time. Elements keep their addresses. */
bool ledger_grow(struct ledger *l, enum ledger_section section);

/* Appends a copy of ELEMENT to SECTION and returns it; NULL, with a count of the loss, if there is
 * no room. Threads: as ledger_grow(). */
void *ledger_append(struct ledger *l, enum ledger_section section, const void *element);

/* Doubles SECTION, up to its limit; false if that is impossible. Threads: as ledger_grow(). */
bool ledger_extend(struct ledger *l, enum ledger_section section);

/* Copies TEXT into the texts; returns its position; 0 if there is no room. Threads: as
 * ledger_grow(). */
uint32_t ledger_add_text(struct ledger *l, const char *text);

/* The size of a ledger that has these sections, in bytes. */
uint64_t ledger_bytes(const struct ledger_table section[LEDGER_SECTIONS]);

/* Allocates *L for another process's ledger that has these sections; false: no memory. The caller
 * fills the header and all elements, validates them by ledger_check() (errors as of ledger_open()),
 * and frees *L by ledger_close(). */
bool ledger_make_room(struct ledger *l, const struct ledger_table section[LEDGER_SECTIONS]);
const char *ledger_check(const struct ledger *l);

/* The file names of records, as a pattern of glob(7). */
#define LEDGER_NAMES "rank-?*.ledger"

/* Reads only the header of the record at PATH. Returns NULL, or an error message. */
const char *ledger_peek(struct ledger_header *h, const char *path);

/* Whether the process that writes it runs on this host. */
bool ledger_is_alive(const struct ledger_header *h);

/* Reads and validates the record at PATH: afterwards every index in it is valid. If its process is
 * still running, L is approximately its state at one moment. SECTIONS: a sum of bits 1 <<
 * LEDGER_..., with all that their elements refer to, or LEDGER_ALL; the others are empty. Returns
 * NULL, or an error message, for instance if the file is not a record. */
#define LEDGER_ALL UINT32_MAX
const char *ledger_open(struct ledger *l, const char *path, uint32_t sections);

/* Whether a log that is sampled with MASK (2^k - 1) keeps this collective, and how many collectives
 * it then represents. All ranks decide alike, by a hash, so that two collectives that alternate in
 * a loop are kept equally often. SPARED: number of halvings of the log that do not affect it. */
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

/* SPARED of a collective after CALLS calls of its entry (ledger_entry): the more calls, the fewer
 * halvings, so that rare collectives are kept. If ranks call it from different sites, SPARED may
 * differ; all ranks have kept it only if the one with the smallest SPARED has. */
static inline unsigned ledger_spared(uint64_t calls)
{
    return calls < 128 ? 16 - 2 * size_class_of(calls) : 0;
}

/* The text that begins at POSITION of the texts; "" for 0. */
const char *ledger_text(const struct ledger *l, uint32_t position);

void ledger_close(struct ledger *l);
