/* Small questions about words that several floors ask. */
#ifndef COLLPROF_BASE_TEXT_H
#define COLLPROF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Copies what fits of the first LENGTH bytes of FROM, which need not end there, into TO, which has
 * SIZE bytes, and fills the rest with zeros. */
static inline void text_copy_part(char *to, size_t size, const char *from, size_t length)
{
    length = strnlen(from, length);
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
}

/* Copies what fits of FROM into TO, which has SIZE bytes, and ends it. */
static inline void text_copy(char *to, size_t size, const char *from)
{
    text_copy_part(to, size, from, strlen(from));
}

/* With something before it: ".png" is no picture's name. */
static inline bool text_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* A path's last component. */
static inline const char *text_base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "Bcast" of "MPI_Bcast". */
static inline const char *text_without_mpi(const char *name)
{
    return strncmp(name, "MPI_", 4) ? name : name + 4;
}

/* Letters, digits and `_`, and an end within SIZE bytes. */
static inline bool text_is_identifier(const char *text, size_t size)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strnlen(text, size);
    return length && length < size && strspn(text, all) == length;
}

/* How many letters to change, add, leave out or swap with the next make A of B; more than
 * TEXT_SLIPS are no slip of the finger. */
enum { TEXT_SLIPS = 2 };
size_t text_slips(const char *a, const char *b);

/* How many characters (of UTF-8) TEXT has; those of two columns' width count as one. */
size_t text_length(const char *text);

/* TEXT behind MARK, broken at WIDTH (0: never) and continued under its beginning, behind a '#' if
 * MARK begins with one. */
void text_paragraph_write(FILE *out, const char *mark, const char *text, size_t width);

/* LIST ends by NULL. */
static inline bool text_is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0)
        list++;
    return *list != NULL;
}

/* Whether WORDS, with a space between two, has WORD; in capitals or not. */
static inline bool text_has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *found = words; (found = strcasestr(found, word)); found++)
        if ((found == words || found[-1] == ' ') && (!found[n] || found[n] == ' '))
            return true;
    return false;
}

#endif
