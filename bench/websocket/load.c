// Echo over many WebSockets, from one thread: PORT CONNECTIONS IN_FLIGHT BYTES SECONDS. Each connection has IN_FLIGHT binary
// messages under way; as many as have come back are sent in one write. Every frame that comes back is compared with what
// was sent. Prints the messages echoed and the seconds that took.
//   cc -O2 -o load load.c && ./load 8080 512 16 128 2
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PAYLOAD = 60000, MAX_EVENTS = 512 };

typedef struct {
  int fd;
  size_t have; // bytes of an incomplete frame in `in`
  char *in;
} peer;

static char request_frame[MAX_PAYLOAD + 8], *batch, expected[MAX_PAYLOAD + 4];
static size_t request_size, reply_size;

static void die(const char *what) {
  fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static size_t head(char *to, size_t payload, int masked) {
  to[0] = (char)0x82;
  if (payload < 126) {
    to[1] = (char)(payload | (masked ? 0x80 : 0));
    return 2;
  }
  to[1] = (char)(126 | (masked ? 0x80 : 0));
  to[2] = (char)(payload >> 8);
  to[3] = (char)payload;
  return 4;
}

static void frames(size_t payload) {
  const char key[4] = {0x37, (char)0xfa, 0x21, 0x3d};
  reply_size = head(expected, payload, 0);
  request_size = head(request_frame, payload, 1);
  memcpy(request_frame + request_size, key, 4);
  request_size += 4;
  for (size_t i = 0; i < payload; i++) {
    expected[reply_size + i] = (char)('a' + i % 26);
    request_frame[request_size + i] = expected[reply_size + i] ^ key[i % 4];
  }
  reply_size += payload;
  request_size += payload;
}

static void send_frames(int fd, size_t count) {
  size_t left = count * request_size;
  const char *from = batch;
  while (left > 0) {
    ssize_t n = send(fd, from, left, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) continue; // it is read soon
    if (n < 0) die("send");
    from += n;
    left -= (size_t)n;
  }
}

static int connected(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char text[512];
  int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) die("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  int n = snprintf(text, sizeof text,
                   "GET /ws HTTP/1.1\r\nHost: localhost:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", port);
  if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n) die("send");
  size_t have = 0;
  text[0] = 0;
  while (!strstr(text, "\r\n\r\n")) {
    ssize_t got = recv(fd, text + have, sizeof text - 1 - have, 0);
    if (got <= 0) die("handshake");
    have += (size_t)got;
    text[have] = 0;
  }
  if (strncmp(text, "HTTP/1.1 101", 12)) die("not accepted");
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  int port = atoi(argv[1]), connections = atoi(argv[2]), depth = atoi(argv[3]);
  size_t payload = (size_t)atoi(argv[4]);
  double seconds = atof(argv[5]);
  if (payload > MAX_PAYLOAD || connections < 1 || depth < 1) return 2;
  frames(payload);
  batch = malloc((size_t)depth * request_size);
  for (int i = 0; i < depth; i++) memcpy(batch + (size_t)i * request_size, request_frame, request_size);
  size_t room = (size_t)depth * reply_size;
  peer *peers = calloc((size_t)connections, sizeof *peers);
  int poll = epoll_create1(0);
  for (int i = 0; i < connections; i++) {
    peers[i] = (peer){.fd = connected(port), .in = malloc(room)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[i]};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, peers[i].fd, &event)) die("epoll_ctl");
  }
  for (int i = 0; i < connections; i++) send_frames(peers[i].fd, (size_t)depth);
  long echoed = 0;
  double begun = now(), time = begun;
  struct epoll_event events[MAX_EVENTS];
  while (time - begun < seconds) {
    int ready = epoll_wait(poll, events, MAX_EVENTS, 5000);
    if (ready <= 0) die("nothing came back");
    for (int i = 0; i < ready; i++) {
      peer *p = events[i].data.ptr;
      ssize_t n = recv(p->fd, p->in + p->have, room - p->have, MSG_DONTWAIT);
      if (n <= 0) die("recv");
      p->have += (size_t)n;
      size_t used = 0, count = 0;
      for (; p->have - used >= reply_size; used += reply_size, count++)
        if (memcmp(p->in + used, expected, reply_size)) die("another message came back");
      memmove(p->in, p->in + used, p->have - used);
      p->have -= used;
      echoed += (long)count;
      if (count > 0) send_frames(p->fd, count);
    }
    time = now();
  }
  printf("%ld %.6f\n", echoed, time - begun);
  return 0;
}
