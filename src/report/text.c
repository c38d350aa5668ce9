#include "report/text.h"

#include "document/style.h"
#include "document/text.h"
#include "report/report.h"

static _Thread_local size_t width = REPORT_LEAST_WIDTH;

void text_set_width(size_t columns)
{
    width = columns;
}

size_t text_width(void)
{
    return width;
}

size_t text_width_of(FILE *out, int asked)
{
    return (size_t)(asked ? asked : report_width(out));
}

void text_paragraph(FILE *out, const char *mark, const char *text)
{
    text_paragraph_write(out, mark, text, width);
}

void text_title(FILE *out, const char *title)
{
    fprintf(out, "\n%s%s%s\n", style_on(STYLE_HEAD), title, style_off());
}

void text_more(FILE *out, size_t rows, size_t shown, const char *what)
{
    if (rows > shown)
        fprintf(out, "  and %zu more %s%s (--top=%zu)\n", rows - shown, what,
                rows - shown == 1 ? "" : "s", rows);
}
