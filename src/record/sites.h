/* Call sites: stacks of return addresses, distinguished by hash. Names and lines are found at the
 * end of the run, never while the application works. */
#pragma once

#include "record/layer.h"

/* The call site of a wrapper's caller: an index into the ledger's sites, LEDGER_NO_SITE if there
 * is no room. OWN: number of our own frames, including this function's and the wrapper's; at
 * most 3. */
uint32_t site_here(unsigned own);

/* The call site of any stack: N return addresses, innermost first, and Python's N_CALLS functions,
 * which replace the addresses from the interpreter's own on. */
struct python_call;
uint32_t site_of_stack(void *const *frame, unsigned n, const struct python_call *call,
                       unsigned n_calls);

/* Adds modules to the ledger that were mapped since (by dlopen). */
void modules_update(void);
