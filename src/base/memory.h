/* Memory allocation that callers need not check: if there is no memory, the innermost memory_try()
 * returns false (by longjmp()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* At the end of its scope, FREED int *p = malloc(n); calls free(p), and struct x s
 * RELEASED(x_free) = {0}; calls x_free(&s). */
#define FREED RELEASED(memory_free)
#define RELEASED(function) __attribute__((cleanup(function)))

static inline void memory_free(void *pointer)
{
    typedef void *any __attribute__((may_alias));
    free(*(any *)pointer);
}

/* Calls FUNCTION(ARG). False if there was no memory: then what it allocated is leaked, and what it
 * was changing must not be used. Outside of a memory_try(), the functions below abort the process
 * if there is no memory. */
bool memory_try(void (*function)(void *arg), void *arg);

/* Makes the innermost memory_try() of this thread return false. */
_Noreturn void memory_exhausted(void);

/* Return SIZE zeroed bytes, or a copy of TEXT. Release by free(). */
void *memory_alloc(size_t size);
char *memory_strdup(const char *text);

/* Bytes that this process may still allocate before the kernel kills it: the minimum of the host's
 * available memory and of what is left of each limit of its control groups. UINT64_MAX: unknown.
 * PROC and CGROUP: "/proc" and "/sys/fs/cgroup"; tests pass other directories. */
uint64_t memory_available(const char *proc, const char *cgroup);

/* A stream that writes into memory. fclose() sets *TEXT, to be released by free(), and its length
 * *SIZE. */
FILE *memory_open_text(char **text, size_t *size);
