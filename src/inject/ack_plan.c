#include "inject/ack_plan.h"

#include "base/hash.h"

bool ack_is_chosen(uint64_t stream, uint64_t number, uint64_t every)
{
    return hash_mix(hash_mix(HASH_START, stream), number / every) % every == number % every;
}

int ack_destination(uint64_t stream, int size, int root, uint64_t turn)
{
    uint64_t n = (uint64_t)size - 1, offset = hash_mix(hash_mix(HASH_START, stream), turn / n);
    return (root + 1 + (int)((turn + offset % n) % n)) % size;
}
