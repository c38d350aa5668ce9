/* The raw records in a directory, of the run that started last. */
#ifndef COLLPROF_PROFILE_RECORDS_H
#define COLLPROF_PROFILE_RECORDS_H

#include "base/array.h"
#include "record/ledger.h"

struct record {
    struct ledger_header header;
    char name[64];
};

struct records {
    int directory; /* a descriptor */
    ARRAY(struct record) list;
    ARRAY(char *) remarks; /* on files that were left out */
};

/* Opens DIRECTORY, for records_close(). False with a reason_give() if it cannot be opened. */
bool records_open(struct records *r, const char *directory);

/* Fills R->list, in the order of the names, and R->remarks. */
void records_find(struct records *r);

/* Notes that the file NAME is left out because of WHAT. */
void records_remark(struct records *r, const char *name, const char *what);

void records_close(struct records *r);

#endif
