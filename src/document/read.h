/* A document that was written as JSON, read back. */
#ifndef COLLPROF_DOCUMENT_READ_H
#define COLLPROF_DOCUMENT_READ_H

#include "document/document.h"

/* The document that JSON holds, for document_free(); of an older version, whose columns have no
 * kinds, these are guessed from the values. NULL: it is none, or there is no memory. */
struct document *document_from_json(const json_t *json);

#endif
