/* A load generator for one HTTP/1.1 server on this machine: one thread, epoll, prebuilt requests.

     load closed --port P --path /plaintext --connections 75 --depth 16 --warmup 2 --seconds 5
     load closed --port P --path /echo --body 1024 --connections 64 --requests 100000
     load rate   --port P --path /plaintext --connections 64 --rate 20000 --warmup 2 --seconds 10
     load hold   --port P --path /plaintext --connections 10000 --seconds 1

   closed  each connection sends a batch of `depth` requests and, when all have been answered, the next.
   rate    requests are due at fixed times, distributed over the connections in turn; latency counts from when a request
           was due, even if its connection was still busy with an earlier one.
   hold    every connection makes one request, then stays open and idle.

   Every reply is checked: status 200, the length of the first reply's body (or --expect N), and for --body the bytes
   sent. With --cheap only one batch in 64 is checked; for the others the bytes are only counted (and dropped by the
   kernel), so that the server, not this program, is the limit; all replies must have the same length. --pid N (repeatable)
   reports CPU time and memory of the server over the counted time. The result is one line of JSON; the exit status is 3
   when a reply was wrong or missing. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "histogram.h"
#include "program.h"
#include "reply.h"
#include "watch.h"

#define PORTS_FROM_ONE 4096 /* connections */
#define HOLD_AT_ONCE 32     /* requests in flight while connections are opened */
#define CHECK_EVERY 64 /* with --cheap, one batch in this many is read and checked */

typedef struct {
  int fd;
  int writing;        /* waits for room to write */
  size_t sent;        /* bytes of the batch written so far */
  uint64_t unread;    /* with --cheap: bytes of this batch's replies still to come */
  uint64_t batches;
  uint64_t batches_before; /* of these, sent before the counted time */
  uint64_t scheduled; /* with rate: how many of this connection's requests were begun */
  uint64_t due;       /* with rate: when the request in flight was due; closed: when the batch was sent */
  uint32_t pending;   /* replies of this batch still to come */
  reply reply;
} connection;

static enum { CLOSED, RATE, HOLD } mode;
static const char *host = "127.0.0.1", *path = "/plaintext", *method;
static int port, connections = 64, depth = 1, cheap, pids[WATCH_LIMIT], pid_count;
static double warmup, seconds = 5, rate = 20000;
static uint64_t request_limit;   /* 0: no limit, until the time is over */
static int64_t expected = -1;    /* length of each body; -1: learn it from the first reply */
static size_t body_length;
static char *body, *batch;
static size_t batch_length;
static uint64_t reply_length;    /* on the wire; learnt from the first reply */

static connection *all;
static int epoll;
static histogram latencies, lateness;
static uint64_t replies, issued, wrong, closes, received, in_flight;
static int counting;
static char buffer[256 * 1024];

static void interest(connection *c, int operation, int writing) {
  struct epoll_event event = {.events = EPOLLIN | (writing ? EPOLLOUT : 0u), .data.ptr = c};
  if (epoll_ctl(epoll, operation, c->fd, &event) != 0) die("epoll_ctl: %s", strerror(errno));
  c->writing = writing;
}

static void open_connection(connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct linger abort_on_close = {1, 0}; /* no TIME_WAIT: the next run needs the ports */
  int one = 1;
  inet_pton(AF_INET, host, &address.sin_addr);
  if ((c->fd = socket(AF_INET, SOCK_STREAM, 0)) < 0) die("socket: %s", strerror(errno));
  setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &abort_on_close, sizeof abort_on_close);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connections > PORTS_FROM_ONE) { /* one source address does not have enough ports */
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)((c - all) / PORTS_FROM_ONE))};
    setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(c->fd, (struct sockaddr *)&from, sizeof from) != 0) die("bind: %s", strerror(errno));
  }
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect: %s", strerror(errno));
  c->sent = batch_length, c->pending = 0;
  reply_begin(&c->reply);
  interest(c, EPOLL_CTL_ADD, 0);
}

static void reopen(connection *c) {
  if (++closes > (uint64_t)connections + 1000) die("the server keeps closing connections");
  in_flight -= c->pending;
  close(c->fd);
  open_connection(c);
}

static int flush(connection *c) {
  while (c->sent < batch_length) {
    ssize_t n = send(c->fd, batch + c->sent, batch_length - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) c->sent += (size_t)n;
    else if (n < 0 && errno == EINTR) continue;
    else if (n < 0 && errno == EAGAIN) {
      if (!c->writing) interest(c, EPOLL_CTL_MOD, 1);
      return 1;
    } else return 0;
  }
  if (c->writing) interest(c, EPOLL_CTL_MOD, 0);
  return 1;
}

static void send_batch(connection *c, uint64_t due) {
  if (request_limit > 0 && issued >= request_limit) return;
  c->due = due, c->sent = 0, c->pending = (uint32_t)depth;
  c->unread = cheap && reply_length > 0 && c->batches % CHECK_EVERY != 0 ? reply_length * (uint64_t)depth : 0;
  c->batches++;
  issued += (uint64_t)depth, in_flight += (uint64_t)depth;
  if (!flush(c)) {
    reopen(c);
    send_batch(c, due);
  }
}

static void batch_done(connection *c);

static void replied(connection *c, uint32_t count) {
  c->pending -= count, in_flight -= count;
  if (counting) replies += count;
  if (c->pending > 0) return;
  if (counting) histogram_record(&latencies, now() - c->due);
  batch_done(c);
}

static void check(reply *r) {
  if (expected < 0) expected = (int64_t)r->body;
  if (reply_length == 0) reply_length = r->wire;
  if (r->status != 200 || (int64_t)r->body != expected || r->differs || (cheap && r->wire != reply_length)) {
    if (wrong++ < 3)
      fprintf(stderr, "load: wrong reply: status %d, body of %llu bytes (expected %lld)%s\n", r->status,
              (unsigned long long)r->body, (long long)expected, r->differs ? ", other content" : "");
  }
}

/* Reads available input. Level-triggered: a read that does not fill the buffer has taken everything. */
static void receive(connection *c) {
  for (;;) {
    int dropping = c->unread > 0;
    ssize_t n = recv(c->fd, buffer, sizeof buffer, MSG_DONTWAIT | (dropping ? MSG_TRUNC : 0));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      int had = c->pending > 0;
      uint64_t due = c->due;
      reopen(c);
      if (had) send_batch(c, due);
      return;
    }
    received += (uint64_t)n;
    if (dropping) {
      if ((uint64_t)n > c->unread) { wrong++; c->unread = (uint64_t)n; }
      c->unread -= (uint64_t)n;
      if (c->unread == 0) replied(c, c->pending);
    } else {
      for (size_t at = 0; at < (size_t)n;) {
        int done;
        if (c->pending == 0) die("an answer that nobody asked for");
        at += reply_feed(&c->reply, buffer + at, (size_t)n - at, body, body_length, &done);
        if (c->reply.state == REPLY_BROKEN) die("a reply that cannot be read");
        if (done) {
          check(&c->reply);
          reply_begin(&c->reply);
          replied(c, 1);
        }
      }
    }
    if ((size_t)n < sizeof buffer) return;
  }
}

/* rate: when the first request was due, and when the last may be sent. */
static uint64_t started, horizon = UINT64_MAX;

/* When this connection's next request is due. */
static uint64_t due_of(const connection *c) {
  uint64_t ordinal = c->scheduled * (uint64_t)connections + (uint64_t)(c - all);
  return started + (uint64_t)((double)ordinal * (double)SECOND / rate);
}

static void batch_done(connection *c) {
  if (mode == HOLD) return;
  if (mode == CLOSED) { send_batch(c, now()); return; }
  uint64_t next = due_of(c);
  if (next <= now() && next < horizon) c->scheduled++, send_batch(c, next);
}

static void wait_until(uint64_t moment) {
  struct epoll_event events[512];
  uint64_t t = now();
  uint64_t left = moment > t ? moment - t : 0;
  struct timespec timeout = {(time_t)(left / SECOND), (long)(left % SECOND)};
  int n = (int)syscall(SYS_epoll_pwait2, epoll, events, 512, &timeout, NULL, 0);
  if (n < 0 && errno != EINTR) die("epoll_pwait2: %s", strerror(errno));
  for (int i = 0; i < n; i++) {
    connection *c = events[i].data.ptr;
    if ((events[i].events & EPOLLOUT) && !flush(c)) { reopen(c); continue; }
    if (events[i].events & ~(uint32_t)EPOLLOUT) receive(c);
  }
}

/* Runs until the given time, sending requests that become due. */
static void run_until(uint64_t moment) {
  static uint64_t turn; /* rate: the connection whose request is due next if all have been answered in time */
  for (uint64_t t = now(); t < moment; t = now()) {
    uint64_t wake = moment;
    if (mode == RATE) {
      for (;; turn++) {
        uint64_t due = started + (uint64_t)((double)turn * (double)SECOND / rate);
        if (due >= horizon) break;
        if (due > t) { if (due < wake) wake = due; break; }
        connection *c = &all[turn % (uint64_t)connections];
        /* A busy connection sends it as soon as it is free, counted from when it was due. */
        if (c->pending == 0 && due_of(c) <= t) {
          uint64_t own = due_of(c);
          c->scheduled++;
          if (counting) histogram_record(&lateness, t - own);
          send_batch(c, own);
        }
      }
    }
    wait_until(wake);
    if (request_limit > 0 && issued >= request_limit && in_flight == 0) return;
  }
}

static void build_requests(void) {
  char head[2048];
  if (body_length > 0) {
    body = malloc(body_length);
    for (size_t i = 0; i < body_length; i++) body[i] = (char)('a' + (i * 7 + i / 251) % 26);
    expected = (int64_t)body_length;
  }
  if (method == NULL) method = body_length > 0 ? "POST" : "GET";
  int n = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: %s:%d\r\nAccept: text/plain,application/json;q=0.9,*/*;q=0.8\r\n",
                   method, path, host, port);
  if (body_length > 0)
    n += snprintf(head + n, sizeof head - (size_t)n, "Content-Type: application/octet-stream\r\nContent-Length: %zu\r\n", body_length);
  n += snprintf(head + n, sizeof head - (size_t)n, "\r\n");
  size_t one = (size_t)n + body_length;
  batch = malloc(one * (size_t)depth);
  for (int i = 0; i < depth; i++) {
    memcpy(batch + batch_length, head, (size_t)n);
    if (body_length > 0) memcpy(batch + batch_length + n, body, body_length);
    batch_length += one;
  }
}

static void options(int count, char **values) {
  static const struct option names[] = {
    {"host", 1, 0, 'h'}, {"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"connections", 1, 0, 'c'}, {"depth", 1, 0, 'd'},
    {"warmup", 1, 0, 'w'}, {"seconds", 1, 0, 's'}, {"requests", 1, 0, 'n'}, {"rate", 1, 0, 'r'}, {"body", 1, 0, 'b'},
    {"expect", 1, 0, 'e'}, {"method", 1, 0, 'm'}, {"pid", 1, 0, 'P'}, {"cheap", 0, 0, 'x'}, {0, 0, 0, 0}};
  if (count < 2) die("closed, rate or hold?");
  mode = strcmp(values[1], "rate") == 0 ? RATE : strcmp(values[1], "hold") == 0 ? HOLD : CLOSED;
  if (mode == CLOSED && strcmp(values[1], "closed") != 0) die("unknown mode %s", values[1]);
  optind = 2;
  for (int o; (o = getopt_long(count, values, "", names, NULL)) != -1;) switch (o) {
    case 'h': host = optarg; break;
    case 'p': port = atoi(optarg); break;
    case 'u': path = optarg; break;
    case 'c': connections = atoi(optarg); break;
    case 'd': depth = atoi(optarg); break;
    case 'w': warmup = atof(optarg); break;
    case 's': seconds = atof(optarg); break;
    case 'n': request_limit = strtoull(optarg, NULL, 10); break;
    case 'r': rate = atof(optarg); break;
    case 'b': body_length = strtoull(optarg, NULL, 10); break;
    case 'e': expected = atoll(optarg); break;
    case 'm': method = optarg; break;
    case 'P': if (pid_count < WATCH_LIMIT) pids[pid_count++] = atoi(optarg); break;
    case 'x': cheap = 1; break;
    default: exit(2);
  }
  if (port <= 0 || connections <= 0 || depth <= 0 || rate <= 0) die("--port, --connections, --depth and --rate must be positive");
  if (mode == RATE && depth != 1) die("rate sends one request at a time on each connection");
}

int main(int count, char **values) {
  options(count, values);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1); /* wake up when due, not up to 50 us later */
  build_requests();
  if ((epoll = epoll_create1(0)) < 0) die("epoll_create1: %s", strerror(errno));
  all = calloc((size_t)connections, sizeof *all);
  if (mode != HOLD) for (int i = 0; i < connections; i++) open_connection(&all[i]);

  counting = request_limit > 0;
  started = now();
  uint64_t begin = started;
  cpu_seconds cpu = watch_cpu(pids, pid_count);
  double own = watch_own_cpu();
  if (mode == CLOSED) for (int i = 0; i < connections; i++) send_batch(&all[i], now());
  if (mode == HOLD) {
    /* Some at a time: the server's backlog is not measured here. */
    uint64_t deadline = now() + 60 * SECOND;
    for (int i = 0; i < connections; i++) {
      open_connection(&all[i]);
      send_batch(&all[i], now());
      while (in_flight > (i + 1 < connections ? HOLD_AT_ONCE : 0) && now() < deadline) wait_until(now() + SECOND / 10);
      if (now() >= deadline) die("only %d connections were answered within a minute", i);
    }
  } else if (!counting) {
    run_until(started + (uint64_t)(warmup * (double)SECOND));
    counting = 1, received = 0;
    for (int i = 0; i < connections; i++) all[i].batches_before = all[i].batches;
    begin = now(), cpu = watch_cpu(pids, pid_count), own = watch_own_cpu();
  }
  run_until(now() + (uint64_t)(seconds * (double)SECOND));
  cpu_seconds cpu_after = watch_cpu(pids, pid_count);
  double own_after = watch_own_cpu();
  uint64_t end = now();
  long rss = watch_rss(pids, pid_count);
  uint64_t unsent = 0, stalled = 0; /* stalled: connections on which no batch was completed in the counted time */
  if (mode == CLOSED && request_limit == 0)
    for (int i = 0; i < connections; i++) stalled += all[i].batches == all[i].batches_before;
  if (mode == RATE) { /* requests in flight, or due and not sent, belong to the result */
    horizon = end;
    for (uint64_t deadline = now() + 5 * SECOND; now() < deadline;) {
      run_until(now() + SECOND / 100);
      if (in_flight == 0) break;
    }
    for (int i = 0; i < connections; i++)
      for (uint64_t due; (due = due_of(&all[i])) < end; all[i].scheduled++, unsent++) histogram_record(&latencies, now() - due);
  }
  uint64_t unanswered = (mode == CLOSED && request_limit == 0 ? 0 : in_flight) + unsent;
  double elapsed = (double)(end - begin) / (double)SECOND;
  printf("{\"requests\": %llu, \"seconds\": %.4f, \"wrong\": %llu, \"closed\": %llu, \"unanswered\": %llu, \"stalled\": %llu, \"received\": %llu, "
         "\"reply_length\": %llu, \"own_cpu\": %.4f, \"server_user\": %.4f, \"server_system\": %.4f, \"rss_kib\": %ld, ",
         (unsigned long long)replies, elapsed, (unsigned long long)wrong, (unsigned long long)closes, (unsigned long long)unanswered, (unsigned long long)stalled,
         (unsigned long long)received, (unsigned long long)reply_length, own_after - own, cpu_after.user - cpu.user,
         cpu_after.system - cpu.system, rss);
  printf("\"latency_us\": {\"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, \"max\": %.1f}, \"late_us\": {\"p99\": %.1f, \"max\": %.1f}}\n",
         (double)histogram_quantile(&latencies, .5) / 1e3, (double)histogram_quantile(&latencies, .99) / 1e3,
         (double)histogram_quantile(&latencies, .999) / 1e3, (double)latencies.max / 1e3,
         (double)histogram_quantile(&lateness, .99) / 1e3, (double)lateness.max / 1e3);
  return wrong > 0 || unanswered > 0 || stalled > 0 ? 3 : 0;
}
