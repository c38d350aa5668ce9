/* Opening what was written: a picture, a page. */
#include "cli/cli.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

bool cli_show(const char *path)
{
    const char *browser = getenv("BROWSER");
    char program[4400], *argv[] = {program, (char *)path, NULL};
    pid_t pid;
    /* BROWSER may be a list, as of PATH */
    snprintf(program, sizeof program, "%.*s",
             browser && *browser ? (int)strcspn(browser, ":") : (int)strlen("xdg-open"),
             browser && *browser ? browser : "xdg-open");
    int error = posix_spawnp(&pid, program, NULL, NULL, argv, environ); /* it may stay open */
    if (error)
        reason_say(cli_name, "cannot show %s: %s: %s: a viewer in BROWSER would be right", path,
                   program, strerror(error));
    return !error;
}
