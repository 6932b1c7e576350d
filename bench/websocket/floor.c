// The least that a broadcast costs: epoll, and one send of the same bytes to each member. It checks nothing.
//   cc -O2 -o floor floor.c && ./floor
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FD = 70000, MAX_EVENTS = 512 };
static char is_member[MAX_FD];
static int members[MAX_FD], count;

int main(void) {
  static char in[65536], frame[65536 + 4];
  const char *answer = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[MAX_EVENTS];
  if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 4096)) return 1;
  getsockname(listener, (struct sockaddr *)&at, &length);
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  printf("listening on http://127.0.0.1:%d\n", ntohs(at.sin_port));
  fflush(stdout);
  for (;;) {
    int ready = epoll_wait(poll, events, MAX_EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (peer < 0 || peer >= MAX_FD) return 1;
        setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        event.data.fd = peer;
        epoll_ctl(poll, EPOLL_CTL_ADD, peer, &event);
        is_member[peer] = 0;
        continue;
      }
      ssize_t n = read(fd, in, sizeof in);
      if (n <= 0) {
        close(fd);
      } else if (!is_member[fd]) {
        is_member[fd] = 1;
        members[count++] = fd;
        if (send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0) return 1;
      } else { // a masked frame of 126 to 65535 bytes, in one piece
        size_t size = n - 8;
        frame[0] = in[0], frame[1] = 126, frame[2] = in[2], frame[3] = in[3];
        memcpy(frame + 4, in + 8, size);
        for (int m = 0; m < count; m++)
          if (send(members[m], frame, size + 4, MSG_NOSIGNAL) < 0) continue;
      }
    }
  }
}
