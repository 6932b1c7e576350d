// What zlib alone costs for a content: FILE LEVEL SECONDS. One stream, reset for each time, as gzip with its default memory.
//   cc -O2 -o zlib zlib.c -lz
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  static unsigned char in[1 << 20], out[1 << 20];
  FILE *file = fopen(argv[1], "rb");
  if (!file) return 1;
  size_t size = fread(in, 1, sizeof in, file), length = 0;
  z_stream z = {0};
  if (deflateInit2(&z, atoi(argv[2]), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 1;
  double begun = cpu(), until = begun + atof(argv[3]);
  long times = 0;
  while (cpu() < until)
    for (int i = 0; i < 100; i++, times++) {
      deflateReset(&z);
      z.next_in = in, z.avail_in = (uInt)size, z.next_out = out, z.avail_out = sizeof out;
      if (deflate(&z, Z_FINISH) != Z_STREAM_END) return 1;
      length = sizeof out - z.avail_out;
    }
  printf("%.3f %zu\n", (cpu() - begun) / times * 1e6, length);
  return 0;
}
