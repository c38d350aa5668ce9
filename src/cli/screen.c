#include "cli/screen.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

struct screen {
    bool terminal, keys, begun; /* BEGUN: something was shown */
    struct termios before;      /* the previous mode, if KEYS */
    double due;                 /* clock_now() at the end of the wait; 0 if none has begun */
};

static volatile sig_atomic_t asked_to_end;

static void ask_to_end(int signal)
{
    (void)signal;
    asked_to_end = 1;
}

/* Makes poll() return with EINTR. */
static void interrupt(int signal)
{
    (void)signal;
}

/* A background job would be stopped if it changed the terminal. */
static bool is_in_front(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Also needed after the process was stopped, since a shell sets its own modes. */
static void set_keys(const struct screen *s)
{
    struct termios each = s->before;
    each.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    if (s->keys && is_in_front())
        tcsetattr(STDIN_FILENO, TCSANOW, &each);
}

static void handle(int signal, void (*handler)(int signal))
{
    sigaction(signal, &(struct sigaction){.sa_handler = handler}, NULL);
}

struct screen *screen_begin(void)
{
    struct screen *s = memory_alloc(sizeof *s);
    s->terminal = isatty(STDOUT_FILENO);
    s->keys = s->terminal && is_in_front() && !tcgetattr(STDIN_FILENO, &s->before);
    if (s->terminal) {
        handle(SIGINT, ask_to_end);
        handle(SIGTERM, ask_to_end);
        handle(SIGHUP, ask_to_end);
        handle(SIGWINCH, interrupt);
        handle(SIGCONT, interrupt);
    }
    set_keys(s);
    return s;
}

void screen_end(struct screen *s)
{
    if (s->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
    free(s);
}

/* Each line erases the rest of its row; the last one also what is below. */
void screen_show(struct screen *s, const char *text)
{
    struct winsize size = {0};
    if (!s->terminal) {
        fputs(s->begun ? "\n" : "", stdout);
        fputs(text, stdout);
    } else {
        int rows = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : 24;
        fputs(s->begun ? "\033[H" : "\033[H\033[2J", stdout);
        for (int i = 1; i < rows && *text; i++) {
            const int n = (int)strcspn(text, "\n");
            printf("%.*s\033[K\n", n, text);
            text += n + (text[n] == '\n');
        }
        fputs("\033[J", stdout);
    }
    fflush(stdout);
    s->begun = true;
}

enum screen_event screen_wait(struct screen *s, double seconds)
{
    struct pollfd keys = {.fd = s->keys ? STDIN_FILENO : -1, .events = POLLIN};
    if (s->due <= 0)
        s->due = clock_now() + seconds;
    for (double left; !asked_to_end && (left = s->due - clock_now()) > 0;) {
        char key = 0;
        int n = poll(&keys, 1, (int)(1000 * left) + 1);
        if (n < 0 && errno == EINTR && !asked_to_end) {
            set_keys(s);
            return SCREEN_RESIZE;
        }
        if (n > 0 && (read(STDIN_FILENO, &key, 1) != 1 || key == 'q'))
            return SCREEN_QUIT;
    }
    s->due = 0;
    return asked_to_end ? SCREEN_QUIT : SCREEN_TIME;
}
