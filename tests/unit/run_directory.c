/* Protects the directory of a run: always a new one, refused where others could change it, found by
 * a link. */
#include "layer/run_directory.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void enter(void)
{
    scratch_make();
    cr_assert_eq(chdir(scratch), 0);
}
TestSuite(run_directory, .init = enter, .fini = scratch_remove);

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

Test(run_directory, all_ranks_of_a_job_meet)
{
    struct run_directory first, second, other;
    char target[100] = "";
    cr_assert_null(run_directory_make(&first, "a/b/out//", 0x12345678));
    cr_assert_str_eq(first.shown, "a/b/out-12345678");
    cr_assert_null(run_directory_make(&second, "a/b/out", 0x12345678));
    cr_assert(first.inode == second.inode && !strcmp(first.path, second.path));
    cr_assert_null(run_directory_make(&other, "a/b/out", 0x9));
    cr_assert(other.inode != first.inode);
    cr_assert(run_directory_link(&first, "a/b/out"));
    run_directory_follow(&second, "a/b/out");
    cr_assert_str_eq(second.shown, "a/b/out");
    cr_assert(run_directory_link(&other, "a/b/out"));
    run_directory_follow(&first, "a/b/out");
    cr_assert_str_eq(first.shown, "a/b/out-12345678");
    cr_assert(readlink("a/b/out", target, sizeof target) > 0);
    cr_assert_str_eq(target, "out-00000009");
    /* Beside ".", not in it. */
    cr_assert(!mkdir("here", 0700) && !chdir("here"));
    cr_assert_null(run_directory_make(&other, ".", 7));
    cr_assert(is_there("../here-00000007") && !run_directory_link(&other, "."));
}

Test(run_directory, what_another_user_could_change)
{
    struct run_directory d;
    cr_assert(!mkdir("open-00000001", 0700) && !chmod("open-00000001", 0777));
    const char *fault = run_directory_make(&d, "open", 1);
    cr_assert(fault && strstr(fault, "all users may write to it") && !*d.path && d.fd < 0);
    scratch_write("file", "");
    fault = run_directory_make(&d, "file/below", 1);
    cr_assert(fault && !strcmp(fault, strerror(ENOTDIR)), "%s", fault);
    cr_assert(!symlink("elsewhere", "link-00000001") && !mkdir("elsewhere", 0700));
    cr_assert(run_directory_make(&d, "link", 1));
    if (geteuid() != 0)
        return;
    cr_assert(!mkdir("theirs-00000001", 0700) && !chown("theirs-00000001", 12345, 12345));
    fault = run_directory_make(&d, "theirs", 1);
    cr_assert(fault && strstr(fault, "belongs to another user"), "%s", fault);
}

Test(run_directory, what_is_no_link_of_ours_is_not_replaced)
{
    struct run_directory d;
    cr_assert_null(run_directory_make(&d, "out", 1));
    scratch_write("out", "mine");
    cr_assert(!run_directory_link(&d, "out") && !strcmp(d.shown, "out-00000001"));
    cr_assert(!unlink("out") && !symlink("elsewhere", "out") && !run_directory_link(&d, "out"));
    cr_assert(!unlink("out") && !symlink("out-12345678", "out") && run_directory_link(&d, "out"));
    cr_assert(!is_there("out-00000001.link"));
}

Test(run_directory, gone_and_made_again)
{
    struct run_directory d;
    int fd;
    cr_assert_null(run_directory_make(&d, "out", 1));
    cr_assert((fd = run_directory_open(&d)) >= 0 && !close(fd));
    cr_assert(!rename("out-00000001", "moved") && !mkdir("out-00000001", 0700));
    cr_assert(run_directory_open(&d) == -1 && errno == ENOENT);
    run_directory_remove_file(&d, "");
    cr_assert(is_there("out-00000001"));
}

Test(run_directory, ranks_by_their_files)
{
    struct run_directory d;
    int first = -1;
    cr_assert_null(run_directory_make(&d, "out", 1));
    cr_assert(run_directory_ranks(&d, 128, &first) == 0 && first == -1);
    scratch_write("out-00000001/rank-000003-00000001.ledger", "");
    scratch_write("out-00000001/rank-000003-00000002.ledger", "");
    scratch_write("out-00000001/rank-000070-00000001.ledger", "");
    scratch_write("out-00000001/rank-000128-00000001.ledger", "");
    cr_assert(run_directory_ranks(&d, 128, &first) == 2 && first == 3);
}
