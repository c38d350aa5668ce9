/* What the two ways to start and end share: together with all ranks (life.c), or alone (alone.c).
 */
#ifndef COLLPROF_LAYER_LIFE_INNER_H
#define COLLPROF_LAYER_LIFE_INNER_H

#include "layer/life.h"
#include "layer/place.h"

/* Where this run writes; and, if it cannot write there, why. */
extern struct place life_place;
extern const char *life_obstacle;

/* The name under which the run is kept that was in the directory before; "": none was. */
extern char life_kept_run[PLACE_KEPT];

void life_read_settings(void);

/* Where this run writes, if not where it was to. */
void life_say_place(void);

/* The rate of the ticks, from life_prepare() to now. */
void life_find_rate(void);

/* Whether this is the first of the ranks that take part. */
bool life_is_first(void);

/* All ranks record, or none does: they will merge together. What hinders them is said by one rank
 * for all. ERROR: what hinders this one. */
bool agree_to_record(int error);
/* Then: whether all ranks want the same of what they would have to do together. */
bool agreed_to_inject(void);
/* "ranks have different --ack: ...", "" if they have none that matter. */
const char *agreed_sentence(void);

/* The record, named by TAG, and all tables. Returns 0, or an errno if this is impossible even in
 * memory. */
int life_open_ledger(int thread_level, uint64_t tag);

/* Records from here on. */
void life_begin(void);

void life_end_alone(void);

/* base/noise.h during the run. */
void noise_watch(void);

/* Measures what a call costs that does nothing. Before anything is recorded: nothing of it stays.
 */
void cost_measure(void);

/* Region 0 is outside of all. Called from here, so that the public functions are linked from
 * libcollprof.a, too: an application refers to them only weakly. */
void regions_start(void);

/* Adds to the innermost region what this thread has spent in it by now; forgets all that there is.
 */
void regions_count(void);
void regions_forget(void);

#endif
