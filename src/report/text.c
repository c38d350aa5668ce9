/* The report's frame: header, warnings, and what comes when. */
#include "report/text.h"

#include "base/clock.h"
#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"
#include "profile/noise.h"
#include "report/layout.h"
#include "report/rows.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void text_more(FILE *out, size_t rows, size_t shown, const char *what)
{
    if (rows > shown)
        fprintf(out, "  and %zu more %s%s (--top=%zu)\n", rows - shown, what,
                rows - shown == 1 ? "" : "s", rows);
}

static void fact(FILE *out, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fact(FILE *out, const char *key, const char *format, ...)
{
    char mark[32], text[1000];
    va_list arguments;
    va_start(arguments, format);
    snprintf(mark, sizeof mark, "  %-12s  ", key);
    vsnprintf(text, sizeof text, format, arguments);
    text_paragraph(out, mark, text);
    va_end(arguments);
}

static void programs_and_hosts(const struct profile *p, FILE *out)
{
    for (size_t i = 0; i < p->programs.n; i++)
        fact(out, i ? "" : "application", "%s", p->programs.at[i]);
    for (size_t i = 0; i < p->libraries.n; i++)
        fact(out, i ? "" : "MPI", "%s", p->libraries.at[i]);
    char hosts[200] = "";
    size_t shown = 0, length = 0;
    for (; shown < p->hosts.n && length < 70; shown++)
        length += (size_t)snprintf(hosts + length, sizeof hosts - length, "%s%.60s",
                                   shown ? ", " : "", p->hosts.at[shown].name);
    uint32_t processors = 0;
    for (size_t i = 0; i < p->hosts.n; i++)
        if (p->hosts.at[i].processors > processors)
            processors = p->hosts.at[i].processors;
    char each[60] = "";
    if (processors)
        snprintf(each, sizeof each, "; %u processor%s%s", processors, processors == 1 ? "" : "s",
                 p->hosts.n > 1 ? " each" : "");
    if (shown < p->hosts.n)
        fact(out, "hosts", "%zu: %s and %zu more%s", p->hosts.n, hosts, p->hosts.n - shown, each);
    else
        fact(out, p->hosts.n > 1 ? "hosts" : "host", "%s%s", hosts, each);
}

void text_time_in_mpi(const struct profile *p, char *text, size_t room)
{
    double mpi = profile_mpi_ns(p), wall = profile_wall_ns(p), returned = 0;
    char a[32], b[32], c[32], d[32];
    const struct profile_rank *most = NULL, *least = NULL;
    size_t in_call = 0, n = p->ranks.n ? p->ranks.n : 1;
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        in_call += r->in_call;
        returned += (double)r->mpi_ns;
        if (!most || r->mpi_ns > most->mpi_ns)
            most = r;
        if (!least || r->mpi_ns < least->mpi_ns)
            least = r;
    }
    if (in_call)
        snprintf(text, room,
                 "not known: %zu of %zu rank%s cut off in a call; in those that returned %s per "
                 "rank",
                 in_call, n,
                 n == 1         ? " was"
                 : in_call == 1 ? "s was"
                                : "s were",
                 format_time(a, returned / (double)n));
    else if (n > 1 && most->mpi_ns > 0)
        snprintf(text, room, "%s per rank, %s of the run; from %s (rank %d) to %s (rank %d)",
                 format_time(a, mpi / (double)n), format_share(b, mpi, wall),
                 format_time(c, (double)least->mpi_ns), least->rank,
                 format_time(d, (double)most->mpi_ns), most->rank);
    else
        snprintf(text, room, "%s, %s of the run", format_time(a, mpi), format_share(b, mpi, wall));
}

static void times(const struct profile *p, FILE *out)
{
    const double longest = profile_longest_ns(p);
    uint64_t calls = 0, lifecycle = 0;
    char a[32], b[32], in_mpi[200];
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        calls += r->calls;
        if (r->lifecycle_ns > lifecycle)
            lifecycle = r->lifecycle_ns;
    }
    if (!p->entries.n && !calls && !p->crashed) { /* not even MPI_Init */
        fact(out, "wall time", "%s from MPI_Init to MPI_Finalize", format_time(a, longest));
        fact(out, "time in MPI",
             "not recorded: recording was never on (--start=no, and nobody "
             "called MPI_Pcontrol(1))");
        return;
    }
    if (p->crashed)
        fact(out, "wall time", "%s from MPI_Init to the last that was recorded",
             format_time(a, longest));
    else
        fact(out, "wall time", "%s from MPI_Init to MPI_Finalize, plus %s in these two calls",
             format_time(a, longest), format_time(b, (double)lifecycle));
    text_time_in_mpi(p, in_mpi, sizeof in_mpi);
    fact(out, "time in MPI", "%s", in_mpi);
    if (p->threads_at_once)
        fact(out, "threads", "MPI_THREAD_MULTIPLE: times in MPI are sums over a rank's threads%s",
             profile_mpi_ns(p) > profile_wall_ns(p) ? ", which is why they are more than the run"
                                                    : "");
    fact(out, "MPI calls", "%s, with MPI_Init", format_count(a, calls));
}

static void clock_line(const struct profile *p, FILE *out)
{
    char bound[32];
    /* Containers of one machine have names of their own and one clock: a bound of 0. */
    if (p->hosts.n > 1 && p->synchronized && p->clock_bound > 0)
        fact(out, "clock", "%s; clocks of the hosts agree within %s, if their rates have lasted",
             clock_name_of(p->clock), format_time(bound, p->clock_bound * 1e9));
    else if (p->hosts.n > 1 && !p->synchronized)
        fact(out, "clock", "%s; clocks of the hosts are not synchronized", clock_name_of(p->clock));
    else
        fact(out, "clock", "%s; one for all ranks", clock_name_of(p->clock));
}

/* What the layer took: in the calls, which is part of the wall time, and at the ends, beside it. */
bool text_cost(const struct profile *p, char *text, size_t room)
{
    double start = 0, end = (double)p->writing_ns, wall = 0, calls = 0, cost = 0, most = 0;
    double largest = 0; /* share of a rank's run */
    int rank = 0;
    char a[32], b[32], c[32], count[32];
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        start = fmax(start, (double)r->init_ns);
        most = fmax(most, (double)r->merge_ns);
        wall += 1e9 * r->wall;
        calls += (double)r->calls;
        cost += (double)r->calls * r->call_ns;
        double share = r->wall > 0 ? (double)r->calls * r->call_ns / (1e9 * r->wall) : 0;
        if (share > largest)
            largest = share, rank = r->rank;
    }
    end += most;
    if (!(start > 0))
        return false;
    int at = snprintf(text, room, "%s to start, %s to end, beside the run; ", format_time(a, start),
                      end > 0 ? format_time(b, end) : "not known");
    if (cost > 0 && wall > 0)
        at += snprintf(text + at, room - (size_t)at,
                       "in it %s calls of %s each, as measured at the start: %s of the run",
                       format_count(count, whole_count(calls)), format_time(c, cost / calls),
                       format_share(a, cost, wall));
    else
        snprintf(text + at, room - (size_t)at, "its part in each call is not known");
    if (largest > 1)
        snprintf(text + at, room - (size_t)at,
                 "; of rank %d's it would be more than all: there a call took less", rank);
    else if (wall > 0 && largest > 1.1 * cost / wall)
        snprintf(text + at, room - (size_t)at, ", %s of rank %d's", format_share(a, largest, 1),
                 rank);
    return true;
}

/* "68.6 % of the 50.2 ms from 50.5 ms on, preempted 31 times" */
const char *text_bad_stretch(const struct noise *n, char text[BAD_STRETCH_ROOM])
{
    char share[32], length[32], from[32], pressure[32];
    int at = snprintf(
        text, BAD_STRETCH_ROOM, "%s of the %s from %s on", format_share(share, n->bad_share, 1),
        format_time(length, 1e9 * n->bad_length), format_time(from, 1e9 * n->bad_from));
    if (n->bad_switches >= 0)
        at += snprintf(text + at, BAD_STRETCH_ROOM - (size_t)at, ", preempted %lld time%s",
                       (long long)n->bad_switches, n->bad_switches == 1 ? "" : "s");
    if (n->bad_pressure >= 0)
        snprintf(text + at, BAD_STRETCH_ROOM - (size_t)at,
                 "; somebody on its host waited for a processor in %s of that",
                 format_share(pressure, fmin(n->bad_pressure, 1), 1));
    return text;
}

/* Whether the processors were there when they were needed. */
bool text_disturbed(const struct profile *p, char *text, size_t room)
{
    const struct noise n = noise_of(p);
    char mean[32], most[32], stretch[BAD_STRETCH_ROOM];
    if (p->clock == CLOCK_SOURCE_EXTERNAL)
        return false;
    int at = n.worst_rank < 0
                 ? snprintf(text, room, "not known")
                 : snprintf(text, room, "for %s of the run a rank could run, but had no processor",
                            format_share(mean, n.mean, 1));
    if (n.worst_rank >= 0 && p->ranks.n > 1)
        at += snprintf(text + at, room - (size_t)at, "; at most %s (rank %d)",
                       format_share(most, n.share, 1), n.worst_rank);
    if (n.worst_rank >= 0 && n.unknown)
        at += snprintf(text + at, room - (size_t)at, "; of %zu rank%s it is not known", n.unknown,
                       n.unknown == 1 ? "" : "s");
    if (n.worst_rank >= 0 && n.unseen > 0)
        at += snprintf(text + at, room - (size_t)at,
                       "; of up to %s of the run, after the last call that a rank left, it is not "
                       "known",
                       format_share(most, n.unseen, 1));
    if (noise_has_bad_stretch(&n))
        at += snprintf(text + at, room - (size_t)at, "; worst for rank %d: %s", n.bad_rank,
                       text_bad_stretch(&n, stretch));
    if (n.frequency >= 1.1)
        at += snprintf(text + at, room - (size_t)at,
                       "; the processor's frequency changed by a factor of %.2f", n.frequency);
    if (n.pressure >= 0)
        at += snprintf(text + at, room - (size_t)at,
                       "; somebody on %s waited for a processor in %s of the run",
                       p->hosts.n > 1 ? "a host" : "the host", format_share(mean, n.pressure, 1));
    if (n.load >= 0)
        snprintf(text + at, room - (size_t)at, "; load %.1f at the end", n.load);
    return true;
}

static void text_header(const struct profile *p, FILE *out)
{
    char when[64];
    profile_started(p, ", started %Y-%m-%d %H:%M:%S", when);
    int ranks = p->size > 0 ? p->size : (int)p->ranks.n;
    char title[200];
    snprintf(title, sizeof title, "collprof: %.100s on %d rank%s%s",
             p->programs.n ? text_base_of(p->programs.at[0]) : "an application", ranks,
             ranks == 1 ? "" : "s", when);
    fprintf(out, "%s%s%s\n", style_on(STYLE_HEAD), title, style_off());
    for (size_t i = 0; i < strlen(title); i++)
        fputc('=', out);
    fputc('\n', out);
    programs_and_hosts(p, out);
    times(p, out);
    clock_line(p, out);
    char text[800];
    if (text_disturbed(p, text, sizeof text))
        fact(out, "disturbed", "%s", text);
    if (text_cost(p, text, sizeof text))
        fact(out, "collprof", "%s", text);
}

static _Thread_local size_t width = REPORT_WIDTH;

void text_set_width(size_t columns)
{
    width = columns;
}

size_t text_width(void)
{
    return width;
}

size_t text_width_of(FILE *out, int asked)
{
    struct winsize size;
    int file = fileno(out);
    if (asked)
        return (size_t)asked;
    if (file < 0 || !isatty(file) || ioctl(file, TIOCGWINSZ, &size) || !size.ws_col)
        return REPORT_WIDTH;
    return size.ws_col > REPORT_LEAST_WIDTH ? size.ws_col : REPORT_LEAST_WIDTH;
}

/* Bytes of the first word; a figure and its unit stay together. */
static size_t word_length(const char *text)
{
    static const char *const units[] = {"%", "s", "ms", "us", "ns", "B", "KiB", "MiB", "GiB"};
    size_t n = strcspn(text, " ");
    const char *next = text + n + (text[n] == ' ');
    for (size_t i = 0; n && i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]);
        if (isdigit((unsigned char)text[n - 1]) && !strncmp(next, units[i], unit) &&
            !isalnum((unsigned char)next[unit]))
            return n + 1 + strcspn(next, " ");
    }
    return n;
}

void text_paragraph(FILE *out, const char *mark, const char *text)
{
    size_t indent = layout_length(mark), at = indent;
    char *plain = memory_strdup(text);
    quote_plain(plain);
    text = plain;
    fputs(mark, out);
    while (*text) {
        size_t bytes = word_length(text);
        char *word = strndup(text, bytes);
        size_t length = word ? layout_length(word) : bytes;
        free(word);
        if (at > indent && at + length + 1 > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        fprintf(out, "%s%.*s", at > indent ? " " : "", (int)bytes, text);
        at += length + (at > indent);
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', out);
    free(plain);
}

void text_title(FILE *out, const char *title)
{
    fprintf(out, "\n%s%s%s\n", style_on(STYLE_HEAD), title, style_off());
}

static void text_warnings(const struct profile *p, FILE *out)
{
    if (!p->warnings.n)
        return;
    text_title(out, "Warnings");
    for (size_t i = 0; i < p->warnings.n; i++) {
        fputs(style_on(STYLE_DOUBT), out);
        text_paragraph(out, "  ! ", p->warnings.at[i]);
        fputs(style_off(), out);
    }
}

static bool has_calls(const struct profile *p)
{
    struct profile *rows = rows_of(p, ROWS_BY_OPERATION);
    bool any = rows->entries.n > 0;
    profile_free(rows);
    return any;
}

static void shown(const struct filter *f, FILE *out)
{
    char *text = filter_sentences(f), *save = NULL;
    text_title(out, "Shown");
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        text_paragraph(out, "  - ", line);
    free(text);
}

static void put_report(const struct profile *p, FILE *out, const struct report_options *options)
{
    const struct report_options o = *options;
    struct view v;
    text_header(p, out);
    text_warnings(p, out);
    if (!has_calls(p) && !filter_is_on(o.filter)) {
        fputs("\nNo MPI call between MPI_Init and MPI_Finalize was recorded.\n", out);
        return;
    }
    bool whole = !filter_is_on(o.filter), of_rank = !whole && o.filter->one_rank;
    view_open(&v, p);
    if (whole)
        text_summary(&v, out);
    else
        shown(o.filter, out);
    text_tables(&v, out, &o, of_rank ? "call_sites" : "operations", "collectives");
    text_tables(&v, out, &o, "waits", "waits");
    if (whole || p->waits.n)
        text_trace(p, out);
    text_tables(&v, out, &o, "transport", "transport");
    text_transport(p, out);
    text_tables(&v, out, &o, "messages", "messages");
    text_findings(p, out, &o);
    if (!of_rank) {
        text_sizes(p, out);
        text_tables(&v, out, &o, "communicators", "communicators");
    }
    text_tables(&v, out, &o, "ranks", of_rank ? "ranks" : "regions");
    if (whole && o.directory)
        text_next(&v, out, o.directory);
    view_close(&v);
}

/* In one piece: programs that were started together report at once. */
void report_text(const struct profile *p, FILE *out, const struct report_options *options)
{
    struct report_options o = options ? *options : (struct report_options){0};
    char *text = NULL;
    size_t size;
    if (o.top <= 0)
        o.top = 10;
    text_set_width(text_width_of(out, o.width));
    style_set(o.color, out);
    o.width = (int)width;
    FILE *piece = open_memstream(&text, &size);
    put_report(p, piece ? piece : out, &o);
    if (piece && !fclose(piece))
        fwrite(text, 1, size, out);
    free(text);
}
