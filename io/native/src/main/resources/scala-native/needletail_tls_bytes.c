/*
 * The encrypted side of a connection. Encrypted bytes pass through buffers of the thread, so that an idle connection owns
 * none; what a peer sent too much of, and what the kernel does not take, is kept in the connection. OpenSSL reads and
 * writes by a BIO, which follows the records in what is read.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_calls.h"
#include "needletail_tls_connection.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Records without data that one read takes, so that the loop gets to its other connections. */
#define MAX_BARREN 8
_Thread_local buffers *here;
static _Thread_local buffers *spare; /* for needletail_tls_lend */
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static BIO_METHOD *method;

/*
 * How long a client's greeting may be, as with the JDK: its first message, and its second if it is asked to repeat the
 * first (RFC 8446 section 4.1.4). OpenSSL's limit is 131,396 bytes, and it allocates and clears all of them when it has
 * the header of a message that long, nine bytes of the client's.
 */
#define MAX_GREETING 32768

/* The type of a record whose content is a handshake message and not encrypted, with TLS 1.3 (RFC 8446 section 5.1). */
#define HANDSHAKE 22

int needletail_tls_is_greeting_long(const connection *c) {
    return c->greeting_header == 4 && c->greeting_length > MAX_GREETING;
}

/* Follows the header of that message, which may come in several records: a byte for its kind, three for its length. */
static void heed(connection *c, const char *bytes, int count) {
    for (int i = 0; i < count && c->greeting_header < 4; i++)
        if (c->greeting_header++ > 0) c->greeting_length = c->greeting_length << 8 | (unsigned char)bytes[i];
}

/* The encrypted side, as OpenSSL sees it. A read takes from the thread's buffer, a write adds to it. */

/* Follows the records in what OpenSSL reads. Returns how many of `count` bytes it may have: no further record's. */
static int follow(connection *c, const char *bytes, int count) {
    int used = 0;
    while (used < count) {
        if (c->record_left == 0) { /* in a header, or before one */
            if (c->header == 0 && c->is_limiting && here->barren >= MAX_BARREN) break;
            unsigned char b = (unsigned char)bytes[used++];
            if (c->header == 0) c->record_type = b;
            if (c->header == 3) c->header_length = (uint16_t)(b << 8);
            if (c->header == 4) c->header_length = (uint16_t)(c->header_length | b);
            if (++c->header == 5) {
                c->header = 0;
                c->record_left = c->record_length = c->header_length;
                if (!c->is_secured) c->greetings++;
                if (c->idle < UINT16_MAX) c->idle++;
                c->is_counted = 1;
                here->barren++;
            }
        } else {
            int n = count - used < c->record_left ? count - used : c->record_left;
            if (c->is_server && c->greeting_header < 4 && c->record_type == HANDSHAKE) heed(c, bytes + used, n);
            used += n;
            c->record_left = (uint16_t)(c->record_left - n);
        }
    }
    return used;
}

static int encrypted_read(BIO *bio, char *to, int count) {
    connection *c = ssl.BIO_get_data(bio);
    ssl.BIO_clear_flags(bio, 0xff);
    int left = here->in_until - here->in_from;
    int n = c == NULL || left <= 0 || count <= 0 ? 0 : follow(c, here->source + here->in_from, left < count ? left : count);
    if (n == 0 || needletail_tls_is_greeting_long(c)) {
        ssl.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    memcpy(to, here->source + here->in_from, (size_t)n);
    here->in_from += n;
    return n;
}

static int encrypted_write(BIO *bio, const char *from, int count) {
    connection *c = ssl.BIO_get_data(bio);
    ssl.BIO_clear_flags(bio, 0xff);
    if (c == NULL) return count; /* the connection is being freed */
    for (int done = 0; done < count;) {
        int n = count - done < OUT_SIZE - here->out_count ? count - done : OUT_SIZE - here->out_count;
        memcpy(here->out + here->out_count, from + done, (size_t)n);
        here->out_count += n;
        done += n;
        if (done < count && needletail_tls_flush(c) < 0) return -1;
    }
    return count;
}

static long encrypted_control(BIO *bio, int what, long number, void *pointer) {
    (void)bio;
    (void)number;
    (void)pointer;
    return what == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO *needletail_tls_encrypted(connection *c) {
    BIO *bio = ssl.BIO_new(method);
    if (bio == NULL) return NULL;
    ssl.BIO_set_data(bio, c);
    ssl.BIO_set_init(bio, 1);
    return bio;
}

/* Numbers of threads, which are used again. */
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static char *slots; /* 1: in use */
static int slots_count;

static int take_slot(void) {
    int slot = 0;
    pthread_mutex_lock(&slots_lock);
    while (slot < slots_count && slots[slot]) slot++;
    if (slot == slots_count) {
        char *more = realloc(slots, (size_t)(2 * slots_count + 8));
        if (more == NULL) slot = -1;
        else {
            slots = more;
            memset(slots + slots_count, 0, (size_t)(slots_count + 8));
            slots_count = 2 * slots_count + 8;
        }
    }
    if (slot >= 0) slots[slot] = 1;
    pthread_mutex_unlock(&slots_lock);
    return slot;
}

static void thread_ends(void *its) {
    pthread_mutex_lock(&slots_lock);
    slots[((buffers *)its)->slot] = 0;
    pthread_mutex_unlock(&slots_lock);
    free(its);
    free(spare);
}

static void make_method(void) {
    pthread_key_create(&ending, thread_ends);
    BIO_METHOD *m = ssl.BIO_meth_new(0x400 | 128, "needletail"); /* BIO_TYPE_SOURCE_SINK */
    if (m == NULL) return;
    ssl.BIO_meth_set_read(m, encrypted_read);
    ssl.BIO_meth_set_write(m, encrypted_write);
    ssl.BIO_meth_set_ctrl(m, encrypted_control);
    method = m;
}

int needletail_tls_ready(void) {
    pthread_once(&once, make_method);
    if (here == NULL && method != NULL) {
        buffers *b = malloc(sizeof *b);
        if (b == NULL) return 0;
        b->slot = take_slot();
        if (b->slot < 0) {
            free(b);
            return 0;
        }
        b->in_from = b->in_until = b->out_count = b->barren = 0;
        pthread_setspecific(ending, b);
        here = b;
    }
    return here != NULL;
}

/* A small number that no other living thread has, or -ENOMEM. */
int needletail_tls_slot(void) { return needletail_tls_ready() ? here->slot : -ENOMEM; }

/* Output */

elsewhere needletail_tls_elsewhere;

void needletail_tls_divert(int (*take)(int, char *, int), int (*give)(int, const char *, int), int (*end)(int)) {
    needletail_tls_elsewhere = (elsewhere){take, give, end};
}

buffers *needletail_tls_lend(void) {
    buffers *own = here;
    if (spare == NULL) {
        spare = calloc(1, sizeof *spare);
        if (spare == NULL) return NULL;
        spare->slot = own->slot;
    }
    here = spare;
    spare = NULL;
    return own;
}

void needletail_tls_take_back(buffers *own) {
    free(spare);
    spare = here;
    here = own;
}

static int give_elsewhere(connection *c, const char *from, int count) {
    buffers *own = needletail_tls_lend();
    if (own == NULL) return -ENOMEM;
    int n = needletail_tls_elsewhere.give(c->fd, from, count);
    needletail_tls_take_back(own);
    return n;
}

static int take_elsewhere(connection *c, char *to, int count) {
    buffers *own = needletail_tls_lend();
    if (own == NULL) return -ENOMEM;
    int n = needletail_tls_elsewhere.take(c->fd, to, count);
    needletail_tls_take_back(own);
    return n;
}

int needletail_tls_shut(connection *c) {
    if (c->fd < 0) return needletail_tls_elsewhere.end(c->fd);
    return shutdown(c->fd, SHUT_WR) != 0 ? -errno : 0;
}

/* Sends what the kernel takes at once. Returns bytes, or -errno. */
static int put(connection *c, const char *from, int count) {
    if (c->fd < 0) {
        int taken = give_elsewhere(c, from, count);
        if (taken >= 0 && taken < count) c->flags |= NO_ROOM;
        return taken;
    }
    ssize_t n;
    do n = kernel_send(c->fd, from, count);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return -errno;
    if (n < count) c->flags |= NO_ROOM;
    return n < 0 ? 0 : (int)n;
}

int needletail_tls_flush(connection *c) {
    int count = here->out_count, done = 0;
    here->out_count = 0;
    if (count == 0) return 0;
    if (c->pending == NULL) {
        done = put(c, here->out, count);
        if (done < 0) return done;
    }
    if (done < count) {
        int waiting = c->pending == NULL ? 0 : c->pending_until - c->pending_from;
        char *all = malloc((size_t)(waiting + count - done));
        if (all == NULL) return -ENOMEM;
        if (waiting > 0) memcpy(all, c->pending + c->pending_from, (size_t)waiting);
        memcpy(all + waiting, here->out + done, (size_t)(count - done));
        free(c->pending);
        c->pending = all;
        c->pending_from = 0;
        c->pending_until = waiting + count - done;
    }
    return 0;
}

int needletail_tls_flush_own(connection *c) {
    int has_output = here->out_count > 0;
    int result = needletail_tls_flush(c);
    if (has_output && c->pending != NULL) c->is_own = 1;
    return result;
}

int needletail_tls_drain(connection *c) {
    if (c->pending == NULL) return 1;
    int n = put(c, c->pending + c->pending_from, c->pending_until - c->pending_from);
    if (n < 0) return n;
    c->taken = (int32_t)((uint32_t)c->taken + (uint32_t)n);
    c->pending_from += n;
    if (c->pending_from < c->pending_until) return 0;
    free(c->pending);
    c->pending = NULL;
    c->is_own = 0;
    int ended = c->is_end_said ? needletail_tls_shut(c) : 0;
    return ended < 0 ? ended : 1;
}

/* Input */

int needletail_tls_fill(connection *c, int count) {
    here->in_from = 0;
    here->barren = 0;
    if (c->held != NULL) {
        here->source = c->held;
        here->in_until = c->held_count;
        return 0;
    }
    here->source = here->in;
    here->in_until = 0;
    if (c->is_channel_at_end) return 0;
    if (count > IN_SIZE) count = IN_SIZE;
    ssize_t n;
    if (c->fd < 0) {
        n = take_elsewhere(c, here->in, count);
        if (n < 0) errno = (int)-n;
    } else {
        do n = kernel_receive(c->fd, here->in, count);
        while (n < 0 && errno == EINTR);
    }
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return -errno;
    if (n == 0) c->is_channel_at_end = 1;
    if (n < 0) c->flags |= NO_INPUT;
    if (n > 0) {
        c->is_heard = 1;
        c->flags |= HEARD;
        here->in_until = (int)n;
        if (n < count) c->flags |= SHORT_INPUT;
    }
    return 0;
}

int needletail_tls_keep_rest(connection *c) {
    int left = here->in_until - here->in_from;
    char *rest = NULL;
    if (c->held != NULL && here->in_from == 0 && left > 0) return 0;
    if (left > 0) {
        rest = malloc((size_t)left);
        if (rest == NULL) return -ENOMEM;
        memcpy(rest, here->source + here->in_from, (size_t)left);
    }
    if (c->held != NULL || rest != NULL) {
        free(c->held);
        c->held = rest;
        c->held_count = left;
    }
    here->in_from = here->in_until = 0;
    return 0;
}

#endif
