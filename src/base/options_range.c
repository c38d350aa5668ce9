/* Parses and prints sizes and ranges of sizes. */
#include "base/options.h"
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool option_parse_size(const char *text, size_t *bytes)
{
    static const char units[] = "KMG";
    if (!isdigit((unsigned char)*text)) /* strtoull would accept "-1" and " 1" */
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (errno || end[unit != NULL] || value > SIZE_MAX >> shift)
        return false;
    *bytes = (size_t)value << shift;
    return true;
}

bool option_parse_range(const char *text, struct option_range *range)
{
    char copy[64], *rest = copy;
    size_t part[3] = {0}, n = 0;
    text_copy(copy, sizeof copy, text);
    for (char *word; n < 3 && (word = strsep(&rest, ":")); n++)
        if (!option_parse_size(word, &part[n]))
            return false;
    if (n == 1)
        part[1] = part[0];
    if (strlen(text) >= sizeof copy || rest || part[0] > part[1] || (n == 3 && part[2] == 0))
        return false;
    *range = (struct option_range){part[0], part[1], part[2]};
    return true;
}

bool option_next(const struct option_range *range, size_t *value)
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

error_t option_take_range(struct option_parser *parser, const struct option_entry *entry,
                          const char *arg, void *value)
{
    const struct option_limits *limits = entry->from;
    struct option_range range;
    if (!option_parse_range(arg, &range) || (double)range.min < limits->least ||
        (double)range.max > limits->most)
        return option_refuse(parser, "--%s is '%s': expected %s", entry->name, arg,
                             limits->expected);
    *(struct option_range *)value = range;
    return 0;
}

/* Prints "64K" for 65536. */
static void show_size(size_t bytes, char *text, size_t room)
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t unit = 0;
    for (; bytes && bytes % 1024 == 0 && unit < 3; unit++)
        bytes /= 1024;
    snprintf(text, room, "%zu%s", bytes, units[unit]);
}

void option_show_range(const struct option_range *range, char *text, size_t room)
{
    char min[32], max[32];
    show_size(range->min, min, sizeof min);
    show_size(range->max, max, sizeof max);
    snprintf(text, room, "%s%s%s", min, range->max != range->min ? ":" : "",
             range->max != range->min ? max : "");
}
