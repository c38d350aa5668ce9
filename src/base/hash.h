/* Hash functions with the same result on each rank: ranks compare hashes to identify, for example,
 * communicators. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns HASH combined with VALUE. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xff51afd7ed558ccdull;
    return hash ^ hash >> 32;
}

/* Returns HASH combined with SIZE bytes of DATA (FNV-1a). The first call passes HASH_START. */
#define HASH_START 0xcbf29ce484222325ull
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3ull;
    return hash;
}
