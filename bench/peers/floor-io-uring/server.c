/* The floor with io_uring: multishot accept and receive into a ring of provided buffers, one send for all the answers to
   what one receive brought. Finds the ends of the heads, writes one fixed answer for each. Not an HTTP server. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define COPIES 256         /* answers that one send can carry */
#define BUFFERS 2048       /* provided to the kernel; a power of two */
#define BUFFER_SIZE 4096
#define GROUP 1

enum { ACCEPT, RECEIVE, SEND };

/* matched: how much of CR LF CR LF the last bytes were; owed: bytes of responses not yet sent; sending: those in flight. */
typedef struct { int fd, matched, receiving, dead; size_t owed, sending; } connection;

static struct io_uring ring;
static struct io_uring_buf_ring *provided;
static char *pool, *answers;
static size_t length; /* of one answer */
static int listener;

static void prepare(void) {
  char date[64], answer[512];
  time_t t = time(NULL);
  strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime(&t));
  length = (size_t)snprintf(answer, sizeof answer,
    "HTTP/1.1 200 OK\r\nServer: floor\r\nDate: %s\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!", date);
  answers = malloc(length * COPIES);
  for (int i = 0; i < COPIES; i++) memcpy(answers + (size_t)i * length, answer, length);
}

static size_t count_heads(connection *c, const char *p, size_t n) {
  static const char end[] = "\r\n\r\n";
  size_t found = 0, at = 0;
  while (at < n) {
    if (c->matched == 0) {
      const char *hit = memmem(p + at, n - at, end, 4);
      if (hit == NULL) { /* the last three bytes may begin one */
        size_t from = n - at > 3 ? n - 3 : at;
        for (at = from; at < n; at++) c->matched = p[at] == end[c->matched] ? c->matched + 1 : p[at] == '\r';
        break;
      }
      at = (size_t)(hit - p) + 4, found++;
    } else {
      c->matched = p[at] == end[c->matched] ? c->matched + 1 : p[at] == '\r';
      at++;
      if (c->matched == 4) c->matched = 0, found++;
    }
  }
  return found;
}

static struct io_uring_sqe *entry(void) {
  struct io_uring_sqe *e = io_uring_get_sqe(&ring);
  if (e == NULL) {
    io_uring_submit(&ring);
    e = io_uring_get_sqe(&ring);
  }
  return e;
}

/* Connections are aligned to 16, so what a completion is for fits in the low bits. */
static void mark(struct io_uring_sqe *e, connection *c, unsigned long what) {
  io_uring_sqe_set_data64(e, (unsigned long long)(unsigned long)c | what);
}

static void begin_accept(void) {
  struct io_uring_sqe *e = entry();
  io_uring_prep_multishot_accept(e, listener, NULL, NULL, 0);
  mark(e, NULL, ACCEPT);
}

static void begin_receive(connection *c) {
  struct io_uring_sqe *e = entry();
  io_uring_prep_recv_multishot(e, c->fd, NULL, 0, 0);
  e->flags |= IOSQE_BUFFER_SELECT;
  e->buf_group = GROUP;
  mark(e, c, RECEIVE);
  c->receiving = 1;
}

static void begin_send(connection *c) {
  size_t from = (length - c->owed % length) % length; /* a short send may have ended inside an answer */
  size_t most = length * COPIES - from;
  c->sending = c->owed < most ? c->owed : most;
  struct io_uring_sqe *e = entry();
  io_uring_prep_send(e, c->fd, answers + from, c->sending, MSG_NOSIGNAL | MSG_WAITALL);
  mark(e, c, SEND);
}

static void retire(connection *c) {
  if (!c->dead) shutdown(c->fd, SHUT_RDWR); /* ends a receive that is still armed */
  c->dead = 1;
  if (!c->receiving && c->sending == 0) close(c->fd), free(c);
}

static void received(connection *c, struct io_uring_cqe *done) {
  if (!(done->flags & IORING_CQE_F_MORE)) c->receiving = 0;
  if (done->res > 0) {
    unsigned id = done->flags >> IORING_CQE_BUFFER_SHIFT;
    char *data = pool + (size_t)id * BUFFER_SIZE;
    c->owed += count_heads(c, data, (size_t)done->res) * length;
    io_uring_buf_ring_add(provided, data, BUFFER_SIZE, (unsigned short)id, io_uring_buf_ring_mask(BUFFERS), 0);
    io_uring_buf_ring_advance(provided, 1);
    if (c->dead) return retire(c);
    if (c->owed > 0 && c->sending == 0) begin_send(c);
    if (!c->receiving) begin_receive(c);
  } else if (done->res == -ENOBUFS && !c->dead) {
    begin_receive(c);
  } else {
    retire(c);
  }
}

static void sent(connection *c, struct io_uring_cqe *done) {
  c->sending = 0;
  if (done->res <= 0 || c->dead) return retire(c);
  c->owed -= (size_t)done->res;
  if (c->owed > 0) begin_send(c);
}

static void accepted(struct io_uring_cqe *done) {
  if (done->res >= 0) {
    int one = 1;
    setsockopt(done->res, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection *c = calloc(1, sizeof *c);
    c->fd = done->res;
    begin_receive(c);
  }
  if (!(done->flags & IORING_CQE_F_MORE)) begin_accept();
}

int main(int count, char **values) {
  int one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(count > 1 ? values[1] : "8080")),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
    perror("bind");
    return 1;
  }
  prepare();
  struct io_uring_params wanted = {.flags = IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN,
                                   .cq_entries = 16384};
  int failed = io_uring_queue_init_params(4096, &ring, &wanted);
  if (failed < 0) {
    fprintf(stderr, "io_uring: %s\n", strerror(-failed));
    return 1;
  }
  pool = malloc((size_t)BUFFERS * BUFFER_SIZE);
  if (posix_memalign((void **)&provided, 4096, BUFFERS * sizeof(struct io_uring_buf)) != 0) return 1;
  struct io_uring_buf_reg registration = {.ring_addr = (unsigned long)provided, .ring_entries = BUFFERS, .bgid = GROUP};
  if ((failed = io_uring_register_buf_ring(&ring, &registration, 0)) != 0) {
    fprintf(stderr, "buffer ring: %s\n", strerror(-failed));
    return 1;
  }
  io_uring_buf_ring_init(provided);
  for (int i = 0; i < BUFFERS; i++)
    io_uring_buf_ring_add(provided, pool + (size_t)i * BUFFER_SIZE, BUFFER_SIZE, (unsigned short)i, io_uring_buf_ring_mask(BUFFERS), i);
  io_uring_buf_ring_advance(provided, BUFFERS);
  begin_accept();
  for (;;) {
    struct io_uring_cqe *done;
    unsigned head, taken = 0;
    io_uring_submit_and_wait(&ring, 1);
    io_uring_for_each_cqe(&ring, head, done) {
      connection *c = (connection *)(unsigned long)(done->user_data & ~15ull);
      switch (done->user_data & 15) {
        case ACCEPT: accepted(done); break;
        case RECEIVE: received(c, done); break;
        default: sent(c, done);
      }
      taken++;
    }
    io_uring_cq_advance(&ring, taken);
  }
}
