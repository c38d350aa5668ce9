#include "base/format.h"

#include <math.h>
#include <stdio.h>

enum { ROOM = 32 };

static void three_digits(char *text, double value, const char *unit)
{
    int decimals = value < 9.995 ? 2 : (value < 99.95 ? 1 : 0);
    snprintf(text, ROOM, "%.*f %s", decimals, value, unit);
}

char *format_time(char *text, double ns)
{
    if (!(ns > 0))
        snprintf(text, ROOM, "0");
    else if (ns < 999.5)
        snprintf(text, ROOM, "%.0f ns", ns);
    else if (ns < 999.5e3)
        three_digits(text, ns / 1e3, "us");
    else if (ns < 999.5e6)
        three_digits(text, ns / 1e6, "ms");
    else
        three_digits(text, ns / 1e9, "s");
    return text;
}

char *format_shift(char *text, double ns)
{
    char time[ROOM];
    if (isnan(ns))
        snprintf(text, ROOM, "unknown");
    else
        snprintf(text, ROOM, "%c%.30s", ns < 0 ? '-' : '+', format_time(time, fabs(ns)));
    return text;
}

char *format_bytes(char *text, double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned u = 0;
    while (bytes >= 1023.5 && u + 1 < sizeof unit / sizeof *unit) {
        bytes /= 1024;
        u++;
    }
    if (u == 0 || (bytes < 1024 && bytes == (double)(int)bytes))
        snprintf(text, ROOM, "%.0f %s", bytes, unit[u]);
    else
        three_digits(text, bytes, unit[u]);
    return text;
}

char *format_count(char *text, uint64_t n)
{
    if (n >= 10000000000u)
        three_digits(text, (double)n / 1e9, "G");
    else if (n >= 10000000)
        three_digits(text, (double)n / 1e6, "M");
    else if (n >= 1000000)
        snprintf(text, ROOM, "%u,%03u,%03u", (unsigned)(n / 1000000), (unsigned)(n / 1000 % 1000),
                 (unsigned)(n % 1000));
    else if (n >= 1000)
        snprintf(text, ROOM, "%u,%03u", (unsigned)(n / 1000), (unsigned)(n % 1000));
    else
        snprintf(text, ROOM, "%u", (unsigned)n);
    return text;
}

char *format_share(char *text, double part, double whole)
{
    if (whole > 0)
        snprintf(text, ROOM, "%.1f %%", 100 * part / whole);
    else
        snprintf(text, ROOM, "-");
    return text;
}
