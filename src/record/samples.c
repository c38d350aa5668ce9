#define UNW_LOCAL_ONLY
#include "record/samples.h"

#include "base/hash.h"
#include "record/python.h"
#include "record/sites.h"

#include <errno.h>
#include <libunwind.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* STACK_BYTES: copied from the top of the stack in each sample. RING_BYTES: of a thread's ring
 * buffer, for 9 s of CPU time between two MPI calls. THREADS: at most so many are sampled. */
enum { STACK_BYTES = 1024, RING_BYTES = 1 << 20, LEAST_RING_BYTES = 1 << 17, THREADS = 64 };

#if defined(__x86_64__) && !defined(COLLPROF_SIMULATED)
enum { REGISTERS = 17, SP = 7, IP = 8 };
#define REGISTER_MASK 0xff01ffull /* ax, bx, cx, dx, si, di, bp, sp, ip; r8 to r15 */
static const int in_context[REGISTERS] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                          REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
                                          REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* A sample as the kernel writes it (PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER). */
struct shot {
    struct perf_event_header header;
    uint64_t abi, reg[REGISTERS];
    uint64_t size;
    char stack[STACK_BYTES];
    uint64_t valid; /* bytes of STACK that were readable */
};

/* A sample as the signal handler writes it. */
struct tick {
    struct shot shot;
    uint64_t n; /* number of timer periods that expired for this sample */
    uint32_t n_calls;
    struct python_call call[LEDGER_MAX_DEPTH];
};

struct sampler {
    struct perf_event_mmap_page *ring; /* ring buffer: a control page, then BYTES of samples */
    size_t bytes;
    struct ledger_sample now, before; /* interval between MPI calls: present, previous */
    bool was_full;                    /* the ring buffer was full when interval BEFORE ended */
    bool ticks;                       /* a timer's signal handler fills RING, not the kernel */
    timer_t timer;
    const char *low, *high; /* limits of the thread's stack */
    volatile uint64_t lost; /* timer periods whose sample found RING full */
    struct tick last;       /* the sample that the signal handler assembles */
};

/* Shared by all threads, under LOCK. COPY: a copied stack, followed by zeros up to COPY_BYTES, so
 * that unwinding a damaged frame reads zeros instead of other memory. TICK: the timers' signal. */
enum { PAGE = 4096, COPY_BYTES = 1 << 24 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *copy;
static uint32_t threads;
static int tick;

/* Copies the sampled stack to COPY, and changes all words that point into the stack to point into
 * the copy, so that unwinding does not read the stack, which has changed since. */
static void move_stack(struct shot *s)
{
    const uint64_t from = s->reg[SP], shift = (uint64_t)(uintptr_t)copy - from;
    memset(copy, 0, STACK_BYTES);
    memcpy(copy, s->stack, s->valid);
    for (uint64_t *word = (uint64_t *)copy; (char *)word < copy + STACK_BYTES; word++)
        if (*word - from < COPY_BYTES)
            *word += shift;
    for (int i = 0; i < REGISTERS; i++)
        if (i != IP && s->reg[i] - from < COPY_BYTES)
            s->reg[i] += shift;
}

/* Stores at most LEDGER_MAX_DEPTH return addresses, innermost first. Returns their number. */
static unsigned unwind(struct shot *s, void **frame)
{
    ucontext_t context = {0};
    unw_cursor_t cursor;
    unw_word_t ip, sp = 0;
    unsigned n = 0;
    move_stack(s);
    for (int i = 0; i < REGISTERS; i++)
        context.uc_mcontext.gregs[in_context[i]] = (greg_t)s->reg[i];
    frame[n++] = (void *)(uintptr_t)(s->reg[IP] + 1); /* as if behind a call */
    if (unw_init_local2(&cursor, (unw_context_t *)&context, UNW_INIT_SIGNAL_FRAME))
        return n;
    while (n < LEDGER_MAX_DEPTH && unw_step(&cursor) > 0) {
        unw_get_reg(&cursor, UNW_REG_IP, &ip);
        unw_get_reg(&cursor, UNW_REG_SP, &sp);
        if (sp - (uint64_t)(uintptr_t)copy > s->valid)
            break;
        frame[n++] = (void *)(uintptr_t)ip;
    }
    return n;
}

/* The address of the first instruction of the function that contains ADDRESS, or ADDRESS if that is
 * unknown. Both are 1 too large, since return addresses are behind the call instruction. */
static void *function_of(void *address)
{
    unw_proc_info_t info;
    const unw_word_t at = (unw_word_t)(uintptr_t)address - 1;
    bool known = !unw_get_proc_info_by_ip(unw_local_addr_space, at, &info, NULL);
    return known ? (void *)(uintptr_t)(info.start_ip + 1) : address;
}

/* The call site of a sample's stack. Once the table of sites is half full, only the innermost
 * function without line and callers is stored, so that MPI calls have the other half. */
static uint32_t site_of(struct tick *t)
{
    void *frame[LEDGER_MAX_DEPTH];
    if (t->shot.header.size < sizeof t->shot || t->shot.valid > STACK_BYTES)
        return LEDGER_NO_SITE;
    const struct ledger_table *sites = &layer.ledger.header->section[LEDGER_SITES];
    unsigned n = unwind(&t->shot, frame);
    if (sites->count >= sites->limit / 2) {
        *frame = function_of(*frame);
        n = 1;
    }
    return site_of_stack(frame, n, t->call, t->n_calls);
}

static uint64_t key_of(const struct ledger_sample *row)
{
    uint64_t key = hash_mix(HASH_START, (uint64_t)row->from_site << 32 | row->from_operation);
    key = hash_mix(key, (uint64_t)row->site << 32 | row->operation);
    return hash_mix(key, row->stack) | INDEX_LEAST_KEY;
}

/* Adds N samples with STACK between the calls in ROW. Once the table is half full, a new element
 * counts all stacks between its calls. */
static void count(struct ledger_sample row, uint32_t stack, uint64_t n)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_SAMPLES];
    row.stack = stack;
    if (t->count >= t->limit / 2 && !index_find(&layer.samples, key_of(&row)))
        row.stack = LEDGER_NO_SITE;
    struct ledger_sample *at = layer_row(&layer.samples, key_of(&row), LEDGER_SAMPLES, &row);
    if (at)
        at->n += n;
}

static char *record_at(const struct sampler *s, uint64_t at)
{
    return (char *)s->ring + PAGE + (at & (s->bytes - 1));
}

static void copy_record(const struct sampler *s, uint64_t at, void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = *record_at(s, at + i);
}

/* Takes all samples out of the ring buffer; IN_MPI: drops them. The kernel reports how many samples
 * were lost with the next sample. They are counted in the interval before the last MPI call if the
 * buffer was full at the interval's end; otherwise they were lost in that call. */
static void read_ring(struct sampler *s, bool in_mpi)
{
    const uint64_t head = __atomic_load_n(&s->ring->data_head, __ATOMIC_ACQUIRE);
    union {
        struct perf_event_header header;
        struct tick tick;
        uint64_t lost[3]; /* of PERF_RECORD_LOST: header, id of the event, number of lost samples */
    } r;
    pthread_mutex_lock(&lock);
    uint64_t at = s->ring->data_tail;
    const bool full = head - at + sizeof r > s->bytes;
    for (; at < head; at += r.header.size) {
        r.tick.n = 1;
        r.tick.n_calls = 0;
        copy_record(s, at, &r, sizeof r.header);
        copy_record(s, at, &r, r.header.size < sizeof r ? r.header.size : sizeof r);
        if (r.header.type == PERF_RECORD_LOST && s->was_full)
            count(s->before, LEDGER_NO_SITE, r.lost[2]);
        else if (r.header.type == PERF_RECORD_SAMPLE && !in_mpi)
            count(s->now, site_of(&r.tick), r.tick.n);
        s->was_full = false;
    }
    if (s->lost && !in_mpi)
        count(s->now, LEDGER_NO_SITE, s->lost);
    s->lost = 0;
    s->was_full = s->was_full || (full && !in_mpi);
    __atomic_store_n(&s->ring->data_tail, at, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

/* Lets the kernel sample this thread; if users may not sample kernel code, only in user mode. The
 * mapping keeps the event alive, so that the descriptor can be closed. */
static int open_event(struct sampler *s)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = LEDGER_SAMPLE_NS,
                                   .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                   .sample_regs_user = REGISTER_MASK,
                                   .sample_stack_user = STACK_BYTES};
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        attr.exclude_kernel = 1;
        fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (fd < 0)
        return errno;
    void *ring = mmap(NULL, PAGE + s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    const int error = ring == MAP_FAILED ? errno : 0;
    s->ring = error ? NULL : ring;
    close((int)fd);
    return error;
}

/* The signal handler of a thread's timer: copies the registers and the top of the stack into the
 * ring buffer, in the format of the kernel. */
__attribute__((no_sanitize("address", "thread"))) static void on_tick(int number, siginfo_t *info,
                                                                      void *context)
{
    struct sampler *s = thread.sampler;
    const greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    const int before = errno;
    (void)number;
    if (!s || !s->ticks || thread.inside)
        return;
    struct tick *t = &s->last;
    t->shot.header = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = sizeof *t};
    for (int i = 0; i < REGISTERS; i++)
        t->shot.reg[i] = (uint64_t)reg[in_context[i]];
    const char *sp = (const char *)(uintptr_t)t->shot.reg[SP];
    const bool own = sp >= s->low && sp < s->high;
    t->shot.valid = !own ? 0 : s->high - sp < STACK_BYTES ? (uint64_t)(s->high - sp) : STACK_BYTES;
    for (uint64_t i = 0; i < t->shot.valid; i++)
        t->shot.stack[i] = ((const volatile char *)sp)[i];
    t->n = 1 + (uint64_t)info->si_overrun;
    t->n_calls = python_stack_check(t->call, LEDGER_MAX_DEPTH);
    const uint64_t head = s->ring->data_head;
    if (head - s->ring->data_tail + sizeof *t > s->bytes) {
        s->lost += t->n;
    } else {
        for (size_t i = 0; i < sizeof *t; i++)
            *record_at(s, head + i) = ((const char *)t)[i];
        __atomic_store_n(&s->ring->data_head, head + sizeof *t, __ATOMIC_RELEASE);
    }
    errno = before;
}

/* Since Linux 5.9 the signal of a CPU-time timer does not interrupt a blocking system call. */
static bool kernel_is_safe(void)
{
    struct utsname u;
    int major = 0, minor = 0;
    return !uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 9));
}

static bool handles(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction now;
    return !sigaction(number, NULL, &now) && now.sa_sigaction == handler;
}

/* Installs the handler for a real-time signal that the application does not handle. Returns the
 * signal; 0 if there is none. */
static int take_signal(void)
{
    struct sigaction act = {.sa_sigaction = on_tick,
                            .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--)
        if (handles(number, NULL) && !sigaction(number, &act, NULL))
            return number;
    return 0;
}

static int start_timer(struct sampler *s)
{
    const struct itimerspec each = {{0, LEDGER_SAMPLE_NS}, {0, LEDGER_SAMPLE_NS}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = tick};
    pthread_attr_t attr;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr))
        return EAGAIN;
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    s->low = low;
    s->high = s->low + size;
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &s->timer))
        return errno;
    s->ticks = true;
    timer_settime(s->timer, 0, &each, NULL);
    return 0;
}

static int open_timer(struct sampler *s)
{
    sigset_t blocked;
    pthread_mutex_lock(&lock);
    if (!tick && kernel_is_safe())
        tick = take_signal();
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!tick || !handles(tick, on_tick) || sigismember(&blocked, tick))
        return EBUSY;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *ring = mmap(NULL, PAGE + s->bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (ring == MAP_FAILED)
        return errno;
    s->ring = ring;
    return start_timer(s);
}

/* With Python it uses a timer, since only a signal handler can read Python's frames. */
static int open_sampler(struct sampler *s)
{
    int error = ENOTSUP;
    s->bytes = RING_BYTES;
    if (!python_is_known())
        for (error = EPERM; error && s->bytes >= LEAST_RING_BYTES; s->bytes /= error ? 2 : 1)
            error = open_event(s);
    if (error) {
        s->bytes = RING_BYTES;
        error = open_timer(s);
    }
    return error;
}

static void close_sampler(struct sampler *s)
{
    if (s->ticks)
        timer_delete(s->timer);
    if (s->ring)
        munmap(s->ring, PAGE + s->bytes);
    free(s);
}

static int begin(void)
{
    struct sampler *s = calloc(1, sizeof *s);
    const int error = s ? open_sampler(s) : ENOMEM;
    if (!error)
        thread.sampler = s;
    else if (s)
        close_sampler(s);
    return error;
}

void samples_start(bool wanted)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (!wanted)
        return;
    void *at = mmap(NULL, COPY_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    int error = at == MAP_FAILED ? errno : layer.stack_depth ? 0 : ENODATA;
    copy = at;
    error = error ?: begin();
    layer.ledger.header->sample_error = (uint32_t)error;
    layer.sample = !error;
    layer_thread_ends = samples_end;
    if (!error)
        samples_leave(LEDGER_NO_SITE, LEDGER_NO_OPERATION);
}

/* Clears thread.sampler first, since the signal handler may run while the sampler is freed. */
void samples_end(void)
{
    struct sampler *s = thread.sampler;
    __atomic_store_n(&thread.sampler, NULL, __ATOMIC_SEQ_CST);
    thread.unsampled = true;
    if (s)
        close_sampler(s);
}

void samples_enter(uint32_t site, uint32_t operation)
{
    struct sampler *s = thread.sampler;
    if (!s)
        return;
    s->now.site = site;
    s->now.operation = operation;
    const bool had = s->ring->data_head != s->ring->data_tail;
    if (had)
        read_ring(s, false);
    s->before = s->now;
    if (s->ticks && had && !handles(tick, on_tick)) /* the application has replaced the handler */
        samples_end();
}

void samples_leave(uint32_t site, uint32_t operation)
{
    if (layer.sample && !thread.sampler && !thread.unsampled)
        thread.unsampled = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) >= THREADS || begin();
    struct sampler *s = thread.sampler;
    if (!s)
        return;
    if (s->ring->data_head != s->ring->data_tail)
        read_ring(s, true);
    s->now.from_site = site;
    s->now.from_operation = operation;
}
#else
void samples_start(bool wanted)
{
    layer.ledger.header->sample_error = wanted ? ENOSYS : 0;
}
#endif
