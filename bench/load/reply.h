/* Reads HTTP/1.1 replies incrementally: status, and the length of the body by Content-Length or by chunks. A reply
   without either (until close) is refused: it would end the connection under test. */
#ifndef NEEDLETAIL_BENCH_REPLY_H
#define NEEDLETAIL_BENCH_REPLY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REPLY_HEAD_LIMIT 4096

enum reply_state { REPLY_HEAD, REPLY_FIXED, REPLY_CHUNK_SIZE, REPLY_CHUNK_DATA, REPLY_CHUNK_END, REPLY_TRAILER, REPLY_BROKEN };

typedef struct {
  enum reply_state state;
  int status;
  int differs;        /* the body is not the one expected */
  uint64_t left;      /* bytes left of the body, or of the chunk */
  uint64_t body;      /* bytes of body so far */
  uint64_t wire;      /* bytes of the whole reply so far, head and framing included */
  uint32_t stashed;   /* bytes of a line or head that arrived in pieces */
  char stash[REPLY_HEAD_LIMIT];
} reply;

static void reply_begin(reply *r) {
  r->state = REPLY_HEAD;
  r->status = 0, r->differs = 0;
  r->left = r->body = r->wire = 0;
  r->stashed = 0;
}

static void reply_head(reply *r, const char *head, size_t length) {
  int framed = 0;
  if (length < 12 || memcmp(head, "HTTP/1.", 7) != 0) { r->state = REPLY_BROKEN; return; }
  r->status = atoi(head + 9);
  r->state = REPLY_FIXED, r->left = 0;
  for (const char *line = head, *end = head + length; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) break;
    if ((line[0] | 0x20) == 'c' && strncasecmp(line, "content-length:", 15) == 0)
      r->left = strtoull(line + 15, NULL, 10), framed = 1;
    else if ((line[0] | 0x20) == 't' && strncasecmp(line, "transfer-encoding:", 18) == 0)
      r->state = REPLY_CHUNK_SIZE, framed = 1;
    line = stop + 1;
  }
  if (!framed && r->status != 204 && r->status != 304) r->state = REPLY_BROKEN;
}

/* Takes bytes of one line (up to LF) or of the head (up to an empty line); returns how many it took, and sets *whole to
   the line or head once it is complete. */
static size_t reply_gather(reply *r, const char *p, size_t n, int head, const char **whole, size_t *length) {
  const char *end = NULL;
  *whole = NULL;
  if (r->stashed == 0) {
    const char *found = head ? memmem(p, n, "\r\n\r\n", 4) : memchr(p, '\n', n);
    if (found != NULL) {
      end = found + (head ? 4 : 1);
      *whole = p, *length = (size_t)(end - p);
      return *length;
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (r->stashed == REPLY_HEAD_LIMIT) { r->state = REPLY_BROKEN; return n; }
    r->stash[r->stashed++] = p[i];
    if (p[i] == '\n' && (!head || (r->stashed >= 4 && memcmp(r->stash + r->stashed - 4, "\r\n\r\n", 4) == 0))) {
      *whole = r->stash, *length = r->stashed;
      r->stashed = 0;
      return i + 1;
    }
  }
  return n;
}

static size_t reply_data(reply *r, const char *p, size_t n, const char *expected, uint64_t expected_length) {
  size_t take = n < r->left ? n : (size_t)r->left;
  if (expected != NULL && (r->body + take > expected_length || memcmp(expected + r->body, p, take) != 0)) r->differs = 1;
  r->body += take, r->left -= take;
  return take;
}

/* Consumes bytes up to the end of one reply, sets *done when it has been reached, and returns how many it consumed.
   `expected`: the body to compare with, or NULL. */
static size_t reply_feed(reply *r, const char *p, size_t n, const char *expected, uint64_t expected_length, int *done) {
  size_t at = 0, length = 0;
  const char *whole;
  *done = 0;
  while (!*done && at < n && r->state != REPLY_BROKEN) {
    size_t before = at;
    switch (r->state) {
      case REPLY_HEAD:
        at += reply_gather(r, p + at, n - at, 1, &whole, &length);
        if (whole != NULL) {
          reply_head(r, whole, length);
          if (r->state == REPLY_FIXED && r->left == 0) *done = 1;
        }
        break;
      case REPLY_FIXED:
        at += reply_data(r, p + at, n - at, expected, expected_length);
        if (r->left == 0) *done = 1;
        break;
      case REPLY_CHUNK_SIZE:
        at += reply_gather(r, p + at, n - at, 0, &whole, &length);
        if (whole != NULL) {
          r->left = strtoull(whole, NULL, 16);
          r->state = r->left > 0 ? REPLY_CHUNK_DATA : REPLY_TRAILER;
        }
        break;
      case REPLY_CHUNK_DATA:
        at += reply_data(r, p + at, n - at, expected, expected_length);
        if (r->left == 0) r->state = REPLY_CHUNK_END;
        break;
      case REPLY_CHUNK_END:
        at += reply_gather(r, p + at, n - at, 0, &whole, &length);
        if (whole != NULL) r->state = REPLY_CHUNK_SIZE;
        break;
      case REPLY_TRAILER:
        at += reply_gather(r, p + at, n - at, 0, &whole, &length);
        if (whole != NULL && length <= 2) *done = 1;
        break;
      case REPLY_BROKEN: break;
    }
    r->wire += at - before;
  }
  return at;
}

#endif
