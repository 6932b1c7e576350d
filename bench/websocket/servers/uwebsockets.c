// An echo by uWebSockets, through the C interface of the library in the Python package socketify, which runs it on libuv.
// Its argument is the port.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*on_ping)(void *socket, const char *message, size_t length, void *data);
struct options {
  const char *files[6];
  int low_memory;
};
struct listening {
  int port;
  const char *host;
  int options;
};
struct behavior {
  int compression;
  unsigned int max_payload;
  unsigned short idle_timeout;
  unsigned int max_backpressure;
  bool close_on_backpressure, reset_idle_on_send, pings;
  unsigned short max_lifetime;
  void *upgrade;
  void (*open)(void *socket, void *data);
  void (*message)(void *socket, const char *message, size_t length, int opcode, void *data);
  void (*drain)(void *socket, void *data);
  on_ping ping, pong;
  void (*close)(void *socket, int code, const char *message, size_t length, void *data);
  void *subscription;
};
void *uws_create_app(int ssl, struct options options);
void uws_ws(int ssl, void *app, const char *pattern, struct behavior behavior, void *data);
void uws_app_listen(int ssl, void *app, int port, void (*listening)(void *, struct listening, void *), void *data);
void uws_app_run(int ssl, void *app);
int uws_ws_send(int ssl, void *socket, const char *message, size_t length, int opcode);

static void echo(void *socket, const char *message, size_t length, int opcode, void *data) {
  (void)data;
  uws_ws_send(0, socket, message, length, opcode);
}
static void ignore(void *socket, void *data) { (void)socket, (void)data; }
static void ignore_ping(void *socket, const char *message, size_t length, void *data) {
  (void)socket, (void)message, (void)length, (void)data;
}
static void ignore_end(void *socket, int code, const char *message, size_t length, void *data) {
  (void)socket, (void)code, (void)message, (void)length, (void)data;
}
static void listening(void *socket, struct listening at, void *data) {
  (void)at, (void)data;
  if (!socket) exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  void *app = uws_create_app(0, (struct options){0});
  struct behavior behavior = {.max_payload = 16 << 20, .idle_timeout = 120, .max_backpressure = 1 << 20, .pings = true,
                              .open = ignore, .message = echo, .drain = ignore, .ping = ignore_ping, .pong = ignore_ping,
                              .close = ignore_end};
  uws_ws(0, app, "/ws", behavior, NULL);
  uws_app_listen(0, app, atoi(argv[1]), listening, NULL);
  uws_app_run(0, app);
  return 0;
}
