# Makes the wrappers of UCX's start functions from its preprocessed header: all that it declares.
#
#   awk -f ucx.awk ucp.i
#
# POSIX awk. What a function does follows from its name; how its end is seen, from its last argument.

BEGIN {
    print "/* Made by ucx.awk from ucp.h. */"
    print "#include \"transport/ucx.h\"\n"
    print "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\""
    print "#pragma GCC visibility push(default)\n"
}

# A prototype may have line breaks anywhere, but a semicolon only at its end.
{
    text = text " " $0
    while ((end = index(text, ";"))) {
        declaration(substr(text, 1, end - 1))
        text = substr(text, end + 1)
    }
}

function kind_of(name) {
    if (name ~ /^ucp_(tag|am|stream)_send(_sync)?_nb[rx]?$/)
        return "TRANSPORT_SEND"
    if (name ~ /^ucp_(tag(_msg)?_recv|stream_recv|am_recv_data)_nb[rx]?$/)
        return "TRANSPORT_RECEIVE"
    if (name ~ /^ucp_(put|get)_nb[ix]?$/ || name ~ /^ucp_atomic_(post|fetch_nb|op_nbx)$/)
        return "TRANSPORT_ONE_SIDED"
    if (name ~ /^ucp_(ep|worker)_flush_nbx?$/)
        return "TRANSPORT_FLUSH"
    return ""
}

function has(name,   i) {
    for (i = 1; i <= n; i++)
        if (arg[i] == name)
            return 1
    return 0
}

function declaration(d,   name, type, kind, arguments, call, i, completes, bytes) {
    gsub(/[ \t]+/, " ", d)
    sub(/^ */, "", d)
    sub(/ *$/, "", d)
    if (d !~ /^ucs_status(_ptr)?_t ucp_[a-z_]+ ?\(.*\)$/)
        return
    type = d
    sub(/ .*/, "", type)
    name = d
    sub(/^[a-z_]+ /, "", name)
    sub(/ ?\(.*/, "", name)
    kind = kind_of(name)
    if (kind == "" || name in done)
        return
    done[name] = 1
    arguments = d
    sub(/^[^(]*\(/, "", arguments)
    sub(/\)$/, "", arguments)
    n = split(arguments, arg, ",")
    call = ""
    for (i = 1; i <= n; i++) {
        sub(/^.*[ *]/, "", arg[i])
        call = call (i > 1 ? ", " : "") arg[i]
    }
    call = "next(" call ")"
    print type " " name "(" arguments ")\n{"
    print "    NEXT(" name ", UCX_LIBRARY)"
    print "    if (!ucx_listens())\n        return " call ";"
    if (name ~ /nbx$/) {
        completes = name ~ /^ucp_tag.*recv/ ? "COMPLETES_RECEIVE" : \
                    name ~ /recv/ ? "COMPLETES_STREAM" : "COMPLETES_SEND"
        print "    ucp_request_param_t own;"
        print "    struct start start = ucx_start_with_callback(" kind ", " completes ", " \
              (has("count") ? "count" : "0") ", &" arg[n] ", &own);"
    } else {
        bytes = has("datatype") ? "ucx_bytes(count, datatype)" : \
                has("length") ? "ucx_bytes(length, ucp_dt_make_contig(1))" : \
                has("op_size") ? "op_size" : "0"
        print "    struct start start = ucx_start(" kind ", " bytes ");"
    }
    print "    " type " returned = " call ";"
    # For a status that is not a pointer, any address means that the operation is pending.
    print "    ucx_started(&start, " (type == "ucs_status_ptr_t" ? "returned" : \
          "returned == UCS_INPROGRESS ? (void *)&start : UCS_STATUS_PTR(returned)") ");"
    print "    return returned;\n}\n"
}
