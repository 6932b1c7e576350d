/*
 * A connection secured by TLS: its handshake, and plain bytes on Scala's side. needletail_tls_bytes.c has the encrypted
 * ones, needletail_tls_open.c its beginning and end.
 *
 * The peer can make OpenSSL send by itself, in answer to a key update (RFC 8446 section 4.6.3) for example. If the
 * kernel does not take such output it is owed, and nothing is read until it is sent. Records without data are limited
 * relative to those with data.
 *
 * No function waits, and none calls into Scala but for a server's own check of its clients. OpenSSL's errors are a queue
 * of the thread's, so it is cleared first.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls_connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "needletail_waiting.h"

/* As in needletail_io.c; other negative results are -errno. */
#define END_OF_INPUT INT32_MIN
#define FAILED (INT32_MIN + 1) /* `why` and `kind` say how */

/* Records that one handshake may come in; a client with a certificate needs some ten. */
#define MAX_GREETINGS 256
/* How many more of the records after the handshake may carry no data than carry some. Tickets and new keys do. */
#define MAX_IDLE 32

/* The kinds of failures; UNTRUSTED is added to the reason by which OpenSSL refuses a certificate. */
enum {
    OTHER = 0,
    NO_CERTIFICATE = 1,
    NO_TLS = 3, /* what came was taken for TLS at first, and may have been answered with an alert */
    TRUNCATED = 4,
    INTERRUPTED = 5,
    FLOOD = 6, /* after the handshake if it has no reason */
    PLAIN = 7, /* what came cannot begin TLS, and nothing was sent: see `isPlain` in OpenSslSocket */
    REFUSED_NAME = 8,
    UNTRUSTED = 1000
};

/* Failures */

static int fail(connection *c, int kind, const char *why) {
    c->has_failed = 1;
    c->kind = kind;
    snprintf(c->why, sizeof c->why, "%s", why);
    return FAILED;
}

void needletail_tls_refuse(const SSL *s, const char *before, const char *name, size_t length, const char *after) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    c->kind = REFUSED_NAME;
    snprintf(c->why, sizeof c->why, "%s%.*s%s", before, length < 60 ? (int)length : 60, name, after);
}

static int is(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* The library's reason for its latest error in OpenSSL's words: BoringSSL and AWS-LC have CERTIFICATE_VERIFY_FAILED. */
static const char *reason(char *to, size_t size) {
    unsigned long code = ssl.ERR_peek_last_error();
    const char *text = code == 0 ? NULL : ssl.ERR_reason_error_string(code);
    if (text == NULL || strchr(text, '_') == NULL) return text;
    size_t n = 0;
    for (; text[n] != 0 && n + 1 < size; n++)
        to[n] = text[n] == '_' ? ' ' : text[n] >= 'A' && text[n] <= 'Z' ? (char)(text[n] + 32) : text[n];
    to[n] = 0;
    return to;
}

static int fail_by_library(connection *c) {
    char words[124];
    const char *text = reason(words, sizeof words);
    long verified = ssl.SSL_get_verify_result(c->ssl);
    needletail_tls_flush_own(c); /* an alert */
    if (c->kind == REFUSED_NAME) {
        c->has_failed = 1;
        return FAILED;
    }
    if (text == NULL) return fail(c, OTHER, "the peer ended it");
    if (verified != 0 && is(text, "certificate verify failed"))
        return fail(c, UNTRUSTED + (int)verified, ssl.X509_verify_cert_error_string(verified));
    if (is(text, "did not return a certificate")) return fail(c, NO_CERTIFICATE, text);
    if (c->is_secured && (is(text, "too many key updates") || is(text, "too many empty fragments")))
        return fail(c, FLOOD, ""); /* BoringSSL and AWS-LC have such limits, too */
    if (!c->is_secured && c->greetings <= 1 &&
        (is(text, "wrong version number") || is(text, "http request") || is(text, "https proxy request") ||
         is(text, "unknown protocol")))
        return fail(c, NO_TLS, text);
    return fail(c, OTHER, text);
}

/*
 * Whether nothing is read: what OpenSSL answers to what it reads has to go first, so that it stays bounded. Not for the
 * closure alert, the last output there is: a peer that ends its own stream may read it only when this side reads.
 */
static int is_held_back(connection *c) { return c->is_own && !c->is_end_said; }

/* What Scala is to know after a call. */
static void tell(connection *c) {
    int can_fail = c->has_failed && c->is_secured; /* with the next read */
    int is_interrupted = c->is_begun && !c->is_secured && (c->flags & AWAITS_WRITE) != 0;
    int left_of_record = c->record_length - c->record_left; /* read, but not decrypted */
    int pending = c->is_secured ? ssl.SSL_pending(c->ssl) : 0;
    c->flags &= ~(HOLDS_INPUT | OWES_OUTPUT | HELD_BACK | SECURED);
    if (c->is_own) c->flags |= OWES_OUTPUT;
    if (is_held_back(c)) c->flags |= HELD_BACK;
    else if (pending > 0 || c->held != NULL || is_interrupted || can_fail ||
             ((c->is_ended || c->is_channel_at_end) && c->is_secured && !c->is_end_told))
        c->flags |= HOLDS_INPUT;
    if (c->is_secured) c->flags |= SECURED;
    int held = c->held == NULL ? 0 : c->held_count;
    c->held_bytes = held + pending + c->header + (c->record_left > 0 ? 5 + left_of_record : 0);
    /* for a greeting OpenSSL has memory as soon as it has its header */
    if (c->greeting_header == 4) c->held_bytes += c->greeting_length;
}

int needletail_tls_start(connection *c) {
    c->flags &= ~(NO_INPUT | SHORT_INPUT | NO_ROOM);
    ssl.ERR_clear_error();
    if (!needletail_tls_ready()) return -ENOMEM;
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

/* A greeting has been answered. With TLS 1.3, the client may have been asked to repeat it; later messages are encrypted. */
static void answered(connection *c) {
    int may_repeat = ++c->flights == 1 && c->is_server && strcmp(ssl.SSL_get_version(c->ssl), "TLSv1.3") == 0;
    c->greeting_header = may_repeat ? 0 : 4;
    c->greeting_length = 0;
}

/* Whether what came first is a PROXY header, as in UnexpectedHeader. */
static int has_proxy_header(void) {
    static const struct {
        const char *text;
        int length;
    } starts[] = {{"PROXY TCP", 9}, {"PROXY UNKNOWN", 13}, {"\r\n\r\n\0\r\nQUIT\n", 12}};
    int count = here->in_until;
    for (int i = 0; count >= 5 && i < 3; i++)
        if (memcmp(here->in, starts[i].text, count < starts[i].length ? count : starts[i].length) == 0) return 1;
    return 0;
}

/* Returns 1 if the handshake is complete and its output sent, 0 if not yet, or a failure. */
static int secure(connection *c) {
    int result = needletail_tls_drain(c);
    c->flags &= ~AWAITS_WRITE;
    if (result < 0) return result;
    if (result == 0) {
        c->flags |= AWAITS_WRITE;
        return 0;
    }
    if (c->has_failed) return FAILED;
    result = needletail_tls_fill(c, IN_SIZE);
    if (result < 0) return result;
    int was_empty = here->in_until == 0;
    if (c->is_server && !c->is_begun && !was_empty && (here->in[0] < 20 || here->in[0] > 24))
        return fail(c, PLAIN, has_proxy_header() ? "PROXY" : ""); /* RFC 8446 section 5.1 */
    if (was_empty && (c->is_server || c->is_begun))
        return c->is_channel_at_end ? fail(c, INTERRUPTED, "") : 0;
    c->is_begun = 1;
    int shaken = c->context->check == NULL ? shake(c->ssl) : ssl.SSL_do_handshake(c->ssl); /* which may call Scala */
    int error = shaken == 1 ? 0 : ssl.SSL_get_error(c->ssl, shaken);
    if (error != 0 && error != ERROR_WANT_READ && error != ERROR_WANT_WRITE) return fail_by_library(c);
    if (needletail_tls_is_greeting_long(c)) return fail(c, FLOOD, "its greeting is too long");
    if (here->out_count > 0) answered(c);
    result = needletail_tls_flush_own(c);
    if (result == 0) result = needletail_tls_keep_rest(c);
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
    int result = needletail_tls_start(c);
    if (result == 0) result = c->is_secured ? needletail_tls_drain(c) : secure(c);
    tell(c);
    return result;
}

/* Reading and writing */

static int decrypt(connection *c, char *to, int count) {
    int done = 0;
    while (done < count && !is_held_back(c) && (here->in_from < here->in_until || ssl.SSL_pending(c->ssl) > 0)) {
        int n = ssl.SSL_read(c->ssl, to + done, count - done);
        if (n > 0) {
            done += n;
            if (c->is_counted) {
                c->is_counted = 0;
                c->idle = c->idle < 2 ? 0 : (uint16_t)(c->idle - 2);
                if (here->barren > 0) here->barren--;
            }
            if (here->out_count > 0 && needletail_tls_flush_own(c) < 0) break;
            continue;
        }
        int error = ssl.SSL_get_error(c->ssl, n);
        if (error == ERROR_ZERO_RETURN) c->is_ended = 1;
        else if (error != ERROR_WANT_READ && error != ERROR_WANT_WRITE) fail_by_library(c);
        break;
    }
    int sent = needletail_tls_flush_own(c);
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
        result = needletail_tls_fill(c, count < 4096 ? 4096 : count);
        if (result < 0) return result;
    }
    int done = decrypt(c, to, count);
    if (here->in_from > 0 || c->has_failed || c->is_ended || c->is_channel_at_end) c->flags &= ~AWAITS_INPUT;
    result = needletail_tls_keep_rest(c);
    if (result < 0) fail(c, OTHER, strerror(-result)); /* a part of the stream is lost */
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
    int result = needletail_tls_start(c);
    if (result == 0 && !is_held_back(c)) result = c->is_secured ? 1 : secure(c);
    if (result == 1) result = read_secured(c, to, count);
    tell(c);
    return result;
}

/*
 * The number of plain bytes, at most `count`, to report for encrypted ones of which `before` were to be written and some
 * are pending: about as many as were written, but the last, so that the owner sees that the peer reads. Never fewer than
 * the peer can have decrypted: it may have acted upon them.
 */
static int account(connection *c, int before, int count) {
    int some = before - (c->pending_until - c->pending_from);
    if (some > c->owed - 1) some = c->owed - 1;
    if (some > count) some = count;
    if (some < 0) some = 0;
    c->owed -= some;
    return some;
}

/* Writing has failed, for good: encrypted bytes are lost. What was written before is reported first. */
static int cannot_write(connection *c, int result, int done) {
    c->is_broken = 1;
    c->broken = result;
    return done > 0 ? done : result;
}

/*
 * Between the parts of a message that comes after the handshake, such as a ticket in several records, OpenSSL writes
 * nothing. This takes what has come, for the next attempt to write, which reads that message and nothing behind it; so its
 * owner may have stopped reading. Returns 1 if there is some, 0 if it has to come yet, or a failure.
 */
static int read_to_write(connection *c) {
    if (c->is_ended) return fail(c, OTHER, "the peer ended it");
    if (c->idle > MAX_IDLE) return fail(c, FLOOD, "");
    if (here->in_from < here->in_until) {
        here->barren = 0; /* so many records are read at once; further ones are limited by `idle` */
        return 1;
    }
    int result = here->in_until > 0 ? needletail_tls_keep_rest(c) : 0;
    if (result == 0) result = needletail_tls_fill(c, IN_SIZE);
    if (result < 0) return result;
    if (here->in_until > 0) return 1;
    return c->is_channel_at_end ? fail(c, TRUNCATED, "") : 0;
}

/*
 * Encrypts as many of the bytes as there is room for. Returns how many, 0 also if input has to come before, or a failure.
 */
static int encrypt(connection *c, const char *from, int count) {
    int done = 0;
    while (done < count && OUT_SIZE - here->out_count >= 16384 + 512) {
        int n = ssl.SSL_write(c->ssl, from + done, count - done), result = 0;
        if (n > 0) {
            done += n;
            continue;
        }
        if (c->is_end_said) return fail(c, OTHER, "the TLS stream was ended");
        if (ssl.SSL_get_error(c->ssl, n) != ERROR_WANT_READ) return fail_by_library(c);
        result = read_to_write(c);
        if (result == 0) c->flags |= AWAITS_INPUT;
        if (result <= 0) return result < 0 ? result : done;
    }
    return done;
}

static int write_secured(connection *c, const char *from, int count) {
    if (c->is_broken) return c->broken;
    if (!c->is_secured) { /* the handshake's own output goes first */
        int sent = needletail_tls_drain(c);
        return sent < 0 ? sent : 0;
    }
    int waited = c->pending == NULL ? 0 : c->pending_until - c->pending_from;
    int result = needletail_tls_drain(c);
    if (result < 0) return cannot_write(c, result, 0);
    if (result == 0) return account(c, waited, count);
    int done = c->owed < count ? c->owed : count;
    c->owed -= done;
    c->flags &= ~AWAITS_INPUT;
    while (c->owed == 0 && c->pending == NULL && done < count && (c->flags & AWAITS_INPUT) == 0) {
        int taken = encrypt(c, from + done, count - done), made = here->out_count;
        if (taken < 0) return cannot_write(c, taken, done);
        result = taken > 0 ? needletail_tls_flush(c) : needletail_tls_flush_own(c);
        if (result < 0) return cannot_write(c, result, done);
        if (c->pending == NULL) done += taken;
        else if (taken > 0) {
            c->owed = taken;
            done += account(c, made, count);
        }
    }
    if (here->in_until > 0 && (result = needletail_tls_keep_rest(c)) < 0) {
        fail(c, OTHER, strerror(-result)); /* a part of the stream is lost */
        return cannot_write(c, result, done);
    }
    return done;
}

/*
 * Takes nothing before the handshake is complete. If the kernel takes only a part, the rest is kept and is to be passed
 * again: it is reported as it is taken.
 */
int needletail_tls_write(connection *c, const char *from, int count) {
    int result = needletail_tls_start(c);
    if (result == 0) result = write_secured(c, from, count);
    tell(c);
    return result;
}

int needletail_tls_send_owed(connection *c) {
    int result = needletail_tls_start(c);
    if (result == 0) result = needletail_tls_drain(c);
    tell(c);
    return result;
}

/* The end */

int needletail_tls_say_end(connection *c) {
    if (c->has_failed || !c->is_begun) return 0;
    ssl.SSL_shutdown(c->ssl); /* during a handshake it does nothing */
    return needletail_tls_flush_own(c);
}

int needletail_tls_end(connection *c) {
    int result = needletail_tls_start(c);
    if (result == 0) result = needletail_tls_say_end(c);
    if (result == 0) {
        c->is_end_said = 1;
        if (c->pending == NULL) result = needletail_tls_shut(c);
    }
    tell(c);
    return result;
}

#endif
