/* All injections; the list itself is in injection.h. */
#ifndef COLLPROF_INJECT_LIST_H
#define COLLPROF_INJECT_LIST_H

#include "inject/injection.h"

extern struct injection ack_injection, benchmark_injection, replace_injection;

#endif
