#include "document/gnuplot.h"
#include "config.h"

#include "base/reason.h"
#include "base/text.h"
#include "document/save.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
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

FILE *gnuplot_script(const char *path, int width, int height)
{
    if (!gnuplot_path_valid(path))
        return NULL;
    FILE *script = tmpfile();
    if (!script) {
        reason_give("cannot draw %s: no temporary file: %s", path, strerror(errno));
        return NULL;
    }
    const struct kind *kind = kind_of(path);
    fprintf(script,
            "set terminal %s size %g,%g noenhanced font 'sans,11' background '#ffffff'\n"
            "set encoding utf8\nset tics out nomirror\nset border 3 lc rgb '#404040'\n",
            kind->terminal, width * kind->per_pixel, height * kind->per_pixel);
    return script;
}

static const char *plotter(void)
{
    const char *named = getenv("GNUPLOT");
    return named && *named ? named : GNUPLOT;
}

/* Runs gnuplot on SCRIPT; the picture goes to OUT, its messages to COMPLAINTS. False, with the
 * reason in errno (0: gnuplot itself failed). */
static bool run_plotter(FILE *script, FILE *out, FILE *complaints)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char *)plotter(), NULL};
    pid_t pid;
    int status;
    fflush(script);
    lseek(fileno(script), 0, SEEK_SET);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
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
static bool is_whole(FILE *picture, const char *path)
{
    char end[16] = "";
    const char *last = kind_of(path)->last;
    long size = fseek(picture, 0, SEEK_END) ? 0 : ftell(picture), rest = (long)sizeof end;
    return (pread(fileno(picture), end, sizeof end, size > rest ? size - rest : 0) > 0 &&
            memmem(end, sizeof end, last, strlen(last))) ||
           reason_give("cannot write %s: it is cut off: the disk is full", path);
}

bool gnuplot_run(FILE *script, const char *path)
{
    struct save save;
    char why[512];
    if (!save_open(&save, path))
        return false;
    FILE *complaints = tmpfile();
    bool drawn = complaints && run_plotter(script, save.out, complaints);
    if (!drawn && errno)
        snprintf(why, sizeof why, "%s: install gnuplot-nox, or name another in GNUPLOT",
                 strerror(errno));
    else if (!drawn)
        last_complaint(complaints, why, sizeof why);
    if (!drawn)
        reason_give("cannot draw %s: %s: %s", path, plotter(), why);
    if (complaints)
        fclose(complaints);
    if (!drawn || (save.temporary && !is_whole(save.out, path))) {
        save_abandon(&save);
        return false;
    }
    if (save.temporary && text_ends_with(path, ".png"))
        sign(save.out);
    return save_commit(&save);
}
