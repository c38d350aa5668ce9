/* The functions of libcollprof.so. Their prototypes differ between MPI libraries, so each function
 * is only an indirect jump, which leaves arguments, stack and return address as the caller set
 * them. The first jump leads to first_call, which saves the arguments, calls stubs_choose_mpi(),
 * restores the arguments, and jumps to the function that was chosen. */
#include "wrappers/choose.h"

#if defined(__x86_64__)

#define JUMP(name)                                                                                 \
#name ":\n"                                                                                    \
          "jmp *to_" #name "(%rip)\n"                                                              \
          "first_" #name ":\n"                                                                     \
          "lea to_" #name "(%rip), %r11\n"                                                         \
          "jmp first_call\n"

/* first_call passes the return address as CALLER. It saves only integer registers, since MPI
 * functions have no floating-point arguments. The stack stays aligned to 16 bytes: 8 bytes of
 * return address, 8 of padding, and eight registers. */
__asm__(
    ".text\n"
    "first_call:\n"
    "mov (%rsp), %r10\n"
    "sub $8, %rsp\n"
    "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n push %r11\n"
    "mov %r10, %rdi\n mov %r11, %rsi\n"
    "call stubs_choose_mpi\n"
    "mov %rax, %r10\n"
    "pop %r11\n pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"
    "add $8, %rsp\n"
    "jmp *%r10\n");

#elif defined(__aarch64__)

#define JUMP(name)                                                                                 \
#name ":\n"                                                                                    \
          "adrp x16, to_" #name "\n"                                                               \
          "ldr x16, [x16, #:lo12:to_" #name "]\n"                                                  \
          "br x16\n"                                                                               \
          "first_" #name ":\n"                                                                     \
          "adrp x17, to_" #name "\n"                                                               \
          "add x17, x17, #:lo12:to_" #name "\n"                                                    \
          "b first_call\n"

__asm__(".text\n"
        "first_call:\n"
        "stp x29, x30, [sp, #-96]!\n"
        "mov x29, sp\n"
        "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n"
        "mov x0, x30\n mov x1, x17\n"
        "bl stubs_choose_mpi\n"
        "mov x16, x0\n"
        "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"
        "ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n"
        "ldp x29, x30, [sp], #96\n"
        "br x16\n");

#else
#error "there is no jump for this processor: expected x86-64 or aarch64"
#endif

#define STUB(name)                                                                                 \
    extern void *to_##name __attribute__((visibility("hidden")));                                  \
    __asm__(".data\n.balign 8\n"                                                                   \
            "to_" #name ":\n.quad first_" #name "\n"                                               \
            ".text\n.balign 16\n.globl " #name "\n.type " #name                                    \
            ", %function\n" JUMP(name) ".size " #name ", . - " #name "\n");
#include "wrappers/stubs.h"

#undef STUB
#define STUB(name) extern void address_of_##name(void) __asm__(#name);
#include "wrappers/stubs.h"

#undef STUB
#define STUB(name) {#name, address_of_##name, &to_##name},
const struct stub stubs[] = {
#include "wrappers/stubs.h"
};
const unsigned n_stubs = sizeof stubs / sizeof *stubs;
