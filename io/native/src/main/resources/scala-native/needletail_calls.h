/*
 * The system calls that a loop makes for every turn and every request. The C library's functions prepare for
 * pthread_cancel first, with two atomic operations and some thirty instructions each; nobody calls that here. And its
 * `syscall` moves each argument to another register first. As in its functions, a negative result means that errno is
 * set. Include after defining _GNU_SOURCE.
 */
#ifndef NEEDLETAIL_CALLS_H
#define NEEDLETAIL_CALLS_H

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long kernel_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__) && !defined(__ILP32__)
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
#else
    return syscall(number, a, b, c, d, e, f);
#endif
}

static inline ssize_t kernel_receive(int fd, char *to, int count) {
    return kernel_call(__NR_recvfrom, fd, (long)to, count, 0L, 0L, 0L);
}

/* Raises no SIGPIPE. */
static inline ssize_t kernel_send(int fd, const char *from, int count) {
    return kernel_call(__NR_sendto, fd, (long)from, count, MSG_NOSIGNAL, 0L, 0L);
}

/* The same for several pieces. */
static inline ssize_t kernel_send_pieces(int fd, const struct msghdr *message) {
    return kernel_call(__NR_sendmsg, fd, (long)message, MSG_NOSIGNAL, 0L, 0L, 0L);
}

/* As epoll_wait, which is not a system call on every processor. */
static inline int kernel_wait(int poll, struct epoll_event *found, int max, int timeout_millis) {
    return (int)kernel_call(__NR_epoll_pwait, poll, (long)found, max, timeout_millis, 0L, 0L);
}

#endif
