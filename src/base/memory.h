/* Memory that is there: running out of it ends the piece of work, not each caller's line. */
#ifndef COLLPROF_BASE_MEMORY_H
#define COLLPROF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Does WORK(ARG). Returns false if memory ran out in it: what WORK had allocated is lost then, and
 * what it was changing must not be used. Whatever calls the functions below is called from inside
 * of one of these; outside, running out of memory aborts the process. */
bool memory_try(void (*work)(void *arg), void *arg);

/* Ends the innermost memory_try() of this thread with false. */
_Noreturn void memory_out(void);

/* SIZE zeroed bytes, and a copy of TEXT; for free(). */
void *memory_alloc(size_t size);
char *memory_strdup(const char *text);

/* Bytes that this host, and the control groups that this process is in, have left for it: beyond
 * them the kernel ends processes. UINT64_MAX: unknown. PROC and CGROUP: "/proc", "/sys/fs/cgroup",
 * or a test's own. */
uint64_t memory_available(const char *proc, const char *cgroup);

/* A stream to write to. *TEXT, *SIZE bytes and for free(), is there once it is closed. */
FILE *memory_open_text(char **text, size_t *size);

#endif
