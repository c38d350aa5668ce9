/* A document in its three formats: readers of all of them are promised the same content. */
#include "document/document.h"
#include "document/save.h"
#include "document/text.h"
#include "scratch.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct column columns[] = {
    {"method", NULL, COLUMN_TEXT, 0, "how it was measured"},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"median", "us", COLUMN_REAL, 2, NULL},
};

static struct document *example(void)
{
    struct document *d = document_new("example/1");
    document_fact(d, "ranks", "%d", 2);
    document_fact(d, "command", "a\r\nb");
    struct table *t = document_table(d, "methods", "Methods", columns, 3);
    table_text(t, "ring, \"paper's\"");
    table_integer(t, 65536);
    table_real(t, 0.1);
    table_text(t, NULL);
    table_text(t, NULL);
    table_real(t, NAN);
    table_text(t, "x");
    table_real(t, 6.6); /* a column of integers takes fractions, and the other way round */
    table_integer(t, 5);
    cr_assert_eq(table_rows(t), 3);
    document_finding(d, &(struct finding){.key = "note", .severity = SEVERITY_NOTE}, "all %s",
                     "is well");
    return d;
}

/* D as text, CSV or JSON, for free(); frees D. */
static char *all_as(struct document *d, enum format format)
{
    char *all = WRITTEN(document_write(d, out, format));
    document_free(d);
    return all;
}

/* A fact that is removed leaves nothing. */
static char *written(enum format format)
{
    struct document *d = example();
    document_fact(d, "interrupted", "once");
    document_fact(d, "interrupted", NULL);
    return all_as(d, format);
}

Test(document, text_is_aligned_with_units_in_the_heads)
{
    FREED char *text = written(FORMAT_TEXT);
    cr_assert_str_eq(text, "all is well\n\n# Methods\n# method            size  median\n"
                           "#                    (B)    (us)\n  ring, \"paper's\"  65536    0.10\n"
                           "  -                    -       -\n  x                    7    5.00\n\n"
                           "# ranks: 2\n# command: a  b\n");
}

/* Numbers of a column of fractions have its decimals; minus nothing is nothing. */
Test(document, reals_have_the_decimals_of_their_column)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {{4123.4567, "4123.457"}, {-0.0604, "-0.060"}, {-0.0004, "0.000"},
                 {-0.0006, "-0.001"},     {0, "0.000"},        {5, "5.000"}};
    static const struct column column = {"t", NULL, COLUMN_REAL, 3, NULL};
    for (size_t i = 0; i < 2 * sizeof known / sizeof *known; i++) {
        struct document *d = document_new("example/1");
        table_real(document_table(d, "t", NULL, &column, 1), known[i / 2].value);
        char *all = all_as(d, i % 2 ? FORMAT_CSV : FORMAT_TEXT);
        *strrchr(all, '\n') = '\0';
        const char *line = strrchr(all, '\n') + 1;
        cr_expect_str_eq(line + strspn(line, " "), known[i / 2].text);
        free(all);
    }
}

/* Kinds of numbers as people and as programs read them. */
Test(document, cells_by_their_kinds)
{
    static const struct column kinds[] = {
        {"time", NULL, COLUMN_TIME},   {"bytes", NULL, COLUMN_BYTES}, {"count", NULL, COLUMN_COUNT},
        {"share", NULL, COLUMN_SHARE}, {"rank", NULL, COLUMN_RANK},   {"e", "us", COLUMN_REAL, 1},
        {"low", "us", COLUMN_REAL, 1}, {"high", "us", COLUMN_REAL, 1}};
    for (int csv = 0; csv < 2; csv++) {
        struct document *d = document_new("x/1");
        struct table *t = document_table_of(d, "x", NULL, kinds);
        table_real(t, -1.2346e-3);
        table_integer(t, 65536);
        table_integer(t, 12345);
        table_real(t, 12.345);
        table_integer(t, -1);
        table_estimate(t, (struct estimate){17e-6, 16e-6, 18e-6});
        char *all = all_as(d, csv ? FORMAT_CSV : FORMAT_TEXT);
        cr_expect(strstr(all, csv ? "\n-1234.600,65536,12345,12.345,,17.0,16.0,18.0\n"
                                  : "  -1.23ms  64KiB  12,345  12.3%     -  17.0  16.0  18.0\n"),
                  "%s", all);
        cr_expect(!csv ||
                      strstr(all, "time_us,bytes,count,share_percent,rank,e_us,low_us,high_us\n"),
                  "%s", all);
        free(all);
    }
}

/* Where text is narrow optional columns go from the right, and names continue on the next line; in
 * brief tables they are cut off: first what a caller has called. */
Test(document, narrow_text_leaves_out_and_breaks_names)
{
    static const struct column wide[] = {
        {"site", NULL, COLUMN_TEXT, .flags = COLUMN_SHORTEN},
        {"calls", NULL, COLUMN_COUNT},
        {"empty", NULL, COLUMN_COUNT, .flags = COLUMN_OPTIONAL},
        {"a_first_one", NULL, COLUMN_COUNT, .flags = COLUMN_OPTIONAL},
        {"the_second_one", NULL, COLUMN_COUNT, .flags = COLUMN_OPTIONAL},
        {"hidden", NULL, COLUMN_COUNT, .flags = COLUMN_DATA_ONLY}};
    struct document *d RELEASED(document_end) = document_new("x/1");
    struct table *t = document_table_of(d, "x", NULL, wide);
    table_text(t, "heat_long.c:4217 exchange_of_halos_with_neighbours < main.c:7");
    for (int i = 0; i < 5; i++)
        table_real(t, i != 1 ? (double)i : NAN);
    FREED char *text = WRITTEN(table_text_write(t, out, &(struct text_options){.width = 52}));
    cr_expect_str_eq(text, "  site                            calls  a_first_one\n"
                           "  heat_long.c:4217                    0            2\n"
                           "  exchange_of_halos_with_neighbo\n  urs < main.c:7\n");
    FREED char *brief =
        WRITTEN(table_text_write(t, out, &(struct text_options){.width = 39, .brief = true}));
    cr_expect(strstr(brief, "  heat_long.c:4217 .. < main.c:7      0\n"), "%s", brief);
}

/* A remark goes with the row that was finished last, or has been begun. */
Test(document, remarks_are_of_their_row)
{
    static const struct column one[] = {{"n", NULL, COLUMN_INTEGER}};
    static const struct finding remark = {.key = "odd", .severity = SEVERITY_DOUBT};
    static const char *const expected[] = {[FORMAT_TEXT] =
                                               "# n\n  0\n  1\n#   row 1\n  2\n  3\n#   row 3\n",
                                           [FORMAT_CSV] = "n,remarks\n0,\n1,odd\n2,\n3,odd\n"};
    for (int format = FORMAT_TEXT; format <= FORMAT_CSV; format++) {
        struct document *d = document_new("x/1");
        struct table *t = document_table_of(d, "x", NULL, one);
        for (int i = 0; i < 4; i++) {
            table_integer(t, i);
            if (i % 2)
                table_remark(t, &remark, "row %d", i);
        }
        char *all = all_as(d, (enum format)format);
        cr_expect(strstr(all, expected[format]), "%s", all);
        free(all);
    }
}

/* What is wider than a terminal loses its optional columns, and remarks are broken. */
Test(document, text_has_80_columns)
{
    static const struct column wide[] = {
        {"a_name_that_is_a_third_of_a_line", NULL, COLUMN_INTEGER},
        {"optional_and_as_long_as_the_others", NULL, COLUMN_INTEGER, .flags = COLUMN_OPTIONAL},
        {"another_one_of_a_third_of_a_line", NULL, COLUMN_INTEGER}};
    static const struct finding remark = {.key = "odd", .severity = SEVERITY_DOUBT};
    struct document *d = document_new("x/1");
    struct table *t = document_table_of(d, "x", NULL, wide);
    for (int i = 0; i < 3; i++)
        table_integer(t, 7);
    table_remark(t, &remark, "this remark is longer than what %s",
                 "would be left of a line of 80 characters beside a row");
    char *all = all_as(d, FORMAT_TEXT), *rest = all, *line;
    while ((line = strsep(&rest, "\n"))) {
        cr_expect_leq(strlen(line), 80, "%s", line);
        cr_expect(!strstr(line, "optional"), "%s", line);
    }
    free(all);
}

/* A finding has what is known of it, and no more. */
Test(document, findings_are_values)
{
    struct document *d = document_new("x/1");
    document_finding(d,
                     &(struct finding){.key = "late_rank",
                                       .severity = SEVERITY_FINDING,
                                       .cost = {2, 1, 3},
                                       .share = 0.5,
                                       .ranks = (const int[]){4, 7},
                                       .n_ranks = 2,
                                       .number = {{"calls", 12}},
                                       .advice = "look"},
                     "Rank %d is late.", 4);
    document_finding(d, &(struct finding){.key = "note", .severity = SEVERITY_NOTE}, "So.");
    json_t *json = document_json(d), *all = json_object_get(json, "findings");
    FREED char *first = json_dumps(json_array_get(all, 0), JSON_COMPACT | JSON_REAL_PRECISION(6)),
               *second = json_dumps(json_array_get(all, 1), JSON_COMPACT);
    cr_expect_str_eq(first, "{\"key\":\"late_rank\",\"severity\":\"finding\",\"text\":\"Rank 4 is "
                            "late.\",\"cost_s\":2.0,\"low_s\":1.0,\"high_s\":3.0,\"ranks\":[4,7],"
                            "\"numbers\":{\"calls\":12.0},\"advice\":\"look\",\"share\":0.5}");
    cr_expect_str_eq(second, "{\"key\":\"note\",\"severity\":\"note\",\"text\":\"So.\"}");
    json_decref(json);
    FREED char *text = all_as(d, FORMAT_TEXT);
    cr_expect_str_eq(text, "Rank 4 is late.\n  -> look\nSo.\n");
}

/* A letter of two bytes is one wide. Trailing blanks would differ from run to run of a test that
 * compares, and look like cells. */
Test(document, text_beyond_ascii_is_aligned_and_no_line_ends_in_blanks)
{
    static const struct column three[] = {{"name", NULL, COLUMN_TEXT, 0, NULL},
                                          {"t", "us", COLUMN_REAL, 1, NULL},
                                          {"remark", NULL, COLUMN_TEXT, 0, NULL}};
    struct document *d = document_new("x/1");
    struct table *t = document_table(d, "x", NULL, three, 3);
    for (int i = 0; i < 2; i++) {
        table_text(t, i ? "Geneva" : "Z\xc3\xbcrich");
        table_real(t, 1);
        table_text(t, i ? "long remark" : "-");
    }
    FREED char *text = all_as(d, FORMAT_TEXT);
    cr_assert(strstr(text, "  Z\xc3\xbcrich   1.0  -\n  Geneva   1.0  long remark\n"), "%s", text);
    cr_assert_not(strstr(text, " \n"), "%s", text);
}

Test(document, csv_quotes_as_rfc_4180_says)
{
    FREED char *text = written(FORMAT_CSV);
    cr_assert_str_eq(text, "# ranks: 2\n# command: a  b\n# note: all is well\n# table: methods\n"
                           "method,size_bytes,median_us\n\"ring, \"\"paper's\"\"\",65536,0.10\n,,\n"
                           "x,7,5.00\n");
}

Test(document, json_is_whole_and_empty_cells_are_null)
{
    FREED char *text = written(FORMAT_JSON);
    json_error_t error;
    json_auto_t *root = json_loads(text, 0, &error);
    cr_assert(root, "%s", error.text);
    const char *schema, *ranks, *method, *unit, *note;
    json_int_t size;
    double median;
    json_t *m, *s, *r;
    int failed = json_unpack_ex(root, &error, 0,
                                "{s:s, s:{s:s}, s:[{s:s}], s:{s:{s:[o,{s:s},o], "
                                "s:[{s:s,s:I,s:f},{s:o,s:o,s:o}]}}}",
                                "schema", &schema, "header", "ranks", &ranks, "findings", "text",
                                &note, "tables", "methods", "columns", &m, "unit", &unit, &s,
                                "rows", "method", &method, "size", &size, "median", &median,
                                "method", &m, "size", &s, "median", &r);
    cr_assert_not(failed, "%s", error.text);
    cr_assert_str_eq(schema, "example/1");
    cr_assert_str_eq(method, "ring, \"paper's\"");
    cr_assert_str_eq(unit, "B");
    cr_assert_eq(size, 65536);
    cr_assert_eq(median, 0.1);
    cr_assert(json_is_null(m) && json_is_null(s) && json_is_null(r));
    cr_assert(strstr(text, ": 0.1\n"), "reals are printed as short as they are:\n%s", text);
}

static int entries(void)
{
    int n = 0;
    DIR *dir = opendir(scratch);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

Test(document, saved_whole_and_readable_by_others)
{
    char path[128];
    scratch_make();
    snprintf(path, sizeof path, "%s/real.json", scratch);
    umask(022);
    fclose(fopen(path, "w"));
    struct document *d RELEASED(document_end) = example();
    cr_assert(document_save(d, path, FORMAT_JSON));
    struct stat there;
    cr_assert(stat(path, &there) == 0 && there.st_size > 100);
    cr_assert_eq(there.st_mode & 0777, 0644);
    json_auto_t *root = json_load_file(path, 0, NULL);
    cr_assert(root);
    cr_assert_eq(entries(), 1, "something else was left behind");
    scratch_remove();
}

/* Not even the user's own, and not one that leads nowhere; but /dev/stdout is a link, too. */
Test(document, no_link_to_a_file_is_followed)
{
    static const char *const leads_to[] = {"real.json", "nowhere.json", "/dev/null"};
    char path[128], link[128];
    scratch_make();
    snprintf(path, sizeof path, "%s/real.json", scratch);
    snprintf(link, sizeof link, "%s/link.json", scratch);
    fclose(fopen(path, "w"));
    struct document *d RELEASED(document_end) = example();
    for (int i = 0; i < 3; i++) {
        struct stat there;
        cr_assert_eq(symlink(leads_to[i], link), 0);
        cr_expect_eq(save_possible(link), i == 2);
        cr_expect_eq(document_save(d, link, FORMAT_JSON), i == 2, "%s", leads_to[i]);
        cr_expect(lstat(link, &there) == 0 && S_ISLNK(there.st_mode), "the link was replaced");
        cr_expect(stat(path, &there) == 0 && there.st_size == 0, "the file behind was written");
        cr_expect_eq(entries(), 2, "something was made");
        unlink(link);
    }
    scratch_remove();
}

/* A directory that is not there, a directory in the file's place, a full disk: said, and
 * nothing half-written. */
Test(document, what_cannot_be_written_fails_cleanly)
{
    char path[128];
    scratch_make();
    struct document *d RELEASED(document_end) = example();
    snprintf(path, sizeof path, "%s/absent/x.json", scratch);
    cr_assert_not(document_save(d, path, FORMAT_JSON));
    cr_assert_not(document_save(d, scratch, FORMAT_JSON));
    cr_assert_eq(entries(), 0);
    cr_assert_not(document_save(d, "/dev/full", FORMAT_JSON));
    cr_assert_eq(access("/dev/full", F_OK), 0);
    scratch_remove();
}

/* Writes BYTES where there is ROOM for so many, and room again before it is asked how it went. */
static bool saved(const char *path, size_t bytes, rlim_t room)
{
    struct rlimit before, small;
    struct save s;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = room;
    cr_assert(save_open(&s, path));
    setrlimit(RLIMIT_FSIZE, &small);
    for (size_t i = 0; i < bytes; i++)
        putc('x', s.out);
    fflush(s.out);
    setrlimit(RLIMIT_FSIZE, &before);
    return save_commit(&s);
}

Test(save, a_full_disk_is_noticed)
{
    char path[64];
    struct stat st;
    scratch_make();
    snprintf(path, sizeof path, "%s/document", scratch);
    cr_expect_not(saved(path, 100000, 8192));
    cr_expect_eq(stat(path, &st), -1, "a part of a document");
    cr_expect_eq(rmdir(scratch), 0, "something was left");
    mkdir(scratch, 0700);
    cr_expect(saved(path, 100000, 200000));
    cr_expect(!stat(path, &st) && st.st_size == 100000);
    scratch_remove();
}

/* It is never closed: only what was flushed says whether it arrived. */
Test(save, a_full_standard_output_is_noticed)
{
    struct save s;
    cr_assert_not_null(freopen("/dev/full", "w", stdout));
    cr_assert(save_open(&s, NULL));
    fputs("x", s.out);
    cr_assert_not(save_commit(&s));
}
