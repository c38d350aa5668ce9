/* Memory allocation without checks in callers: running out of memory ends memory_try(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* FREED int *p = malloc(n); P is released by free() where its scope ends; S by release(&s) with
 * struct x s RELEASED(release) = {0}. */
#define FREED RELEASED(memory_free)
#define RELEASED(function) __attribute__((cleanup(function)))

static inline void memory_free(void *pointer)
{
    typedef void *any __attribute__((may_alias));
    free(*(any *)pointer);
}

/* Calls WORK(ARG). Returns false if memory ran out: then everything that WORK allocated is leaked,
 * and data that it was changing must not be used. The functions below must be called inside of a
 * memory_try(); outside of one, running out of memory aborts the process. */
bool memory_try(void (*work)(void *arg), void *arg);

/* Ends the innermost memory_try() of this thread with false. */
_Noreturn void memory_exhausted(void);

/* Returns SIZE zeroed bytes, or a copy of TEXT; released by free(). */
void *memory_alloc(size_t size);
char *memory_strdup(const char *text);

/* Bytes that this host, and the control groups of this process, have left for it; beyond them the
 * kernel kills processes. UINT64_MAX: unknown. PROC and CGROUP: "/proc", "/sys/fs/cgroup", or a
 * test's directories. */
uint64_t memory_available(const char *proc, const char *cgroup);

/* A stream for writing into memory. Closing it sets *TEXT, to be released by free(), and its length
 * *SIZE. */
FILE *memory_open_text(char **text, size_t *size);
