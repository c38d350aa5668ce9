/* A directory of results: profile.json, or the raw records of a run that did not get so far. */
#include "profile/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record {
    struct ledger ledger;
    char name[64];
};

struct records {
    ARRAY(struct record) list;
    ARRAY(char *) remarks; /* on files that could not be used */
};

static void remark(struct records *r, const char *name, const char *what)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s: left out", name, what);
    *PUSH(&r->remarks) = profile_strdup(line);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct record *)a)->name, ((const struct record *)b)->name);
}

/* Opens every DIR/rank-NNNNNN.ledger. */
static void open_records(struct records *r, const char *directory)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return;
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        size_t length = strlen(d->d_name);
        struct record record;
        char path[4400];
        if (strncmp(d->d_name, "rank-", 5) || length < 12 || length >= sizeof record.name ||
            strcmp(d->d_name + length - 7, ".ledger"))
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, d->d_name);
        const char *fault = ledger_open(&record.ledger, path);
        if (fault) {
            remark(r, d->d_name, fault);
            continue;
        }
        strcpy(record.name, d->d_name);
        *PUSH(&r->list) = record;
    }
    closedir(dir);
    if (r->list.n)
        qsort(r->list.at, r->list.n, sizeof *r->list.at, by_name);
}

static void close_records(struct records *r)
{
    for (size_t i = 0; i < r->list.n; i++)
        ledger_close(&r->list.at[i].ledger);
    for (size_t i = 0; i < r->remarks.n; i++)
        free(r->remarks.at[i]);
    free(r->list.at);
    free(r->remarks.at);
}

/* The run that started last. A record without a run's number belongs to it if it started then
 * too: its process ended before the ranks had agreed on one. */
static const struct ledger_header *latest_of(const struct records *r)
{
    const struct ledger_header *latest = NULL;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct ledger_header *h = r->list.at[i].ledger.header;
        if (!latest || h->started_unix > latest->started_unix + 5 ||
            (!latest->run_id && h->run_id && h->started_unix > latest->started_unix - 5))
            latest = h;
    }
    return latest;
}

static bool same_run(const struct ledger_header *h, const struct ledger_header *latest)
{
    if (h->run_id && latest->run_id)
        return h->run_id == latest->run_id;
    double apart = h->started_unix - latest->started_unix;
    return apart > -30 && apart < 30;
}

static bool keep_latest_run(struct records *r)
{
    const struct ledger_header *latest = latest_of(r);
    size_t kept = 0, stale = 0;
    if (!latest)
        return false;
    struct ledger_header key = *latest;
    for (size_t i = 0; i < r->list.n; i++) {
        if (same_run(r->list.at[i].ledger.header, &key)) {
            r->list.at[kept++] = r->list.at[i];
        } else {
            ledger_close(&r->list.at[i].ledger);
            stale++;
        }
    }
    r->list.n = kept;
    if (stale) {
        char line[128];
        snprintf(line, sizeof line, "%zu record%s of an earlier run left out", stale,
                 stale == 1 ? "" : "s");
        *PUSH(&r->remarks) = profile_strdup(line);
    }
    return kept > 0;
}

/* A process that was cut off before its second reading of the clocks has no rate of its own: the
 * time stamp counters of a host run alike. */
static double rate_on(const struct records *r, const char *host)
{
    for (size_t i = 0; i < r->list.n; i++) {
        const struct ledger *l = &r->list.at[i].ledger;
        if (!strncmp(l->header->host, host, sizeof l->header->host) && ledger_rate(l) > 0)
            return ledger_rate(l);
    }
    return 0;
}

/* On this host, and still the program that made the record: numbers of processes are used again. */
static bool is_alive(const struct profile *p, const struct profile_rank *r)
{
    char host[64] = "", link[64], program[4096];
    gethostname(host, sizeof host - 1);
    if (strcmp(host, p->hosts.at[r->host].name) || r->pid <= 0)
        return false;
    snprintf(link, sizeof link, "/proc/%lld/exe", (long long)r->pid);
    ssize_t length = readlink(link, program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < p->programs.n; i++)
        if (!strcmp(program, p->programs.at[i]))
            return true;
    return false;
}

/* Ranks that should be there and are not. */
static void say_missing(struct profile *p)
{
    bool *seen = profile_alloc((size_t)(p->size > 0 ? p->size : 0) + 1);
    int32_t *missing = profile_alloc(((size_t)(p->size > 0 ? p->size : 0) + 1) * sizeof *missing);
    size_t n = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].rank >= 0 && p->ranks.at[i].rank < p->size)
            seen[p->ranks.at[i].rank] = true;
    for (int32_t i = 0; i < p->size; i++)
        if (!seen[i])
            missing[n++] = i;
    if (n) {
        char text[200] = "";
        rank_list(text, sizeof text, missing, n);
        profile_warn(p, "no record of %zu of %d ranks: %s", n, p->size, text);
        p->crashed = true;
    }
    free(seen);
    free(missing);
}

static struct profile *load_records(struct records *r, const char *directory)
{
    struct profile *p = NULL;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct ledger *l = &r->list.at[i].ledger;
        struct profile *one = profile_from_cut_ledger(l, rate_on(r, l->header->host));
        if (p)
            profile_merge(p, one);
        else
            p = one;
    }
    say_missing(p);
    for (size_t i = 0; i < p->ranks.n; i++)
        p->crashed = p->crashed || p->ranks.at[i].state != LEDGER_FINALIZED;
    for (size_t i = 0; i < p->ranks.n; i++)
        p->ranks.at[i].alive =
            p->ranks.at[i].state == LEDGER_RUNNING && is_alive(p, &p->ranks.at[i]);
    for (size_t i = 0; i < r->remarks.n; i++)
        profile_warn(p, "%s", r->remarks.at[i]);
    if (p->crashed) /* otherwise the ranks could not merge while they ran: sessions */
        profile_warn(p, "made from the raw records in %s: the run did not write its profile",
                     directory);
    profile_symbolize(p);
    return p;
}

static struct profile *load_json(const char *path)
{
    json_error_t error;
    const char *reason = error.text;
    json_t *json = json_load_file(path, 0, &error);
    struct profile *p = json ? profile_from_json(json, &reason) : NULL;
    if (!p)
        fprintf(stderr, "collprof: %s: %s\n", path, reason);
    json_decref(json);
    return p;
}

struct profile *profile_load(const char *directory)
{
    char path[4400];
    struct records r = {0};
    struct profile *p = NULL;
    bool has_profile;
    snprintf(path, sizeof path, "%s/profile.json", directory);
    has_profile = !access(path, F_OK);
    if (has_profile)
        p = load_json(path);
    open_records(&r, directory);
    if (keep_latest_run(&r)) {
        const struct ledger_header *h = r.list.at[0].ledger.header;
        /* Records may be kept beside a profile; those of a later run come before it. */
        if (!has_profile || (p && h->run_id != p->run_id && h->started_unix > p->started_unix)) {
            profile_free(p);
            p = load_records(&r, directory);
            if (has_profile)
                profile_warn(p, "%s is of an earlier run and left out", path);
        }
    } else if (!has_profile) {
        fprintf(stderr, "collprof: %s: %s\n", directory,
                access(directory, F_OK)
                    ? strerror(errno)
                    : "neither profile.json nor a record rank-*.ledger: "
                      "the directory that `collprof run -o` wrote would be right");
        for (size_t i = 0; i < r.remarks.n; i++)
            fprintf(stderr, "collprof: %s\n", r.remarks.at[i]);
    }
    close_records(&r);
    return p;
}
