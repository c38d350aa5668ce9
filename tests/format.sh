#!/bin/sh
# Every C file is formatted as .clang-format says, by the version that the tree is formatted with.
cd "${srcdir:-.}"
case $(clang-format --version 2>/dev/null) in
*"version 14."*) ;;
*) echo "no clang-format 14"; exit 77 ;;
esac
unformatted=$(find bench examples src tests wrappers -name '*.[ch]' | sort |
    xargs clang-format --dry-run 2>&1 | sed -n 's/^\([^:]*\.[ch]\):.*/\1/p' | uniq)
[ -z "$unformatted" ] && exit 0
echo "not formatted (clang-format -i FILE):" $unformatted
exit 1
