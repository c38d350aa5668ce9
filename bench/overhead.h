/* The application whose calls are measured: see overhead.c. */
#ifndef COLLPROF_OVERHEAD_H
#define COLLPROF_OVERHEAD_H

/* Runs WORK ("bcast", "allreduce", "triple", "iprobe", "isend", "steps", "start") on 1 to 64
 * THREADS. Rank 0 prints a line "SECONDS RESIDENT": seconds of processor time per call ("steps",
 * "start": of wall time), and the bytes in memory at the end of the largest rank. Returns the exit
 * status. */
int overhead_work(const char *work, int threads);

#endif
