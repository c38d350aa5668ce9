/* libFuzzer's side of every reader of files: a damaged or forged file is refused, or read and
 * shown, without a fault, a leak or a demand for memory that its size does not explain. The name of
 * the program says which reader is meant: fuzz/record, fuzz/profile, ... are links to one program.
 */
#include "compare/launches.h"
#include "measure/pairs/log.h"
#include "profile/model.h"
#include "record/ledger.h"
#include "report/report.h"

#include "scenario_file.h"

#include <fcntl.h>
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
    if (pairs_graph(&p, 64, false, &g))
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

static void read_launches(const char *path)
{
    struct document *d = launches_document((const char *const[]){path, path}, 1, 1);
    if (d)
        document_write(d, nowhere, FORMAT_TEXT);
    document_free(d);
}

static const struct {
    const char *name;
    void (*read)(const char *path);
} readers[] = {{"record", read_record},
               {"profile", read_profile},
               {"pairs", read_pairs},
               {"scenario", read_scenario},
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
