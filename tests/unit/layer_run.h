/* Runs layer_app.c with the whole layer over the fake MPI, and reads its profile. */
#pragma once

#include "document/json.h"
#include "unit.h"

#include <jansson.h>

enum { RANKS = 4 };

/* The profile of a run of SCENE with a setting, "ACK=100", which is consistent. For json_decref().
 */
json_t *profile_of(const char *scene, const char *setting);

double number(const json_t *of, const char *key);
/* What the operation of ROW, of a table of P, has in MEMBER. */
const char *of_operation(const json_t *p, const json_t *row, const char *member);
/* The sum of a member of all rows of a table. */
double total(const json_t *p, const char *table, const char *key);
/* Of all entries of an operation, on a communicator of SIZE ranks (0: any). */
double sum_on(const json_t *p, const char *operation, const char *key, int size);
double sum(const json_t *p, const char *operation, const char *key);

#define EXPECT(p, operation, key, value)                                                           \
    cr_expect_eq(sum(p, operation, key), value, "%s %s: %g", operation, key, sum(p, operation, key))
/* Times in ms, within 0.2. */
#define EXPECT_MS(p, operation, key, ms)                                                           \
    cr_expect_float_eq(sum(p, operation, key) / 1e6, ms, 0.2, "%s %s: %g ms", operation, key,      \
                       sum(p, operation, key) / 1e6)
