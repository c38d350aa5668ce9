#include "base/text.h"

#include <stdarg.h>

void text_add(char *text, size_t size, const char *format, ...)
{
    size_t at = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + at, size - at, format, list);
    va_end(list);
}

size_t text_length(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

size_t text_paragraph_write(FILE *out, const char *mark, const char *text, size_t width)
{
    size_t indent = text_length(mark), used = indent, lines = 1;
    fputs(mark, out);
    while (*text) {
        size_t word = strcspn(text, " "), length = 0;
        for (size_t i = 0; i < word; i++)
            length += ((unsigned char)text[i] & 0xc0) != 0x80;
        bool first = used == indent;
        if (!first && width && used + 1 + length > width) {
            fprintf(out, *mark == '#' ? "\n#%*s" : "\n%*s", (int)indent - (*mark == '#'), "");
            used = indent;
            lines++;
        } else if (!first) {
            fputc(' ', out);
            used++;
        }
        fwrite(text, 1, word, out);
        used += length;
        text += word;
        if (*text)
            text++;
    }
    fputc('\n', out);
    return lines;
}

size_t text_edit_distance(const char *a, const char *b)
{
    enum { ROOM = 24 };
    size_t at[ROOM + 1][ROOM + 1], n = strlen(a), m = strlen(b);
    if (n > ROOM || m > ROOM)
        return ROOM;
    for (size_t i = 0; i <= n; i++) {
        for (size_t k = 0; k <= m; k++) {
            if (!i || !k) {
                at[i][k] = i + k;
                continue;
            }
            size_t best = at[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            best = at[i - 1][k] + 1 < best ? at[i - 1][k] + 1 : best;
            best = at[i][k - 1] + 1 < best ? at[i][k - 1] + 1 : best;
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                at[i - 2][k - 2] + 1 < best)
                best = at[i - 2][k - 2] + 1;
            at[i][k] = best;
        }
    }
    return at[n][m];
}

bool text_is_like(const char *word, const char *name)
{
    const size_t slips = text_edit_distance(word, name);
    return slips <= 2 && 2 * slips <= strlen(word);
}
