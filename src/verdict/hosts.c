#include "verdict/hosts.h"

#include "base/input.h"
#include "base/text.h"
#include "document/save.h"
#include "record/ledger.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Watchdogs write one every second. Times of files are compared with each
 * other: one file server has made them. */
enum { RECENT = 5, LONG_AGO = 30 /* s */ };

static const char prefix[] = "watchdog-";

/* "moving NOW" or "waiting NOW", then a line "RANK STATE" for each rank. */
static bool read_summary(FILE *in, struct host_summary *s)
{
    char word[16];
    int rank, state;
    bool good = fscanf(in, "%15s %lf", word, &s->now) == 2;
    s->moving = strcmp(word, "waiting") != 0;
    while (good && fscanf(in, "%d %d", &rank, &state) == 2) {
        good = rank >= 0 && state >= RANK_RUNNING && state <= RANK_STOPPED;
        *PUSH(&s->ranks) = (struct host_rank){rank, (enum rank_state)state};
    }
    return good && feof(in);
}

static void add_summary(struct host_summaries *h, int directory, const char *name)
{
    struct host_summary s = {.moving = true};
    struct stat st;
    const char *why;
    FILE *in = input_file(directory, name, &why);
    bool good = in && !fstat(fileno(in), &st) && read_summary(in, &s);
    if (in)
        fclose(in);
    if (!good) {
        free(s.ranks.at);
        return;
    }
    text_copy(s.host, sizeof s.host, name + sizeof prefix - 1);
    s.written = st.st_mtime;
    *PUSH(&h->list) = s;
}

struct host_summaries hosts_read(int directory)
{
    struct host_summaries h = {0};
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir))
        if (!strncmp(d->d_name, prefix, sizeof prefix - 1))
            add_summary(&h, directory, d->d_name);
    if (dir)
        closedir(dir);
    return h;
}

void hosts_free(struct host_summaries *h)
{
    for (size_t i = 0; i < h->list.n; i++)
        free(h->list.at[i].ranks.at);
    free(h->list.at);
}

const struct host_summary *hosts_find(const struct host_summaries *h, const char *host)
{
    const struct host_summary *found = NULL;
    time_t newest = time(NULL) - LONG_AGO;
    for (size_t i = 0; i < h->list.n; i++) {
        const struct host_summary *s = &h->list.at[i];
        newest = s->written > newest ? s->written : newest;
        found = strncmp(s->host, host, sizeof s->host) ? found : s;
    }
    return found && newest - found->written <= RECENT ? found : NULL;
}

const struct host_rank *hosts_rank(const struct host_summary *s, int32_t rank)
{
    for (size_t i = 0; i < s->ranks.n; i++)
        if (s->ranks.at[i].rank == rank)
            return &s->ranks.at[i];
    return NULL;
}

/* A record that is mapped on one host is read on another as it was when it was
 * last written out. */
static void write_out_records(int directory, const char *host)
{
    DIR *dir = fdopendir(dup(directory));
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        struct ledger_header h;
        const char *why;
        int fd = -1;
        if (ledger_is_name(d->d_name) && !ledger_peek(&h, directory, d->d_name) &&
            !strncmp(h.host, host, sizeof h.host))
            fd = input_open(directory, d->d_name, NULL, &why);
        if (fd >= 0) {
            fsync(fd);
            close(fd);
        }
    }
    if (dir)
        closedir(dir);
}

bool hosts_write(const char *directory, const struct host_summary *s)
{
    char path[4400];
    struct save save;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (!s->moving)
        write_out_records(fd, s->host);
    close(fd);
    snprintf(path, sizeof path, "%s/%s%s", directory, prefix, s->host);
    if (!save_open(&save, path))
        return false;
    fprintf(save.out, "%s %.9f\n", s->moving ? "moving" : "waiting", s->now);
    for (size_t i = 0; i < s->ranks.n; i++)
        fprintf(save.out, "%d %d\n", s->ranks.at[i].rank, (int)s->ranks.at[i].state);
    return save_commit(&save);
}

void hosts_remove(const char *directory, const char *host)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s%s", directory, prefix, host);
    unlink(path);
    rmdir(directory);
}
