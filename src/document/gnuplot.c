#include "document/gnuplot.h"
#include "config.h"

#include "base/reason.h"
#include "base/text.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* How each kind of file is made, and what its last bytes hold when it is complete. */
static const struct kind {
    const char *ending, *terminal, *last;
    double per_pixel; /* of the terminal's unit of size */
} kinds[] = {
    {".png", "pngcairo", "IEND", 1},
    {".svg", "svg", "</svg>", 1},
    {".pdf", "pdfcairo", "%%EOF", 1.0 / 100}, /* inches */
};

static const struct kind *kind_of(const char *path)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_ends_with(path, kinds[i].ending))
            return &kinds[i];
    return NULL;
}

bool gnuplot_path_valid(const char *path)
{
    return kind_of(path) ||
           reason_give("cannot draw %s: its name must end in .png, .svg or .pdf", path);
}

bool gnuplot_begin(struct gnuplot_script *s, const char *path, int width, int height)
{
    *s = (struct gnuplot_script){.path = path};
    if (!gnuplot_path_valid(path) || !save_open(&s->picture, path))
        return false;
    s->out = tmpfile();
    if (!s->out) {
        reason_give("cannot draw %s: no temporary file: %s", path, strerror(errno));
        save_abandon(&s->picture);
        return false;
    }
    const struct kind *kind = kind_of(path);
    fprintf(s->out,
            "set terminal %s size %g,%g noenhanced font 'sans,11' background '#ffffff'\n"
            "set encoding utf8\nset tics out nomirror\nset border 3 lc rgb '#404040'\n",
            kind->terminal, width * kind->per_pixel, height * kind->per_pixel);
    return true;
}

static const char *plotter(void)
{
    const char *named = getenv("GNUPLOT");
    return named && *named ? named : GNUPLOT;
}

/* Starts gnuplot on the script. It draws into the file that is open already, and its messages go to
 * COMPLAINTS. False, with the reason in errno (0: gnuplot itself failed). */
static bool run_plotter(const struct gnuplot_script *s, FILE *complaints)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char *)plotter(), NULL};
    pid_t pid;
    int status;
    fflush(s->out);
    lseek(fileno(s->out), 0, SEEK_SET);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(s->out), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(s->picture.out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    errno = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    errno = 0;
    return status == 0;
}

/* gnuplot marks the position with a caret, and then says in a line what is wrong. */
static void last_complaint(FILE *complaints, char *text, size_t size)
{
    char line[512];
    snprintf(text, size, "it gave no reason");
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        line[strcspn(line, "\n")] = '\0';
        size_t blanks = strspn(line, " \t");
        if (line[blanks] && line[blanks] != '^')
            snprintf(text, size, "%s", line + blanks);
    }
}

/* Notes in a PNG who made it (text chunk "Software"), before its last chunk: collprof replaces such
 * a file without --force. */
static void sign(FILE *picture)
{
    static const char signature[] = "\0\0\0\x11tEXtSoftware\0collprof\x52\x28\xbd\xc9"
                                    "\0\0\0\0IEND\xae\x42\x60\x82";
    if (!fseek(picture, -12, SEEK_END))
        fwrite(signature, 1, sizeof signature - 1, picture);
}

/* gnuplot does not notice that a disk is full. */
static bool is_whole(const struct gnuplot_script *s)
{
    struct stat st;
    char end[16] = "";
    const char *last = kind_of(s->path)->last;
    int file = fileno(s->picture.out);
    if (!s->picture.temporary)
        return true;
    return (!fstat(file, &st) &&
            pread(file, end, sizeof end,
                  st.st_size < (off_t)sizeof end ? 0 : st.st_size - (off_t)sizeof end) > 0 &&
            memmem(end, sizeof end, last, strlen(last))) ||
           reason_give("cannot write %s: it is cut off: the disk is full", s->path);
}

bool gnuplot_run(struct gnuplot_script *s)
{
    FILE *complaints = tmpfile();
    char why[512];
    bool drawn = complaints && run_plotter(s, complaints);
    int error = errno;
    if (!drawn && error)
        snprintf(why, sizeof why, "%s: install gnuplot-nox, or name another in GNUPLOT",
                 strerror(error));
    else if (!drawn)
        last_complaint(complaints, why, sizeof why);
    if (!drawn)
        reason_give("cannot draw %s: %s: %s", s->path, plotter(), why);
    if (complaints)
        fclose(complaints);
    fclose(s->out);
    if (!drawn || !is_whole(s)) {
        save_abandon(&s->picture);
        return false;
    }
    if (text_ends_with(s->path, ".png") && s->picture.temporary)
        sign(s->picture.out);
    return save_commit(&s->picture);
}

void gnuplot_abandon(struct gnuplot_script *s)
{
    fclose(s->out);
    save_abandon(&s->picture);
}
