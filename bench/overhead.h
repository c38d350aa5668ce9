/* The application whose calls are measured: see overhead.c. */
#ifndef COLLPROF_OVERHEAD_H
#define COLLPROF_OVERHEAD_H

struct overhead_result {
    double seconds;  /* of processor time per call; "start", "steps": wall time of rank 0 */
    double resident; /* bytes at the end, of the largest rank */
};

/* Runs WORK ("bcast", "allreduce", "triple", "iprobe", "isend", "steps", "start") on THREADS
 * threads, and rank 0 prints the result as a line "SECONDS RESIDENT". Returns the exit status. */
int overhead_work(const char *work, int threads);

#endif
