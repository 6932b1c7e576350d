/*
 * Measures the time from a server's start to its first complete reply.
 *
 *     first CORE PORT FILE COMMAND [ARGUMENT...]
 *
 * Becomes COMMAND, in the process that was started, so that the caller can wait for it and signal it, with its stderr
 * and its cores unchanged. A second process pinned to CORE requests /plaintext on 127.0.0.1:PORT until the status is
 * 200, writes one line to FILE, "START_MS CPU_MS FAULTS", and exits. START_MS counts from the moment before exec; it
 * polls every tenth of a millisecond, so at most that is added. CPU_MS is the CPU time of all threads of the process by
 * then, user and system, which other programs on the machine affect less than the clock; FAULTS is the number of page
 * faults. Without a reply within a minute FILE stays empty.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define PAUSE_NS 100000

static double ms(const struct timespec *t) { return (double)t->tv_sec * 1e3 + (double)t->tv_nsec / 1e6; }

static double now_ms(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? ms(&t) : -1;
}

static void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity");
}

/* 1: a complete reply with a length; 0: none yet. Connections are refused until the server listens. */
static int answered(const struct sockaddr_in *to) {
    static const char request[] = "GET /plaintext HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char reply[8192];
    size_t got = 0;
    int whole = 0, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /*
     * The kernel accepts connections, whatever the server does. Rarely one gets the port number of one refused just
     * before, and the kernel retries only after a second. Such a connection is abandoned for another port number.
     */
    const struct timeval patience = {5, 0}, at_once = {0, 5000};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &at_once, sizeof at_once);
    if (connect(s, (const struct sockaddr *)to, sizeof *to) == 0 &&
        send(s, request, sizeof request - 1, MSG_NOSIGNAL) == (ssize_t)sizeof request - 1)
        for (ssize_t n; !whole && got < sizeof reply - 1 && (n = recv(s, reply + got, sizeof reply - 1 - got, 0)) > 0;) {
            got += (size_t)n;
            reply[got] = 0;
            char *end = strstr(reply, "\r\n\r\n"), *length = strcasestr(reply, "\r\ncontent-length:");
            if (end != NULL && length != NULL && length < end)
                whole = got >= (size_t)(end + 4 - reply) + strtoul(length + 17, NULL, 10);
            else if (end != NULL && strcasestr(reply, "\r\ntransfer-encoding:") != NULL)
                whole = strstr(end, "\r\n0\r\n\r\n") != NULL;
        }
    close(s);
    return whole && strncmp(reply, "HTTP/1.1 200", 12) == 0;
}

static long faults(pid_t pid) { /* the tenth field, counted from the end of the name, which may contain anything */
    char name[64], line[1024] = "";
    long count = -1;
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    FILE *f = fopen(name, "r");
    if (f == NULL) return -1;
    char *at = fgets(line, sizeof line, f) != NULL ? strrchr(line, ')') : NULL;
    if (at == NULL || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %ld", &count) != 1) count = -1;
    fclose(f);
    return count;
}

/* What the process had used, and the time, before it became the server. */
struct start {
    double at_ms, used_ms;
    long faults;
};

/* `began`: a pipe into which the server's process writes its start, or exits without doing so. */
static void ask(pid_t server, int port, int began, int result) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct start start;
    clockid_t cpu;
    if (clock_getcpuclockid(server, &cpu) != 0 || read(began, &start, sizeof start) != sizeof start) return;
    const double until = start.at_ms + PATIENCE_MS;
    while (now_ms(CLOCK_MONOTONIC) < until && kill(server, 0) == 0) {
        if (answered(&to)) {
            double whole = now_ms(CLOCK_MONOTONIC) - start.at_ms, used = now_ms(cpu) - start.used_ms;
            char line[100];
            int length = snprintf(line, sizeof line, "%.3f %.3f %ld\n", whole, used, faults(server) - start.faults);
            if (write(result, line, (size_t)length) != length) perror("write");
            return;
        }
        const struct timespec pause = {0, PAUSE_NS};
        nanosleep(&pause, NULL);
    }
}

int main(int count, char **argument) {
    if (count < 5) {
        fprintf(stderr, "usage: first CORE PORT FILE COMMAND [ARGUMENT...]\n");
        return 2;
    }
    int result = open(argument[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), pipes[2];
    if (result < 0 || pipe2(pipes, O_CLOEXEC) != 0) {
        perror(argument[3]);
        return 1;
    }
    pid_t server = getpid(), between = fork();
    if (between == 0) {
        /* Not a child of the server, which must not find a child that it did not start. */
        if (fork() == 0) {
            close(pipes[1]);
            for (int standard = 0; standard < 3; standard++) close(standard);
            pin(atoi(argument[1]));
            prctl(PR_SET_TIMERSLACK, 1000UL);
            ask(server, atoi(argument[2]), pipes[0], result);
        }
        _exit(0);
    }
    if (between < 0 || waitpid(between, NULL, 0) != between) {
        perror("fork");
        return 1;
    }
    struct start start = {.used_ms = now_ms(CLOCK_PROCESS_CPUTIME_ID), .faults = faults(server)};
    start.at_ms = now_ms(CLOCK_MONOTONIC);
    if (write(pipes[1], &start, sizeof start) != sizeof start) perror("write");
    execvp(argument[4], argument + 4);
    perror(argument[4]);
    return 127;
}
