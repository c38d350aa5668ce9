/* libFuzzer's side of every reader of files: a damaged or forged file is refused, or read and
 * shown, without a fault, a leak or a demand for memory that its size does not explain. The name of
 * the program says which reader is meant: fuzz/record, fuzz/profile, ... are links to one program.
 */
#include "measure/pairs/log.h"
#include "picture/overlap_map.h"
#include "profile/model.h"
#include "record/ledger.h"
#include "report/report.h"
#include "results/base_round.h"
#include "results/launches.h"
#include "results/schedule_json.h"

#include "overlap_journal.h"
#include "scenario_file.h"

#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static FILE *nowhere; /* what is read is shown to nobody */

static void show(struct profile *p)
{
    report_text(p, nowhere, &(struct report_options){.explain = true});
    json_decref(profile_json(p));
    profile_free(p);
}

static void read_record(const char *path)
{
    struct ledger l;
    if (ledger_open(&l, AT_FDCWD, path))
        return;
    struct profile *p = profile_from_cut_ledger(&l, ledger_rate(l.header));
    ledger_close(&l);
    show(p);
}

static void read_profile(const char *path)
{
    const char *reason;
    json_t *json = json_load_file(path, 0, NULL);
    struct profile *p = json ? profile_from_json(json, &reason) : NULL;
    json_decref(json);
    if (p)
        show(p);
}

static void read_pairs(const char *path)
{
    struct pairs p;
    struct graph g;
    char why[400];
    if (!pairs_log_load(path, &p, why, sizeof why))
        return;
    pairs_log_write(&p, nowhere, false);
    if (pairs_graph(&p, 64, false, PAIRS_LIKELY, &g))
        graph_free(&g);
    pairs_free(&p);
}

static void read_scenario(const char *path)
{
    struct scenario s;
    struct scenario_error error;
    FILE *in = fopen(path, "re");
    if (in && scenario_read(in, "name", &s, &error))
        scenario_check(&s, 4, &(struct scenario_point){0}, &error);
    if (in)
        fclose(in);
}

static void read_base(const char *path)
{
    struct base_round base;
    struct base_origin origin;
    char why[400];
    if (base_round_load(path, &base, &origin, why, sizeof why))
        json_decref(base_round_json(&base, &origin));
    base_round_free(&base);
}

static void read_schedule(const char *path)
{
    struct schedule s;
    char why[400];
    if (schedule_load(path, &s, why, sizeof why))
        schedule_free(&s);
}

static void read_maps(const char *path)
{
    size_t n;
    struct overlap_map *maps = overlap_maps_load(path, &n, (char[400]){0}, 400);
    for (size_t i = 0; i < n; i++) {
        json_decref(overlap_map_json(&maps[i]));
        overlap_map_free(&maps[i]);
    }
    free(maps);
}

static void read_launches(const char *path)
{
    json_t *all = json_array();
    struct document *d = document_new("collprof-launches/1");
    char why[300];
    if (launches_load(all, path, why, sizeof why) && !launches_tell(all, d))
        document_write(d, nowhere, FORMAT_TEXT);
    document_free(d);
    json_decref(all);
}

bool bench_is_file(const char *output)
{
    return output != NULL;
}

/* It is read and cut where it ends well, so on a copy; and it is of this run, whatever its key. */
static void read_journal(const char *path)
{
    static const struct overlap_benchmark known[] = {{.name = "sender"}, {.name = "receiver"}};
    struct overlap_cell cell[2][6] = {{{0}}};
    struct grid g = {.nx = 2, .n_parts = 2, .size = {1024, 4096}};
    char line[4096] = "", why[400];
    size_t cells, n;
    FILE *in = fopen(path, "re"), *copy = fopen("journal-input.part", "we");
    if (!in || !copy)
        abort();
    for (int i = 0; i < 2; i++)
        g.part[i] = (struct grid_part){.benchmark = &known[i], .ny = 3, .cell = cell[i]};
    while ((n = fread(line, 1, sizeof line, in)) > 0)
        fwrite(line, 1, n, copy);
    fclose(copy);
    rewind(in);
    json_t *key = fgets(line, sizeof line, in) ? json_loads(line, 0, NULL) : NULL;
    const char *its = json_string_value(json_object_get(key, "collbench-overlap-part/2"));
    struct journal *j =
        journal_open("journal-input", its ? its : "", false, &g, &cells, why, sizeof why);
    for (size_t i = 0; j && i < 2 * 6; i++)
        journal_cell(j, &g, &g.part[i / 6], i % 2, i % 6 / 2);
    if (j && g.base.n)
        journal_base(j, &g);
    journal_close(j, false);
    base_round_free(&g.base);
    json_decref(key);
    fclose(in);
}

/* What ranks send each other at the end. Its sum is put right: it is there against accidents. */
static void read_packed(const char *path)
{
    static char text[1 << 22];
    FILE *in = fopen(path, "re");
    size_t n = in ? fread(text, 1, sizeof text, in) : 0;
    uint64_t sum;
    if (in)
        fclose(in);
    if (n < sizeof sum)
        return;
    sum = profile_hash(text, n - sizeof sum);
    memcpy(text + n - sizeof sum, &sum, sizeof sum);
    struct profile *p = profile_unpack(text, n), *into = profile_new();
    if (p)
        profile_merge(into, p);
    show(into);
}

/* The first inputs of that, from records. */
static void pack_records(void)
{
    glob_t g = {0};
    char path[64];
    struct ledger l;
    glob("seeds/record/*", 0, NULL, &g);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        size_t size;
        if (ledger_open(&l, AT_FDCWD, g.gl_pathv[i]))
            continue;
        struct profile *p = profile_from_ledger(&l);
        void *packed = profile_pack(p, &size);
        snprintf(path, sizeof path, "seeds/packed/%zu", i);
        FILE *out = fopen(path, "we");
        if (!out || fwrite(packed, 1, size, out) != size || fclose(out))
            abort();
        free(packed);
        profile_free(p);
        ledger_close(&l);
    }
    globfree(&g);
}

static const struct {
    const char *name;
    void (*read)(const char *path);
} readers[] = {{"record", read_record},    {"profile", read_profile},   {"pairs", read_pairs},
               {"base", read_base},        {"scenario", read_scenario}, {"schedule", read_schedule},
               {"maps", read_maps},        {"journal", read_journal},   {"packed", read_packed},
               {"launches", read_launches}};

static void (*reader)(const char *path);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    const char *slash = strrchr((*argv)[0], '/'), *name = slash ? slash + 1 : (*argv)[0];
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(readers[i].name, name) == 0)
            reader = readers[i].read;
    nowhere = fopen("/dev/null", "we");
    if (!reader || !nowhere)
        abort();
    if (reader == read_packed)
        pack_records();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
        reader(path);
    close(fd);
    return 0;
}

/* A record is nearly all zeros that nobody reads: a change is made in its header, or where
 * something stands. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    const size_t block = 64, header = sizeof(struct ledger_header);
    if (reader != read_record || size < header || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t at = seed / 8 % (seed % 8 < 3 ? header : size);
    while (at < size && !data[at])
        at++;
    if (at + block > size)
        at = 0;
    LLVMFuzzerMutate(data + at, block, block);
    return size;
}
