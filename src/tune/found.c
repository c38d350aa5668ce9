#include "tune/found.h"

#include "base/hash.h"
#include "base/input.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "document/save.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static json_t *candidate_json(const struct tuned *t, int k)
{
    const struct algorithm *a = &t->candidate[k];
    const struct estimate *ratio = &t->ratio[k];
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "algorithm", a->name, "number",
                     a->number, "segment", a->segment, "time_us",
                     json_finite(1e6 * t->time[k].value), "ratio", json_finite(ratio->value), "low",
                     json_finite(ratio->low), "high", json_finite(ratio->high));
}

json_t *tuned_json(const struct tuned *t)
{
    const struct algorithm *best = &t->candidate[t->best];
    const struct estimate *ratio = &t->ratio[t->best];
    const double now = t->best ? t->time[0].value : NAN;
    json_t *list = json_array();
    for (int k = 0; k < t->n; k++)
        json_push(list, candidate_json(t, k));
    json_t *json =
        json_pack("{s:s, s:i, s:I, s:s, s:i, s:o, s:o, s:s*, s:s*, s:o*, s:o*, s:o*}", "operation",
                  t->operation->mpi_name, "ranks", t->ranks, "bytes", (json_int_t)t->bytes, "best",
                  t->best ? best->name : "", "segment", t->best ? best->segment : 0, "candidates",
                  list, "now_us", json_finite(1e6 * t->time[0].value), "remark",
                  tuned_open(t) ? TUNED_OPEN : NULL, "arrival", *t->arrival ? t->arrival : NULL,
                  "calls", t->calls > 0 ? json_integer((json_int_t)t->calls) : NULL, "between",
                  t->between ? json_true() : NULL, "refuted", t->refuted ? json_true() : NULL);
    json_put_estimate(json, "faster",
                      (struct estimate){now * ratio->value, now * ratio->low, now * ratio->high});
    return json;
}

/* Whether NAME can be written into env.sh, which a shell executes. */
static bool is_name(const char *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-";
    return *name && !name[strspn(name, characters)] &&
           strlen(name) < sizeof((struct algorithm *)0)->name;
}

static bool candidate_read(const json_t *json, struct tuned *t)
{
    const char *name = json_text_at(json, "algorithm");
    if (t->n == ALGORITHMS_MAX || !is_name(name))
        return false;
    struct algorithm *a = &t->candidate[t->n];
    text_copy(a->name, sizeof a->name, name);
    a->number = (int)json_integer_value(json_object_get(json, "number"));
    a->segment = (int)json_integer_value(json_object_get(json, "segment"));
    if (algorithm_is_ours(a) && strncmp(name, ALGORITHM_OURS, strlen(ALGORITHM_OURS)) != 0)
        return false;
    t->time[t->n] = (struct estimate){1e-6 * json_number_at(json, "time_us"), NAN, NAN};
    t->ratio[t->n++] = (struct estimate){json_number_at(json, "ratio"), json_number_at(json, "low"),
                                         json_number_at(json, "high")};
    return true;
}

bool tuned_read(const json_t *json, struct tuned *t)
{
    size_t k;
    const json_t *candidate;
    const double ranks = json_number_at(json, "ranks"), bytes = json_number_at(json, "bytes"),
                 calls = json_number_at(json, "calls");
    *t = (struct tuned){.operation = tuned_operation_find(json_text_at(json, "operation")),
                        .between = json_is_true(json_object_get(json, "between")),
                        .refuted = json_is_true(json_object_get(json, "refuted"))};
    if (!t->operation || !(ranks >= 1 && ranks <= INT_MAX && bytes >= 0 && bytes <= INT_MAX))
        return false;
    t->ranks = (int)ranks;
    t->bytes = (size_t)bytes;
    t->calls = calls > 0 ? calls : 0;
    text_copy(t->arrival, sizeof t->arrival, json_text_at(json, "arrival"));
    json_array_foreach(json_object_get(json, "candidates"), k, candidate) {
        if (!candidate_read(candidate, t))
            return false;
        if (k > 0 && !strcmp(t->candidate[k].name, json_text_at(json, "best")) &&
            t->candidate[k].segment == json_number_at(json, "segment"))
            t->best = (int)k;
    }
    return t->n > 0;
}

void tuned_ours_add(struct document *d, const struct tuned *t, size_t n)
{
    const struct algorithm *ours = NULL;
    size_t broadcasts = 0, faster = 0;
    for (size_t i = 0; i < n; i++) {
        broadcasts += t[i].operation == tuned_operation_find("MPI_Bcast");
        faster += tuned_ours(&t[i]) != NULL;
        ours = ours ?: tuned_ours(&t[i]);
    }
    if (ours)
        document_finding(d, FINDING("our_broadcast", FINDING),
                         "In %zu of %zu broadcasts an algorithm of collprof is faster than all of "
                         "the MPI library (for the first: collprof run --bcast=%s).",
                         faster, broadcasts, ours->name + strlen(ALGORITHM_OURS));
}

/* --- the files --- */

struct files {
    const char *directory;
    const struct tuned_set *set;
    struct rules rules;
};

static void write_json(FILE *out, const struct files *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->set->list.n; i++)
        json_push(list, tuned_json(&f->set->list.at[i]));
    json_write(json_pack("{s:s, s:b, s:o}", "library", f->set->library, "complete",
                         f->set->complete, "tuned", list),
               out, true);
}

static void write_openmpi(FILE *out, const struct files *f)
{
    rules_openmpi_write(out, &f->rules);
}

static void write_env(FILE *out, const struct files *f)
{
    char *full = realpath(f->directory, NULL), path[PATH_MAX + 32], word[PATH_MAX + 64];
    fprintf(out, "# library: %s\n", f->set->library);
    snprintf(path, sizeof path, "%s/openmpi.rules", full ? full : f->directory);
    free(full);
    quote_shell(path, word, sizeof word);
    if (!f->rules.by_size)
        rules_mpich_write(out, &f->rules);
    else if (rules_count(&f->rules))
        fprintf(out,
                "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n"
                "export OMPI_MCA_coll_tuned_dynamic_rules_filename=%s\n",
                word);
}

bool tuned_is_whole(const char *directory, char sum[TUNED_SUM])
{
    static const char *const names[] = {"tuned.sum", "env.sh", "openmpi.rules", "tuned.json"};
    char path[PATH_MAX], block[4096], given[TUNED_SUM + 1] = "";
    const char *why;
    uint64_t hash = HASH_START;
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        FILE *in = input_file(path, &why);
        if (in && i == 0)
            given[fread(given, 1, TUNED_SUM, in)] = '\0';
        for (size_t n; in && (n = fread(block, 1, sizeof block, in)) > 0;)
            hash = hash_bytes(hash, block, n);
        if (in)
            fclose(in);
    }
    snprintf(sum, TUNED_SUM, "%016llx", (unsigned long long)hash);
    return !strncmp(given, TUNED_EDITED, strlen(TUNED_EDITED)) ||
           (!strncmp(given, sum, TUNED_SUM - 1) && !strcmp(given + TUNED_SUM - 1, "\n"));
}

static void write_sum(FILE *out, const struct files *f)
{
    char sum[TUNED_SUM];
    tuned_is_whole(f->directory, sum);
    fprintf(out, "%s\n", sum);
}

static bool save(const struct files *f, const char *name,
                 void (*write)(FILE *out, const struct files *f))
{
    char path[PATH_MAX];
    struct save file;
    snprintf(path, sizeof path, "%s/%s", f->directory, name);
    if (!save_open(&file, path))
        return false;
    write(file.out, f);
    return save_commit(&file);
}

long tuned_set_save(struct tuned_set *s, const char *directory)
{
    if (mkdir(directory, 0777) && errno != EEXIST) {
        reason_give("%s: %s", directory, strerror(errno));
        return -1;
    }
    struct files f = {directory, s, rules_of(s)};
    bool saved = save(&f, "tuned.json", write_json) &&
                 (!f.rules.by_size || save(&f, "openmpi.rules", write_openmpi)) &&
                 save(&f, "env.sh", write_env) && save(&f, "tuned.sum", write_sum);
    long n = saved ? (long)rules_count(&f.rules) : -1;
    rules_free(&f.rules);
    return n;
}

bool tuned_set_load(struct tuned_set *s, const char *directory)
{
    char path[PATH_MAX], why[PATH_MAX + 200];
    size_t i;
    const json_t *one;
    snprintf(path, sizeof path, "%s/tuned.json", directory);
    *s = (struct tuned_set){0};
    if (access(path, F_OK))
        return true;
    json_t *json = json_file_load(path, why, sizeof why);
    if (!json)
        return reason_give("%s", why);
    bool good = json_is_array(json_object_get(json, "tuned"));
    text_copy(s->library, sizeof s->library, json_text_at(json, "library"));
    s->complete = json_is_true(json_object_get(json, "complete"));
    json_array_foreach(json_object_get(json, "tuned"), i, one)
        good = good && tuned_read(one, PUSH(&s->list));
    json_decref(json);
    if (good)
        return true;
    free(s->list.at);
    *s = (struct tuned_set){0};
    return reason_give("%s is damaged: tune again", path);
}

const struct tuned *tuned_set_find(const struct tuned_set *s, const struct tuned *t)
{
    for (EACH(const struct tuned, x, s->list))
        if (x->operation == t->operation && x->ranks == t->ranks && x->bytes == t->bytes &&
            !strcmp(x->arrival, t->arrival))
            return x;
    return NULL;
}
