#include "report/model.h"

void report_text(const struct profile *p, FILE *out, const struct report_options *options)
{
    (void)p;
    (void)out;
    (void)options;
}
