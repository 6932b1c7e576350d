// The least that an echo can cost: epoll, one read, unmasking in place, one write. It checks nothing. Its argument is the port.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FD = 70000, MAX_EVENTS = 512, SIZE = 65536 };
static char is_open[MAX_FD];
static char *rest[MAX_FD];
static size_t kept[MAX_FD];

int main(int argc, char **argv) {
  static char in[2 * SIZE], out[2 * SIZE];
  // to the key that load.c sends
  const char *answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[MAX_EVENTS];
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (argc != 2 || bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 4096)) return 1;
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
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
        is_open[peer] = 0;
        kept[peer] = 0;
        continue;
      }
      if (kept[fd] > 0) memcpy(in, rest[fd], kept[fd]);
      ssize_t n = read(fd, in + kept[fd], SIZE);
      if (n <= 0) {
        close(fd);
        continue;
      }
      size_t have = kept[fd] + (size_t)n, used = 0, length = 0;
      kept[fd] = 0;
      if (!is_open[fd]) {
        is_open[fd] = 1;
        if (send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0) return 1;
        continue;
      }
      while (have - used >= 8) {
        unsigned char *f = (unsigned char *)in + used;
        size_t size = f[1] & 0x7f, at_key = size == 126 ? 4 : 2;
        if (size == 126) size = (size_t)f[2] << 8 | f[3];
        if (have - used < at_key + 4 + size) break;
        memcpy(out + length, f, at_key);
        out[length + 1] &= 0x7f;
        length += at_key;
        uint32_t key;
        memcpy(&key, f + at_key, 4);
        uint64_t wide = (uint64_t)key << 32 | key;
        size_t k = 0;
        for (; k + 8 <= size; k += 8) {
          uint64_t word;
          memcpy(&word, f + at_key + 4 + k, 8);
          word ^= wide;
          memcpy(out + length + k, &word, 8);
        }
        for (; k < size; k++) out[length + k] = (char)(f[at_key + 4 + k] ^ f[at_key + k % 4]);
        length += size;
        used += at_key + 4 + size;
      }
      if (used < have) {
        if (!rest[fd]) rest[fd] = malloc(SIZE);
        kept[fd] = have - used;
        memcpy(rest[fd], in + used, kept[fd]);
      }
      if (length > 0 && send(fd, out, length, MSG_NOSIGNAL) < 0) close(fd);
    }
  }
}
