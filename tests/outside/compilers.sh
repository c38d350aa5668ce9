#!/bin/sh
# Other compilers: clang has nothing to say of any source, of the layers for each MPI either; what
# knows the processor is compiled for aarch64, and run where qemu-aarch64 is.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
cd "$top_builddir" || exit 1
top=$(cd "$srcdir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
variable() { sed -n "s/^$1 = //p" Makefile; }
common="-D_GNU_SOURCE -DHAVE_CONFIG_H -I$top -I$top/src -I$top/bench -I."
done=

if command -v clang >/dev/null; then
    flags="$common $(variable WARNING_CFLAGS | sed 's/-Wno-stringop-overflow//') -pthread -fsyntax-only
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
    done="$done clang"
fi
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    aarch64-linux-gnu-gcc -O2 -std=gnu11 -Wall -Wextra -Werror $common -o "$work/aarch64" -static \
        "$top/tests/outside/aarch64.c" "$top/wrappers/stubs.c" "$top/src/base/clock.c" \
        "$top/src/base/stats.c" -lm || exit 1
    done="$done aarch64:compiled"
    if command -v qemu-aarch64 >/dev/null; then
        timeout 60 qemu-aarch64 "$work/aarch64" || exit 1
        done="$done,run"
    fi
fi
[ -n "$done" ] || { echo "neither clang nor aarch64-linux-gnu-gcc"; exit 77; }
echo "tried:$done"
