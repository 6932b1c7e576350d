/* CPU time and memory of the measured processes and of this one, from the operating system. */
#ifndef NEEDLETAIL_BENCH_WATCH_H
#define NEEDLETAIL_BENCH_WATCH_H

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define WATCH_LIMIT 64

typedef struct { double user, system; } cpu_seconds;

/* CPU time of all threads of the processes, including those that have ended. The sum of both is exact to a clock tick
   (10 ms); how it splits into user and system is sampled by the kernel. */
static cpu_seconds watch_cpu(const int *pids, int count) {
  cpu_seconds sum = {0, 0};
  double tick = (double)sysconf(_SC_CLK_TCK);
  for (int i = 0; i < count; i++) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pids[i]);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    /* The name in brackets may contain spaces; the fields are counted from its end: state is the 3rd, utime the 14th. */
    char *at = strrchr(text, ')');
    unsigned long user, system;
    if (at != NULL && sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) == 2)
      sum.user += (double)user / tick, sum.system += (double)system / tick;
  }
  return sum;
}

/* Resident memory in KiB. */
static long watch_rss(const int *pids, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    char path[64], line[256];
    long kib;
    snprintf(path, sizeof path, "/proc/%d/status", pids[i]);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    while (fgets(line, sizeof line, file) != NULL)
      if (sscanf(line, "VmRSS: %ld", &kib) == 1) sum += kib;
    fclose(file);
  }
  return sum;
}

static double watch_own_cpu(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

#endif
