/* Hashes shared by several parts. They are the same on every rank of a run, since identities are
 * made from them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Adds one more value to HASH. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xff51afd7ed558ccdull;
    return hash ^ hash >> 32;
}

/* FNV-1a: adds SIZE bytes to HASH, which begins as HASH_START. */
#define HASH_START 0xcbf29ce484222325ull
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3ull;
    return hash;
}
