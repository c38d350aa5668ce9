/* The stack of another process, by libdw, which stops its thread for that moment (ptrace). */
#include "base/text.h"
#include "symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>

/* Debug information is not needed for the way from frame to frame; none is looked for elsewhere. */
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                         .find_debuginfo = dwfl_build_id_find_debuginfo};

struct walk {
    Dwfl *dwfl;
    struct symbols_frame *frame;
    unsigned n;
};

static int add_frame(Dwfl_Frame *state, void *arg)
{
    struct walk *w = arg;
    Dwarf_Addr pc, bias = 0;
    bool is_first; /* or interrupted by a signal: PC is not a return address */
    if (w->n == SYMBOLS_FRAMES || !dwfl_frame_pc(state, &pc, &is_first))
        return DWARF_CB_ABORT;
    struct symbols_frame *f = &w->frame[w->n++];
    Dwfl_Module *module = dwfl_addrmodule(w->dwfl, pc - !is_first);
    const char *path =
        module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
    if (module)
        dwfl_module_getelf(module, &bias);
    text_copy(f->path, sizeof f->path, path ? path : "");
    f->return_address = pc + is_first - bias;
    return DWARF_CB_OK;
}

const char *symbols_stack(pid_t pid, struct symbols_frame frame[SYMBOLS_FRAMES], unsigned *n)
{
    struct walk w = {.dwfl = dwfl_begin(&callbacks), .frame = frame};
    bool good = w.dwfl && !dwfl_linux_proc_report(w.dwfl, pid) &&
                !dwfl_report_end(w.dwfl, NULL, NULL) && !dwfl_linux_proc_attach(w.dwfl, pid, false);
    if (good)
        dwfl_getthread_frames(w.dwfl, pid, add_frame, &w);
    const char *why = w.n ? NULL : dwfl_errmsg(-1);
    dwfl_end(w.dwfl);
    *n = w.n;
    return w.n ? NULL : why ? why : "unknown error";
}
