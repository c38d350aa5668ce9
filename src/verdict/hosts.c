#include "verdict/hosts.h"

#include "base/clock.h"
#include "base/input.h"
#include "base/text.h"
#include "document/save.h"
#include "record/ledger.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Each watchdog rewrites its file every second. A file is current if it is at most RECENT s older
 * than the newest one; the file server's clock gives all these times. If even the newest is
 * LONG_AGO s old by this host's clock, which may differ, the run has ended. */
enum { RECENT = 5, LONG_AGO = 30 /* s */ };

#define PREFIX "watchdog-"

/* Reads "moving NOW" or "waiting NOW", then "RANK STATE" for each rank; ignores other files. */
static void read_host(struct hosts *h, const char *path)
{
    const size_t before = h->list.n;
    struct host_rank r = {.rank = -1};
    char word[16];
    int state;
    struct stat st;
    const char *why;
    FILE *in = input_file(path, &why);
    bool good = in && !fstat(fileno(in), &st) && fscanf(in, "%15s %lf", word, &r.now) == 2;
    text_copy(r.host, sizeof r.host, text_base_of(path) + sizeof PREFIX - 1);
    while (good && fscanf(in, "%d %d", &r.rank, &state) == 2) {
        good = r.rank >= 0 && state >= RANK_RUNNING && state <= RANK_STOPPED;
        r.state = (enum rank_state)state;
        r.moving = strcmp(word, "waiting") != 0;
        r.written = st.st_mtime;
        *PUSH(&h->list) = r;
    }
    if (!good || !feof(in))
        h->list.n = before;
    if (in)
        fclose(in);
}

struct hosts hosts_read(const char *directory)
{
    struct hosts h = {0};
    glob_t found RELEASED(globfree) = input_list(directory, "/" PREFIX "*");
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_host(&h, found.gl_pathv[i]);
    return h;
}

const struct host_rank *hosts_find(const struct hosts *h, const char *host, int32_t rank)
{
    const struct host_rank *found = NULL;
    time_t newest = time(NULL) - LONG_AGO;
    for (EACH(const struct host_rank, r, h->list)) {
        newest = r->written > newest ? r->written : newest;
        if (!strncmp(r->host, host, sizeof r->host) && (rank < 0 || r->rank == rank))
            found = r;
    }
    return found && newest - found->written <= RECENT ? found : NULL;
}

/* Writes HOST's records to the file server: other hosts read only what was written there last. */
static void write_out(const char *directory, const char *host)
{
    glob_t records RELEASED(globfree) = input_list(directory, "/" LEDGER_NAMES);
    for (size_t i = 0; i < records.gl_pathc; i++) {
        struct ledger_header h;
        const char *path = records.gl_pathv[i], *why = ledger_peek(&h, path);
        CLOSED int fd =
            why || strncmp(h.host, host, sizeof h.host) ? -1 : input_open(path, NULL, &why);
        if (fd >= 0)
            fsync(fd);
    }
}

/* Whether R is on another host, or is not stopped and entered or left a call within SECONDS. */
static bool is_moving(const struct rank_view *r, double seconds)
{
    const double idle = r->outside ? r->seconds : r->call.open ? r->call.seconds : 0;
    return !r->alive || r->other_host || (r->state != RANK_STOPPED && idle < seconds);
}

bool hosts_write(const char *directory, char *host, const struct situation *s, double seconds)
{
    const double now = clock_now();
    char path[4400];
    struct save save;
    bool moving = true;
    for (size_t i = 0; i < s->n_ranks; i++)
        moving = moving && is_moving(&s->rank[i], seconds);
    if (!moving)
        write_out(directory, host);
    snprintf(path, sizeof path, "%s/" PREFIX "%s", directory, host);
    if (!save_open(&save, path))
        return false;
    fprintf(save.out, "%s %.9f\n", moving ? "moving" : "waiting", now);
    for (size_t i = 0; i < s->n_ranks; i++) {
        const struct rank_view *r = &s->rank[i];
        if (r->alive && !r->other_host)
            fprintf(save.out, "%zu %d\n", i, r->state <= RANK_STOPPED ? r->state : RANK_RUNNING);
    }
    return save_commit(&save);
}

void hosts_remove(const char *directory, const char *host)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/" PREFIX "%s", directory, host);
    unlink(path);
    rmdir(directory);
}
