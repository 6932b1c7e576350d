/* Latencies in nanoseconds, counted in buckets whose width is 1/64 of their value or less: the error of a percentile
   is under 1.6 %, and recording costs one increment. The maximum is kept exactly. */
#ifndef NEEDLETAIL_BENCH_HISTOGRAM_H
#define NEEDLETAIL_BENCH_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 6
#define HISTOGRAM_SUB (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_SIZE ((64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

typedef struct {
  uint64_t counts[HISTOGRAM_SIZE];
  uint64_t total, max;
} histogram;

static inline unsigned histogram_slot(uint64_t value) {
  if (value < HISTOGRAM_SUB) return (unsigned)value;
  unsigned shift = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
  return (shift + 1) * HISTOGRAM_SUB + (unsigned)((value >> shift) - HISTOGRAM_SUB);
}

static inline void histogram_record(histogram *h, uint64_t value) {
  h->counts[histogram_slot(value)]++;
  h->total++;
  if (value > h->max) h->max = value;
}

/* The upper end of the bucket that holds the given share (0 to 1) of all values. */
static uint64_t histogram_quantile(const histogram *h, double share) {
  if (h->total == 0) return 0;
  uint64_t rank = (uint64_t)(share * (double)h->total + 0.5), seen = 0;
  if (rank < 1) rank = 1;
  for (unsigned slot = 0; slot < HISTOGRAM_SIZE; slot++) {
    seen += h->counts[slot];
    if (seen >= rank) {
      if (slot < HISTOGRAM_SUB) return slot;
      unsigned shift = slot / HISTOGRAM_SUB - 1;
      uint64_t upper = (((uint64_t)(slot % HISTOGRAM_SUB) + HISTOGRAM_SUB + 1) << shift) - 1;
      return upper < h->max ? upper : h->max;
    }
  }
  return h->max;
}

#endif
