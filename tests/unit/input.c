/* Files that are read: regular ones alone, without waiting, never more than there is room for. */
#include "base/input.h"
#include "scratch.h"

#include <fcntl.h>
#include <unistd.h>

static char path[100];

static void make(void)
{
    scratch_make();
    snprintf(path, sizeof path, "%s/file", scratch);
    scratch_write("file", "0123456789");
}

TestSuite(input, .init = make, .fini = scratch_remove);

Test(input, of_a_small_file)
{
    char text[16];
    memset(text, 'x', sizeof text);
    cr_expect_eq(input_read(path, text, sizeof text), 10);
    cr_expect_str_eq(text, "0123456789");
    memset(text, 'x', sizeof text);
    cr_expect_eq(input_read(path, text, 5), 4, "as much as there is room for");
    cr_expect(!strcmp(text, "0123") && text[5] == 'x');
    cr_expect(input_read("/nowhere", text, sizeof text) == 0 && !*text);
    cr_expect(input_read(scratch, text, sizeof text) == 0 && !*text);
}

Test(input, of_regular_files_alone)
{
    const char *why = NULL;
    struct stat st;
    char fifo[120];
    int fd = input_open(path, &st, &why);
    cr_expect(fd >= 0 && !why && st.st_size == 10);
    close(fd);
    snprintf(fifo, sizeof fifo, "%s/fifo", scratch);
    cr_assert(!mkfifo(fifo, 0600));
    cr_expect(input_open(fifo, NULL, &why) < 0 && why);
    why = NULL;
    cr_expect(input_open(scratch, NULL, &why) < 0 && why);
    why = NULL;
    cr_expect(!input_file("/nowhere", &why) && why);
    why = NULL;
    FILE *in = input_file(path, &why);
    cr_expect(in && !why && fgetc(in) == '0');
    fclose(in);
    unlink(fifo);
}

Test(input, of_a_process)
{
    char text[1024];
    int parent = 0;
    cr_expect(sscanf(input_process(getpid(), text), "%*c %d", &parent) == 1 && parent == getppid());
    cr_expect(!*input_process(1 << 29, text));
}
