#include "data/data.h"

#include "config.h"

#ifndef HAVE_SQLITE
const char *data_sqlite(const struct profile *p, const char *path)
{
    (void)p;
    (void)path;
    return "this collprof was built without SQLite: --format=csv would be right";
}
#else

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* Bytes may be a mean: NUMERIC keeps those that are whole as integers. */
static const struct {
    const char *name, *type;
} units[] = {[COLUMN_TEXT] = {"text", "TEXT"},      [COLUMN_COUNT] = {"count", "INTEGER"},
             [COLUMN_REAL] = {"number", "REAL"},    [COLUMN_RANK] = {"rank", "INTEGER"},
             [COLUMN_BYTES] = {"bytes", "NUMERIC"}, [COLUMN_TIME] = {"us", "REAL"},
             [COLUMN_SHARE] = {"percent", "REAL"}};

/* Whether data has the figure: its short form for people is left out. */
static bool in_data(const struct listing *l, const struct figure *f)
{
    return listing_has(l, f) && !(f->column.flags & COLUMN_TEXT_ONLY);
}

/* Names of tables and columns are those of figures.c, never a profile's: they need no quoting. */
static char *table_statement(const struct listing *l, bool insert)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    const char *comma = "";
    fprintf(out, insert ? "INSERT INTO %s VALUES (" : "CREATE TABLE %s (", l->name);
    for (size_t i = 0; i < l->figures->n; i++) {
        const struct figure *f = &l->figures->at[i];
        char name[64];
        if (!in_data(l, f))
            continue;
        figure_name(f, name);
        fprintf(out, insert ? "%s?" : "%s\"%s\" %s", comma, name, units[f->column.kind].type);
        comma = ", ";
    }
    fputs(")", out);
    fclose(out);
    return text;
}

static int bind_figure(sqlite3_stmt *s, int at, const struct figure *f, const struct view *v,
                       const void *row)
{
    char text[2200];
    if (f->text) {
        f->text(v, row, text, sizeof text);
        return strcmp(text, "-") ? sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT)
                                 : sqlite3_bind_null(s, at);
    }
    double value = figure_data(f, v, row);
    if (isnan(value))
        return sqlite3_bind_null(s, at);
    return sqlite3_bind_double(s, at, value); /* the column's type makes an integer of it */
}

/* The result of STEP, of which SQLITE_DONE is good too. */
static int stepped(sqlite3_stmt *s)
{
    int rc = sqlite3_step(s);
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int insert_row(sqlite3 *db, const char *statement, const char *const *cell, int n)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, statement, -1, &s, NULL);
    for (int i = 0; i < n && !rc; i++)
        rc = sqlite3_bind_text(s, i + 1, cell[i], -1, SQLITE_TRANSIENT);
    rc = rc ? rc : stepped(s);
    sqlite3_finalize(s);
    return rc;
}

static int document_listing(sqlite3 *db, const struct listing *l)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < l->figures->n && !rc; i++) {
        const struct figure *f = &l->figures->at[i];
        char name[64];
        figure_name(f, name);
        if (in_data(l, f))
            rc = insert_row(
                db, "INSERT INTO columns VALUES (?, ?, ?, ?)",
                (const char *[]){l->name, name, units[f->column.kind].name, f->column.meaning}, 4);
    }
    return rc;
}

static int write_listing(sqlite3 *db, const struct listing *l, const struct view *v)
{
    struct listed rows;
    sqlite3_stmt *s = NULL;
    char *create = table_statement(l, false), *insert = table_statement(l, true);
    int rc = sqlite3_exec(db, create, NULL, NULL, NULL);
    rc = rc ? rc : sqlite3_prepare_v2(db, insert, -1, &s, NULL);
    listed_open(&rows, l, v, NULL);
    for (size_t k = 0; k < rows.n && !rc; k++) {
        int at = 0;
        for (size_t i = 0; i < l->figures->n && !rc; i++)
            if (in_data(l, &l->figures->at[i]))
                rc = bind_figure(s, ++at, &l->figures->at[i], v, rows.at + k * rows.size);
        rc = rc ? rc : stepped(s);
    }
    listed_close(&rows);
    sqlite3_finalize(s);
    free(create);
    free(insert);
    return rc ? rc : document_listing(db, l);
}

static int write_run(sqlite3 *db, const struct profile *p)
{
    static const char add[] = "INSERT INTO run VALUES (?, ?)";
    char number[40];
    int rc = SQLITE_OK;
    for (size_t i = 0; i < p->programs.n && !rc; i++)
        rc = insert_row(db, add, (const char *[]){"program", p->programs.at[i]}, 2);
    for (size_t i = 0; i < p->libraries.n && !rc; i++)
        rc = insert_row(db, add, (const char *[]){"mpi", p->libraries.at[i]}, 2);
    for (size_t i = 0; i < p->warnings.n && !rc; i++)
        rc = insert_row(db, add, (const char *[]){"warning", p->warnings.at[i]}, 2);
    snprintf(number, sizeof number, "%zu", p->ranks.n);
    rc = rc ? rc : insert_row(db, add, (const char *[]){"ranks", number}, 2);
    snprintf(number, sizeof number, "%.3f", p->started_unix);
    rc = rc ? rc : insert_row(db, add, (const char *[]){"started_unix", number}, 2);
    return rc ? rc : insert_row(db, add, (const char *[]){"collprof", PACKAGE_VERSION}, 2);
}

const char *data_sqlite(const struct profile *p, const char *path)
{
    sqlite3 *db = NULL;
    struct view v;
    static char why[300];
    int rc = sqlite3_open(path, &db);
    rc = rc ? rc
            : sqlite3_exec(db,
                           "PRAGMA synchronous = OFF;"
                           "PRAGMA application_id = " DATA_SQLITE_ID ";"
                           "BEGIN;"
                           "CREATE TABLE run (key TEXT, value TEXT);"
                           "CREATE TABLE columns (\"table\" TEXT, \"column\" TEXT, unit TEXT, "
                           "meaning TEXT)",
                           NULL, NULL, NULL);
    view_open(&v, p);
    rc = rc ? rc : write_run(db, p);
    for (size_t i = 0; i < n_listings && !rc; i++)
        rc = write_listing(db, &listings[i], &v);
    rc = rc ? rc : sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    view_close(&v);
    if (rc)
        snprintf(why, sizeof why, "%s", db ? sqlite3_errmsg(db) : "out of memory");
    sqlite3_close(db);
    return rc ? why : NULL;
}
#endif
