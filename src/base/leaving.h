/* What libcollprof.so tells a layer when the process is about to leave by itself. */
#ifndef COLLPROF_BASE_LEAVING_H
#define COLLPROF_BASE_LEAVING_H

enum leaving { STAYS_AFTER_ALL, LEAVES_BY_EXIT, LEAVES_BY_EXEC };

/* Defined by every layer (layer/ends.c); it may be called from a signal's handler. */
typedef void leaves_fn(enum leaving how);
#define LEAVES_NAME "collprof_leaves"

#endif
