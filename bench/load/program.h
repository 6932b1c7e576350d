/* What both load generators have in common: their clock, and how they end with an error. */
#ifndef NEEDLETAIL_BENCH_PROGRAM_H
#define NEEDLETAIL_BENCH_PROGRAM_H

#include <errno.h> /* program_invocation_short_name, with _GNU_SOURCE */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000ull

/* In nanoseconds. */
static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", program_invocation_short_name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(2);
}

#endif
