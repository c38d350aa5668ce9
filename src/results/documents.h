/* Latencies of pairs, and a broadcast schedule, as tables and pictures of a document. */
#pragma once

#include "document/document.h"
#include "measure/pairs/data.h"
#include "trees/schedule.h"

/* Adds the table "pairs" to D: a row for each pair, direction and size, with round trips, one-way
 * latencies and the parameters of LogGP. Formats for programs always contain it, text only with
 * IN_TEXT. */
void pairs_table(const struct pairs *p, struct document *d, bool in_text);

/* Adds heat maps of means and of standard deviations of the round trip, a map for each size in D's
 * table "pairs". The diagonal, which is not measured, stays empty. */
void pairs_pictures(struct document *d);

/* Adds two tables: "tree", a row for each rank below its parent, in the order of sending, with
 * predicted arrivals; and "tree_messages". If arrivals are known, adds a picture of them, a
 * timeline. HOST: the ranks' host names, or NULL. Without memory the tables stay empty. */
void schedule_document(const struct schedule *s, char *const *host, struct document *d);
