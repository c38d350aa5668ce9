/* What the two ways to start and end share: together with all ranks (life.c), or alone (alone.c).
 */
#ifndef COLLPROF_LAYER_LIFE_INNER_H
#define COLLPROF_LAYER_LIFE_INNER_H

#include "layer/life.h"

enum { LIFE_PATH = sizeof((struct settings *)0)->output + 32 };

void life_record_path(char path[LIFE_PATH], int rank);
int life_make_directories(const char *path);

/* The rate of the ticks, from life_prepare() to now. */
void life_find_rate(void);
void life_complain(const char *line, void *arg);

/* The record and all tables. 0; a positive errno: impossible; a negative one: only in memory. */
int life_open_ledger(int thread_level);

/* Records from here on. */
void life_begin(void);

void life_end_alone(void);

void noise_read(struct ledger_noise *noise);

/* Region 0 is outside of all. Called from here, so that the public functions are linked from
 * libcollprof.a, too: an application refers to them only weakly. */
void regions_start(void);

#endif
