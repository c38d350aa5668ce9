/* Bold and colour, for a terminal. They repeat what words say and mean the same wherever they are:
 * bold heads something, yellow is to be doubted, faint explains. */
#ifndef COLLPROF_DOCUMENT_STYLE_H
#define COLLPROF_DOCUMENT_STYLE_H

#include <stdio.h>

enum style { STYLE_HEAD, STYLE_DOUBT, STYLE_FAINT };
enum style_when { STYLE_AUTO, STYLE_ALWAYS, STYLE_NEVER };

/* For what this thread writes to OUT from now on. AUTO: if that is a terminal that knows colours,
 * and NO_COLOR is not set. */
void style_set(enum style_when when, FILE *out);

/* "" where there is none. */
const char *style_on(enum style style);
const char *style_off(void);

#endif
