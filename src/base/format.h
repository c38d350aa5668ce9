/* Formats numbers for people: three digits and a suitable unit. Each function writes to TEXT, which
 * has room for 32 characters, and returns it. */
#pragma once

#include <stdint.h>

char *format_time(char *text, double ns);                  /* "0", "850 ns", "12.3 us", "4.56 s" */
char *format_shift(char *text, double ns);                 /* "+12.3 us", "-850 ns", "unknown" */
char *format_bytes(char *text, double bytes);              /* "0 B", "64 KiB", "1.25 GiB" */
char *format_count(char *text, uint64_t n);                /* "12,345", "12.3 M" */
char *format_share(char *text, double part, double whole); /* "33.6 %", "-" */

/* The functions above with a TEXT that is valid up to the end of the enclosing block. */
#define AS_TIME(ns) format_time((char[32]){0}, ns)
#define AS_SHIFT(ns) format_shift((char[32]){0}, ns)
#define AS_BYTES(bytes) format_bytes((char[32]){0}, bytes)
#define AS_COUNT(n) format_count((char[32]){0}, n)
#define AS_SHARE(part, whole) format_share((char[32]){0}, part, whole)
