/*
 * What needs C's headers: socket addresses, epoll's packed events, constants, errno. Everything else is in Scala.
 * Unless a comment says otherwise a negative result is -errno; a function that fails leaves no descriptor behind.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_IO) && defined(__linux__)

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "needletail_waiting.h"

typedef union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un un;
} address;

static int failed(int fd) {
    int e = errno;
    if (fd >= 0) close(fd);
    return -e;
}

const char *needletail_io_message(int e) { return strerror(e); }

/* The kind of an error. 1: connection refused, 2: the address cannot be bound, 0: anything else. */
int needletail_io_kind(int e) {
    switch (e) {
    case ECONNREFUSED: return 1;
    case EADDRINUSE:
    case EADDRNOTAVAIL: return 2;
    default: return 0;
    }
}

/*
 * Raises the process's limit of descriptors to `wanted`, if it is lower and may be raised; returns the limit. Not
 * higher than needed: child processes inherit it, and some try to close as many.
 */
int needletail_io_allow_descriptors(int wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return INT32_MAX;
    if (limit.rlim_cur < (rlim_t)wanted && limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = limit;
        raised.rlim_cur = limit.rlim_max < (rlim_t)wanted ? limit.rlim_max : (rlim_t)wanted;
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur;
}

/* The number of open descriptors; 0 if unknown. */
int needletail_io_open_descriptors(void) {
    DIR *all = opendir("/proc/self/fd");
    if (all == NULL) return 0;
    int count = -1; /* without the one by which they are listed */
    for (struct dirent *one = readdir(all); one != NULL; one = readdir(all))
        if (one->d_name[0] != '.') count++;
    closedir(all);
    return count;
}

int needletail_io_close(int fd) { return close(fd) == 0 ? 0 : -errno; }

/* Bytes */

#define END_OF_INPUT INT32_MIN

/* Returns bytes read, 0: none now, END_OF_INPUT: the end. */
int needletail_io_read(int fd, char *to, int count) {
    ssize_t n;
    do n = recv(fd, to, (size_t)count, 0);
    while (n < 0 && errno == EINTR);
    if (n > 0) return (int)n;
    if (n == 0) return END_OF_INPUT;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

/* Returns bytes taken, 0: none now. Raises no SIGPIPE. */
int needletail_io_write(int fd, const char *from, int count) {
    ssize_t n;
    do n = send(fd, from, (size_t)count, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n >= 0) return (int)n;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

/* The same for pipes, which are not sockets. */
int needletail_io_pipe_read(int fd, char *to, int count) {
    ssize_t n;
    do n = read(fd, to, (size_t)count);
    while (n < 0 && errno == EINTR);
    if (n > 0) return (int)n;
    if (n == 0) return END_OF_INPUT;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

int needletail_io_pipe_write(int fd, const char *from, int count) {
    ssize_t n;
    do n = write(fd, from, (size_t)count);
    while (n < 0 && errno == EINTR);
    if (n >= 0) return (int)n;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

/* A write to a pipe cannot suppress SIGPIPE, so it is ignored, unless the program handles it. */
void needletail_io_pipe_signal(void) {
    struct sigaction now;
    if (sigaction(SIGPIPE, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
        signal(SIGPIPE, SIG_IGN);
}

/* Files */

/* For reading. Does not wait for a FIFO's writer. */
WAITING int needletail_io_file_open(const char *path) {
    int fd;
    BEGIN_WAITING();
    do fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    int e = fd < 0 ? errno : 0;
    END_WAITING();
    return fd < 0 ? -e : fd;
}

static ssize_t read_at(int file, char *to, size_t count, off_t position) {
    ssize_t n;
    do n = pread(file, to, count, position);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

/* Returns bytes read, 0 at the end. */
WAITING int needletail_io_file_read(int file, char *to, int count, int64_t position) {
    BEGIN_WAITING();
    ssize_t n = read_at(file, to, (size_t)count, position);
    END_WAITING();
    return (int)n;
}

/* -1 if it is not known. */
int64_t needletail_io_file_size(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? (int64_t)status.st_size : -1;
}

static atomic_int nowhere; /* /dev/null plus 1, once it is open */

static int null_device(void) {
    int known = atomic_load(&nowhere);
    if (known != 0) return known - 1;
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    if (atomic_compare_exchange_strong(&nowhere, &known, fd + 1)) return fd;
    close(fd);
    return known - 1;
}

/*
 * Has the kernel read `count` bytes into its page cache, and waits until they are there. Returns how many are; fewer
 * only if the file ends, or cannot be read. Sending a file to /dev/null copies nothing.
 */
WAITING int needletail_io_file_fetch(int file, int64_t position, int count) {
    BEGIN_WAITING();
    off_t at = position, until = position + count;
    ssize_t n = 1;
    int null = null_device();
    while (at < until && n > 0) {
        n = null < 0 ? -1 : sendfile(null, file, &at, (size_t)(until - at));
        if (n < 0) { /* not every file system can */
            char some[16 * 1024];
            n = read_at(file, some, at + (off_t)sizeof some < until ? sizeof some : (size_t)(until - at), at);
            if (n > 0) at += n;
        }
    }
    END_WAITING();
    return (int)(at - position);
}

#define FILE_ENDED 1
#define SOCKET_FULL 2

/*
 * Sends bytes of a file to a socket. Returns how many the kernel took and, if these are fewer than `count`, the reason
 * in the upper 32 bits. Should the file not be in the page cache, this waits for the disk.
 */
WAITING int64_t needletail_io_file_send(int fd, int file, int64_t position, int count) {
    BEGIN_WAITING();
    off_t at = position, until = position + count;
    int e = 0;
    int64_t why = 0;
    while (at < until && why == 0 && e == 0) {
        ssize_t n = sendfile(fd, file, &at, (size_t)(until - at));
        if (n == 0) why = FILE_ENDED;
        else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) why = SOCKET_FULL;
        else if (n < 0 && errno != EINTR) e = errno;
    }
    END_WAITING();
    return e != 0 && at == position ? -e : why << 32 | (int64_t)(at - position);
}

int needletail_io_shutdown_output(int fd) { return shutdown(fd, SHUT_WR) == 0 ? 0 : -errno; }

/* Addresses */

static socklen_t make_ip(address *a, const char *ip, int length, int scope, int port) {
    memset(a, 0, sizeof *a);
    if (length == 4) {
        a->v4.sin_family = AF_INET;
        a->v4.sin_port = htons((uint16_t)port);
        memcpy(&a->v4.sin_addr, ip, 4);
        return sizeof a->v4;
    }
    a->v6.sin6_family = AF_INET6;
    a->v6.sin6_port = htons((uint16_t)port);
    a->v6.sin6_scope_id = (uint32_t)scope;
    memcpy(&a->v6.sin6_addr, ip, 16);
    return sizeof a->v6;
}

/* 0 if the path is too long. */
static socklen_t make_unix(address *a, const char *path, int length) {
    if (length >= (int)sizeof a->un.sun_path) return 0;
    memset(a, 0, sizeof *a);
    a->un.sun_family = AF_UNIX;
    memcpy(a->un.sun_path, path, (size_t)length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1);
}

/*
 * name[0], name[1]: an IP address's bytes in memory order (IPv4 in the first four), name[2]: 4 or 6, or 1 for Unix, or
 * 0 for none; name[3]: the port, or the length of the path.
 */
static void take_name(const address *a, socklen_t length, int64_t *name) {
    name[0] = name[1] = name[2] = name[3] = 0;
    if (a->any.sa_family == AF_INET) {
        memcpy(name, &a->v4.sin_addr, 4);
        name[2] = 4;
        name[3] = ntohs(a->v4.sin_port);
    } else if (a->any.sa_family == AF_INET6) {
        memcpy(name, &a->v6.sin6_addr, 16);
        name[2] = 6;
        name[3] = ntohs(a->v6.sin6_port);
    } else if (a->any.sa_family == AF_UNIX) {
        size_t start = offsetof(struct sockaddr_un, sun_path);
        name[2] = 1;
        if (length > start && a->un.sun_path[0] != 0) name[3] = (int64_t)strnlen(a->un.sun_path, length - start);
    }
}

/* The address of this end (peer 0) or of the other; a Unix path is written to `path`, which has 108 bytes. */
int needletail_io_name(int fd, int peer, int64_t *name, char *path) {
    address a;
    socklen_t length = sizeof a;
    int r = peer ? getpeername(fd, &a.any, &length) : getsockname(fd, &a.any, &length);
    if (r != 0) return -errno;
    take_name(&a, length, name);
    if (name[2] == 1) memcpy(path, a.un.sun_path, (size_t)name[3]);
    return 0;
}

/*
 * Blocks. The addresses of a host, at most `max`: for each the number of bytes and the scope as 32-bit integers, then
 * 16 bytes. Returns how many; 0 if the name is unknown or the lookup failed.
 */
WAITING int needletail_io_look_up(const char *host, char *found, int max) {
    struct addrinfo hints, *all;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM; /* else each address comes once for every type */
    BEGIN_WAITING();
    int unknown = getaddrinfo(host, NULL, &hints, &all);
    END_WAITING();
    if (unknown) return 0;
    int count = 0;
    for (struct addrinfo *a = all; a != NULL && count < max; a = a->ai_next) {
        int32_t head[2] = {0, 0};
        const void *bytes = NULL;
        if (a->ai_family == AF_INET) {
            head[0] = 4;
            bytes = &((struct sockaddr_in *)a->ai_addr)->sin_addr;
        } else if (a->ai_family == AF_INET6) {
            head[0] = 16;
            head[1] = (int32_t)((struct sockaddr_in6 *)a->ai_addr)->sin6_scope_id;
            bytes = &((struct sockaddr_in6 *)a->ai_addr)->sin6_addr;
        }
        if (bytes != NULL) {
            memcpy(found + 24 * count, head, sizeof head);
            memcpy(found + 24 * count + 8, bytes, (size_t)head[0]);
            count++;
        }
    }
    freeaddrinfo(all);
    return count;
}

/* Listening */

static int set(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value);
}

static int listen_at(int fd, const address *a, socklen_t length, int backlog) {
    if (bind(fd, &a->any, length) != 0 || listen(fd, backlog) != 0) return failed(fd);
    return fd;
}

static int listen_ip(const address *a, socklen_t length, int backlog, int reuse_address, int reuse_port) {
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (reuse_address && set(fd, SOL_SOCKET, SO_REUSEADDR, 1) != 0) return failed(fd);
    if (reuse_port && set(fd, SOL_SOCKET, SO_REUSEPORT, 1) != 0) return failed(fd);
    if (a->any.sa_family == AF_INET6 && set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) != 0) return failed(fd);
    return listen_at(fd, a, length, backlog);
}

/* `length` 0: all addresses, IPv6 and IPv4 by one socket if the system has IPv6. */
int needletail_io_listen_tcp(const char *ip, int length, int scope, int port, int backlog, int reuse_address,
                             int reuse_port) {
    static const char any[16];
    address a;
    if (length > 0) return listen_ip(&a, make_ip(&a, ip, length, scope, port), backlog, reuse_address, reuse_port);
    int fd = listen_ip(&a, make_ip(&a, any, 16, 0, port), backlog, reuse_address, reuse_port);
    if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)
        fd = listen_ip(&a, make_ip(&a, any, 4, 0, port), backlog, reuse_address, reuse_port);
    return fd;
}

int needletail_io_listen_unix(const char *path, int path_length, int backlog) {
    address a;
    socklen_t length = make_unix(&a, path, path_length);
    if (length == 0) return -ENAMETOOLONG;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : listen_at(fd, &a, length, backlog);
}

/* 1 if it is a listening socket. */
int needletail_io_listens(int fd) {
    int listens = 0;
    socklen_t length = sizeof listens;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens;
}

/* Takes over a socket that was listening when the program started; returns it. */
int needletail_io_inherit(int fd) {
    if (!needletail_io_listens(fd)) return -ENOTSOCK;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return -errno;
    return fd;
}

/*
 * Returns a descriptor and its peer's address, as above without a path; -EAGAIN: none now. Skips connections that
 * broke in the queue (see accept(2) on errors of the network).
 */
int needletail_io_accept(int fd, int64_t *name) {
    for (;;) {
        address a;
        socklen_t length = sizeof a;
        a.any.sa_family = AF_UNSPEC;
        int s = accept4(fd, &a.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (s >= 0) {
            take_name(&a, length, name);
            return s;
        }
        switch (errno) {
        case EINTR: case ECONNABORTED: case EPROTO: case ENETDOWN: case ENOPROTOOPT: case EHOSTDOWN:
        case ENONET: case EHOSTUNREACH: case EOPNOTSUPP: case ENETUNREACH: case ETIMEDOUT: case EPERM:
            break;
        case EWOULDBLOCK: return -EAGAIN;
        default: return -errno;
        }
    }
}

int needletail_io_none_now(void) { return -EAGAIN; }

/* Connecting */

/* From a local address if `from` is not empty. */
static int connect_to(const address *a, socklen_t length, const address *from, socklen_t from_length) {
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (from_length > 0 && bind(fd, &from->any, from_length) != 0) return failed(fd);
    if (connect(fd, &a->any, length) != 0 && errno != EINPROGRESS && errno != EINTR) return failed(fd);
    return fd;
}

int needletail_io_connect_tcp(
    const char *ip, int length, int scope, int port, const char *from, int from_length, int from_scope
) {
    address a, b;
    socklen_t b_length = from_length == 0 ? 0 : make_ip(&b, from, from_length, from_scope, 0);
    return connect_to(&a, make_ip(&a, ip, length, scope, port), &b, b_length);
}

int needletail_io_connect_unix(const char *path, int path_length) {
    address a;
    socklen_t length = make_unix(&a, path, path_length);
    return length == 0 ? -ENAMETOOLONG : connect_to(&a, length, 0, 0);
}

/* 1: connected, 0: not yet. */
int needletail_io_connected(int fd) {
    int e = 0;
    socklen_t length = sizeof e;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &length) != 0) return -errno;
    if (e != 0) return -e;
    address a;
    length = sizeof a;
    if (getpeername(fd, &a.any, &length) == 0) return 1;
    return errno == ENOTCONN ? 0 : -errno;
}

/* Options. A buffer size of 0 leaves it to the kernel. */
int needletail_io_configure(int fd, int tcp, int no_delay, int keep_alive, int send_buffer, int receive_buffer) {
    if (tcp && no_delay && set(fd, IPPROTO_TCP, TCP_NODELAY, 1) != 0) return -errno;
    if (tcp && keep_alive && set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) != 0) return -errno;
    if (send_buffer > 0 && set(fd, SOL_SOCKET, SO_SNDBUF, send_buffer) != 0) return -errno;
    if (receive_buffer > 0 && set(fd, SOL_SOCKET, SO_RCVBUF, receive_buffer) != 0) return -errno;
    return 0;
}

/* SO_KEEPALIVE: probes a silent peer after `idle` seconds, then twice more. */
int needletail_io_probe_when_silent(int fd, int idle) {
    int interval = idle / 3 > 0 ? idle / 3 : 1;
    if (set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) != 0 || set(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle) != 0 ||
        set(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval) != 0 || set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3) != 0)
        return -errno;
    return 0;
}

int needletail_io_reset_on_close(int fd) {
    struct linger l = {1, 0};
    return setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof l) == 0 ? 0 : -errno;
}

/*
 * Protects the main thread's first frames. The garbage collector of Scala Native 0.5.10 assumes that the main thread's
 * stack begins below main's own frame (later versions do not), so that objects referenced by a program's main method
 * while a server runs would be collected. Constructors run at about the depth of main; the stack up to the environment
 * is added to what the collector scans.
 */
extern char **environ;
void scalanative_GC_add_roots(void *low, void *high);

#define WORD_OF(address) ((uintptr_t)(address) & ~(uintptr_t)(sizeof(void *) - 1))

static uintptr_t main_frames_low, main_frames_high;

__attribute__((constructor)) static void note_main_frames(void) {
    main_frames_low = WORD_OF(__builtin_frame_address(0)) - 1024;
    main_frames_high = WORD_OF(environ);
}

void needletail_io_cover_main_frames(void) {
    static atomic_flag covered = ATOMIC_FLAG_INIT;
    if (main_frames_low < main_frames_high && !atomic_flag_test_and_set(&covered))
        scalanative_GC_add_roots((void *)main_frames_low, (void *)main_frames_high);
}

/* Polling: edge-triggered, so that the kernel does not check again what has been used up. */

int needletail_io_poll_open(void) {
    needletail_io_cover_main_frames();
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Watches fd for `interest` (1 read, 4 write) instead of `before`; 0: stops watching. Current readiness is reported. */
int needletail_io_poll_watch(int poll, int fd, int before, int interest) {
    struct epoll_event e;
    e.events = EPOLLET | EPOLLPRI | EPOLLRDHUP | (interest & 1 ? EPOLLIN : 0) | (interest & 4 ? EPOLLOUT : 0);
    e.data.u64 = (uint64_t)(uint32_t)fd;
    int op = before == 0 ? EPOLL_CTL_ADD : interest == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    return epoll_ctl(poll, op, fd, &e) == 0 ? 0 : -errno;
}

#define MAX_EVENTS 256

/* For each ready descriptor: its number in the upper 32 bits, the events in the lower ones (see Poller.scala). */
static int poll_events(int poll, int64_t *events, int max, int timeout_millis) {
    struct epoll_event found[MAX_EVENTS];
    int n = epoll_wait(poll, found, max < MAX_EVENTS ? max : MAX_EVENTS, timeout_millis);
    if (n < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++) {
        uint32_t e = found[i].events;
        int bits = e & (EPOLLERR | EPOLLHUP) ? 1 | 4 | 8
            : (e & (EPOLLIN | EPOLLRDHUP) ? 1 : 0) | (e & EPOLLOUT ? 4 : 0) | (e & (EPOLLRDHUP | EPOLLPRI) ? 8 : 0);
        events[i] = (int64_t)(found[i].data.u64 << 32) | bits;
    }
    return n;
}

/* Two functions, as informing the garbage collector costs a little: only the one that waits does. */
WAITING int needletail_io_poll_wait(int poll, int64_t *events, int max, int timeout_millis) {
    BEGIN_WAITING();
    int n = poll_events(poll, events, max, timeout_millis);
    END_WAITING();
    return n;
}
int needletail_io_poll_now(int poll, int64_t *events, int max) { return poll_events(poll, events, max, 0); }

/* An eventfd that wakes its watcher for each change; it need not be read. */
int needletail_io_wake_open(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int needletail_io_wake(int fd) {
    uint64_t one = 1;
    return write(fd, &one, sizeof one) == sizeof one || errno == EAGAIN ? 0 : -errno;
}

/* Signals */

static int signal_fd = -1;
static atomic_int signal_hung_up, signal_terminated;

static void on_signal(int number) {
    int e = errno;
    uint64_t one = 1;
    if (number == SIGHUP) atomic_store(&signal_hung_up, 1);
    else if (number != 0) atomic_store(&signal_terminated, 1);
    if (write(signal_fd, &one, sizeof one) < 0) {} /* nothing can be done about it here */
    errno = e;
}

/* From now on SIGTERM and SIGINT only make needletail_io_signal_wait return. To be called once. */
int needletail_io_signal_open(void) {
    signal_fd = eventfd(0, EFD_CLOEXEC);
    if (signal_fd < 0) return -errno;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    signal(SIGPIPE, SIG_IGN); /* a log that nobody reads any more must not end a server */
    if (sigaction(SIGTERM, &action, NULL) != 0 || sigaction(SIGINT, &action, NULL) != 0) return -errno;
    return 0;
}

/* The same for SIGHUP, before or after. Until the former is called, it has no effect. */
int needletail_io_signal_hang_up(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGHUP, &action, NULL) != 0 ? -errno : 0;
}

/* Whether SIGHUP, or SIGTERM or SIGINT, has come since this was asked last. */
int needletail_io_signal_hung_up(void) { return atomic_exchange(&signal_hung_up, 0); }
int needletail_io_signal_terminated(void) { return atomic_exchange(&signal_terminated, 0); }

/* Makes `needletail_io_signal_wait` return without a signal. */
void needletail_io_signal_wake(void) { on_signal(0); }

/* Waits for the next signal. */
WAITING int needletail_io_signal_wait(void) {
    uint64_t count;
    int e = 0;
    BEGIN_WAITING();
    while (e == 0 && read(signal_fd, &count, sizeof count) != sizeof count)
        if (errno != EINTR) e = errno;
    END_WAITING();
    return -e;
}

/* This thread's processor time in nanoseconds; -1 if unknown. */
int64_t needletail_io_thread_nanos(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#endif
