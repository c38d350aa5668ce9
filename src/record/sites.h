/* Call sites: stacks of return addresses, distinguished by a hash. Their function names and lines
 * are looked up in MPI_Finalize, which costs the running application no time. */
#pragma once

#include "record/layer.h"

/* The call site of the present MPI call: its index in the section SITES; LEDGER_NO_SITE if there is
 * no room. OWN: number of stack frames from this function to the wrapper (at most 3), which are not
 * part of the call site. */
uint32_t site_here(unsigned own);

/* The call site of a given stack: N return addresses, innermost first. If it contains N_CALLS calls
 * of Python functions, these replace the interpreter's frames and all outer ones. */
struct python_call;
uint32_t site_of_stack(void *const *frame, unsigned n, const struct python_call *call,
                       unsigned n_calls);

/* Adds the executable and shared objects that were mapped since the last call to the ledger. */
void modules_update(void);
