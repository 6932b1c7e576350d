/* The floor: what the kernel asks for each request when the program does next to nothing. Finds the ends of the heads,
   writes one fixed answer for each, all the answers to one read at once. Not an HTTP server.

   server PORT [LOOPS]: the first loop accepts and hands connections to all in turn; they share nothing else. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define COPIES 256 /* answers that one write can carry */

#define MOST_LOOPS 16

static _Thread_local char input[64 * 1024];
static char *answers;
static size_t length; /* of one answer */
static int epolls[MOST_LOOPS], loops = 1;

/* matched: how much of CR LF CR LF the last bytes were; owed: bytes of responses still to be written. */
typedef struct { int fd, matched; size_t owed; } connection;

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

static int flush(connection *c) {
  while (c->owed > 0) {
    size_t from = (length - c->owed % length) % length; /* a short write may have ended inside an answer */
    size_t most = length * COPIES - from;
    ssize_t n = send(c->fd, answers + from, c->owed < most ? c->owed : most, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN;
    c->owed -= (size_t)n;
  }
  return 1;
}

static connection listener;

static void take(void) {
  static int next = 0;
  int one = 1, fd = accept4(listener.fd, NULL, NULL, SOCK_NONBLOCK);
  if (fd < 0) return;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connection *fresh = calloc(1, sizeof *fresh);
  fresh->fd = fd;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = fresh};
  epoll_ctl(epolls[next++ % loops], EPOLL_CTL_ADD, fd, &event);
}

static void *run(void *number) {
  int epoll = epolls[(size_t)number];
  struct epoll_event event, events[512];
  for (;;) {
    int n = epoll_wait(epoll, events, 512, -1);
    for (int i = 0; i < n; i++) {
      connection *c = events[i].data.ptr;
      if (c == &listener) {
        take();
        continue;
      }
      size_t owed_before = c->owed;
      int alive = 1;
      if (events[i].events & EPOLLOUT) alive = flush(c);
      else {
        ssize_t got = recv(c->fd, input, sizeof input, 0);
        if (got > 0) c->owed += count_heads(c, input, (size_t)got) * length, alive = flush(c);
        else alive = got < 0 && errno == EAGAIN;
      }
      if (!alive) { close(c->fd); free(c); continue; }
      if ((c->owed > 0) != (owed_before > 0)) {
        event = (struct epoll_event){.events = c->owed > 0 ? EPOLLOUT : EPOLLIN, .data.ptr = c};
        epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
      }
    }
  }
  return NULL;
}

int main(int count, char **values) {
  int one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(count > 1 ? values[1] : "8080")),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (count > 2) loops = atoi(values[2]);
  if (loops < 1 || loops > MOST_LOOPS) {
    fprintf(stderr, "1 to %d loops\n", MOST_LOOPS);
    return 2;
  }
  listener.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener.fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener.fd, 4096) != 0) {
    perror("bind");
    return 1;
  }
  prepare();
  for (int i = 0; i < loops; i++) epolls[i] = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = &listener};
  epoll_ctl(epolls[0], EPOLL_CTL_ADD, listener.fd, &event);
  for (size_t i = 1; i < (size_t)loops; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void *)i) != 0) return 1;
  }
  run((void *)0);
}
