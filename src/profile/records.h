/* The raw records in a directory, of the run that started last. */
#pragma once

#include "base/array.h"
#include "record/ledger.h"

struct record {
    struct ledger_header header;
    char name[64];
};

struct records {
    int directory; /* an open descriptor */
    ARRAY(struct record) list;
    ARRAY(char *) remarks; /* about files that were ignored */
};

/* Opens DIRECTORY, and fills R->list, sorted by name, and R->remarks; close by records_close().
 * False with a reason_give() if that fails. */
bool records_open(struct records *r, const char *directory);

/* Adds a remark that the file NAME is ignored because of WHAT. */
void records_remark(struct records *r, const char *name, const char *what);

void records_close(struct records *r);
