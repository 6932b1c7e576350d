/*
 * One connection, for the files that do something with it: needletail_tls_bytes.c (encrypted bytes, from and to the
 * kernel), needletail_tls_socket.c (handshake, plain bytes) and needletail_tls_open.c (its beginning and its end).
 */
#ifndef NEEDLETAIL_TLS_CONNECTION_H
#define NEEDLETAIL_TLS_CONNECTION_H

#include "needletail_tls.h"

#define IN_SIZE (64 * 1024)
#define OUT_SIZE (4 * (16384 + 512))

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
    HELD_BACK = 512,   /* nothing is read until that output is sent */
    AWAITS_INPUT = 1024, /* nothing is written until something has come, or the input has ended */
};

/* What each read and write uses is in one line of the processor's cache: with many connections such lines are costly. */
struct connection {
    int32_t flags;
    int32_t held_bytes;
    int fd;
    int owed; /* plain bytes in `pending` that `write` has not reported as taken */
    SSL *ssl;
    char *held;    /* input that OpenSSL has not taken */
    char *pending; /* output that the kernel has not taken */

    unsigned char is_server, is_begun, is_secured, is_heard, has_failed;
    unsigned char is_channel_at_end, is_ended, is_end_told, is_end_said, is_own;
    unsigned char is_limiting; /* whether records count, as the handshake is complete */
    unsigned char is_counted;  /* whether the latest record counts as one without data */
    unsigned char is_broken;   /* writing has failed */

    /* The record being read: bytes of its header, its type, and bytes of it that have not come or not been read. */
    unsigned char header, record_type;
    uint16_t header_length, record_left, record_length;
    uint16_t idle; /* records after the handshake without data, less those with some */

    int held_count, pending_from, pending_until;
    int32_t taken; /* bytes of pending output that the network has taken; may overflow */
    int greetings; /* records of the handshake */
    int flights;   /* how often the handshake has had output */
    int greeting_header; /* bytes that have come of the header of a greeting: a client's first message, or its second */
    int greeting_length; /* of that message, as its header says, until it is answered */
    context *context;
    char *key;   /* a client's: the server's name and port */
    char *asked; /* a server's, until the facts of the handshake are read: the name that is asked for */

    int64_t session_end; /* a server's: see needletail_tls_tickets.c; 0: not known */
    session_limits limits; /* a client's: see needletail_tls_sessions.c */

    int broken; /* the result by which writing has failed */
    int kind;   /* of a failure */
    char why[124];
};
_Static_assert(offsetof(struct connection, held_count) == 64, "one line of the cache");

/*
 * Where the bytes of connections go whose descriptor is negative: to the sockets of another platform, such as the
 * simulation's. Scala's; they throw nothing. `take` returns bytes, 0 at the end, or -errno; `give` bytes or -errno; `end`,
 * which ends the output, 0 or -errno. `give` must not be called during a handshake that fills the thread's output.
 */
typedef struct {
    int (*take)(int number, char *to, int count);
    int (*give)(int number, const char *from, int count);
    int (*end)(int number);
} elsewhere;

extern elsewhere needletail_tls_elsewhere;

/* As shutdown(2) of the output. Returns 0, or -errno. */
int needletail_tls_shut(connection *c);

/* State of a thread: allocated when first used, freed when the thread ends. */
typedef struct {
    int slot;
    char in[IN_SIZE];
    char out[OUT_SIZE];
    int in_from, in_until; /* in `source` */
    const char *source;    /* `in`, or what a connection held */
    int out_count;
    int barren; /* records begun by this read that have brought no data */
} buffers;

#define here needletail_tls_here
extern _Thread_local buffers *here;

/* Allocates the thread's state. Returns 0 if memory ran out. */
int needletail_tls_ready(void);

/*
 * Gives the thread other buffers, and returns those that it had; null if memory ran out. For what is called in between:
 * it may use another connection of this thread, as peers in memory and a server's own check do.
 */
buffers *needletail_tls_lend(void);
void needletail_tls_take_back(buffers *own);

/* The encrypted side, as OpenSSL sees it; null if memory ran out. After needletail_tls_ready. */
BIO *needletail_tls_encrypted(connection *c);

/* Whether a client's greeting is longer than is accepted. OpenSSL has not read its header then. */
int needletail_tls_is_greeting_long(const connection *c);

/* Takes what the connection held, or what the kernel has, into the thread's input. Returns 0, or -errno. */
int needletail_tls_fill(connection *c, int count);

/* Keeps what OpenSSL has not read. Returns 0, or -errno. */
int needletail_tls_keep_rest(connection *c);

/* Sends the thread's output; what the kernel does not take is pending. Returns 0, or -errno. */
int needletail_tls_flush(connection *c);

/* As needletail_tls_flush, for output that OpenSSL made by itself. */
int needletail_tls_flush_own(connection *c);

/* Writes pending output. Returns 1 if none is left, 0, or -errno. */
int needletail_tls_drain(connection *c);

/* Begins a call for this connection. Returns 0, or -errno. */
int needletail_tls_start(connection *c);

/* Sends a closure alert (RFC 8446 section 6.1), as far as the kernel takes it at once. */
int needletail_tls_say_end(connection *c);

#endif
