/* epoll's packed events, wake-ups, signals, and what the garbage collector has to know. Results are as in needletail_io.c. */
#if defined(__SCALANATIVE_NEEDLETAIL_IO) && defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "needletail_calls.h"
#include "needletail_waiting.h"

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

/*
 * Watches fd for `interest` (1 read, 4 write, 2 neither: errors and the end of both sides are always reported) instead of
 * `before`; 0: stops watching. Current readiness is reported.
 */
int needletail_io_poll_watch(int poll, int fd, int before, int interest) {
    struct epoll_event e;
    e.events = EPOLLET | (interest & (1 | 4) ? EPOLLPRI | EPOLLRDHUP : 0) |
        (interest & 1 ? EPOLLIN : 0) | (interest & 4 ? EPOLLOUT : 0);
    e.data.u64 = (uint64_t)(uint32_t)fd;
    int op = before == 0 ? EPOLL_CTL_ADD : interest == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    return epoll_ctl(poll, op, fd, &e) == 0 ? 0 : -errno;
}

#define MAX_EVENTS 256

/* For each ready descriptor: its number in the upper 32 bits, the events in the lower ones (see Poller.scala). */
static int poll_events(int poll, int64_t *events, int max, int timeout_millis) {
    struct epoll_event found[MAX_EVENTS];
    int n = kernel_wait(poll, found, max < MAX_EVENTS ? max : MAX_EVENTS, timeout_millis);
    if (n < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++) {
        uint32_t e = found[i].events;
        int bits = e & (EPOLLERR | EPOLLHUP) ? 1 | 2 | 4 | 8
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
static atomic_int signal_hung_up, signal_terminated; /* the latter is the number of the signal that has come */
static struct sigaction before_term, before_int, before_hup;
static int hup_is_caught;
static atomic_int signal_unheard; /* see needletail_io_signal_unheard */

static void restore(void) {
    sigaction(SIGTERM, &before_term, NULL);
    sigaction(SIGINT, &before_int, NULL);
}

/*
 * What the signal did before. The kernel does not end a process by a signal that is the first of its container (PID 1),
 * so that the program exits as it would have ended. If it was ignored before, everything stays as it is.
 */
static void end_by(int number) {
    struct sigaction *before = number == SIGINT ? &before_int : &before_term;
    if (before->sa_handler == SIG_IGN) return;
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    restore();
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    raise(number);
    if (before->sa_handler == SIG_DFL) _exit(128 + number);
}

static void on_signal(int number) {
    int e = errno;
    uint64_t one = 1;
    if (number == SIGHUP) atomic_store(&signal_hung_up, 1);
    else if (number != 0) {
        int has_come = atomic_exchange(&signal_terminated, number), unheard = atomic_load(&signal_unheard);
        if (unheard == 2 || (unheard == 1 && has_come)) end_by(number);
    }
    if (write(signal_fd, &one, sizeof one) < 0) {} /* nothing can be done about it here */
    errno = e;
}

/* Whether a signal is caught from now on; -errno. One that is ignored stays so. `before` is what it did. */
static int catch_signal(int number, struct sigaction *before) {
    struct sigaction present, own;
    if (sigaction(number, NULL, &present) != 0) return -errno;
    if (present.sa_handler == on_signal) return 1;
    *before = present;
    if (present.sa_handler == SIG_IGN) return 0;
    memset(&own, 0, sizeof own);
    own.sa_handler = on_signal;
    own.sa_flags = SA_RESTART;
    sigemptyset(&own.sa_mask);
    return sigaction(number, &own, NULL) == 0 ? 1 : -errno;
}

/* From now on SIGTERM and SIGINT only make needletail_io_signal_wait return, unless they are ignored. */
int needletail_io_signal_open(void) {
    if (signal_fd < 0) signal_fd = eventfd(0, EFD_CLOEXEC);
    if (signal_fd < 0) return -errno;
    atomic_store(&signal_terminated, 0);
    signal(SIGPIPE, SIG_IGN); /* a log that nobody reads any more must not end a server */
    int term = catch_signal(SIGTERM, &before_term);
    return term < 0 ? term : catch_signal(SIGINT, &before_int);
}

/* They do what they did before, also one that is `due`, or that has come meanwhile, and that nobody was told of. */
void needletail_io_signal_close(int due) {
    restore();
    int number = atomic_exchange(&signal_terminated, 0);
    if (number == 0) number = due;
    if (number != 0) end_by(number);
}

/*
 * Whether nobody waits for signals although they are caught, as the program is being started, which may take for ever:
 * then a second SIGTERM or SIGINT does what it did before; with 2 the next one, as the first has been noticed.
 */
void needletail_io_signal_unheard(int is) { atomic_store(&signal_unheard, is); }

/* SIGTERM and SIGINT do what they did before, and one of them is sent. */
void needletail_io_signal_end(int number) { end_by(number); }

/* The same for SIGHUP, before or after. Until `open` is called, it has no effect. As `nohup` has made it, it stays. */
int needletail_io_signal_hang_up(void) {
    int is_caught = catch_signal(SIGHUP, &before_hup);
    if (is_caught > 0) hup_is_caught = 1;
    return is_caught;
}

/* It does what it did before, also one that is due, or that has come meanwhile, and that nobody was told of. */
void needletail_io_signal_hang_up_end(int is_due) {
    if (!hup_is_caught) return;
    sigaction(SIGHUP, &before_hup, NULL);
    hup_is_caught = 0;
    if (atomic_exchange(&signal_hung_up, 0) || is_due) raise(SIGHUP);
}

void needletail_io_signal_hang_up_again(void) { raise(SIGHUP); }

/* Whether SIGHUP, or which of SIGTERM and SIGINT, has come since this was asked last; 0: none. */
int needletail_io_signal_hung_up(void) { return atomic_exchange(&signal_hung_up, 0); }
int needletail_io_signal_terminated(void) { return atomic_exchange(&signal_terminated, 0); }

/* Makes `needletail_io_signal_wait` return, as if a signal had come; 0: without one. */
void needletail_io_signal_wake(int number) { on_signal(number); }

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

/* For C of other modules: calls a function that waits in the kernel. See needletail_waiting.h. */
WAITING long needletail_io_waiting(long (*function)(void *), void *argument) {
    BEGIN_WAITING();
    long result = function(argument);
    END_WAITING();
    return result;
}

/* This thread's processor time in nanoseconds; -1 if unknown. */
int64_t needletail_io_thread_nanos(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* How often this thread has given up the processor by itself (voluntary context switches); -1 if unknown. */
int64_t needletail_io_thread_waits(void) {
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? (int64_t)used.ru_nvcsw : -1;
}

#endif
