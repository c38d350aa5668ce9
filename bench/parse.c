/* Sizes, ranges and lists as typed on a command line. */
#include "bench.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool bench_parse_size(const char *text, size_t *bytes)
{
    if (!isdigit((unsigned char)*text)) /* strtoull would take "-1" and " 1" */
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno)
        return false;
    int shift = 0;
    switch (toupper((unsigned char)*end)) {
    case 'K':
        shift = 10;
        break;
    case 'M':
        shift = 20;
        break;
    case 'G':
        shift = 30;
        break;
    }
    if (shift)
        end++;
    if (*end || value > SIZE_MAX >> shift)
        return false;
    *bytes = (size_t)value << shift;
    return true;
}

bool bench_parse_range(const char *text, struct bench_range *range)
{
    char *copy = strdup(text);
    char *colon = strchr(copy, ':');
    struct bench_range parsed = {0};
    if (colon)
        *colon = '\0';
    bool valid = bench_parse_size(copy, &parsed.min) &&
                 bench_parse_size(colon ? colon + 1 : copy, &parsed.max) &&
                 parsed.min <= parsed.max;
    free(copy);
    if (valid)
        *range = parsed;
    return valid;
}

bool bench_next(const struct bench_range *range, size_t *value)
{
    if (*value >= range->max)
        return false;
    if (range->step)
        *value = range->max - *value > range->step ? *value + range->step : range->max;
    else if (*value == 0)
        *value = 1;
    else
        *value = *value > range->max / 2 ? range->max : 2 * *value;
    return true;
}

size_t bench_steps(const struct bench_range *range)
{
    size_t n = 1, value = range->min;
    while (bench_next(range, &value))
        n++;
    return n;
}
