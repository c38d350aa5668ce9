/* Text that is shown repeatedly: on a terminal at one position, otherwise one after the other. */
#ifndef COLLPROF_CLI_SCREEN_H
#define COLLPROF_CLI_SCREEN_H

struct screen;

enum screen_event {
    SCREEN_TIME,   /* the time has passed */
    SCREEN_RESIZE, /* the size of the terminal has changed */
    SCREEN_QUIT    /* 'q' was pressed, or a signal asks this process to end */
};

/* Uses standard output, and the keyboard of the terminal on standard input. Only one at a time;
 * screen_end() restores the terminal. */
struct screen *screen_begin(void);
void screen_end(struct screen *screen);

/* Shows TEXT, which consists of whole lines, truncated to the terminal's size. */
void screen_show(struct screen *screen, const char *text);

/* Waits SECONDS, or until another event. */
enum screen_event screen_wait(struct screen *screen, double seconds);

#endif
