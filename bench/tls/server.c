/* The floor of TLS: what OpenSSL and the kernel ask for each handshake and each request when the program does next to
   nothing. One epoll loop and SSL_read and SSL_write on the socket; one fixed answer for each end of a head, of 1 MiB if
   the head begins with GET /big. Not an HTTP server.

   server PORT CERTIFICATE KEY */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct { int fd, matched, is_big, writes; SSL *ssl; size_t owed, at; } connection;

static char input[64 * 1024], *answers[2];
static size_t lengths[2];

/* How many ends of heads there are; `matched` of CR LF CR LF came last. */
static size_t count_heads(connection *c, const char *p, size_t n) {
  static const char end[] = "\r\n\r\n";
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    c->matched = p[i] == end[c->matched] ? c->matched + 1 : p[i] == '\r';
    if (c->matched == 4) c->matched = 0, found++;
  }
  return found;
}

/* Returns what to wait for, or 0 at the end. OpenSSL's errors are a queue of the thread's: one of another connection would
   be taken for this one's. */
static uint32_t serve(connection *c) {
  for (;;) {
    int n;
    ERR_clear_error();
    if (c->owed > 0) {
      n = SSL_write(c->ssl, answers[c->is_big] + c->at, (int)(lengths[c->is_big] - c->at));
      if (n > 0 && (c->at += (size_t)n) == lengths[c->is_big]) c->at = 0, c->owed--;
    } else {
      n = SSL_read(c->ssl, input, sizeof input);
      if (n > 8) c->is_big = memcmp(input, "GET /big", 8) == 0;
      if (n > 0) c->owed += count_heads(c, input, (size_t)n);
    }
    if (n <= 0) switch (SSL_get_error(c->ssl, n)) {
      case SSL_ERROR_WANT_READ: return EPOLLIN;
      case SSL_ERROR_WANT_WRITE: return EPOLLOUT;
      default: return 0;
    }
  }
}

int main(int count, char **values) {
  if (count < 4) {
    fprintf(stderr, "server PORT CERTIFICATE KEY\n");
    return 2;
  }
  int one = 1;
  signal(SIGPIPE, SIG_IGN);
  for (int big = 0; big < 2; big++) {
    size_t body = big ? 1 << 20 : 13;
    answers[big] = malloc(body + 256);
    int head = sprintf(answers[big], "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", body);
    memset(answers[big] + head, 'x', body);
    lengths[big] = (size_t)head + body;
  }
  SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(ctx, 1);
  if (SSL_CTX_use_certificate_chain_file(ctx, values[2]) != 1 ||
      SSL_CTX_use_PrivateKey_file(ctx, values[3], SSL_FILETYPE_PEM) != 1) {
    fprintf(stderr, "the certificate or its key cannot be used\n");
    return 1;
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(values[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), epoll = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
    perror("bind");
    return 1;
  }
  struct epoll_event event = {.events = EPOLLIN}, events[512];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int n = epoll_wait(epoll, events, 512, -1);
    for (int i = 0; i < n; i++) {
      connection *c = events[i].data.ptr;
      if (c == NULL) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (fd < 0) continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        c = calloc(1, sizeof *c);
        c->fd = fd;
        c->ssl = SSL_new(ctx);
        SSL_set_fd(c->ssl, fd);
        SSL_set_accept_state(c->ssl);
        event = (struct epoll_event){.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        continue;
      }
      uint32_t wanted = serve(c);
      if (wanted == 0) {
        SSL_shutdown(c->ssl);
        SSL_free(c->ssl);
        close(c->fd);
        free(c);
      } else if ((wanted == EPOLLOUT) != c->writes) {
        c->writes = wanted == EPOLLOUT;
        event = (struct epoll_event){.events = wanted, .data.ptr = c};
        epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
      }
    }
  }
}
