/* Asks a TLS server for as much as it gives, and tells what that cost the server's processes, as one line of JSON.

   client PORT PID,PID… handshakes|resumed|requests|hold|steady|paced|stalled CONNECTIONS SECONDS [PATH [WARM [RATE]]]

   handshakes: full ones, one after the other on each connection, each with one request; resumed: the same, resuming;
   requests: one at a time on each connection; hold: connects, asks once and then tells the server's memory. steady:
   RATE requests a second on as many connections as said, latency counting from when each was due; paced: RATE full
   handshakes a second, each with one request; stalled: as many handshakes that begin and do not go on. WARM
   seconds before those that count, 1 unless said. The status is 3 when a reply was wrong or a connection failed. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int fd, wanted, is_shaken, is_free;
  SSL *ssl;
  long left;
  char head[1024];
  int head_length;
  double due;
} connection;

static SSL_CTX *ctx;
static SSL_SESSION *session;
static struct sockaddr_in address;
static int epoll, is_resuming, is_closing, is_held, is_steady, is_paced;
static double *latencies; /* of answered requests, with steady and paced */
static long latency_count, latency_limit, begun_late;
static long shaken, resumed, answered, failed, wrong;
static char request[512], input[64 * 1024];

static int keep(SSL *ssl, SSL_SESSION *fresh) {
  (void)ssl;
  if (session != NULL) SSL_SESSION_free(session);
  session = fresh;
  return 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Processor seconds of a process, by the scheduler's account of its threads: those that have ended are missing. */
static double used_by(const char *pid) {
  char path[300];
  double sum = 0;
  snprintf(path, sizeof path, "/proc/%s/task", pid);
  DIR *all = opendir(path);
  for (struct dirent *d; all != NULL && (d = readdir(all)) != NULL;) {
    unsigned long long nanos = 0;
    snprintf(path, sizeof path, "/proc/%s/task/%s/schedstat", pid, d->d_name);
    FILE *f = d->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (f == NULL) continue;
    if (fscanf(f, "%llu", &nanos) == 1) sum += (double)nanos / 1e9;
    fclose(f);
  }
  if (all != NULL) closedir(all);
  return sum;
}

static long resident_of(const char *pid) {
  char path[100], line[200];
  long kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%s/status", pid);
  FILE *f = fopen(path, "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) sscanf(line, "VmRSS: %ld", &kilobytes);
  if (f != NULL) fclose(f);
  return kilobytes;
}

static double used(const char *pids) {
  double sum = 0;
  char all[1000], *rest = all;
  snprintf(all, sizeof all, "%s", pids);
  for (char *pid; (pid = strsep(&rest, ",")) != NULL;) sum += used_by(pid);
  return sum;
}

static long resident(const char *pids) {
  long sum = 0;
  char all[1000], *rest = all;
  snprintf(all, sizeof all, "%s", pids);
  for (char *pid; (pid = strsep(&rest, ",")) != NULL;) sum += resident_of(pid);
  return sum;
}

static double own(void) {
  struct rusage all;
  getrusage(RUSAGE_SELF, &all);
  return (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) + (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) / 1e6;
}

static void begin(connection *c) {
  int one = 1;
  memset(c, 0, sizeof *c);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connect(c->fd, (struct sockaddr *)&address, sizeof address);
  c->ssl = SSL_new(ctx);
  SSL_set_fd(c->ssl, c->fd);
  SSL_set_connect_state(c->ssl);
  if (is_resuming && session != NULL) SSL_set_session(c->ssl, session);
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = c};
  c->wanted = EPOLLOUT;
  epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
}

static void again(connection *c) {
  struct linger none = {1, 0};
  setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none); /* no TIME_WAIT: ports would run out */
  SSL_set_shutdown(c->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(c->ssl);
  close(c->fd);
  begin(c);
}

static void record(double seconds) {
  if (latency_count < latency_limit) latencies[latency_count++] = seconds;
}

static int by_size(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

static double quantile(double q) { return latency_count == 0 ? 0 : latencies[(long)(q * (double)(latency_count - 1))]; }

static void ask(connection *c) {
  c->left = -1, c->head_length = 0;
  SSL_write(c->ssl, request, (int)strlen(request));
}

/* With paced: the connection has nothing more to do. */
static void rest(connection *c) {
  struct linger none = {1, 0};
  setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  SSL_set_shutdown(c->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(c->ssl);
  close(c->fd);
  c->is_free = 1;
}

/* Takes bytes of the answer; returns whether it is complete. */
static int take(connection *c, const char *p, int n) {
  int at = 0;
  while (at < n && c->left < 0) {
    if (c->head_length < (int)sizeof c->head - 1) c->head[c->head_length++] = p[at];
    at++;
    if (c->head_length >= 4 && memcmp(c->head + c->head_length - 4, "\r\n\r\n", 4) == 0) {
      c->head[c->head_length] = 0;
      if (strncmp(c->head, "HTTP/1.1 200 ", 13) != 0) wrong++;
      char *field = strcasestr(c->head, "content-length:");
      c->left = field == NULL ? 0 : atol(field + 15);
    }
  }
  if (c->left >= 0) c->left -= n - at;
  return c->left == 0;
}

static void step(connection *c) {
  int n, wanted = EPOLLIN;
  if (!c->is_shaken) {
    n = SSL_do_handshake(c->ssl);
    if (n != 1) goto wait;
    c->is_shaken = 1;
    shaken++;
    resumed += SSL_session_reused(c->ssl);
    if (is_steady) c->is_free = 1;
    else ask(c);
  }
  while ((n = SSL_read(c->ssl, input, sizeof input)) > 0)
    if (take(c, input, n)) {
      answered++;
      if (is_steady || is_paced) record(now() - c->due);
      if (is_steady) { c->is_free = 1; continue; }
      if (is_paced) { rest(c); return; }
      if (is_closing) { again(c); return; }
      if (is_held) return;
      ask(c);
    }
wait:
  switch (SSL_get_error(c->ssl, n)) {
  case SSL_ERROR_WANT_READ: break;
  case SSL_ERROR_WANT_WRITE: wanted = EPOLLOUT; break;
  default:
    failed++;
    if (is_paced) rest(c);
    else if (is_steady) exit(1); /* the established client must stay connected */
    else again(c);
    return;
  }
  if (wanted != c->wanted) {
    struct epoll_event event = {.events = (uint32_t)wanted, .data.ptr = c};
    c->wanted = wanted;
    epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
  }
}

static void run(double seconds) {
  struct epoll_event events[512];
  double end = now() + seconds;
  while (now() < end) {
    int n = epoll_wait(epoll, events, 512, 10);
    for (int i = 0; i < n; i++) step(events[i].data.ptr);
  }
}

/* Sends requests, or begins handshakes, at `rate` for each second, whatever becomes of earlier ones. */
static void run_at(double rate, connection *all, int connections, double seconds) {
  struct epoll_event events[512], tick = {.events = EPOLLIN, .data.ptr = NULL};
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &tick);
  double start = now(), end = start + seconds;
  for (long next = 0; now() < end;) {
    while (start + (double)next / rate <= now()) {
      connection *c = NULL;
      for (int i = 0; i < connections && c == NULL; i++)
        if (all[(next + i) % connections].is_free) c = &all[(next + i) % connections];
      if (c == NULL) {
        begun_late++; /* all are busy: the next to be free has it, and its wait counts */
        break;
      }
      double due = start + (double)next++ / rate;
      if (is_paced) begin(c);
      c->due = due, c->is_free = 0;
      if (is_steady) ask(c);
    }
    double wait = start + (double)next / rate;
    struct itimerspec at = {.it_value = {(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
    int n = epoll_wait(epoll, events, 512, 10);
    for (int i = 0; i < n; i++) {
      uint64_t expired;
      if (events[i].data.ptr != NULL) step(events[i].data.ptr);
      else if (read(timer, &expired, sizeof expired) < 0) continue;
    }
  }
  close(timer);
}

/* Begins handshakes with a part of a record, and others for those that the server has closed. */
static void stall(int connections, double seconds) {
  static const char part[] = {22, 3, 1, 2, 0, 1, 0, 1, (char)0xfc, 3, 3};
  int *all = malloc(sizeof(int) * (size_t)connections);
  long opened = 0, closed = 0;
  for (int i = 0; i < connections; i++) all[i] = -1;
  for (double end = now() + seconds; now() < end; usleep(10000))
    for (int i = 0; i < connections; i++) {
      char byte;
      if (all[i] >= 0 && recv(all[i], &byte, 1, MSG_DONTWAIT) != 0) continue;
      if (all[i] >= 0) close(all[i]), closed++;
      all[i] = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(all[i], (struct sockaddr *)&address, sizeof address) != 0 || send(all[i], part, sizeof part, MSG_NOSIGNAL) < 0) {
        close(all[i]);
        all[i] = -1;
      } else opened++;
    }
  printf("{\"opened\": %ld, \"closed\": %ld}\n", opened, closed);
}

int main(int count, char **values) {
  if (count < 6) {
    fprintf(stderr, "client PORT PID,PID... handshakes|resumed|requests|hold|steady|paced|stalled CONNECTIONS SECONDS [PATH [WARM [RATE]]]\n");
    return 2;
  }
  const char *pid = values[2], *what = values[3];
  int connections = atoi(values[4]);
  double seconds = atof(values[5]), warm = count > 7 ? atof(values[7]) : 1, rate = count > 8 ? atof(values[8]) : 1000;
  struct rlimit most;
  if (getrlimit(RLIMIT_NOFILE, &most) == 0) most.rlim_cur = most.rlim_max, setrlimit(RLIMIT_NOFILE, &most);
  signal(SIGPIPE, SIG_IGN);
  is_resuming = strcmp(what, "resumed") == 0;
  is_held = strcmp(what, "hold") == 0;
  is_steady = strcmp(what, "steady") == 0;
  is_paced = strcmp(what, "paced") == 0;
  is_closing = is_resuming || strcmp(what, "handshakes") == 0;
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", count > 6 ? values[6] : "/plaintext");
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(values[1])),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  ctx = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  if (is_resuming) {
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx, keep);
  }
  epoll = epoll_create1(0);
  connection *all = calloc((size_t)connections, sizeof *all);
  long before = resident(pid);
  if (is_held) {
    for (int i = 0; i < connections; i += 100) {
      for (int j = i; j < i + 100 && j < connections; j++) begin(&all[j]);
      while (answered < (i + 100 < connections ? i + 100 : connections) && failed == 0) run(0.02);
    }
    run(seconds);
    printf("{\"connections\": %ld, \"failed\": %ld, \"wrong\": %ld, \"rss_kib\": %ld, \"rss_kib_before\": %ld, \"kib_each\": %.3f}\n",
           answered, failed, wrong, resident(pid), before, (double)(resident(pid) - before) / (double)connections);
    return failed > 0 || wrong > 0 ? 3 : 0;
  }
  if (strcmp(what, "stalled") == 0) {
    stall(connections, seconds);
    return 0;
  }
  if (is_steady || is_paced) {
    latency_limit = (long)(rate * (seconds + 1)) + 1000;
    latencies = calloc((size_t)latency_limit, sizeof *latencies);
    if (is_steady) for (int i = 0; i < connections; i++) begin(&all[i]);
    else for (int i = 0; i < connections; i++) all[i].is_free = 1;
    if (is_steady) run(1);
    run_at(rate, all, connections, warm);
    shaken = answered = failed = wrong = latency_count = begun_late = 0;
    double cpu = used(pid), load = own(), start = now();
    run_at(rate, all, connections, seconds);
    cpu = used(pid) - cpu, load = own() - load, start = now() - start;
    qsort(latencies, (size_t)latency_count, sizeof *latencies, by_size);
    printf("{\"done\": %ld, \"seconds\": %.4f, \"cpu\": %.4f, \"own_cpu\": %.4f, \"failed\": %ld, \"wrong\": %ld, \"late\": %ld, "
           "\"p50_ms\": %.3f, \"p99_ms\": %.3f, \"p999_ms\": %.3f, \"max_ms\": %.3f}\n",
           answered, start, cpu, load, failed, wrong, begun_late, 1e3 * quantile(.5), 1e3 * quantile(.99), 1e3 * quantile(.999), 1e3 * quantile(1));
    return failed > 0 || wrong > 0 ? 3 : 0;
  }
  for (int i = 0; i < connections; i++) begin(&all[i]);
  run(warm);
  shaken = resumed = answered = failed = wrong = 0;
  double cpu = used(pid), load = own(), start = now();
  run(seconds);
  cpu = used(pid) - cpu, load = own() - load, start = now() - start;
  long done = is_closing ? shaken : answered;
  printf("{\"done\": %ld, \"seconds\": %.4f, \"cpu\": %.4f, \"own_cpu\": %.4f, \"resumed\": %ld, \"failed\": %ld, \"wrong\": %ld}\n", done,
         start, cpu, load, resumed, failed, wrong);
  return failed > 0 || wrong > 0 ? 3 : 0;
}
