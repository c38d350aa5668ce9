/* The latency log: the paper's own columns, byte for byte, so that its readers still work; then
 * ours. One block per message size.
 *
 *   # Testing Hostname: NAME
 *   # Processors: 4 MsgLen 64 Repeats: 100
 *   # ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev
 *   nid00670 000   nid00670 001          10.44   0.12
 *
 * and after them: median, min, the send call and the gap of messages in a row, each from the
 * first rank and from the second (microseconds, three decimals), the relation of the two ("core",
 * "complex", "package", "node", "other-node"), the one-way latency from the first and from the
 * second, and the error bound of both; "-" where one is not known. Last lines "#+ ..." name our
 * columns and how it was measured. Lines of i = j are 0. */
#ifndef COLLPROF_MEASURE_PAIRS_LOG_H
#define COLLPROF_MEASURE_PAIRS_LOG_H

#include "measure/pairs/data.h"

#include <stdio.h>

/* With ONLY_PAPER nothing but the paper's columns. */
void pairs_log_write(const struct pairs *p, FILE *out, bool only_paper);

/* Reads a log, the original tool's too. On failure P is empty and WHY says what is wrong,
 * beginning with "line N: " where a line is to blame, and without a full stop. */
bool pairs_log_read(FILE *in, struct pairs *p, char *why, size_t size);

/* The same from a path; WHY then begins with it. */
bool pairs_log_load(const char *path, struct pairs *p, char *why, size_t size);

/* Names of enum place_relation in a log; "-" for -1. */
const char *pairs_relation_name(int relation);

/* For programs that plot: for each size the matrices of mean, standard deviation and median, a row
 * a line, in microseconds, with a line of comment before and two empty ones behind. */
void pairs_matrices_write(const struct pairs *p, FILE *out);

#endif
