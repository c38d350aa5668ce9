/* The latency log of PetaSHA's mmpi.c, byte for byte, so that its readers still work. One block per
 * message size; times of a rank with itself are 0.
 *
 *   # Testing Hostname: NAME
 *   # Processors: 4 MsgLen 64 Repeats: 100
 *   # ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev
 *   nid00670 000   nid00670 001          10.44   0.12 */
#pragma once

#include "measure/pairs/data.h"

#include <stdio.h>

void pairs_log_write(const struct pairs *p, FILE *out);

/* Reads a log, also one of the original tool, or the output of MPPTest (Gropp and Lusk): below its
 * heading, lines of "p0 p1 dist len time rate", where the time is half of the round trip in us.
 * MPPTest gives no deviation (NaN), no number of repeats (0), and no hosts. On failure P is empty;
 * WHY has the reason, without a full stop, and begins with "line N: " if a line is wrong. */
bool pairs_log_read(FILE *in, struct pairs *p, char *why, size_t size);

/* Reads the log in the file PATH. WHY begins with PATH. */
bool pairs_log_load(const char *path, struct pairs *p, char *why, size_t size);

/* For plotting programs: for each size the matrices of mean and standard deviation in microseconds,
 * one row per line. A comment line precedes each matrix, two empty lines follow. */
void pairs_matrices_write(const struct pairs *p, FILE *out);
