# Completes a page of the manual: its line  .\" names: LIST [KIND]  becomes an item for each name in
# the macro LIST of src/base/names.h (-v names=FILE), of that KIND, with the comment behind it.
function add_items(list, kind,    line, part, inside, n)
{
    while ((getline line <names) > 0) {
        if (line ~ /^#define/)
            inside = index(line, "#define " list "(X)") == 1
        else if (inside && match(line, /X\([^)]*\)/)) {
            split(substr(line, RSTART + 2, RLENGTH - 3), part, /, /)
            if (kind != "" && part[3] != kind)
                continue
            gsub(/"/, "", part[2])
            if (!sub(/.*\/\* /, "", line) || !sub(/ \*\/.*/, "", line))
                fail(names ": no comment behind " part[2])
            printf ".It Cm %s\n%s%s.\n", part[2], toupper(substr(line, 1, 1)), substr(line, 2)
            n++
        }
    }
    close(names)
    if (!n)
        fail(FILENAME ": no names of " list " " kind " in " names)
}

function fail(why)
{
    print why >"/dev/stderr"
    exit 1
}

/^\.\\" names: / { add_items($3, $4); next }
{ print }
