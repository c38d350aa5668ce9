# Completes a page of the manual with what the source says of names:
#   .\" names: LIST [KIND]  becomes an item for each name in the macro LIST of src/base/names.h (-v names=FILE), of
#                           that KIND, with the comment behind it;
#   .\" formats:            an item for each struct export_format in the files of -v formats=, with the comment above it.
function add_item(name, text)
{
    gsub(/--/, "\\-\\-", text)
    printf ".It Cm %s\n%s%s\n", name, toupper(substr(text, 1, 1)), substr(text, 2)
    items++
}

function add_names(list, kind,    line, part, inside)
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
            add_item(part[2], line ".")
        }
    }
    close(names)
}

function add_formats(    file, i, line, text)
{
    for (i = 1; i <= split(formats, file, " "); i++) {
        while ((getline line <file[i]) > 0) {
            if (line ~ /^const struct export_format export_/) {
                if (text == "")
                    fail(file[i] ": no comment above " line)
                sub(/ = .*/, "", line)
                add_item(substr(line, length("const struct export_format export_") + 1), text)
                text = ""
            } else if (line ~ /^(\/\*| \*) /) {
                text = line ~ /^\/\*/ ? substr(line, 4) : text " " substr(line, 4)
                sub(/ \*\/$/, "", text)
            } else
                text = ""
        }
        close(file[i])
    }
}

function fail(why)
{
    print why >"/dev/stderr"
    exit 1
}

/^\.\\" (names|formats): ?/ {
    items = 0
    if ($2 == "names:")
        add_names($3, $4)
    else
        add_formats()
    if (!items)
        fail(FILENAME ": nothing for " $0)
    next
}
{ print }
