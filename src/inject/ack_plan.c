#include "inject/ack_plan.h"

#include <math.h>

uint64_t ack_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * 0x9e3779b97f4a7c15ull) + 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

uint64_t ack_number(const struct ack_plan *plan, uint64_t stream, uint32_t k)
{
    uint64_t from = plan->first + (uint64_t)k * plan->every;
    return from + ack_mix(stream, from) % plan->every;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A round of n turns visits a t + b (mod n), which is every place once since a and n have no
 * divisor in common; a and b are the round's own. */
int ack_destination(uint64_t stream, int size, int root, uint64_t turn)
{
    uint64_t n = (uint64_t)size - 1;
    uint64_t round = ack_mix(stream, turn / n), a = 1 + round % n, b = ack_mix(round, 1) % n;
    while (common_divisor(a, n) != 1)
        a++;
    return (root + 1 + (int)((a % n * (turn % n) + b) % n)) % size;
}

uint32_t ack_every(double cost, double period, double share)
{
    double every = ceil(cost / (share * period));
    return every >= 1e9 ? 1000000000u : every > 1 ? (uint32_t)every : 1;
}
