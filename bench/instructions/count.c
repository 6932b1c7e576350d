/*
 * Counts the instructions that a server's event loop executes per request, by single-stepping. The figure does not
 * depend on the clock or on other programs, and is the same on every run to a few in a thousand.
 *
 *     count PID PORT [DEPTH [BATCHES [FUNCTIONS [PATH [CONTENT]]]]]
 *
 * Sends BATCHES (20) times DEPTH (16) pipelined requests GET PATH (/plaintext), one batch to each connection, to
 * 127.0.0.1:PORT; with CONTENT they are POST requests, each with that many bytes, and a batch must fit into the
 * sockets' buffers. With "ws:" before the path the requests are binary messages of CONTENT bytes, less than 64 KiB,
 * to a WebSocket that echoes them. Steps through the one thread of PID that waits in epoll or io_uring until all are answered.
 * Prints "N instructions and M system calls for each of K requests", and for the FUNCTIONS (0) that took most of them:
 * instructions for each request and the address in the file, for addr2line or nm. The kernel's instructions are not
 * included. x86-64 and Linux only; needs permission to trace PID. Exit status 0: success; 1: error, with a message;
 * 3: tracing is not possible on this machine.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__x86_64__) || !defined(__linux__)
int main(void) {
    fprintf(stderr, "instructions are counted on x86-64 with Linux only\n");
    return 3;
}
#else

#define MOST_BATCHES 256
#define MOST_STEPS 50000000L
#define MOST_CONTENT (64 * 1024)
#define LOOK 256 /* steps between two checks for replies: the maximum overcount */

static int sockets[MOST_BATCHES];
static int batches = 20, depth = 16;
static const char *path = "/plaintext";
static int content = 0;
static int web_socket = 0; /* whether messages are sent instead of requests */
static char request[512 + MOST_CONTENT];
static int length; /* of a request, or of a message's frame */
static int reply_length; /* of the frame that is sent back */

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void connect_all(int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < batches; i++) {
        sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct timeval patience = {10, 0};
        setsockopt(sockets[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (sockets[i] < 0 || connect(sockets[i], (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
    }
}

static void send_all(void) {
    char *batch = malloc((size_t)(length * depth));
    for (int i = 0; i < depth; i++) memcpy(batch + i * length, request, (size_t)length);
    for (int i = 0; i < batches; i++)
        if (send(sockets[i], batch, (size_t)(length * depth), MSG_NOSIGNAL) != length * depth) fail("send");
    free(batch);
}

static void make_request(void) {
    length = content == 0
        ? snprintf(request, 512, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
        : snprintf(request, 512, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
                                 "Content-Length: %d\r\n\r\n", path, content);
    if (length >= 512) {
        fprintf(stderr, "the path is too long\n");
        exit(1);
    }
    memset(request + length, 'x', (size_t)content);
    length += content;
}

/* Opens WebSockets, and makes the frame of a message. */
static void open_web_sockets(void) {
    static const char key[4] = {0x37, 0x1a, 0x21, 0x3d};
    char answer[4096];
    int n = snprintf(request, 512, "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path);
    if (n >= 512) {
        fprintf(stderr, "the path is too long\n");
        exit(1);
    }
    for (int i = 0; i < batches; i++) {
        if (send(sockets[i], request, (size_t)n, MSG_NOSIGNAL) != n) fail("send");
        ssize_t have = 0;
        do {
            ssize_t more = recv(sockets[i], answer + have, sizeof answer - 1 - (size_t)have, 0);
            if (more <= 0) fail("no handshake");
            have += more;
            answer[have] = 0;
        } while (strstr(answer, "\r\n\r\n") == NULL);
        if (strncmp(answer, "HTTP/1.1 101", 12) != 0) {
            fprintf(stderr, "expected status 101, got %.12s\n", answer);
            exit(1);
        }
    }
    request[0] = (char)0x82;
    length = 2;
    request[1] = (char)(0x80 | (content < 126 ? content : 126));
    if (content >= 126) {
        request[length++] = (char)(content >> 8);
        request[length++] = (char)content;
    }
    reply_length = length + content;
    memcpy(request + length, key, 4);
    length += 4;
    for (int i = 0; i < content; i++) request[length++] = (char)('x' ^ key[i % 4]);
}

/* Bytes received from each WebSocket that are not a whole frame yet. */
static int partial[MOST_BATCHES];

/* How many replies the bytes have or complete. */
static int count_replies(int i, const char *buffer, ssize_t n) {
    int count = 0;
    if (web_socket) {
        count = (int)(partial[i] + n) / reply_length;
        partial[i] = (int)(partial[i] + n) % reply_length;
    } else
        for (const char *at = buffer; (at = strstr(at, "HTTP/1.1 ")) != NULL; at++, count++)
            if (strncmp(at + 9, "200", 3) != 0 && at + 12 <= buffer + n) {
                fprintf(stderr, "expected status 200, got %.12s\n", at);
                exit(1);
            }
    return count;
}

/* Replies seen since the last send_all. */
static int replies(int flags) {
    static char buffer[1 << 16];
    int count = 0;
    for (int i = 0; i < batches; i++) {
        int wanted = flags == 0 ? depth : 1;
        do {
            ssize_t n = recv(sockets[i], buffer, sizeof buffer - 1, flags);
            if (n < 0 && (errno == EAGAIN || errno == EINTR) && flags != 0) break;
            if (n <= 0) fail("no reply");
            buffer[n] = 0;
            int more = count_replies(i, buffer, n);
            count += more;
            wanted -= more;
        } while (flags == 0 && wanted > 0);
    }
    return count;
}

/* The thread that waits for events: the first argument of /proc/.../syscall is the number of the call. */
static pid_t waiting_thread(pid_t pid) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task", pid);
    DIR *tasks = opendir(name);
    if (tasks == NULL) fail(name);
    pid_t found = 0;
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        int call;
        char file[400];
        snprintf(file, sizeof file, "%s/%s/syscall", name, task->d_name);
        FILE *f = task->d_name[0] == '.' ? NULL : fopen(file, "r");
        if (f == NULL) continue;
        if (fscanf(f, "%d", &call) == 1 && (call == 232 || call == 281 || call == 426)) found = atoi(task->d_name);
        fclose(f);
    }
    closedir(tasks);
    return found;
}

static uint64_t base_of(pid_t pid) { /* load address of the program */
    char name[64];
    unsigned long base = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *f = fopen(name, "r");
    if (f != NULL && fscanf(f, "%lx", &base) != 1) base = 0;
    if (f != NULL) fclose(f);
    return base;
}

/* Instructions per 16 bytes of code, in a table with open addressing. */
#define SLOTS (1 << 20)
static struct slot {
    uint64_t address;
    long count;
} slots[SLOTS];

static void note(uint64_t address) {
    uint64_t key = address >> 4, at = (key * 0x9E3779B97F4A7C15u) >> 44;
    while (slots[at].count != 0 && slots[at].address != key) at = (at + 1) & (SLOTS - 1);
    slots[at].address = key;
    slots[at].count++;
}

/* The program's functions, from nm, in the order of their addresses. */
static struct function {
    uint64_t address;
    long count;
    char name[200];
} *functions;
static int function_count;

static void read_functions(pid_t pid) {
    char command[128];
    /* programs for release have dynamic symbols only */
    snprintf(command, sizeof command, "(nm /proc/%d/exe; nm -D /proc/%d/exe) 2>/dev/null | sort -u", pid, pid);
    FILE *f = popen(command, "r");
    functions = malloc(sizeof *functions * 200000);
    char line[4096];
    while (f != NULL && fgets(line, sizeof line, f) != NULL && function_count < 200000) {
        unsigned long address;
        char kind;
        struct function *next = &functions[function_count];
        if (sscanf(line, "%lx %c %199s", &address, &kind, next->name) == 3 && strchr("tTwW", kind) != NULL) {
            next->address = address;
            next->count = 0;
            function_count++;
        }
    }
    if (f != NULL) pclose(f);
}

static int by_count(const void *a, const void *b) {
    long x = ((const struct function *)a)->count, y = ((const struct function *)b)->count;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void report(pid_t pid, int most, int requests) {
    uint64_t base = base_of(pid);
    long elsewhere = 0;
    read_functions(pid);
    int relative = function_count > 0 && functions[function_count - 1].address < base;
    for (int i = 0; i < SLOTS; i++) {
        if (slots[i].count == 0) continue;
        uint64_t address = (slots[i].address << 4) - (relative ? base : 0) + 15;
        int low = 0, high = function_count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (functions[middle].address <= address) low = middle + 1;
            else high = middle;
        }
        if (low == 0 || (low == function_count && address > functions[low - 1].address + 65536))
            elsewhere += slots[i].count;
        else functions[low - 1].count += slots[i].count;
    }
    qsort(functions, (size_t)function_count, sizeof *functions, by_count);
    for (int i = 0; i < most && i < function_count && functions[i].count > 0; i++)
        printf("%9.1f  %s\n", (double)functions[i].count / requests, functions[i].name);
    printf("%9.1f  (libraries)\n", (double)elsewhere / requests);
}

static struct user_regs_struct registers(pid_t thread) {
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, thread, 0, &r) != 0) fail("registers");
    return r;
}

/* Waits until the thread stops. Returns the signal that it is to get as it goes on: its own, such as the SIGSEGV by which
   the garbage collector stops it, which would be lost otherwise; or 0 if it stopped for a step or a system call. */
static int stopped(pid_t thread) {
    int status;
    if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status)) fail("the server has ended");
    int signal = WSTOPSIG(status);
    return signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s PID PORT [DEPTH [BATCHES [FUNCTIONS [PATH [CONTENT]]]]]\n", argv[0]);
        return 1;
    }
    pid_t pid = atoi(argv[1]);
    int most_functions = argc > 5 ? atoi(argv[5]) : 0;
    if (argc > 3) depth = atoi(argv[3]);
    if (argc > 4) batches = atoi(argv[4]);
    if (argc > 6) path = argv[6];
    if (argc > 7) content = atoi(argv[7]);
    if (strncmp(path, "ws:", 3) == 0) {
        web_socket = 1;
        path += 3;
    }
    if (depth < 1 || batches < 1 || batches > MOST_BATCHES || content < 0 || content > MOST_CONTENT - web_socket) {
        fprintf(stderr, "DEPTH from 1, BATCHES from 1 to %d, CONTENT from 0 to %d\n", MOST_BATCHES, MOST_CONTENT);
        return 1;
    }
    connect_all(atoi(argv[2]));
    if (web_socket) open_web_sockets();
    else make_request();
    for (int i = 0; i < 50; i++) { /* warm-up */
        send_all();
        replies(0);
    }
    usleep(100000);
    pid_t thread = waiting_thread(pid);
    if (thread == 0) {
        fprintf(stderr, "no thread of %d waits for events, or its system calls cannot be read\n", pid);
        return 3;
    }
    if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) {
        fprintf(stderr, "cannot trace %d: %s\n", pid, strerror(errno));
        return 3;
    }
    stopped(thread);
    /* One CPU for both: each step is then a context switch, and not a wait for another CPU to wake up. */
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    if (sched_setaffinity(0, sizeof here, &here) != 0 || sched_setaffinity(thread, sizeof here, &here) != 0) fail("affinity");
    int expected = depth * batches, seen = 0;
    long steps = 0, calls = 0, stops = 0;
    /* Whole system calls first: the thread stops as each one begins and ends. The one it waited in ends before that. */
    if (ptrace(PTRACE_SYSCALL, thread, 0, 0) != 0) fail("system calls");
    int signal = stopped(thread);
    send_all();
    while (seen < expected && stops < MOST_STEPS) {
        if (ptrace(PTRACE_SYSCALL, thread, 0, signal) != 0) fail("system calls");
        signal = stopped(thread);
        if (signal == 0) stops++;
        seen += replies(MSG_DONTWAIT);
    }
    calls = stops / 2;
    seen = 0;
    send_all();
    while (seen < expected && steps < MOST_STEPS) {
        if (most_functions > 0) note(registers(thread).rip);
        if (ptrace(PTRACE_SINGLESTEP, thread, 0, signal) != 0) fail("step");
        signal = stopped(thread);
        steps++;
        if (steps % LOOK == 0) seen += replies(MSG_DONTWAIT);
    }
    ptrace(PTRACE_DETACH, thread, 0, 0);
    if (seen < expected) {
        fprintf(stderr, "%d of %d requests were answered within %ld instructions\n", seen, expected, steps);
        return 1;
    }
    printf("%.1f instructions and %.3f system calls for each of %d requests\n", (double)steps / expected,
           (double)calls / expected, expected);
    if (most_functions > 0) report(pid, most_functions, expected);
    return 0;
}
#endif
