#!/bin/sh
# The house has floors: what a folder of src includes lies in itself or in a folder above it in this
# list. Read from the #include lines.
set -eu
floors="base transport timeline record sync trees measure symbols profile results page compare data picture inject layer cli"
cd "${srcdir:-.}"

below=" "
status=0
for floor in $floors; do
    [ -d "src/$floor" ] || { echo "no folder src/$floor: mend the list in $0"; status=1; }
    below="$below$floor "
    for used in $(grep -rhoE '^#include "[a-z]+/' "src/$floor" | sed 's/.*"//; s,/,,' | sort -u); do
        [ "$used" = wrappers ] && continue # the generated list of operations
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
    case " $floors yield " in
    *" $(basename "$folder") "*) ;;
    *) echo "$folder is on no floor: add it to the list in $0"; status=1 ;;
    esac
done
exit $status
