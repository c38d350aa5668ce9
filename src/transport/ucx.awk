# Makes the wrappers of UCX's start functions from its preprocessed header: all that it declares.
#
#   awk -f ucx.awk -f ../../wrappers/prototypes.awk ucp.i
#
# POSIX awk. What a function does follows from its name; how its end is seen, from its last argument.

BEGIN {
    names = "ucp_[a-z_]+"
    print "/* Made by ucx.awk from ucp.h. */"
    print "#include \"transport/ucx.h\"\n"
    print "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\""
    print "#pragma GCC visibility push(default)\n"
}

END {
    for (f = 1; f <= functions; f++)
        wrap(function_name[f], result[function_name[f]])
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

function wrap(name, type,   kind, call, completes, bytes) {
    kind = kind_of(name)
    if (kind == "" || type !~ /^ucs_status(_ptr)?_t$/)
        return
    parse_arguments(prototype[name])
    call = "next(" passed ")"
    print type " " name "(" declared ")\n{"
    print "    NEXT(" name ", UCX_LIBRARY)"
    print "    if (!ucx_listens())\n        return " call ";"
    if (name ~ /nbx$/) {
        completes = name ~ /^ucp_tag.*recv/ ? "COMPLETES_RECEIVE" : \
                    name ~ /recv/ ? "COMPLETES_STREAM" : "COMPLETES_SEND"
        print "    ucp_request_param_t own;"
        print "    struct start start = ucx_start_with_callback(" kind ", " completes ", " \
              named("count", "0") ", &" arg[n_args] ", &own);"
    } else {
        bytes = named("datatype", "") != "" ? "ucx_bytes(count, datatype)" : \
                named("length", "") != "" ? "ucx_bytes(length, ucp_dt_make_contig(1))" : named("op_size", "0")
        print "    struct start start = ucx_start(" kind ", " bytes ");"
    }
    print "    " type " returned = " call ";"
    # For a status that is not a pointer, any address means that the operation is pending.
    print "    ucx_started(&start, " (type == "ucs_status_ptr_t" ? "returned" : \
          "returned == UCS_INPROGRESS ? (void *)&start : UCS_STATUS_PTR(returned)") ");"
    print "    return returned;\n}\n"
}
