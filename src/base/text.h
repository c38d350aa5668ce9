/* Functions on strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Copies the first LENGTH bytes of FROM, which need not be terminated, to TO, which has SIZE bytes:
 * truncated to SIZE - 1, the rest filled with zeros. */
static inline void text_copy_part(char *to, size_t size, const char *from, size_t length)
{
    length = strnlen(from, length);
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
}

/* Copies FROM to TO, which has SIZE bytes: truncated to SIZE - 1, the rest filled with zeros. */
static inline void text_copy(char *to, size_t size, const char *from)
{
    text_copy_part(to, size, from, strlen(from));
}

/* Whether TEXT ends with END and is longer: ".png" does not end with ".png". */
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

/* Whether TEXT has only letters, digits and `_`, at least one, and ends within SIZE bytes. */
static inline bool text_is_identifier(const char *text, size_t size)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strnlen(text, size);
    return length && length < size && strspn(text, all) == length;
}

/* Appends to TEXT, which has SIZE bytes; the result is truncated if it is too long. */
void text_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The edit distance of A and B: the number of letters to change, insert, delete or swap with their
 * neighbour. 24 if A or B has more than 24 letters. */
size_t text_edit_distance(const char *a, const char *b);

/* Whether WORD may be NAME with typing errors: their edit distance is at most 2, and at most half
 * the length of WORD. */
bool text_is_like(const char *word, const char *name);

/* Number of characters of TEXT (UTF-8); those of double width count as one. */
size_t text_length(const char *text);

/* Writes MARK and TEXT, broken at blanks into lines of WIDTH characters (0: one line). Lines after
 * the first are indented by the length of MARK, after a '#' if MARK begins with '#'. Returns the
 * number of lines. */
size_t text_paragraph_write(FILE *out, const char *mark, const char *text, size_t width);

/* Whether WORD is one of WORDS, which are separated by blanks or commas; case is ignored. False if
 * WORD is empty. */
static inline bool text_has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *found = words; n && (found = strcasestr(found, word)); found++)
        if ((found == words || strchr(" ,", found[-1])) && strchr(" ,", found[n]))
            return true;
    return false;
}
