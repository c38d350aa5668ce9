/* The latency log of the paper's tool, byte for byte, so that its readers still work. One block per
 * message size; lines of a rank with itself are 0.
 *
 *   # Testing Hostname: NAME
 *   # Processors: 4 MsgLen 64 Repeats: 100
 *   # ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev
 *   nid00670 000   nid00670 001          10.44   0.12 */
#ifndef COLLPROF_MEASURE_PAIRS_LOG_H
#define COLLPROF_MEASURE_PAIRS_LOG_H

#include "measure/pairs/data.h"

#include <stdio.h>

void pairs_log_write(const struct pairs *p, FILE *out);

/* Reads a log, the original tool's too. On failure P is empty and WHY says what is wrong,
 * beginning with "line N: " where a line is to blame, and without a full stop. */
bool pairs_log_read(FILE *in, struct pairs *p, char *why, size_t size);

/* The same from a path; WHY then begins with it. */
bool pairs_log_load(const char *path, struct pairs *p, char *why, size_t size);

/* For programs that plot: for each size the matrices of mean and standard deviation, a row a
 * line, in microseconds, with a line of comment before and two empty ones behind. */
void pairs_matrices_write(const struct pairs *p, FILE *out);

#endif
