/*
 * An io_uring that watches descriptors, by raw system calls: no library is needed. Requests to watch, and to stop
 * watching, are submitted together with the wait, so that a turn of a loop makes one system call.
 *
 * Each watch is a multishot poll: it stays until it is cancelled and reports each change once (edge-triggered). Bytes
 * are moved by plain recv and send: see docs/decisions/0006-io-uring.md.
 *
 * Needs Linux 6.1 and its headers; otherwise needletail_uring_open returns ENOSYS. Negative results are -errno.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_IO) && defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "needletail_waiting.h"

void needletail_io_cover_main_frames(void);

#if defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif
#endif

#if defined(IORING_SETUP_DEFER_TASKRUN) && defined(__NR_io_uring_setup)

/* Newer than the headers of 6.1. A wait is not counted as I/O wait. */
#define FEATURE_NO_IOWAIT (1U << 17)
#define ENTER_NO_IOWAIT (1U << 7)

/* The kind of a completion: the lowest byte of user_data. Above it: 24 bits of the watch's token, 32 of its fd. */
enum { WATCH = 0, WAKE = 1, CANCEL = 2 };

/* As in Poller.scala. */
enum { READ = 1, FAILURE = 2, WRITE = 4, UNBOUNDED = 8, ENDED = 16 };

typedef struct {
    int fd;
    int enabled; /* by the thread that uses it, the only one allowed to */
    int wake_fd, wake_watched;
    unsigned enter_flags;
    unsigned outstanding; /* watches the kernel has or will have; each keeps its descriptor open */

    /* Submissions: the tail is written here, the head by the kernel. */
    struct io_uring_sqe *entries;
    _Atomic unsigned *sq_head, *sq_tail;
    unsigned sq_mask, sq_size, sq_filled; /* sq_filled: the tail, before the kernel is told */

    /* Completions: the tail is written by the kernel. */
    struct io_uring_cqe *completions;
    _Atomic unsigned *cq_head, *cq_tail;
    unsigned cq_mask;

    void *rings;
    size_t rings_length, entries_length;
} uring;

static int enter(uring *u, unsigned submit, unsigned wait_for, unsigned flags, void *argument, size_t size) {
    long n = syscall(__NR_io_uring_enter, u->fd, submit, wait_for, flags | u->enter_flags, argument, size);
    return n < 0 ? -errno : (int)n;
}

/* How many submissions the kernel has not taken yet. */
static unsigned publish(uring *u) {
    atomic_store_explicit(u->sq_tail, u->sq_filled, memory_order_release);
    return u->sq_filled - atomic_load_explicit(u->sq_head, memory_order_acquire);
}

/* A cleared submission; NULL if there is no room and the kernel takes none. */
static struct io_uring_sqe *submission(uring *u) {
    if (u->sq_filled - atomic_load_explicit(u->sq_head, memory_order_acquire) == u->sq_size) {
        if (!u->enabled) return NULL;
        enter(u, publish(u), 0, 0, NULL, 0);
        if (u->sq_filled - atomic_load_explicit(u->sq_head, memory_order_acquire) == u->sq_size) return NULL;
    }
    struct io_uring_sqe *e = &u->entries[u->sq_filled++ & u->sq_mask];
    memset(e, 0, sizeof *e);
    return e;
}

static uint64_t name_of(int fd, int token) { return (uint64_t)(uint32_t)fd << 32 | (uint32_t)token << 8; }

static int watch(uring *u, int fd, uint64_t name, uint32_t events) {
    struct io_uring_sqe *e = submission(u);
    if (e == NULL) return -EAGAIN;
    e->opcode = IORING_OP_POLL_ADD;
    e->fd = fd;
    e->len = IORING_POLL_ADD_MULTI;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    events = events << 16 | events >> 16;
#endif
    e->poll32_events = events;
    e->user_data = name;
    u->outstanding++;
    return 0;
}

/* Watches fd under `token` for interest (1 read, 4 write, 2 neither: errors and the end of both sides are always reported). */
int needletail_uring_watch(void *ring, int fd, int token, int interest) {
    uint32_t events = (interest & (READ | WRITE) ? POLLPRI | POLLRDHUP : 0) |
        (interest & READ ? POLLIN : 0) | (interest & WRITE ? POLLOUT : 0);
    return watch(ring, fd, name_of(fd, token) | WATCH, events);
}

/* Ends a watch, with the next wait; its later reports are recognised by its token. */
int needletail_uring_cancel(void *ring, int fd, int token) {
    struct io_uring_sqe *e = submission(ring);
    if (e == NULL) return -EAGAIN;
    e->opcode = IORING_OP_ASYNC_CANCEL;
    e->fd = -1;
    e->flags = IOSQE_CQE_SKIP_SUCCESS;
    e->addr = name_of(fd, token) | WATCH;
    e->user_data = name_of(fd, token) | CANCEL;
    return 0;
}

void needletail_uring_free(void *ring) {
    uring *u = ring;
    if (u->entries != NULL) munmap(u->entries, u->entries_length);
    if (u->rings != NULL) munmap(u->rings, u->rings_length);
    if (u->fd >= 0) close(u->fd);
    free(u);
}

static void *map(int fd, size_t length, uint64_t what) {
    void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)what);
    return at == MAP_FAILED ? NULL : at;
}

/*
 * Opens a ring with that many submissions and completions; `wake_fd` is an eventfd that wakes it. Only the thread that
 * waits first may use it after that.
 */
int needletail_uring_open(int size, int completions, int wake_fd, void **ring) {
    needletail_io_cover_main_frames();
    /* The kernel does its work within this thread's system calls only, never in between or on another thread. */
    struct io_uring_params p = {
        .flags = IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
                 IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED,
        .cq_entries = (unsigned)completions,
    };
    const unsigned needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP;
    uring *u = calloc(1, sizeof *u);
    if (u == NULL) return -ENOMEM;
    u->fd = (int)syscall(__NR_io_uring_setup, (unsigned)size, &p);
    int e = u->fd < 0 ? errno : (p.features & needed) != needed ? ENOSYS : 0;
    if (e == 0) {
        size_t sq = p.sq_off.array + p.sq_entries * sizeof(unsigned);
        size_t cq = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
        u->rings_length = sq > cq ? sq : cq;
        u->entries_length = p.sq_entries * sizeof(struct io_uring_sqe);
        u->rings = map(u->fd, u->rings_length, IORING_OFF_SQ_RING);
        u->entries = map(u->fd, u->entries_length, IORING_OFF_SQES);
        if (u->rings == NULL || u->entries == NULL) e = ENOMEM;
    }
    if (e == 0) {
        char *at = u->rings;
        u->sq_head = (_Atomic unsigned *)(at + p.sq_off.head);
        u->sq_tail = (_Atomic unsigned *)(at + p.sq_off.tail);
        u->sq_mask = *(unsigned *)(at + p.sq_off.ring_mask);
        u->sq_size = p.sq_entries;
        u->cq_head = (_Atomic unsigned *)(at + p.cq_off.head);
        u->cq_tail = (_Atomic unsigned *)(at + p.cq_off.tail);
        u->cq_mask = *(unsigned *)(at + p.cq_off.ring_mask);
        u->completions = (struct io_uring_cqe *)(at + p.cq_off.cqes);
        /* Which entry is submitted when: always in their own order. */
        unsigned *order = (unsigned *)(at + p.sq_off.array);
        for (unsigned i = 0; i < p.sq_entries; i++) order[i] = i;
        u->enter_flags = p.features & FEATURE_NO_IOWAIT ? ENTER_NO_IOWAIT : 0;
        u->wake_fd = wake_fd;
    }
    if (e != 0) {
        needletail_uring_free(u);
        return -e;
    }
    *ring = u;
    return 0;
}

/* Submits, waits for one completion (0: does not wait, -1: without limit), and lets the kernel do its deferred work. */
static int submit_and_wait(uring *u, int timeout_millis) {
    if (!u->enabled) {
        if (syscall(__NR_io_uring_register, u->fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) != 0) return -errno;
        u->enabled = 1;
    }
    if (!u->wake_watched) {
        u->wake_watched = watch(u, u->wake_fd, name_of(u->wake_fd, 0) | WAKE, POLLIN) == 0;
        if (!u->wake_watched) timeout_millis = 0; /* nobody could end the wait */
    }
    struct __kernel_timespec time = {timeout_millis / 1000, timeout_millis % 1000 * 1000000L};
    struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&time};
    int bounded = timeout_millis > 0;
    int r = enter(u, publish(u), timeout_millis != 0, IORING_ENTER_GETEVENTS | (bounded ? IORING_ENTER_EXT_ARG : 0),
                  bounded ? &argument : NULL, bounded ? sizeof argument : 0);
    switch (r) {
    case -EBADR: u->wake_watched = 0; /* it had no memory to keep completions, whose they were nobody knows */
        return 0;
    case -ETIME:           /* the time is over */
    case -EINTR:           /* a signal */
    case -EAGAIN:          /* memory is short, or completions are to be taken first: what */
    case -EBUSY: return 0; /* was not submitted is with the next call */
    default: return r < 0 ? r : 0;
    }
}

static int bits_of(const struct io_uring_cqe *c) {
    int bits = c->flags & IORING_CQE_F_MORE ? 0 : ENDED;
    if (c->res < 0) return bits | READ | WRITE | UNBOUNDED; /* could not be watched: a read or write tells why */
    if (c->res & (POLLERR | POLLHUP)) return bits | READ | WRITE | FAILURE | UNBOUNDED;
    if (c->res & (POLLRDHUP | POLLPRI)) bits |= UNBOUNDED;
    return bits | (c->res & (POLLIN | POLLRDHUP) ? READ : 0) | (c->res & POLLOUT ? WRITE : 0);
}

/* At most `max` events: fd in the upper 32 bits, then 24 of the token, then the events (see Poller.scala). */
static int take(uring *u, int64_t *events, int max) {
    int n = 0;
    unsigned head = atomic_load_explicit(u->cq_head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(u->cq_tail, memory_order_acquire);
    while (head != tail && n < max) {
        const struct io_uring_cqe *c = &u->completions[head++ & u->cq_mask];
        int kind = (int)(c->user_data & 255), over = kind != CANCEL && !(c->flags & IORING_CQE_F_MORE);
        if (over) u->outstanding--;
        if (kind == WATCH) events[n++] = (int64_t)(c->user_data | (uint64_t)bits_of(c));
        if (kind == WAKE && over) u->wake_watched = 0;
    }
    atomic_store_explicit(u->cq_head, head, memory_order_release);
    return n;
}

static int pending(uring *u) {
    return atomic_load_explicit(u->cq_head, memory_order_relaxed) != atomic_load_explicit(u->cq_tail, memory_order_acquire);
}

/* Two functions, as with epoll. */
WAITING int needletail_uring_wait(void *ring, int64_t *events, int max, int timeout_millis) {
    int time = pending(ring) ? 0 : timeout_millis;
    BEGIN_WAITING();
    int r = submit_and_wait(ring, time);
    END_WAITING();
    return r < 0 ? r : take(ring, events, max);
}

int needletail_uring_now(void *ring, int64_t *events, int max) {
    int r = submit_and_wait(ring, 0);
    return r < 0 ? r : take(ring, events, max);
}

#define PATIENCE_MILLIS 1000

/*
 * Ends every watch, and waits until the kernel has released the descriptors: otherwise it does so some time after the
 * ring is closed, and a port would stay in use until then. To be called on the thread that used the ring, if any.
 */
WAITING void needletail_uring_close(void *ring) {
    uring *u = ring;
    if (u->enabled) {
        int64_t dropped[64];
        struct io_uring_sqe *e = submission(u);
        if (e != NULL) {
            e->opcode = IORING_OP_ASYNC_CANCEL;
            e->fd = -1;
            e->cancel_flags = IORING_ASYNC_CANCEL_ALL | IORING_ASYNC_CANCEL_ANY;
            e->user_data = CANCEL;
        }
        BEGIN_WAITING();
        for (int i = 0; u->outstanding > 0 && i < PATIENCE_MILLIS; i++) {
            u->wake_watched = 1; /* not to be renewed */
            if (submit_and_wait(u, pending(u) ? 0 : 1) != 0) break;
            while (take(u, dropped, 64) == 64) {}
        }
        END_WAITING();
    }
    needletail_uring_free(u);
}

#else /* no such headers */

int needletail_uring_open(int size, int completions, int wake_fd, void **ring) { return -ENOSYS; }
int needletail_uring_watch(void *ring, int fd, int token, int interest) { return -ENOSYS; }
int needletail_uring_cancel(void *ring, int fd, int token) { return -ENOSYS; }
int needletail_uring_wait(void *ring, int64_t *events, int max, int timeout_millis) { return -ENOSYS; }
int needletail_uring_now(void *ring, int64_t *events, int max) { return -ENOSYS; }
void needletail_uring_close(void *ring) {}

#endif
#endif
