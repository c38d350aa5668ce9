/* All injections; the list itself is in inject_inner.h. */
#ifndef COLLPROF_INJECT_LIST_H
#define COLLPROF_INJECT_LIST_H

#include "inject/inject_inner.h"

extern struct injection ack_injection, benchmark_injection, replace_injection;

#endif
