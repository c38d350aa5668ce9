/* Sizes and ranges: a misread unit or a wrapped number would measure something else than was
 * asked, silently. */
#include "base/options.h"
#include "unit.h"

#include <stdint.h>

Test(options, sizes_with_units)
{
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {{"0", 0},       {"64", 64},      {"64K", 65536},
                {"64k", 65536}, {"1M", 1 << 20}, {"2G", 2ul << 30}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t bytes = 1234;
        cr_assert(option_parse_size(good[i].text, &bytes), "%s refused", good[i].text);
        cr_assert_eq(bytes, good[i].bytes, "%s is %zu", good[i].text, bytes);
    }
}

Test(options, what_is_no_size_is_refused_and_leaves_the_value)
{
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "K",
                                      "1KB",
                                      "1.5K",
                                      "1e3",
                                      "0x8",
                                      "64 K",
                                      "99999999999999999999",
                                      "18446744073709551615K"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t bytes = 1234;
        cr_assert_not(option_parse_size(bad[i], &bytes), "'%s' taken", bad[i]);
        cr_assert_eq(bytes, 1234);
    }
}

Test(options, ranges)
{
    struct option_range r = {0};
    cr_assert(option_parse_range("8:64K", &r));
    cr_assert(r.min == 8 && r.max == 65536);
    cr_assert(option_parse_range("100", &r));
    cr_assert(r.min == 100 && r.max == 100 && r.step == 0);
    cr_assert(option_parse_range("2:64:2", &r) && r.step == 2);
    cr_assert(option_parse_range("100", &r) && r.step == 0);
    static const char *const bad[] = {"", ":", "8:", ":8", "9:8", "1:2:0", "1:2:3:4", "a:b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_not(option_parse_range(bad[i], &r), "'%s' taken", bad[i]);
        cr_assert(r.min == 100 && r.max == 100);
    }
}

/* The sweep: powers of two from MIN, and MAX itself even where it is none. */
Test(options, a_sweep_ends_at_its_maximum)
{
    struct option_range r = {3, 20, 0};
    size_t expected[] = {3, 6, 12, 20}, n = 0, v = r.min;
    do {
        cr_assert_lt(n, 4);
        cr_assert_eq(v, expected[n++]);
    } while (option_next(&r, &v));
    cr_assert_eq(n, 4);

    struct option_range from_zero = {0, 1, 0};
    v = 0;
    cr_assert(option_next(&from_zero, &v) && v == 1);
    cr_assert_not(option_next(&from_zero, &v));

    struct option_range huge = {SIZE_MAX - 1, SIZE_MAX, 0};
    v = huge.min;
    cr_assert(option_next(&huge, &v) && v == SIZE_MAX);

    r = (struct option_range){2, 9, 3}; /* in steps */
    v = r.min;
    cr_assert(option_next(&r, &v) && v == 5);
    cr_assert(option_next(&r, &v) && v == 8);
    cr_assert(option_next(&r, &v) && v == 9);
    cr_assert_not(option_next(&r, &v));
}

static const char *fruit(size_t i)
{
    static const char *const names[] = {"apple", "", "cherry", "date"};
    return i < 4 ? names[i] : NULL;
}

static bool no_dates(size_t i, const void *values)
{
    (void)values;
    return i != 3;
}

static const struct option_registry fruits = {.what = "fruit", .name = fruit},
                                    fresh_fruits = {
                                        .what = "fruit", .name = fruit, .in_all = no_dates};

struct values {
    struct option_chosen fruits;
    int heat, kind, count, words;
    double share;
    bool cold;
    const char *file;
};

static error_t word(struct option_parser *parser, void *values, char *text)
{
    (void)parser, (void)text;
    ((struct values *)values)->words++;
    return 0;
}

static const char *const heats[] = {"cold", "warm", NULL};
#define AT(member) offsetof(struct values, member)
static const struct option_entry entries[] = {
    {"fruit", "LIST", "of %s", option_take_list, AT(fruits), &fresh_fruits},
    {"kind", "KIND", "one", option_take_word, AT(kind), &fruits},
    {"heat", "HEAT", "how warm", option_take_word, AT(heat), OPTION_WORDS(heats)},
    {"count", "N", "how many", option_take_count, AT(count), OPTION_LIMITS(1, 30, "1 to 30", 0),
     .letter = 'c'},
    {"share", "PERCENT", "of all", option_take_real, AT(share), OPTION_LIMITS(0, 100, "0 to 100")},
    {"cold", NULL, "from the cellar", option_take_flag, AT(cold)},
    {"file", "FILE", "where", option_take_text, AT(file), .letter = 'o', .flags = OPTION_RARE},
    {0}};
static const struct option_program program = {
    .does = "Sells fruit.", .options = entries, .word = word};

static enum options_result parse(struct values *v, struct option_parser *p, const char *line)
{
    static char text[300];
    char *argv[20] = {(char[]){"shop"}}, *rest = text;
    int argc = 1;
    snprintf(text, sizeof text, "%s", line);
    for (char *one; (one = strsep(&rest, " "));)
        argv[argc++] = one;
    *v = (struct values){.heat = 1, .count = 3, .kind = 2};
    *p = (struct option_parser){.program = &program, .name = "shop", .values = v};
    return options_parse(p, argc, argv);
}

Test(options, reach_their_places)
{
    struct values v;
    struct option_parser p;
    cr_assert_eq(
        parse(&v, &p, "one --fruit=date,apple,date -c 30 --heat=cold --share 5% two --cold"),
        OPTIONS_GOOD, "%s", p.mistake);
    cr_expect(v.fruits.n == 2 && v.fruits.at[0] == 3 && v.fruits.at[1] == 0 && !v.fruits.all);
    cr_expect(v.count == 30 && v.heat == 0 && v.share == 5 && v.cold && v.words == 2);
    cr_assert_eq(parse(&v, &p, "--fruit=all --kind=date"), OPTIONS_GOOD);
    cr_expect(v.fruits.n == 2 && v.fruits.all && v.kind == 3);
    cr_assert_eq(parse(&v, &p, "one -- two --cold"), OPTIONS_GOOD);
    cr_expect(v.words == 3 && !v.cold && p.divided_at == 1);
    cr_assert_eq(parse(&v, &p, "-h"), OPTIONS_HELP);
    cr_assert_eq(parse(&v, &p, "--version"), OPTIONS_VERSION);
}

Test(options, mistakes_are_answered_by_what_is_expected)
{
    static const struct {
        const char *line, *answer;
    } row[] = {{"--fruit=aple", "unknown fruit 'aple': did you mean apple? expected: all, apple"},
               {"--fruit=apple,,date", "unknown fruit ''"},
               {"--kind=x", "unknown fruit 'x': expected: apple"},
               {"--heat=hot", "--heat is 'hot': expected: cold, warm"},
               {"--count=31", "--count is '31': expected 1 to 30"},
               {"--count=-1", "expected 1 to 30"},
               {"-c", "--count needs an argument: use: --count=N"},
               {"--share=101", "expected 0 to 100"},
               {"--cuont=3", "unknown option --cuont: did you mean --count?"},
               {"--cuontxyz=3", "unknown option --cuontxyz: `shop --help` lists all"},
               {"--nothing", "unknown option --nothing: `shop --help` lists all"},
               {"--cold=3", "--cold takes no argument"},
               {"-x", "unknown option -x"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct values v;
        struct option_parser p;
        cr_assert_eq(parse(&v, &p, row[i].line), OPTIONS_WRONG, "%s", row[i].line);
        cr_expect(strstr(p.mistake, row[i].answer), "%s: %s", row[i].line, p.mistake);
    }
}

Test(options, help_shows_defaults_and_names)
{
    struct values v;
    struct option_parser p;
    parse(&v, &p, "");
    FREED char *text = WRITTEN(options_help(&p, out));
    cr_expect(strstr(text, "Usage: shop [OPTION...]\nSells fruit.\n"), "%s", text);
    cr_expect(strstr(text, "of apple, cherry, date\n") && strstr(text, "how warm (warm)\n"));
    cr_expect(strstr(text, "  -c, --count=N          how many (3)\n") && !strstr(text, "--file"));
}
