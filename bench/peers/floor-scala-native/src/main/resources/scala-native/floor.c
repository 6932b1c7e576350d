/* What a header says and Scala cannot see: the values of constants, and one structure's layout. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

int floor_listen(int port) {
  int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 4096) != 0) return -1;
  return fd;
}

int floor_accept(int listener) {
  int one = 1, fd = accept4(listener, 0, 0, SOCK_NONBLOCK);
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

int floor_interest(int epoll, int fd, int add, int writing) {
  struct epoll_event event = {.events = writing ? EPOLLOUT : EPOLLIN, .data.fd = fd};
  return epoll_ctl(epoll, add ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

int floor_event_size(void) { return (int)sizeof(struct epoll_event); }
int floor_no_signal(void) { return MSG_NOSIGNAL; }

const char *floor_date(void) {
  static char date[64];
  time_t now = time(0);
  strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime(&now));
  return date;
}
