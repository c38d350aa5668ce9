/* Protects the tables of the page: their columns, and labels that are cut but stay apart. */
#include "report/layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who makes a table may be gone when it is printed. */
Test(layout, keeps_its_own_columns)
{
    char align[] = "lr", *text = NULL;
    size_t size;
    struct layout *l = layout_new(align);
    memset(align, 'r', 2);
    layout_heading(l, "Name|Time");
    layout_cell(l, "a");
    layout_cell(l, "1");
    FILE *out = open_memstream(&text, &size);
    layout_print(l, out, 80);
    fclose(out);
    cr_assert_str_eq(text, "  Name  Time\n  a        1\n");
    free(text);
}

/* However narrow: the columns of names share what is left. */
Test(layout, no_line_is_wider_than_the_page)
{
    for (size_t width = 44; width < 90; width += 3) {
        char *text = NULL;
        size_t size;
        struct layout *l = layout_new("LrroLr");
        layout_heading(l, "operation|calls|time|mean|call site|last");
        for (int i = 0; i < 3; i++) {
            layout_cell(l, "Operation_%d_of_several", i);
            layout_cell(l, "123,456");
            layout_cell(l, "1.56ms");
            layout_cell(l, "2.5us");
            layout_cell(l, "a_file_with_a_long_name.c:123 and_its_function_%d", i);
            layout_cell(l, "63");
        }
        FILE *out = open_memstream(&text, &size);
        layout_print(l, out, width);
        fclose(out);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            cr_assert_leq(strlen(line), width, "%zu: %s", width, line);
        free(text);
    }
}

static bool differ(char *const *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(at[i], at[k]))
                return false;
    return true;
}

/* Whatever is left out of labels, rows stay apart. */
Test(layout, shortened_call_sites_keep_their_line)
{
    char *site = strdup("fortran.F90:34 little_of_everything");
    layout_shorten(&site, 1, 1, 24);
    cr_assert_str_eq(site, "fortran.F90:34..erything");
    layout_shorten(&site, 1, 1, 18); /* no room for it and for what tells functions apart */
    cr_assert_eq(layout_length(site), 18);
    free(site);
}

Test(layout, shortened_labels_stay_different)
{
    enum { N = 60 };
    static const char *const form[] = {
        "a_long_file_name.c:%d exchange_of_rows_and_columns < main.c:7 main",
        "a_long_file_name.c:1234 exchange_%d_of_rows_and_columns_of_the_block",
        "%d a_long_file_name.c:1234 exchange_of_rows_and_columns",
        "a_long_file_name.c:1234 exchange_of_rows_and_columns_%d",
        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4%d"
        "\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6"};
    for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
        for (size_t room = 14; room < 40; room += 5) {
            char *at[N];
            for (int i = 0; i < N; i++) {
                char text[200];
                snprintf(text, sizeof text, form[f], i * 37);
                at[i] = strdup(text);
            }
            layout_shorten(at, N, 1, room);
            for (int i = 0; i < N; i++)
                cr_assert_leq(layout_length(at[i]), room, "%s", at[i]);
            cr_assert(differ(at, N), "form %zu in %zu: %s, %s", f, room, at[0], at[1]);
            for (int i = 0; i < N; i++)
                free(at[i]);
        }
    }
    /* What differs is shown, not a number in its place. */
    char *alike[] = {strdup("heat.c:10 exchange_of_rows_1_and_more_of_them"),
                     strdup("heat.c:10 exchange_of_rows_2_and_more_of_them")};
    layout_shorten(alike, 2, 1, 20);
    cr_assert_str_eq(alike[0], "heat.c:10..1_and_mor");
    cr_assert_str_eq(alike[1], "heat.c:10..2_and_mor");
    free(alike[0]);
    free(alike[1]);
    char *equal[] = {strdup("the very same long label"), strdup("the very same long label")};
    layout_shorten(equal, 2, 1, 12);
    cr_assert_str_eq(equal[0], equal[1]);
    cr_assert_str_eq(equal[0], "the v..label");
    free(equal[0]);
    free(equal[1]);
}
