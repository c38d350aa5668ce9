#include "base/quote.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Decodes the first UTF-8 character of TEXT. Returns its number of bytes; 0 if it is invalid. */
static unsigned decode(const unsigned char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned n = *text < 0x80       ? 1
                 : *text >> 5 == 6  ? 2
                 : *text >> 4 == 14 ? 3
                 : *text >> 3 == 30 ? 4
                                    : 0;
    if (!n)
        return 0;
    *character = n == 1 ? *text : *text & (0x7fu >> n);
    for (unsigned i = 1; i < n; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        *character = *character << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *character >= 0xd800 && *character < 0xe000;
    return *character < least[n] || *character > 0x10ffff || surrogate ? 0 : n;
}

/* Control characters, line and paragraph separators, and characters that change the direction of
 * writing. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void quote_plain(char *text)
{
    char *to = text;
    while (*text) {
        uint32_t c = 0;
        unsigned n = decode((const unsigned char *)text, &c);
        if (n == 0 || is_control(c)) {
            *to++ = c == '\n' || c == '\t' ? ' ' : '?';
            text += n ? n : 1;
        } else {
            memmove(to, text, n);
            to += n;
            text += n;
        }
    }
    *to = '\0';
}

static bool is_plain(const char *name)
{
    size_t n = 0;
    while (name[n] && (isalnum((unsigned char)name[n]) ||
                       strchr(*name == '-' ? "/._-+,@%:=" : "/._-+,@%:", name[n])))
        n++;
    return n > 0 && !name[n];
}

void quote_shell(const char *name, char *word, size_t room)
{
    enum { LONGEST = 4 }; /* length of '\'', which replaces a quotation mark */
    const char *end = is_plain(name) ? "" : "'";
    size_t at = (size_t)snprintf(word, room, "%s", end);
    for (; *name && at + LONGEST + 1 < room; name++)
        at += (size_t)snprintf(word + at, room - at, *name == '\'' ? "'\\%c'" : "%c", *name);
    snprintf(word + at, room - at, "%s", end);
    quote_plain(word);
}

void quote_csv(const char *text, FILE *out)
{
    bool formula = text && *text && strchr("=+-@\t\r", *text);
    if (!text || (!formula && !strpbrk(text, ",\"\r\n"))) {
        fputs(text ? text : "", out);
        return;
    }
    fputc('"', out);
    if (formula)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void quote_html(const char *text, FILE *out)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; text && *text; text++) {
        const char *found = strchr(special, *text);
        if (found)
            fputs(entity[found - special], out);
        else
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}
