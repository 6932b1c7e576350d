/*
 * A connection secured by TLS: plain bytes on Scala's side, encrypted bytes on the network. Encrypted bytes pass
 * through buffers of the thread, so that an idle connection owns none; what a peer sent too much of, and what the
 * kernel does not take, is kept here.
 *
 * The peer can make OpenSSL send by itself, in answer to a key update (RFC 8446 section 4.6.3) for example. If the
 * kernel does not take such output it is owed, and nothing is read until it is sent. Records without data are limited
 * relative to those with data.
 *
 * No function waits, and none calls into Scala. OpenSSL's errors are a queue of the thread's, so it is cleared first.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "needletail_waiting.h"

/* As in needletail_io.c; other negative results are -errno. */
#define END_OF_INPUT INT32_MIN
#define FAILED (INT32_MIN + 1) /* `why` and `kind` say how */

#define IN_SIZE (64 * 1024)
#define OUT_SIZE (4 * (16384 + 512))

/* Records that one handshake may come in; a client with a certificate needs some ten. */
#define MAX_GREETINGS 256
/* Records without data that one read takes, so that the loop gets to its other connections. */
#define MAX_BARREN 8
/* How many more of the records after the handshake may carry no data than carry some. Tickets and new keys do. */
#define MAX_IDLE 32

/* What Scala reads after each call; see OpenSslSocket. */
enum {
    NO_INPUT = 1,      /* the kernel has no more input */
    SHORT_INPUT = 2,   /* the kernel returned less than was asked for */
    NO_ROOM = 4,       /* the kernel takes no more output */
    HOLDS_INPUT = 8,   /* there is input here for which no readiness will be reported */
    OWES_OUTPUT = 16,  /* the kernel has not taken some of OpenSSL's own output */
    SECURED = 32,      /* the handshake is complete */
    AWAITS_WRITE = 64, /* a client's handshake goes on when the kernel takes output */
    RESUMED = 128,     /* the handshake has resumed a session */
    HEARD = 256,       /* the peer has sent something */
};

/* The kinds of failures; UNTRUSTED is added to the reason by which OpenSSL refuses a certificate. */
enum { OTHER = 0, NO_CERTIFICATE = 1, NO_TLS = 3, TRUNCATED = 4, INTERRUPTED = 5, FLOOD = 6, UNTRUSTED = 1000 };

struct connection {
    int32_t flags;
    int32_t held_bytes;
    int32_t kind; /* of a failure */
    char why[124];

    SSL *ssl;
    context *context;
    char *key; /* a client's: the server's name and port */
    int fd;

    unsigned char is_server, is_begun, is_secured, is_heard, has_failed;
    unsigned char is_channel_at_end, is_ended, is_end_told, is_end_said, is_own;
    unsigned char is_limiting; /* whether records count, as the handshake is complete */
    unsigned char is_counted;  /* whether the latest record counts as one without data */

    /* Input. The record being read: bytes of its header, and bytes of it that have not come or not been read. */
    int header, header_length, record_left, record_length;
    int greetings, idle;
    char *held;
    int held_count;

    /* Output that the kernel has not taken, and the plain bytes in it that `write` has not reported as taken. */
    char *pending;
    int pending_from, pending_until;
    int owed;
};

/* What a thread needs: allocated when first used, freed when the thread ends. */
typedef struct {
    int slot;
    char in[IN_SIZE];
    char out[OUT_SIZE];
    int in_from, in_until; /* in `source` */
    const char *source;    /* `in`, or what a connection held */
    int out_count;
    int barren; /* records begun by this read that have brought no data */
} buffers;

static _Thread_local buffers *here;
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static BIO_METHOD *method;

/* The encrypted side, as OpenSSL sees it. A read takes from the thread's buffer, a write adds to it. */

static int flush(connection *c);

/* Follows the records in what OpenSSL reads. Returns how many of `count` bytes it may have: no further record's. */
static int follow(connection *c, const char *bytes, int count) {
    int used = 0;
    while (used < count) {
        if (c->record_left == 0) { /* in a header, or before one */
            if (c->header == 0 && c->is_limiting && here->barren >= MAX_BARREN) break;
            unsigned char b = (unsigned char)bytes[used++];
            if (c->header == 3) c->header_length = b << 8;
            if (c->header == 4) c->header_length |= b;
            if (++c->header == 5) {
                c->header = 0;
                c->record_left = c->record_length = c->header_length;
                c->greetings++;
                c->idle++;
                c->is_counted = 1;
                here->barren++;
            }
        } else {
            int n = count - used < c->record_left ? count - used : c->record_left;
            used += n;
            c->record_left -= n;
        }
    }
    return used;
}

static int encrypted_read(BIO *bio, char *to, int count) {
    connection *c = ssl.BIO_get_data(bio);
    ssl.BIO_clear_flags(bio, 0xff);
    int left = here->in_until - here->in_from;
    int n = c == NULL || left <= 0 || count <= 0 ? 0 : follow(c, here->source + here->in_from, left < count ? left : count);
    if (n == 0) {
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
        if (done < count && flush(c) < 0) return -1;
    }
    return count;
}

static long encrypted_control(BIO *bio, int what, long number, void *pointer) {
    (void)bio;
    (void)number;
    (void)pointer;
    return what == BIO_CTRL_FLUSH ? 1 : 0;
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

/* Returns 0 if memory ran out. */
static int get_ready(void) {
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
int needletail_tls_slot(void) { return get_ready() ? here->slot : -ENOMEM; }

/* Output */

/* Sends what the kernel takes at once. Returns bytes, or -errno. */
static int put(connection *c, const char *from, int count) {
    ssize_t n;
    do n = send(c->fd, from, (size_t)count, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return -errno;
    if (n < count) c->flags |= NO_ROOM;
    return n < 0 ? 0 : (int)n;
}

/* Sends the thread's output; what the kernel does not take is pending. Returns 0, or -errno. */
static int flush(connection *c) {
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

/* As flush, for output that OpenSSL made by itself. */
static int flush_own(connection *c) {
    int has_output = here->out_count > 0;
    int result = flush(c);
    if (has_output && c->pending != NULL) c->is_own = 1;
    return result;
}

/* Writes pending output. Returns 1 if none is left, 0, or -errno. */
static int drain(connection *c) {
    if (c->pending == NULL) return 1;
    int n = put(c, c->pending + c->pending_from, c->pending_until - c->pending_from);
    if (n < 0) return n;
    c->pending_from += n;
    if (c->pending_from < c->pending_until) return 0;
    free(c->pending);
    c->pending = NULL;
    c->is_own = 0;
    if (c->is_end_said && shutdown(c->fd, SHUT_WR) != 0) return -errno;
    return 1;
}

/* Failures */

static int fail(connection *c, int kind, const char *why) {
    c->has_failed = 1;
    c->kind = kind;
    snprintf(c->why, sizeof c->why, "%s", why);
    return FAILED;
}

static int is(const char *text, const char *part) { return strstr(text, part) != NULL; }

static int fail_by_library(connection *c) {
    unsigned long code = ssl.ERR_peek_last_error();
    const char *text = code == 0 ? NULL : ssl.ERR_reason_error_string(code);
    long verified = ssl.SSL_get_verify_result(c->ssl);
    flush_own(c); /* an alert */
    if (text == NULL) return fail(c, OTHER, "the peer ended it");
    if (verified != 0 && is(text, "certificate verify failed"))
        return fail(c, UNTRUSTED + (int)verified, ssl.X509_verify_cert_error_string(verified));
    if (is(text, "did not return a certificate")) return fail(c, NO_CERTIFICATE, text);
    if (!c->is_secured && c->greetings <= 1 &&
        (is(text, "wrong version number") || is(text, "http request") || is(text, "https proxy request") ||
         is(text, "unknown protocol")))
        return fail(c, NO_TLS, text);
    return fail(c, OTHER, text);
}

/* Input */

/* Takes what the connection held, or what the kernel has. Returns 0, or -errno. */
static int fill(connection *c, int count) {
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
    do n = recv(c->fd, here->in, (size_t)count, 0);
    while (n < 0 && errno == EINTR);
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

/* Keeps what OpenSSL has not read. Returns 0, or -errno. */
static int keep(connection *c) {
    int left = here->in_until - here->in_from;
    char *rest = NULL;
    if (c->held != NULL && here->in_from == 0 && left > 0) return 0;
    if (left > 0) {
        rest = malloc((size_t)left);
        if (rest == NULL) return -ENOMEM;
        memcpy(rest, here->source + here->in_from, (size_t)left);
    }
    free(c->held);
    c->held = rest;
    c->held_count = left;
    here->in_from = here->in_until = 0;
    return 0;
}

/* What Scala is to know after a call. */
static void tell(connection *c) {
    int can_fail = c->has_failed && c->is_secured; /* with the next read */
    int is_interrupted = c->is_begun && !c->is_secured && (c->flags & AWAITS_WRITE) != 0;
    int left_of_record = c->record_length - c->record_left; /* read, but not decrypted */
    int pending = c->is_secured ? ssl.SSL_pending(c->ssl) : 0;
    c->flags &= ~(HOLDS_INPUT | OWES_OUTPUT | SECURED);
    if (c->is_own) c->flags |= OWES_OUTPUT;
    else if (pending > 0 || c->held != NULL || is_interrupted || can_fail ||
             ((c->is_ended || c->is_channel_at_end) && c->is_secured && !c->is_end_told))
        c->flags |= HOLDS_INPUT;
    if (c->is_secured) c->flags |= SECURED;
    c->held_bytes = c->held_count + pending + c->header + (c->record_left > 0 ? 5 + left_of_record : 0);
}

static int start(connection *c) {
    c->flags &= ~(NO_INPUT | SHORT_INPUT | NO_ROOM);
    ssl.ERR_clear_error();
    if (!get_ready()) return -ENOMEM;
    here->in_from = here->in_until = here->out_count = 0; /* of a connection whose call failed */
    return 0;
}

/* The handshake */

/* While this computes, the garbage collector does not wait for this thread. */
WAITING static int shake(SSL *s) {
    BEGIN_WAITING();
    int result = ssl.SSL_do_handshake(s);
    END_WAITING();
    return result;
}

/* Returns 1 if the handshake is complete and its output sent, 0 if not yet, or a failure. */
static int secure(connection *c) {
    int result = drain(c);
    c->flags &= ~AWAITS_WRITE;
    if (result < 0) return result;
    if (result == 0) {
        c->flags |= AWAITS_WRITE;
        return 0;
    }
    if (c->has_failed) return FAILED;
    result = fill(c, IN_SIZE);
    if (result < 0) return result;
    int was_empty = here->in_until == 0;
    if (c->is_server && !c->is_begun && !was_empty && (here->in[0] < 20 || here->in[0] > 24))
        return fail(c, NO_TLS, ""); /* RFC 8446 section 5.1 */
    if (was_empty && (c->is_server || c->is_begun))
        return c->is_channel_at_end ? fail(c, INTERRUPTED, "") : 0;
    c->is_begun = 1;
    int shaken = shake(c->ssl);
    int error = shaken == 1 ? 0 : ssl.SSL_get_error(c->ssl, shaken);
    if (error != 0 && error != ERROR_WANT_READ && error != ERROR_WANT_WRITE) return fail_by_library(c);
    result = flush_own(c);
    if (result == 0) result = keep(c);
    if (result < 0) return result;
    if (shaken == 1) {
        c->is_secured = c->is_limiting = 1;
        if (ssl.SSL_session_reused(c->ssl)) c->flags |= RESUMED;
        c->idle = 0;
        if (c->pending != NULL) c->flags |= AWAITS_WRITE;
        return c->pending == NULL;
    }
    if (c->greetings > MAX_GREETINGS) return fail(c, FLOOD, "too many records in one TLS handshake");
    if (c->pending != NULL) c->flags |= AWAITS_WRITE;
    return 0;
}

int needletail_tls_handshake(connection *c) {
    int result = start(c);
    if (result == 0) result = c->is_secured ? drain(c) : secure(c);
    tell(c);
    return result;
}

/* Reading and writing */

static int decrypt(connection *c, char *to, int count) {
    int done = 0;
    while (done < count && !c->is_own && (here->in_from < here->in_until || ssl.SSL_pending(c->ssl) > 0)) {
        int n = ssl.SSL_read(c->ssl, to + done, count - done);
        if (n > 0) {
            done += n;
            if (c->is_counted) {
                c->is_counted = 0;
                c->idle = c->idle < 2 ? 0 : c->idle - 2;
                if (here->barren > 0) here->barren--;
            }
            if (here->out_count > 0 && flush_own(c) < 0) break;
            continue;
        }
        int error = ssl.SSL_get_error(c->ssl, n);
        if (error == ERROR_ZERO_RETURN) c->is_ended = 1;
        else if (error != ERROR_WANT_READ && error != ERROR_WANT_WRITE) fail_by_library(c);
        break;
    }
    int sent = flush_own(c);
    if (c->idle > MAX_IDLE && !c->has_failed) fail(c, FLOOD, "");
    return sent < 0 && done == 0 ? sent : done;
}

static int read_secured(connection *c, char *to, int count) {
    if (c->has_failed) return FAILED;
    if (c->is_ended) {
        c->is_end_told = 1;
        return END_OF_INPUT;
    }
    /* What it has decrypted comes first, and needs nothing of the network. */
    int result = 0;
    if (ssl.SSL_pending(c->ssl) > 0) {
        here->in_from = here->in_until = here->barren = 0;
        int n = ssl.SSL_read(c->ssl, to, count);
        if (n > 0) return n;
        if (c->held != NULL) {
            here->source = c->held;
            here->in_until = c->held_count;
        }
    } else {
        result = fill(c, count < 4096 ? 4096 : count);
        if (result < 0) return result;
    }
    int done = decrypt(c, to, count);
    result = keep(c);
    if (done != 0) return done;
    if (result < 0) return result;
    if (c->has_failed) return FAILED;
    if (c->is_ended) {
        c->is_end_told = 1;
        return END_OF_INPUT;
    }
    if (c->is_channel_at_end && c->held == NULL) return fail(c, TRUNCATED, "");
    return 0;
}

int needletail_tls_read(connection *c, char *to, int count) {
    int result = start(c);
    if (result == 0 && !c->is_own) result = c->is_secured ? 1 : secure(c);
    if (result == 1) result = read_secured(c, to, count);
    tell(c);
    return result;
}

static int write_secured(connection *c, const char *from, int count) {
    if (!c->is_secured) return fail(c, OTHER, "the TLS handshake is not complete");
    int result = drain(c);
    if (result <= 0) return result;
    int done = c->owed < count ? c->owed : count;
    c->owed -= done;
    while (c->owed == 0 && c->pending == NULL && done < count) {
        int end = done;
        while (end < count && OUT_SIZE - here->out_count >= 16384 + 512) {
            int n = ssl.SSL_write(c->ssl, from + end, count - end);
            if (n <= 0) return c->is_end_said ? fail(c, OTHER, "the TLS stream was ended") : fail_by_library(c);
            end += n;
        }
        result = flush(c);
        if (result < 0) return result;
        if (c->pending == NULL) done = end;
        else c->owed = end - done;
    }
    return done;
}

/* If the kernel takes only a part, the rest is kept and is to be passed again: it is reported when it is taken. */
int needletail_tls_write(connection *c, const char *from, int count) {
    int result = start(c);
    if (result == 0) result = write_secured(c, from, count);
    tell(c);
    return result;
}

int needletail_tls_send_owed(connection *c) {
    int result = start(c);
    if (result == 0) result = drain(c);
    tell(c);
    return result;
}

/* The end */

/* Sends a closure alert (RFC 8446 section 6.1), as far as the kernel takes it at once. */
static int say_end(connection *c) {
    if (c->has_failed || !c->is_begun) return 0;
    ssl.SSL_shutdown(c->ssl); /* during a handshake it does nothing */
    return flush_own(c);
}

int needletail_tls_end(connection *c) {
    int result = start(c);
    if (result == 0) result = say_end(c);
    if (result == 0) {
        c->is_end_said = 1;
        if (c->pending == NULL && shutdown(c->fd, SHUT_WR) != 0) result = -errno;
    }
    tell(c);
    return result;
}

/* Frees the connection, and tells the peer of the end unless it `is_reset`. The descriptor stays open. */
void needletail_tls_close(connection *c, int is_reset) {
    if (start(c) == 0) {
        if (!is_reset && (c->is_heard || !c->is_server)) say_end(c);
        here->out_count = 0;
    }
    ssl.SSL_set_shutdown(c->ssl, 3); /* otherwise its session could not be resumed */
    ssl.SSL_free(c->ssl);
    needletail_tls_release(c->context);
    free(c->key);
    free(c->held);
    free(c->pending);
    free(c);
}

/* The beginning */

/* How many records the peer has begun. */
int needletail_tls_records(const connection *c) { return c->greetings; }

SSL *needletail_tls_ssl(const connection *c) { return c->ssl; }

const char *needletail_tls_key(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return c->key;
}

context *needletail_tls_context_of(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return c->context;
}

static int is_address(const char *name) {
    unsigned char binary[16];
    return inet_pton(AF_INET, name, binary) == 1 || inet_pton(AF_INET6, name, binary) == 1;
}

/* A client's side: `name` is told to the server unless it is an address, and checked if `is_checked`. */
static int address(connection *c, const char *name, const char *key, int is_checked) {
    X509_VERIFY_PARAM *wanted = ssl.SSL_get0_param(c->ssl);
    int is_ip = is_address(name);
    c->key = strdup(key);
    if (c->key == NULL) return 0;
    if (!is_ip && ssl.SSL_ctrl(c->ssl, CTRL_HOSTNAME, 0, (void *)name) != 1) return 0;
    if (is_checked) {
        ssl.X509_VERIFY_PARAM_set_hostflags(wanted, CHECK_NO_PARTIAL_WILDCARDS);
        if (is_ip ? ssl.X509_VERIFY_PARAM_set1_ip_asc(wanted, name) != 1
                  : ssl.X509_VERIFY_PARAM_set1_host(wanted, name, strlen(name)) != 1)
            return 0;
    }
    SSL_SESSION *session = needletail_tls_session(c->context, key);
    if (session != NULL) {
        ssl.SSL_set_session(c->ssl, session);
        ssl.SSL_SESSION_free(session);
    }
    return 1;
}

/* To be used by the calling thread only. `name` is null for a server. Returns null if memory ran out. */
connection *needletail_tls_open(context *shared, int fd, const char *name, const char *key, int is_checked) {
    if (!get_ready()) return NULL;
    connection *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    ssl.ERR_clear_error();
    c->fd = fd;
    c->is_server = (unsigned char)shared->is_server;
    c->flags = AWAITS_WRITE;
    c->context = needletail_tls_keep(shared);
    c->ssl = ssl.SSL_new(shared->ctx);
    BIO *bio = c->ssl == NULL ? NULL : ssl.BIO_new(method);
    if (bio != NULL) {
        ssl.BIO_set_data(bio, c);
        ssl.BIO_set_init(bio, 1);
        ssl.SSL_set_bio(c->ssl, bio, bio);
        ssl.SSL_set_ex_data(c->ssl, 0, c);
        if (c->is_server) ssl.SSL_set_accept_state(c->ssl);
        else ssl.SSL_set_connect_state(c->ssl);
        if (!c->is_server && shared->alpn != NULL)
            ssl.SSL_set_alpn_protos(c->ssl, shared->alpn, shared->alpn_length);
        if (name == NULL || address(c, name, key, is_checked)) return c;
    }
    ssl.SSL_free(c->ssl);
    needletail_tls_release(c->context);
    free(c->key);
    free(c);
    return NULL;
}

#endif
