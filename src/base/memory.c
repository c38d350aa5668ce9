#include "base/memory.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf *way_out;

void memory_out(void)
{
    if (way_out)
        longjmp(*way_out, 1);
    abort();
}

bool memory_try(void (*work)(void *arg), void *arg)
{
    jmp_buf here, *outer = way_out;
    if (setjmp(here)) {
        way_out = outer;
        return false;
    }
    way_out = &here;
    work(arg);
    way_out = outer;
    return true;
}

void *memory_alloc(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        memory_out();
    return memory;
}

char *memory_strdup(const char *text)
{
    return strcpy(memory_alloc(strlen(text) + 1), text);
}

FILE *memory_open_text(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        memory_out();
    return out;
}
