#include "inject/list.h"

/* In the order in which they are nested: an acknowledged broadcast may be a replaced one. */
struct injection *const injections[] = {&ack_injection, &benchmark_injection, &replace_injection};
const size_t n_injections = sizeof injections / sizeof *injections;

_Static_assert(sizeof injections / sizeof *injections <= INJECTIONS_MAX, "room in kept[]");
