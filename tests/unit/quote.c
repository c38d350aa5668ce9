/* Protects whoever looks at a profile that somebody else made: a name in it is text, for a
 * terminal, a spreadsheet, the shell and a browser. */
#include "base/quote.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/text.h"
#include "unit.h"

static void assert_quoted(void (*quote)(const char *, FILE *), const char *text, const char *want)
{
    FREED char *got = WRITTEN(quote(text, out));
    cr_assert_str_eq(got, want);
}

Test(quote, in_each_language)
{
    assert_quoted(quote_csv, "plain text", "plain text");
    assert_quoted(quote_csv, "=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"");
    assert_quoted(quote_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
    assert_quoted(quote_html, "<img src=x onerror='a'>&\"",
                  "&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot;");
}

Test(quote, for_the_shell)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"a/b-c.d", "a/b-c.d"},
        {"", "''"},
        {"-rf", "-rf"},
        {"two words", "'two words'"},
        {"it's", "'it'\\''s'"},
        {"-$(x)", "'-$(x)'"},
        {"a\033[31m\nb", "'a?[31m b'"},
        {"m\xc3\xbcll", "'m\xc3\xbcll'"},
        {"\xff", "'?'"},
    };
    char word[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        quote_shell(cases[i].name, word, sizeof word);
        cr_assert_str_eq(word, cases[i].want, "%s", word);
    }
    char little[12];
    quote_shell("it's too long", little, sizeof little);
    cr_assert_str_eq(little, "'it'\\'''");
}

Test(quote, for_a_terminal)
{
    static const struct {
        const char *text, *want;
    } is[] = {
        {"main at heat.c:3", "main at heat.c:3"},
        {"\033[2J\033]0;x\007", "?[2J?]0;x?"},
        {"a\nb\tc\r", "a b c?"},
        {"gr\303\274n \342\202\254 \360\237\230\200", "gr\303\274n \342\202\254 \360\237\230\200"},
        {"\302\2332J", "?2J"},       /* the control sequence introducer as one character */
        {"\342\200\256txt", "?txt"}, /* right to left from here */
        {"\342\201\247txt \342\200\217.", "?txt ?."},
        {"\303(\342\202A", "?(??A"},                 /* the bytes that follow are others */
        {"\300\233 \377 \355\240\200", "?? ? ???"}}; /* too long, no byte of UTF-8, a surrogate */
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        char text[100];
        strcpy(text, is[i].text);
        quote_plain(text);
        cr_assert_str_eq(text, is[i].want);
    }
}

/* What a misspelt name is likely to mean: letters changed, exchanged, too many or missing. */
Test(quote, slips_between_two_names)
{
    static const struct {
        const char *a, *b;
        size_t slips;
    } known[] = {{"held", "held", 0},
                 {"hald", "held", 1},
                 {"hedl", "held", 1},
                 {"helld", "held", 1},
                 {"hld", "held", 1},
                 {"ehdl", "held", 2},
                 {"", "held", 4},
                 {"held", "a name of more than 24 letters", 24},
                 {"a name of more than 24 letters", "held", 24}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_eq(text_edit_distance(known[i].a, known[i].b), known[i].slips, "%s", known[i].a);
}

Test(quote, reasons_are_told_once_each_and_do_nothing_to_a_terminal)
{
    char text[200] = "";
    FILE *told = tmpfile();
    int shown = dup(STDERR_FILENO);
    dup2(fileno(told), STDERR_FILENO);
    cr_expect(!reason_give("first: %s", "a\033[1m\nb"));
    reason_give("second");
    reason_give("second");
    reason_print_stored("program");
    reason_print_stored("program");
    reason_print("program", "third\033");
    dup2(shown, STDERR_FILENO);
    close(shown);
    rewind(told);
    cr_assert(fread(text, 1, sizeof text - 1, told) > 0);
    fclose(told);
    cr_assert_str_eq(text, "program: first: a?[1m b\nprogram: second\nprogram: third?\n");
}

Test(text, what_fits_is_ended)
{
    struct {
        char text[8], behind;
    } room = {.behind = 'x'};
    static const char *const words[][2] = {{"short", "short"},
                                           {"1234567", "1234567"},
                                           {"12345678", "1234567"},
                                           {"123456789", "1234567"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        text_copy(room.text, sizeof room.text, words[i][0]);
        cr_assert(!memcmp(room.text, words[i][1], strlen(words[i][1]) + 1) && room.behind == 'x');
    }
    text_copy_part(room.text, sizeof room.text, "abcdef", 3);
    cr_assert_str_eq(room.text, "abc");
}

/* By the authors of the hash. */
Test(hash, is_fnv_1a)
{
    cr_assert_eq(hash_bytes(HASH_START, "", 0), 0xcbf29ce484222325ull);
    cr_assert_eq(hash_bytes(HASH_START, "a", 1), 0xaf63dc4c8601ec8cull);
    cr_assert_eq(hash_bytes(HASH_START, "foobar", 6), 0x85944171f73967e8ull);
}
