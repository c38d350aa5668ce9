#!/bin/sh
# Another compiler: clang has nothing to say of any source, of the layers for each MPI either. For aarch64: cross.sh.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
cd "$top_builddir" || exit 1
top=$(cd "$srcdir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
variable() { sed -n "s/^$1 = //p" Makefile; }
common="-D_GNU_SOURCE -DHAVE_CONFIG_H -I$top -I$top/src -I$top/bench -I."

command -v clang >/dev/null || { echo "no clang"; exit 77; }
flags="$common $(variable WARNING_CFLAGS | sed 's/-Wno-stringop-overflow.*//') -pthread -fsyntax-only
    -DLIBDIR=\"\" -DPKGLIBDIR=\"\"
    -DLAYER_MPI={0} $(variable HWLOC_CFLAGS) $(variable JANSSON_CFLAGS) $(variable UNWIND_CFLAGS)
    $(variable OTF2_CFLAGS)"
first=$(variable LAYERS | awk '{ print $1 }')
for layer in $(variable LAYERS); do
    [ "$layer" = "$first" ] && files="$top/examples $top/bench $top/src $top/wrappers" ||
        files="$top/src/record $top/src/layer $top/src/inject $top/src/measure $top/src/sync"
    for file in $(find $files -name '*.c') layers/$layer/wrappers/*.c; do
        clang $flags -Ilayers/$layer $(variable ${layer}_CFLAGS) "$file"
    done
done >"$work/clang" 2>&1
[ ! -s "$work/clang" ] || { grep -E 'warning:|error:' "$work/clang" | sort -u; exit 1; }
exit 0
