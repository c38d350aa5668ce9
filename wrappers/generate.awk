# Makes the wrappers from the table and the preprocessed mpi.h.
#
#   awk -v want=FILE -f generate.awk -f prototypes.awk functions.table mpi.i
#
# operations.c  their names and families, and the functions that they call
# operations.h  the operation numbers OP_Send, ...
# functions.c   the wrappers of frequent calls
# rare.c        the other wrappers, in which nothing is inlined
#
# POSIX awk. Each family of functions has one template below, from which its wrappers are made.

BEGIN {
    names = "P?MPI_[A-Za-z0-9_]+"
    print "/* Made by generate.awk from functions.table and mpi.h. */"
    if (want == "operations.h")
        print "#pragma once\n#include \"record/ledger.h\"\nenum {"
    else if (want == "operations.c")
        print "#include \"wrappers/prologue.h\"\nconst struct ledger_operation mpi_functions[] = {"
    else
        print (want == "rare.c" ? "#define CALL_RARE\n" : "") "#include \"wrappers/prologue.h\"\n"
}

# Wraps the functions that also exist as PMPI_NAME. NAME's prototype is used: PMPI_NAME's may lack
# parameter names.
END {
    for (f = 1; f <= functions; f++)
        if (("P" function_name[f]) in prototype)
            wrap(function_name[f], prototype[function_name[f]])
    if (want == "operations.h")
        print "    N_OPERATIONS\n};\n" \
              "extern const struct ledger_operation mpi_functions[];\n" \
              "extern const unsigned n_mpi_functions;"
    else if (want == "operations.c")
        print "};\nconst unsigned n_mpi_functions = N_OPERATIONS;\n" \
              "void *mpi_next[] = {\n" initializers "};"
}

FNR == 1 { file++ }

# --- the table -------------------------------------------------------------------------------

file == 1 {
    sub(/#.*/, "")
    if (NF == 0)
        next
    patterns++
    pattern[patterns] = "^" $1 "$"
    gsub(/\*/, ".*", pattern[patterns])
    family_of[patterns] = $2
    for (i = 3; i <= NF; i++) {
        at = index($i, "=")
        role[patterns, at ? substr($i, 1, at - 1) : $i] = at ? substr($i, at + 1) : 1
    }
    next
}

# --- the wrappers ----------------------------------------------------------------------------

function find_line(name,   i, plain) {
    plain = name
    sub(/_c$/, "", plain)
    for (i = 1; i <= patterns; i++)
        if (name ~ pattern[i] || plain ~ pattern[i])
            return i
    return 0
}

# The family of NAME, by its own line of the table or by the line of its blocking form. LINE becomes
# the number of this line.
function find_family(name,   plain, family) {
    line = find_line(name)
    if (line)
        return family_of[line]
    plain = name
    sub(/_c$/, "", plain)
    if (sub(/_init$/, "", plain))
        family = "init_request"
    else if (plain ~ /^MPI_I[a-z]/)
        plain = "MPI_" toupper(substr(plain, 6, 1)) substr(plain, 7)
    else
        return "plain"
    line = find_line(plain)
    if (!line || family_of[line] !~ /^(send|recv|collective)$/) {
        line = 0
        return "plain"
    }
    return family ? family : "i" family_of[line]
}

# Finds arguments whose names or types show their meaning: sets COMM, ROOT, TO, TAG, ... to their
# names.
function find_roles(family,   i) {
    comm = "MPI_COMM_NULL"
    made = ""
    for (i = n_args; i > 0; i--) {
        if (type[i] == "MPI_Comm" || (type[i] == "MPI_Comm *" && role[line, "free"]))
            comm = arg[i]
        else if (type[i] == "MPI_Comm *" && family == "comm")
            made = arg[i]
    }
    if (family !~ /send|recv|probe|collective|init_request|comm|io|one_sided/)
        comm = "MPI_COMM_NULL"
    root = family ~ /collective|init_request/ ? named("root", "-1") : "-1"
    request = family ~ /^i(send|recv|collective)$|init_request/ || role[line, "request"] ? arg[n_args] : ""
    to = named("dest dst", "")
    from = named("source src", "")
    tag = named("sendtag tag", "")
    message = named("message", "")
    flag = family ~ /probe|completion/ ? named("flag", "") : ""
}

function wrap(name, arguments,   family) {
    family = find_family(name)
    if (family == "local")
        return
    parse_arguments(arguments)
    if (want == "operations.h")
        print "#define HAVE_" name " 1\n    OP_" substr(name, 5) ","
    else if (want == "operations.c") {
        initializers = initializers "    (void *)P" name ",\n"
        print "    {.name = \"" name "\", .family = FAMILY_" toupper(family) "},"
    } else if (!role[line, "hand"] && is_frequent(name) == (want == "functions.c"))
        print_function(name, family)
}

# Functions that applications call in their innermost loops: messages, collectives and completion.
function is_frequent(name) {
    return name ~ /^MPI_(Send|Recv|Probe|I(send|recv|probe)|Sendrecv|(Wait|Test)(all|any|some)?|Start(all)?)$/ || \
           name ~ /^MPI_(Barrier|Bcast|Scatter|Alltoall|(Reduc|Allreduc)e|(G|Allg)ather)$/
}

# A C expression for the number of bytes that SPEC (C*T or [C]*T of functions.table) says.
function bytes_expression(spec, comm,   half, count, type) {
    if (spec == "" || spec == "0")
        return "0"
    split(spec, half, "*")
    type = arg[half[2] + 0]
    if (substr(half[1], 1, 1) == "[") {
        count = arg[substr(half[1], 2, length(half[1]) - 2) + 0]
        return "CALL_BYTES_OF_ARRAY(" count "[i], " type ", " comm ")"
    }
    return "call_bytes(" arg[half[1] + 0] ", " type ")"
}

function print_function(name, family,   call, i, bytes, place) {
    call = "NEXT(" substr(name, 5) ")(" passed ")"
    find_roles(family)
    bytes = bytes_expression(role[line, "bytes"], comm)
    sub(/^call_bytes\(/, "call_payload(\\&call, ", bytes)
    if (role[line, "inplace"]) {
        split(role[line, "inplace"], place, ":")
        bytes = arg[place[1] + 0] " == MPI_IN_PLACE ? " bytes_expression(place[2], comm) " : " bytes
    }
    # With a negative root (MPI_ROOT, MPI_PROC_NULL) some arguments are not significant, and an
    # insignificant datatype may be invalid.
    if (role[line, "partitions"])
        bytes = "(uint64_t)" arg[role[line, "partitions"] + 0] " * " bytes
    if (root != "-1")
        bytes = root (role[line, "noroot"] ? " < 0" : " == MPI_PROC_NULL") " ? 0 : " bytes
    if (to != "" && family !~ /recv$/ || family == "sendrecv")
        bytes = to " == MPI_PROC_NULL ? 0 : " bytes

    printf "%sint %s(%s)\n{\n", want == "rare.c" ? "__attribute__((cold)) " : "", name, declared
    print "    struct call call;"
    print "    if (!call_enter(&call, OP_" substr(name, 5) ", " about(family) "))"
    print "        return " call ";"

    if (family == "recv")
        template_recv(call, bytes)
    else if (family == "send" || family == "sendrecv")
        template_send(family, call, bytes)
    else if (family == "probe")
        template_probe(call)
    else if (family == "collective" && role[line, "broadcast"])
        template_broadcast(call, bytes)
    else if (family == "collective")
        template_collective(call, bytes)
    else if (role[line, "pending"])
        template_pending(name, call)
    else if (role[line, "started"])
        template_started(call)
    else if (request != "")
        template_request(name, family, call, bytes)
    else if (made != "")
        template_comm(name, call)
    else if (role[line, "free"])
        template_comm_free(call)
    else
        template_plain(call, bytes)
    print "}\n"
}

# What call_enter() records of the call: only arguments that may be read before MPI has checked them.
function about(family,   half, payload) {
    payload = "0, MPI_DATATYPE_NULL"
    if (role[line, "bytes"] && role[line, "bytes"] !~ /^\[/) {
        split(role[line, "bytes"], half, "*")
        payload = arg[half[1] + 0] ", " arg[half[2] + 0]
    }
    return "((struct call_about){" \
           (role[line, "free"] ? comm " ? *" comm " : MPI_COMM_NULL" : comm) \
           ", " named("source src dest dst target_rank", "CALL_NONE") \
           ", " named("recvtag tag", "CALL_NONE") ", " root ", " payload ", " \
           (family == "sendrecv" ? to ", " tag : "CALL_NONE, CALL_NONE") "})"
}

function do_call(call) {
    print "    int rc = " call ";\n    call.exit = clock_ticks();"
}

function leave(how) {
    print "    call_leave" how ";\n    return rc;"
}

# Without a result a probe or test is no event of the trace.
function template_plain(call, bytes) {
    do_call(call)
    if (flag != "")
        print "    call.traced = !rc && !*" flag ";"
    leave("(&call, rc, " comm ", rc ? 0 : " bytes ")")
}

# The status has the source and size of a received message: if the caller ignores it, we pass our own.
function need_status(   status) {
    status = arg[n_args]
    print "    MPI_Status own_status;"
    print "    if (" status " == MPI_STATUS_IGNORE)"
    print "        " status " = &own_status;"
    return status
}

function template_recv(call, bytes,   status) {
    status = need_status()
    if (message != "")
        print "    struct ledger_request *probed = call_matched(" message ");"
    do_call(call)
    print "    uint64_t bytes = rc ? 0 : call_received(" status ", " bytes ");"
    print "    call_got(&call, rc, " (message != "" ? "call_comm_of(probed)" : "call_comm(&call, " comm ", rc)") \
          ", bytes, " status ", " (message != "" ? "probed" : "NULL") ", " named("datatype", "MPI_DATATYPE_NULL") ");"
    leave("(&call, rc, " comm ", bytes)")
}

function template_send(family, call, bytes,   status) {
    if (family == "sendrecv")
        status = need_status()
    do_call(call)
    print "    uint64_t bytes = call_failed(rc) ? 0 : " bytes ";"
    print "    call_sent(&call, rc, " comm ", bytes, " to ", " tag ", " named("sendtype datatype", "MPI_DATATYPE_NULL") ");"
    if (family == "sendrecv") {
        print "    uint64_t got = rc ? 0 : call_received(" status ", call_bytes(" named("recvcount count", "0") ", " \
              named("recvtype datatype", "MPI_DATATYPE_NULL") "));"
        print "    call_got(&call, rc, call_comm(&call, " comm ", rc), got, " status ", NULL, " \
              named("recvtype datatype", "MPI_DATATYPE_NULL") ");"
    }
    leave("(&call, rc, " comm ", bytes)")
}

function template_probe(call,   status) {
    status = need_status()
    do_call(call)
    print "    call_probed(&call, rc, " comm ", " (flag != "" ? "!rc && *" flag : "!rc") ", " status \
          ", " (message != "" ? message : "NULL") ");"
    leave("(&call, rc, " comm ", 0)")
}

# The arguments of a collective, so that a replica of it can be made (src/inject/replica.c).
function operands() {
    return "&(struct operands){.send = " named("sendbuf", "NULL") ", .receive = " named("recvbuf", "NULL") \
           ", .send_count = " named("sendcount count recvcount", "0") ", .receive_count = " named("recvcount", "0") \
           ", .send_type = " named("sendtype datatype", "MPI_DATATYPE_NULL") \
           ", .receive_type = " named("recvtype", "MPI_DATATYPE_NULL") ", .op = " named("op", "MPI_OP_NULL") "}"
}

# A hash of the arguments that must be equal on all members of the communicator.
function signature() {
    return "call_signature(" named("datatype", "MPI_DATATYPE_NULL") ", " named("op", "MPI_OP_NULL") ")"
}

function template_collective(call, bytes) {
    print "    if (inject_wanted())"
    print "        inject_before(&call, " comm ", " root ", " bytes ", " operands() ");"
    do_call(call)
    leave_collective(bytes)
}

# BYTES is computed before the signature: this registers the datatype, which the signature contains.
function leave_collective(bytes) {
    print "    uint64_t bytes = rc ? 0 : " bytes ";"
    leave("_collective(&call, rc, " comm ", bytes, " root ", " signature() ")")
}

function template_broadcast(call, bytes) {
    print "    int rc;"
    print "    if (!inject_wanted() ||"
    print "        !inject_broadcast(&call, " arg[1] ", " arg[2] ", " arg[3] ", " root ", " comm ", &rc)) {"
    print "        rc = " call ";"
    print "        call.exit = clock_ticks();"
    print "    }"
    leave_collective(bytes)
}

function template_request(name, family, call, bytes,   kind, peer, matched) {
    kind = family == "irecv" ? "REQUEST_RECV" : family == "init_request" ? "REQUEST_PERSISTENT" : \
           family == "icollective" ? "REQUEST_COLLECTIVE" : "REQUEST_PLAIN"
    if (name ~ /[Rr]ecv_init/)
        kind = kind " | REQUEST_RECV"
    if (role[line, "partitions"])
        kind = kind " | REQUEST_PARTITIONED"
    peer = to != "" ? to : from != "" ? from : "CALL_NONE"
    if (family == "init_request" && peer == "CALL_NONE" && comm != "MPI_COMM_NULL")
        kind = kind " | REQUEST_COLLECTIVE"
    matched = "NULL"
    if (message != "") {
        matched = "matched"
        print "    struct ledger_request *matched = call_matched(" message ");"
    }
    do_call(call)
    print "    uint64_t bytes = rc ? 0 : " bytes ";"
    leave("_request(&call, rc, " comm ", bytes, " request ", " matched ",\n" \
          "                       &(struct ledger_request){.root = " root ", .kind = " kind ", .peer = " peer ",\n" \
          "                                         .signature = " signature() ",\n" \
          "                                         .tag = " (role[line, "unordered"] ? "CALL_UNORDERED" : \
                                                             tag != "" ? tag : "CALL_NONE") "})")
}

function template_pending(name, call,   i, n, requests, done, one, some, counted) {
    n = named("count incount", "1")
    for (i = 1; i < n_args; i++)
        if (type[i] ~ /^MPI_Request/)
            requests = arg[i]
    one = named("index indx", "")
    some = named("outcount", "")
    done = "!rc" (flag != "" ? " && *" flag : "")
    print "    struct pending pending;"
    print "    pending_begin(&pending, &call, " n ", " requests ", " arg[n_args] ");"
    sub(/[a-z_]+\)$/, "pending.status)", call)
    do_call(call)
    if (some != "")
        counted = "rc ? 0 : *" some ", " arg[4]
    else if (name ~ /all$/)
        counted = done " ? pending.n : 0, NULL"
    else
        counted = done (one != "" ? " && *" one " >= 0, " one : ", (const int[]){0}")
    print "    pending_end(&call, &pending, rc, " counted ", " (name ~ /Test/ ? "true" : "false") ");"
    print "    return rc;"
}

function template_started(call) {
    do_call(call)
    print "    leave_started(&call, rc, " named("count", "1") ", " arg[n_args] ");"
    print "    return rc;"
}

# All members of the old communicator take part, except in MPI_Comm_create_group.
function template_comm(name, call) {
    do_call(call)
    leave("_comm(&call, rc, " comm ", " made ", " (name ~ /create_group/ ? "false" : "true") ")")
}

# Finds the entry before the call, since afterwards the communicator does not exist.
function template_comm_free(call) {
    print "    struct ledger_entry *entry = call_entry(&call, call.comm, 0);"
    do_call(call)
    leave("_with_entry(&call, rc, entry, 0)")
}
