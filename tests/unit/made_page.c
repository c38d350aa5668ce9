#include "made_page.h"

#include <stdio.h>

char *text_of(const struct profile *p, const struct report_options *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    report_text(p, out, o);
    fclose(out);
    return text;
}
