/* A broadcast schedule as tables and a picture of a document. */
#pragma once

#include "document/document.h"
#include "trees/schedule.h"

/* Adds the table "tree", a row for each rank, below its parent and in the order of sending, with
 * predicted arrivals; "tree_messages"; and, if arrivals are known, the timeline "tree" of both.
 * HOST has the ranks' host names, or is NULL. */
void schedule_document(const struct schedule *s, char *const *host, struct document *d);
