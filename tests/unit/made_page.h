/* The page of a profile that was made in a test. */
#ifndef COLLPROF_TESTS_MADE_PAGE_H
#define COLLPROF_TESTS_MADE_PAGE_H

#include "made_profile.h"
#include "page/report.h"

/* What report_text() prints of P; to be freed. */
char *text_of(const struct profile *p, const struct report_options *o);

#endif
