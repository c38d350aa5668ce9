/* How large the messages are. */
#include "report/text.h"

#include "base/format.h"
#include "report/layout.h"

enum size_column { SIZE_SENT, SIZE_COLLECTIVE, SIZE_STARTED, SIZE_OTHER, SIZE_COLUMNS };

/* Receives are left out: their messages were sent by someone. */
static int size_column_of(uint32_t family)
{
    switch (family) {
    case FAMILY_SEND:
    case FAMILY_ISEND:
    case FAMILY_SENDRECV:
        return SIZE_SENT;
    case FAMILY_COLLECTIVE:
    case FAMILY_ICOLLECTIVE:
        return SIZE_COLLECTIVE;
    case FAMILY_START: /* of persistent requests, of whatever kind */
        return SIZE_STARTED;
    case FAMILY_ONE_SIDED:
    case FAMILY_IO:
        return SIZE_OTHER;
    default:
        return -1;
    }
}

void text_sizes(const struct profile *p, FILE *out)
{
    enum { CLASSES = 65 };
    struct {
        uint64_t calls, bytes;
    } sum[CLASSES][SIZE_COLUMNS] = {0};
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        int column = size_column_of(p->operations.at[e->operation].family);
        if (column < 0 || e->size_class >= CLASSES)
            continue;
        uint64_t calls = column == SIZE_STARTED ? entry_requests(e) : e->calls;
        sum[e->size_class][column].calls += calls;
        sum[e->size_class][column].bytes += column == SIZE_STARTED ? e->completed_bytes : e->bytes;
    }
    static const char *const names[] = {"sent", "collective", "persistent", "one-sided, I/O"};
    struct layout *l = layout_new("lrrrrrrrr");
    layout_cell(l, "size");
    for (int c = 0; c < SIZE_COLUMNS; c++) {
        layout_cell(l, "%s", names[c]);
        layout_cell(l, "bytes");
    }
    for (uint32_t k = 0; k < CLASSES; k++) {
        char text[32];
        uint64_t any = 0;
        for (int c = 0; c < SIZE_COLUMNS; c++)
            any += sum[k][c].calls;
        if (!any)
            continue;
        layout_cell(l, "%s", format_size_class(text, k));
        for (int c = 0; c < SIZE_COLUMNS; c++) {
            layout_cell(l, "%s", sum[k][c].calls ? format_count(text, sum[k][c].calls) : "");
            layout_bytes(l, (double)sum[k][c].bytes);
        }
    }
    if (layout_rows(l) > 1)
        text_title(out, "Message sizes");
    bool any = layout_rows(l) > 1;
    layout_print(l, any ? out : NULL, text_width());
    if (any)
        text_paragraph(out, "  ",
                       "calls of all ranks that carried so much each; bytes: of these together.");
}
