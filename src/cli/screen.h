/* Text that is shown repeatedly: on a terminal in one position, otherwise one after the other. */
#ifndef COLLPROF_CLI_SCREEN_H
#define COLLPROF_CLI_SCREEN_H

struct screen;

enum screen_event {
    SCREEN_TIME,   /* the time is over */
    SCREEN_RESIZE, /* the terminal has another size */
    SCREEN_QUIT    /* 'q' was pressed, or a signal asks this process to end */
};

/* Standard output, and the keys of the terminal that is standard input. One at a time; for
 * screen_end(), which gives the terminal back as it was. */
struct screen *screen_begin(void);
void screen_end(struct screen *screen);

/* Shows TEXT, whole lines; what the terminal has no room for is left out. */
void screen_show(struct screen *screen, const char *text);

/* Waits SECONDS, or for another event. */
enum screen_event screen_wait(struct screen *screen, double seconds);

#endif
