# For generate.awk and src/transport/ucx.awk: reads the functions of a preprocessed header whose names match NAMES.
# function_name[1..functions] are their names in order, result[NAME] and prototype[NAME] their types and parameters.

# A prototype may have line breaks anywhere, but a semicolon only at its end.
{
    text = text " " $0
    while ((end = index(text, ";"))) {
        declaration(substr(text, 1, end - 1))
        text = substr(text, end + 1)
    }
}

function declaration(d,   word) {
    gsub(/[ \t]+/, " ", d)
    sub(/^ (extern )?/, "", d)
    sub(/ $/, "", d)
    if (!match(d, "^[a-z_]+ " names " ?[(]") || d !~ /[)]$/)
        return
    split(substr(d, 1, RLENGTH - 1), word, " ")
    if (word[2] in prototype)
        return
    function_name[++functions] = word[2]
    result[word[2]] = word[1]
    prototype[word[2]] = substr(d, RLENGTH + 1, length(d) - RLENGTH - 1)
}

# Sets arg[1..n_args] and type[1..n_args] to the names and types of the parameters, PASSED to the list of
# names, DECLARED to the list of declarations.
function parse_arguments(arguments,   n, i, a) {
    n_args = 0
    passed = declared = ""
    if (arguments ~ /^ ?(void ?)?$/)  {
        declared = "void"
        return
    }
    n = split(arguments, part, ",")
    for (i = 1; i <= n; i++) {
        a = part[i]
        gsub(/^ +| +$/, "", a)
        if (a != "...") {
            n_args++
            arg[n_args] = type[n_args] = a
            gsub(/ *\[[^]]*\]/, "", arg[n_args])
            sub(/^.*[ *]/, "", arg[n_args])
            sub(/[A-Za-z0-9_]+( *\[[^]]*\])*$/, "", type[n_args])
            gsub(/ *\*/, " *", type[n_args])
            sub(/ +$/, "", type[n_args])
            passed = passed (n_args > 1 ? ", " : "") arg[n_args]
        }
        declared = declared (i > 1 ? ", " : "") a
    }
}

# The first parameter that has one of these names.
function named(list, otherwise,   n, name, i, k) {
    n = split(list, name, " ")
    for (k = 1; k <= n; k++)
        for (i = 1; i <= n_args; i++)
            if (arg[i] == name[k])
                return arg[i]
    return otherwise
}
