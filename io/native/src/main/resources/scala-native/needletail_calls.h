/*
 * The system calls that a loop makes for every turn and every request. The C library's functions prepare for
 * pthread_cancel first, with two atomic operations and some thirty instructions each; nobody calls that here. As in its
 * functions, a negative result means that errno is set. Include after defining _GNU_SOURCE.
 */
#ifndef NEEDLETAIL_CALLS_H
#define NEEDLETAIL_CALLS_H

#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline ssize_t kernel_receive(int fd, char *to, int count) {
    return syscall(__NR_recvfrom, (long)fd, to, (size_t)count, 0L, NULL, NULL);
}

/* Raises no SIGPIPE. */
static inline ssize_t kernel_send(int fd, const char *from, int count) {
    return syscall(__NR_sendto, (long)fd, from, (size_t)count, (long)MSG_NOSIGNAL, NULL, 0L);
}

/* The same for several pieces. */
static inline ssize_t kernel_send_pieces(int fd, const struct msghdr *message) {
    return syscall(__NR_sendmsg, (long)fd, message, (long)MSG_NOSIGNAL);
}

/* As epoll_wait, which is not a system call on every processor. */
static inline int kernel_wait(int poll, struct epoll_event *found, int max, int timeout_millis) {
    return (int)syscall(__NR_epoll_pwait, (long)poll, found, (long)max, (long)timeout_millis, NULL, 0L);
}

#endif
