/* A broadcast schedule as tables and a picture of a document. */
#pragma once

#include "document/document.h"
#include "trees/schedule.h"

/* Adds two tables: "tree", a row for each rank below its parent, in the order of sending, with
 * predicted arrivals; and "tree_messages". If arrivals are known, adds their picture, a timeline.
 * HOST: the ranks' host names, or NULL. */
void schedule_document(const struct schedule *s, char *const *host, struct document *d);
