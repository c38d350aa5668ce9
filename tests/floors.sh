#!/bin/sh
# The house has floors: what a folder of src includes lies in itself or in a folder above it in this
# list. Nor does any file use itself by way of others: NAME.c, NAME.h and NAME_inner.h, which the
# files behind NAME.h share, are one. Read from the #include lines.
set -eu
floors="base document trees transport timeline causes record sync measure tune symbols profile verdict results report compare export inject layer cli"
cd "${srcdir:-.}"

below=" "
status=0
for floor in $floors; do
    [ -d "src/$floor" ] || { echo "no folder src/$floor: mend the list in $0"; status=1; }
    below="$below$floor "
    for used in $(grep -rhoE '^#include "[a-z]+/' "src/$floor" | sed 's/.*"//; s,/,,' | sort -u); do
        case $below in
        *" $used "*) ;;
        *)
            echo "an arrow up, from $floor to $used:"
            grep -rnE "^#include \"$used/" "src/$floor"
            status=1
            ;;
        esac
    done
done
for folder in src/*/; do
    case " $floors " in
    *" $(basename "$folder") "*) ;;
    *) echo "$folder is on no floor: add it to the list in $0"; status=1 ;;
    esac
done

edges=$(grep -rE '^#include "[a-z_]+/' src --include='*.[ch]' |
    sed -E 's,^src/([^:]*)\.[ch]:#include "([^"]*)\.h".*,\1 \2,; s/_inner\>//g' | awk '$1 != $2')
circles=$(echo "$edges" | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p')
if [ -n "$circles" ] || [ -z "$edges" ]; then
    echo "files that include each other:"
    echo "$circles" | sed 's/^-:.*/a circle of/'
    status=1
fi

# What is wrong is told by who speaks with the user: the layer and the mains. Below, reason_give().
if grep -rnE '\<stderr\>|perror\(|[^a-z_]exit\(' $(printf 'src/%s ' $below | sed 's,src/\(layer\|cli\) ,,g') --include='*.c' |
    grep -vE '^src/(base/reason|record/layer|transport/watch)\.c:'; then
    echo "these print or end the process: reason_give() would be right"
    status=1
fi
# doc/architecture shows these rooms.
[ ! -d doc ] || tools/rooms --check || status=1
exit $status
