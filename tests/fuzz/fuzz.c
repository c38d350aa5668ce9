/* libFuzzer's side of every reader of files: a damaged or forged file is refused, or read and
 * shown, without a fault, a leak or a demand for memory that its size does not explain. The name of
 * the program says which reader is meant: fuzz/record, fuzz/profile, ... are links to one program.
 */
#include "base/memory.h"
#include "compare/compare.h"
#include "document/json.h"
#include "document/page.h"
#include "export/export.h"
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

extern const struct export_format export_perfetto;
static FILE *nowhere; /* what is read is shown to nobody */

/* Whatever is in a record, what is written for Perfetto has to be JSON. */
static void show_trace(const struct export_request *r, struct profile *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_open_text(&text, &size);
    export_perfetto.write(r, p, out);
    fclose(out);
    json_t *json = json_loads(text, 0, NULL);
    if (!json)
        abort();
    json_decref(json);
    free(text);
}

/* CSV and a page, for Perfetto, and compared with itself. */
static void export(struct profile *p)
{
    const struct export_request r = {
        .options.text.explain = true, .view = {NAN, NAN}, .trace = p->events.n ? p : NULL};
    export_csv.write(&r, p, nowhere);
    show_trace(&r, p);
    export_html.write(&r, p, nowhere);
    struct profile *const run[] = {p, p};
    const struct compare_request c = {run, 1, 1, NULL, (const char *const[]){"a", "b"}, 0.1};
    struct document *d = compare_document(&c, NULL);
    document_write(d, nowhere, FORMAT_TEXT);
    document_free(d);
}

/* Shows the first input in every format, and of the others one in eight. */
static void show(struct profile *p)
{
    static unsigned shown;
    report_text(p, nowhere, &(struct report_options){.text.explain = true});
    profile_write(p, nowhere, NULL);
    if (shown++ % 8 == 0)
        export(p);
    profile_free(p);
}

static void read_record(const char *path)
{
    struct ledger l;
    if (ledger_open(&l, path, LEDGER_ALL))
        return;
    struct profile *p = profile_from_ledger(&l);
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
    pairs_log_write(&p, nowhere);
    if (pairs_graph(&p, 0, 64, false, 0, &g))
        graph_free(&g);
    pairs_free(&p);
}

static void read_scenario(const char *path)
{
    struct scenario s;
    char why[SCENARIO_WHY];
    FILE *in = fopen(path, "re");
    if (in && scenario_read(in, "name", &s, why))
        scenario_check(&s, 4, &(struct scenario_point){0}, why);
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

/* What a benchmark has written, as a page. */
static void read_document(const char *path)
{
    char why[400];
    json_t *json = json_file_load(path, why, sizeof why);
    if (json_is_object(json_object_get(json, "tables")))
        page_write_json(json, "", nowhere);
    json_decref(json);
}

static const struct {
    const char *name;
    void (*read)(const char *path);
} readers[] = {{"record", read_record},     {"profile", read_profile},
               {"pairs", read_pairs},       {"scenario", read_scenario},
               {"launches", read_launches}, {"document", read_document}};

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
