# JSON Schema of profile.json from the tables that write and read it. Files in this order:
#
#   record/ledger.h       the members of LEDGER_SUMS
#   base/clock.c, timeline/waits.c      names of clocks and of wait states
#   profile/fields.c      members, their keys and kinds; names of what has names
#   profile/schema.json.in
#
# A line "@name@" of the last becomes the properties of fields_name. Each kind is described by the
# line "FIELD_...": of kinds[] below; where it has names, by these.
BEGIN {
    kinds["U32"] = "\"type\": \"integer\", \"minimum\": 0, \"maximum\": 4294967295"
    kinds["I32"] = "\"type\": \"integer\", \"minimum\": -2147483648, \"maximum\": 2147483647"
    kinds["U64"] = "\"type\": \"integer\", \"minimum\": 0"
    kinds["I64"] = "\"type\": \"integer\""
    kinds["MAYBE"] = "\"type\": [\"integer\", \"null\"], \"minimum\": 0"
    kinds["REAL"] = "\"type\": [\"number\", \"null\"]"
    kinds["SHARE"] = "\"type\": \"number\", \"minimum\": 0, \"maximum\": 1"
    kinds["BOOL"] = "\"type\": \"boolean\""
    kinds["TEXT"] = "\"type\": \"string\""
    kinds["HEX"] = "\"type\": \"string\", \"pattern\": \"^0x[0-9a-f]+$\""
    split("INDEX HOST OPERATION COMM REGION SITE", positions, " ")
    for (i in positions)
        kinds[positions[i]] = "\"type\": [\"integer\", \"null\"], \"minimum\": 0, \"maximum\": 4294967294"
    kinds["SPREAD"] = "\"$ref\": \"#/$defs/spread\""
    kinds["HISTOGRAM"] = "\"$ref\": \"#/$defs/histogram\""
    kinds["DROPPED"] = "\"$ref\": \"#/$defs/dropped\""
}

function add(table, key, kind) {
    n[table]++
    keys[table, n[table]] = key
    of[table, n[table]] = kind
}

# Every text in quotes of the lines that belong to a list of names.
function collect(list, text) {
    while (match(text, /"[^"]*"/)) {
        names[list] = names[list] (names[list] ? ", " : "") substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
}

FILENAME ~ /\.h$/ {
    if (/define LEDGER_SUMS/)
        sums = 1
    for (text = $0; sums && match(text, /X\([a-z_]+\)/); text = substr(text, RSTART + RLENGTH))
        add("sums", substr(text, RSTART + 2, RLENGTH - 3), "U64")
    if (sums && !/\\$/)
        sums = 0
    next
}

/_names\[.*\] = \{/ {
    list = $0
    sub(/_names\[.*/, "", list)
    sub(/.*[^a-z]/, "", list)
    sub(/[^=]*= /, "")
}
list != "" {
    collect(list, $0)
    if (/;/)
        list = ""
    next
}

/^static const struct field [a-z]+_table\[\]/ {
    table = $0
    sub(/_table.*/, "", table)
    sub(/.* /, "", table)
}
/^FIELDS\(/ { table = "" }
table != "" && /LEDGER_SUMS\(/ {
    for (i = 1; i <= n["sums"]; i++)
        add(table, keys["sums", i], "U64")
}
# One or two of them to a line, wherever the formatter has broken it.
table != "" {
    rest = rest $0
    while (match(rest, /FIELD\([^)]*\)/)) {
        split(substr(rest, RSTART + 6, RLENGTH - 7), part, / *, */)
        rest = substr(rest, RSTART + RLENGTH)
        if (part[3] ~ /^"/) {
            gsub(/"/, "", part[3])
            sub(/.*FIELD_/, "", part[4])
            add(table, part[3], part[4])
        }
    }
    if (rest !~ /FIELD\([^)]*$/)
        rest = ""
}

/^ *@[a-z]+@,?$/ {
    table = $0
    gsub(/[ @,]/, "", table)
    if (!n[table]) {
        print FILENAME ": no table " table > "/dev/stderr"
        failed = 1
    }
    for (i = 1; i <= n[table]; i++) {
        kind = of[table, i]
        name = tolower(kind)
        if (names[name] != "")
            text = "\"enum\": [" names[name] ", \"unknown\"]"
        else if (kind in kinds)
            text = kinds[kind]
        else
            failed = 1
        printf "                \"%s\": { %s }%s\n", keys[table, i], text,
            i < n[table] || /,$/ ? "," : ""
    }
    table = ""
    next
}
FILENAME ~ /\.in$/
END { exit failed }
