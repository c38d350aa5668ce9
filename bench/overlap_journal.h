/* What collbench-overlap has measured so far, beside its output file, so that an interrupted run
 * goes on where it was. JSON, one object a line: first the key, then the base round, then cells
 * as they come. Rank 0 only. */
#ifndef COLLPROF_BENCH_OVERLAP_JOURNAL_H
#define COLLPROF_BENCH_OVERLAP_JOURNAL_H

#include "overlap_grid.h"

struct journal;

/* Opens OUTPUT.part, and reads into G what it holds. KEY is all that must be equal for its figures
 * to be of this run. NULL with *WHY NULL if OUTPUT is no file; NULL with *WHY if it is of
 * another run or cannot be written; *CELLS is how many were read. */
struct journal *journal_open(const char *output, const char *key, bool fresh, struct grid *g,
                             size_t *cells, char *why, size_t why_size);

/* J may be NULL. */
void journal_base(struct journal *j, const struct grid *g);
void journal_cell(struct journal *j, const struct grid *g, const struct grid_part *p, size_t ix,
                  size_t iy);

/* Where it is; NULL for none. */
const char *journal_path(const struct journal *j);

/* Closes it; REMOVE when the output is complete. */
void journal_close(struct journal *j, bool remove);

#endif
