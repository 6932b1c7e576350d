/* Addresses, and sockets that listen or connect. Results are as in needletail_io.c. */
#if defined(__SCALANATIVE_NEEDLETAIL_IO) && defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

/* Bytes in the output queue: not sent, or not acknowledged. */
int needletail_io_unacknowledged(int fd) {
    int count;
    return ioctl(fd, SIOCOUTQ, &count) == 0 ? count : -errno;
}

int needletail_io_reset_on_close(int fd) {
    struct linger l = {1, 0};
    return setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof l) == 0 ? 0 : -errno;
}

#endif
