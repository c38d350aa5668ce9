#include "record/python.h"

#include "base/hash.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Offsets in bytes of members of CPython's structures (named as in 3.11), for 64-bit machines. */
static const struct layout {
    const char *version;
    uint16_t top;                /* PyThreadState: current_frame (3.13), or cframe */
    uint16_t in_top;             /* _PyCFrame: current_frame; NONE: TOP leads to the frame */
    uint16_t previous, code, at; /* _PyInterpreterFrame: previous, f_code, prev_instr */
    uint16_t owner;              /* _PyInterpreterFrame: owner (NONE: not stored) */
    uint16_t bytecode;           /* PyCodeObject: co_code_adaptive */
    uint16_t first_line, lines;  /* PyCodeObject: co_firstlineno, co_linetable */
    uint16_t file, function;     /* PyCodeObject: co_filename, co_qualname */
    uint16_t text;               /* an ASCII PyUnicode: its first character */
} layouts[] = {
#define NONE UINT16_MAX
    {"3.11.", 56, 8, 48, 32, 56, NONE, 184, 72, 136, 112, 128, 48},
    {"3.12.", 56, 0, 8, 0, 56, 70, 192, 68, 136, 112, 128, 40},
    {"3.13.", 72, NONE, 8, 0, 56, 70, 200, 68, 136, 112, 128, 40},
};
enum { ON_C_STACK = 3 }; /* value of OWNER: FRAME_OWNED_BY_CSTACK, no Python function */

/* Offsets in all versions: PyObject.ob_type, PyVarObject.ob_size, PyBytesObject.ob_sval. */
enum { TYPE = 8, LENGTH = 16, BYTES = 32 };

enum { MOST_LOOKED_AT = 64 }; /* most frames that are read, including those left out */

static struct {
    const struct layout *layout;                  /* NULL: no interpreter of a known version */
    enum { UNTRIED, FITS, FITS_NOT } layout_fits; /* whether a first, careful read succeeded */
    const char *code_type, *text_type, *bytes_type;
    const char *(*state)(void); /* returns this thread's PyThreadState, or NULL */
    int (*line)(const char *code, int instruction);
    ptrdiff_t (*length)(const char *text);
    uint32_t (*character)(const char *text, ptrdiff_t i);
} python;

const void *python_find(void)
{
    const char *(*version)(void);
    *(void **)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    *(void **)&python.state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    *(void **)&python.line = dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
    *(void **)&python.length = dlsym(RTLD_DEFAULT, "PyUnicode_GetLength");
    *(void **)&python.character = dlsym(RTLD_DEFAULT, "PyUnicode_ReadChar");
    python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    python.text_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    python.bytes_type = dlsym(RTLD_DEFAULT, "PyBytes_Type");
    if (!version || !python.state || !python.line || !python.length || !python.character ||
        !python.code_type || !python.text_type || !python.bytes_type || sizeof(void *) != 8 ||
        strstr(version(), "free-threading"))
        return NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strncmp(version(), layouts[i].version, strlen(layouts[i].version)))
            python.layout = &layouts[i];
    return python.layout ? *(void **)&python.state : NULL;
}

#define READ(from, to, careful) get((from), (to), sizeof *(to), (careful))

/* Copies SIZE bytes. CAREFUL: by a system call, which fails if FROM is not mapped. */
static inline bool get(const char *from, void *to, size_t size, bool careful)
{
    if (!careful) {
        memcpy(to, from, size);
        return true;
    }
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool is_of_type(const char *object, const char *type, bool careful)
{
    const char *found;
    return object && READ(object + TYPE, &found, careful) && found == type;
}

/* A digest of a text or bytes object: its length, first and last 8 bytes, read from offset DATA. */
struct sample {
    uint64_t length, first, last;
};

static bool take_sample(const char *object, const char *type, unsigned data, bool careful,
                        struct sample *s)
{
    *s = (struct sample){0};
    if (!is_of_type(object, type, careful) || !READ(object + LENGTH, &s->length, careful))
        return false;
    if (s->length < sizeof s->first)
        return get(object + data, &s->first, s->length, careful);
    return READ(object + data, &s->first, careful) &&
           READ(object + data + s->length - sizeof s->last, &s->last, careful);
}

static bool is_importer(const struct sample *file)
{
    return file->length > 8 && !memcmp(&file->first, "<frozen ", 8);
}

/* Result of reading a frame. LEFT_OUT: the frame is of the interpreter or its import system. */
enum reading { UNREADABLE, LEFT_OUT, GOOD };

static inline enum reading read_mark(bool careful, struct python_call *call)
{
    const struct layout *const l = python.layout;
    const char *const code = call->code, *file, *lines;
    uint32_t first_line = 0;
    struct sample name, table;
    if (!is_of_type(code, python.code_type, careful))
        return l->owner != NONE ? LEFT_OUT : UNREADABLE;
    if (!READ(code + l->file, &file, careful) || !READ(code + l->lines, &lines, careful) ||
        !READ(code + l->first_line, &first_line, careful) ||
        !take_sample(file, python.text_type, l->text, careful, &name) ||
        !take_sample(lines, python.bytes_type, BYTES, careful, &table))
        return UNREADABLE;
    call->mark = hash_mix(hash_mix((uintptr_t)code, (uint32_t)call->instruction), first_line);
    call->mark = hash_mix(hash_mix(hash_mix(call->mark, name.length), name.first), name.last);
    call->mark = hash_mix(hash_mix(hash_mix(call->mark, table.length), table.first), table.last);
    return is_importer(&name) ? LEFT_OUT : GOOD;
}

static inline enum reading read_code(const char *frame, bool careful, struct python_call *call)
{
    const char *instruction;
    if (!READ(frame + python.layout->code, &call->code, careful) ||
        !READ(frame + python.layout->at, &instruction, careful))
        return UNREADABLE;
    call->instruction = (int)(instruction - (call->code + python.layout->bytecode));
    return read_mark(careful, call);
}

static inline __attribute__((always_inline)) bool walk(struct python_call *call, unsigned most,
                                                       unsigned *n, bool careful)
{
    const struct layout *const l = python.layout;
    const char *frame, *state = python.state();
    *n = 0;
    if (!state)
        return true;
    if (!READ(state + l->top, &frame, careful))
        return false;
    if (l->in_top != NONE && frame && !READ(frame + l->in_top, &frame, careful))
        return false;
    for (unsigned i = 0; frame && *n < most && i < MOST_LOOKED_AT; i++) {
        uint8_t owner = 0;
        if (l->owner != NONE && !READ(frame + l->owner, &owner, careful))
            return false;
        enum reading r = owner == ON_C_STACK ? LEFT_OUT : read_code(frame, careful, &call[*n]);
        if (r == UNREADABLE || !READ(frame + l->previous, &frame, careful))
            return false;
        *n += r == GOOD;
    }
    return true;
}

unsigned python_stack_read(struct python_call *call, unsigned most)
{
    unsigned n = 0;
    const int fits = (int)__atomic_load_n(&python.layout_fits, __ATOMIC_RELAXED);
    if (fits == FITS)
        return walk(call, most, &n, false) ? n : 0;
    if (fits == FITS_NOT)
        return 0;
    const bool good = walk(call, most, &n, true);
    if (!good || n)
        __atomic_store_n(&python.layout_fits, good ? FITS : FITS_NOT, __ATOMIC_RELAXED);
    return good ? n : 0;
}

bool python_is_known(void)
{
    return python.layout;
}

unsigned python_stack_check(struct python_call *call, unsigned most)
{
    unsigned n = 0;
    return python.layout && walk(call, most, &n, true) ? n : 0;
}

bool python_call_is_valid(const struct python_call *call)
{
    struct python_call now = *call;
    return python.layout && read_mark(true, &now) == GOOD && now.mark == call->mark;
}

static size_t put_utf8(char *to, uint32_t c)
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

static bool copy_text(char *to, size_t room, const char *text)
{
    size_t at = 0;
    if (!is_of_type(text, python.text_type, false))
        return false;
    for (ptrdiff_t i = 0, n = python.length(text); i < n && at + 4 < room; i++)
        at += put_utf8(to + at, python.character(text, i));
    to[at] = '\0';
    return at > 0;
}

bool python_locate(const struct python_call *call, struct python_place *place)
{
    const char *file, *function;
    int line = python.line(call->code, call->instruction);
    memcpy(&file, call->code + python.layout->file, sizeof file);
    memcpy(&function, call->code + python.layout->function, sizeof function);
    place->line = line > 0 ? (uint32_t)line : 0;
    return copy_text(place->file, sizeof place->file, file) &&
           copy_text(place->function, sizeof place->function, function);
}
