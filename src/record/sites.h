/* Call sites: stacks of return addresses, told apart by hash. Names and lines are found at the
 * end of the run, never while the application works. */
#ifndef COLLPROF_RECORD_SITES_H
#define COLLPROF_RECORD_SITES_H

#include "record/layer.h"

int sites_start(void);

/* The site that the calling wrapper was called from: an index into the ledger's sites,
 * LEDGER_NO_SITE if there is no room. Call from the wrapper itself (inlined code included). */
uint32_t site_here(void);

/* Modules mapped now that the ledger does not know yet (after dlopen). */
void modules_update(void);

#endif
