/* An open-model load on one HTTP/1.1 server on this machine: requests are due at fixed times, whether or not earlier
   ones have been answered, and latency counts from when a request was due.

     open --port P --path /cpu --high /high --phase 400:5 --phase 2500:10 --phase 400:5 --connections 4000 --pid N

   Each phase is RATE:SECONDS, one after another without a pause. With --high, one request in ten is for that path, and
   is reported separately. A request takes a free connection; if there is none, it waits for one, and the wait counts
   (`waited` is the number of such requests). One that is not answered within --patience seconds is abandoned, and its
   connection closed.

   The result is one line of JSON. For each phase and kind: offered, answered 200 (`good`), of these within --deadline
   seconds of being due (`timely`), refused with 503, failed (abandoned, other status, connection lost), and percentiles of
   latency. `late_us` is how late this program sent requests that were due and had a connection, and `own_cpu` how busy it was:
   if those are high, the load generator was the limit and not the server. `windows` has the same counts per 0.1 s. */
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

#define WINDOW (SECOND / 10)
#define PHASES 16
#define HIGH_EVERY 10
#define PORTS_FROM_ONE 4096 /* connections from one source address */

enum kind { NORMAL, HIGH, KINDS };

typedef struct {
  uint64_t offered, good, timely, refused, failed;
  histogram latency; /* of the good ones */
  histogram refusal; /* of the refused ones */
} tally;

typedef struct request {
  uint64_t due;
  int kind, phase;
  struct request *next; /* in the queue of requests that wait for a connection */
} request;

typedef struct connection {
  int fd, open, number;
  request *at; /* the request in flight, or NULL */
  uint64_t asked; /* when that was sent */
  struct connection *next_free, *before, *after; /* before and after: busy connections, oldest first */
  reply reply;
} connection;

static const char *host = "127.0.0.1", *paths[KINDS] = {"/", NULL};
static int port, connections = 4000, pids[WATCH_LIMIT], pid_count, phase_count;
static double deadline = 1, patience = 10;
static struct { double rate, seconds; tally kinds[KINDS]; double cpu, own; histogram late; uint64_t waited; } phases[PHASES];
static tally (*windows)[KINDS];
static uint64_t window_count, started, closes;

static char texts[KINDS][512];
static int lengths[KINDS];
static connection *all, *free_ones, *oldest, *newest;
static request *first_waiting, *last_waiting, *spare;
static int epoll;
static uint64_t unanswered;
static char buffer[64 * 1024];

static void connect_one(connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct linger abort_on_close = {1, 0};
  int one = 1;
  inet_pton(AF_INET, host, &address.sin_addr);
  if ((c->fd = socket(AF_INET, SOCK_STREAM, 0)) < 0) die("socket: %s", strerror(errno));
  setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &abort_on_close, sizeof abort_on_close);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connections > PORTS_FROM_ONE) {
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(c->number / PORTS_FROM_ONE))};
    setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(c->fd, (struct sockaddr *)&from, sizeof from) != 0) die("bind: %s", strerror(errno));
  }
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect: %s", strerror(errno));
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event) != 0) die("epoll_ctl: %s", strerror(errno));
  c->open = 1;
  reply_begin(&c->reply);
}

static tally *window_of(const request *r) {
  uint64_t i = (r->due - started) / WINDOW;
  return &windows[i < window_count ? i : window_count - 1][r->kind];
}

static void give_back(request *r) { r->next = spare, spare = r; }

/* The end of a request: status 0 where it failed. */
static void account(request *r, int status, uint64_t t) {
  tally *sums[] = {&phases[r->phase].kinds[r->kind], window_of(r)};
  for (int i = 0; i < 2; i++) {
    if (status == 200) {
      sums[i]->good++, sums[i]->timely += (double)(t - r->due) <= deadline * (double)SECOND;
      histogram_record(&sums[i]->latency, t - r->due);
    } else if (status == 503) sums[i]->refused++, histogram_record(&sums[i]->refusal, t - r->due);
    else sums[i]->failed++;
  }
  unanswered--;
  give_back(r);
}

static void unlink_asking(connection *c) {
  if (c->before) c->before->after = c->after; else oldest = c->after;
  if (c->after) c->after->before = c->before; else newest = c->before;
  c->before = c->after = NULL;
}

static void ask(connection *c, request *r, uint64_t t);

static void set_free(connection *c, uint64_t t) {
  if (first_waiting) {
    request *r = first_waiting;
    first_waiting = r->next;
    if (!first_waiting) last_waiting = NULL;
    ask(c, r, t);
  } else c->next_free = free_ones, free_ones = c;
}

/* Replaces an unusable connection by a new one. */
static void lose(connection *c, uint64_t t) {
  closes++;
  close(c->fd);
  c->open = 0;
  if (c->at) {
    request *r = c->at;
    c->at = NULL;
    unlink_asking(c);
    account(r, 0, t);
    connect_one(c);
    set_free(c, t);
  } else connect_one(c); /* a free connection keeps its place */
}

static void ask(connection *c, request *r, uint64_t t) {
  c->at = r, c->asked = t;
  c->before = newest, c->after = NULL;
  if (newest) newest->after = c; else oldest = c;
  newest = c;
  reply_begin(&c->reply);
  if (send(c->fd, texts[r->kind], (size_t)lengths[r->kind], MSG_NOSIGNAL | MSG_DONTWAIT) != lengths[r->kind]) lose(c, t);
}

static void due_now(uint64_t due, int phase, uint64_t number) {
  request *r = spare;
  if (r) spare = r->next; else r = malloc(sizeof *r);
  r->due = due, r->phase = phase, r->next = NULL;
  r->kind = paths[HIGH] && number % HIGH_EVERY == 0 ? HIGH : NORMAL;
  phases[phase].kinds[r->kind].offered++, window_of(r)->offered++;
  unanswered++;
  if (free_ones) {
    connection *c = free_ones;
    free_ones = c->next_free;
    uint64_t t = now();
    histogram_record(&phases[phase].late, t - due);
    ask(c, r, t);
  } else {
    phases[phase].waited++;
    if (last_waiting) last_waiting->next = r; else first_waiting = r;
    last_waiting = r;
  }
}

static void receive(connection *c) {
  ssize_t n = recv(c->fd, buffer, sizeof buffer, MSG_DONTWAIT);
  uint64_t t = now();
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0 || !c->at) { lose(c, t); return; }
  int done;
  reply_feed(&c->reply, buffer, (size_t)n, NULL, 0, &done);
  if (c->reply.state == REPLY_BROKEN) lose(c, t);
  else if (done) {
    request *r = c->at;
    int status = c->reply.status;
    c->at = NULL;
    unlink_asking(c);
    account(r, status, t);
    set_free(c, t);
  }
}

/* Abandons requests that have waited too long, on a connection or for one. */
static void give_up(uint64_t t) {
  uint64_t limit = (uint64_t)(patience * (double)SECOND);
  while (oldest && oldest->at->due + limit < t) lose(oldest, t);
  while (first_waiting && first_waiting->due + limit < t) {
    request *r = first_waiting;
    first_waiting = r->next;
    if (!first_waiting) last_waiting = NULL;
    account(r, 0, t);
  }
}

static void wait_until(uint64_t moment) {
  struct epoll_event events[256];
  uint64_t t = now(), left = moment > t ? moment - t : 0;
  struct timespec wait = {(time_t)(left / SECOND), (long)(left % SECOND)};
  long n = syscall(SYS_epoll_pwait2, epoll, events, 256, &wait, NULL, (size_t)8);
  if (n < 0 && errno == ENOSYS) n = epoll_wait(epoll, events, 256, (int)(left / 1000000));
  for (long i = 0; i < n; i++) receive(events[i].data.ptr);
}

static void run_phase(int p, uint64_t begin) {
  uint64_t end = begin + (uint64_t)(phases[p].seconds * (double)SECOND), number = 0;
  cpu_seconds cpu = watch_cpu(pids, pid_count);
  double own = watch_own_cpu();
  for (uint64_t t = now(); t < end; t = now()) {
    uint64_t due;
    while ((due = begin + (uint64_t)((double)number * (double)SECOND / phases[p].rate)) <= t && due < end) due_now(due, p, number++);
    give_up(t);
    wait_until(due < end ? due : end);
  }
  cpu_seconds after = watch_cpu(pids, pid_count);
  phases[p].cpu = after.user + after.system - cpu.user - cpu.system;
  phases[p].own = watch_own_cpu() - own;
}

static void options(int count, char **values) {
  static const struct option names[] = {
    {"host", 1, 0, 'h'}, {"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"high", 1, 0, 'H'}, {"connections", 1, 0, 'c'},
    {"phase", 1, 0, 'f'}, {"deadline", 1, 0, 'd'}, {"patience", 1, 0, 't'}, {"pid", 1, 0, 'P'}, {0, 0, 0, 0}};
  for (int o; (o = getopt_long(count, values, "", names, NULL)) != -1;) switch (o) {
    case 'h': host = optarg; break;
    case 'p': port = atoi(optarg); break;
    case 'u': paths[NORMAL] = optarg; break;
    case 'H': paths[HIGH] = optarg; break;
    case 'c': connections = atoi(optarg); break;
    case 'f':
      if (phase_count == PHASES || sscanf(optarg, "%lf:%lf", &phases[phase_count].rate, &phases[phase_count].seconds) != 2 ||
          phases[phase_count].rate <= 0 || phases[phase_count].seconds <= 0) die("a phase is RATE:SECONDS, and there are at most %d", PHASES);
      phase_count++;
      break;
    case 'd': deadline = atof(optarg); break;
    case 't': patience = atof(optarg); break;
    case 'P': if (pid_count < WATCH_LIMIT) pids[pid_count++] = atoi(optarg); break;
    default: exit(2);
  }
  if (port <= 0 || connections <= 0 || phase_count == 0 || patience <= 0) die("--port, --connections, --phase and --patience are needed");
}

static void print_tally(const char *name, const tally *s) {
  printf("\"%s\": {\"offered\": %llu, \"good\": %llu, \"timely\": %llu, \"refused\": %llu, \"failed\": %llu, \"p50_ms\": %.3f, \"p99_ms\": %.3f, "
         "\"max_ms\": %.3f, \"refusal_p99_ms\": %.3f}",
         name, (unsigned long long)s->offered, (unsigned long long)s->good, (unsigned long long)s->timely, (unsigned long long)s->refused,
         (unsigned long long)s->failed, (double)histogram_quantile(&s->latency, .5) / 1e6, (double)histogram_quantile(&s->latency, .99) / 1e6,
         (double)s->latency.max / 1e6, (double)histogram_quantile(&s->refusal, .99) / 1e6);
}

int main(int count, char **values) {
  options(count, values);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1);
  double total = 0;
  for (int i = 0; i < phase_count; i++) total += phases[i].seconds;
  window_count = (uint64_t)(total * 10) + 1;
  windows = calloc(window_count, sizeof *windows);
  for (int i = 0; i < KINDS; i++)
    if (paths[i]) lengths[i] = snprintf(texts[i], sizeof texts[i], "GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n", paths[i], host, port);
  if ((epoll = epoll_create1(0)) < 0) die("epoll_create1: %s", strerror(errno));
  all = calloc((size_t)connections, sizeof *all);
  if (windows == NULL || all == NULL) die("no memory");
  for (int i = 0; i < connections; i++) {
    all[i].number = i;
    connect_one(&all[i]);
    all[i].next_free = free_ones, free_ones = &all[i];
  }
  started = now();
  uint64_t begin = started;
  for (int i = 0; i < phase_count; i++) {
    run_phase(i, begin);
    begin += (uint64_t)(phases[i].seconds * (double)SECOND);
  }
  while (unanswered > 0) { /* requests in flight belong to the result */
    uint64_t t = now();
    give_up(t);
    wait_until(t + SECOND / 100);
  }
  printf("{\"connections\": %d, \"closed\": %llu, \"rss_kib\": %ld, \"phases\": [", connections, (unsigned long long)closes, watch_rss(pids, pid_count));
  for (int i = 0; i < phase_count; i++) {
    printf("%s{\"rate\": %.1f, \"seconds\": %.2f, \"server_cpu\": %.3f, \"own_cpu\": %.3f, \"waited\": %llu, \"late_us\": {\"p99\": %.1f, \"max\": %.1f}, ",
           i ? ", " : "", phases[i].rate, phases[i].seconds, phases[i].cpu, phases[i].own, (unsigned long long)phases[i].waited,
           (double)histogram_quantile(&phases[i].late, .99) / 1e3, (double)phases[i].late.max / 1e3);
    print_tally("normal", &phases[i].kinds[NORMAL]);
    printf(", ");
    print_tally("high", &phases[i].kinds[HIGH]);
    printf("}");
  }
  printf("], \"windows\": [");
  for (uint64_t i = 0; i + 1 < window_count; i++) {
    printf("%s{", i ? ", " : "");
    print_tally("normal", &windows[i][NORMAL]);
    printf(", ");
    print_tally("high", &windows[i][HIGH]);
    printf("}");
  }
  printf("]}\n");
  return 0;
}
