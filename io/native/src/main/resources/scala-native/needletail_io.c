/*
 * What needs C's headers: errno, limits, reading and writing, files. needletail_io_socket.c has addresses and sockets,
 * needletail_io_poll.c what waits for them. Everything else is in Scala. Unless noted otherwise, a negative
 * result is -errno; a function that fails leaves no descriptor behind.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_IO) && defined(__linux__)

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "needletail_calls.h"
#include "needletail_waiting.h"

/*
 * Runs before main. A closed standard descriptor becomes /dev/null, else a socket or a poller could get its number, and
 * the log's lines. A write beyond the limit of a file's size (ulimit -f, LimitFSIZE=) fails with EFBIG instead of ending
 * the process, unless the program handles it; programs that are started get the default back.
 */
__attribute__((constructor)) static void needletail_io_prepare(void) {
    struct sigaction now;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) > 2) return;
    if (sigaction(SIGXFSZ, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
        signal(SIGXFSZ, SIG_IGN);
}

const char *needletail_io_message(int e) { return strerror(e); }

/*
 * The kind of an error. 1: connection refused, 2: the address is not this machine's, 3: it is in use, 4: no such file,
 * 5: not permitted, 0: anything else.
 */
int needletail_io_kind(int e) {
    switch (e) {
    case ECONNREFUSED: return 1;
    case EADDRNOTAVAIL: return 2;
    case EADDRINUSE: return 3;
    case ENOENT: return 4;
    case EACCES: return 5;
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
    do n = kernel_receive(fd, to, count);
    while (n < 0 && errno == EINTR);
    if (n > 0) return (int)n;
    if (n == 0) return END_OF_INPUT;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

/* Returns bytes taken, 0: none now. Raises no SIGPIPE. */
int needletail_io_write(int fd, const char *from, int count) {
    ssize_t n;
    do n = kernel_send(fd, from, count);
    while (n < 0 && errno == EINTR);
    if (n >= 0) return (int)n;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

/* Has the processor fetch memory that is used soon, while it does other things. Any address will do: nothing is read. */
void needletail_io_fetch(const char *from, int lines) {
    for (int i = 0; i < lines; i++) __builtin_prefetch(from + i * 64);
}

/* `write` for two pieces, one after the other. */
int needletail_io_write_both(int fd, const char *first, int first_count, const char *from, int count) {
    struct iovec pieces[2] = {{(void *)first, (size_t)first_count}, {(void *)from, (size_t)count}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    ssize_t n;
    do n = kernel_send_pieces(fd, &message);
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

#endif
