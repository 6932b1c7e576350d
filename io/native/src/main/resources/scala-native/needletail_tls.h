/* TLS by OpenSSL: what needletail_tls_context.c and needletail_tls_socket.c share. */
#ifndef NEEDLETAIL_TLS_H
#define NEEDLETAIL_TLS_H

#include <stdatomic.h>

#include "needletail_tls_library.h"

#define ssl needletail_ssl

/* Keys that session tickets are encrypted with, for all contexts of a server. */
typedef struct tickets tickets;

/* Where a client keeps the sessions of one server; see keep_session. */
typedef struct sessions sessions;

/* Certificates for a name, or for those below it if it begins with "*." */
typedef struct {
    char *name;
    SSL_CTX *ctx;
} named;

/*
 * What the connections of one loop share. Complete before the first connection, and freed after the last one. OpenSSL
 * may use one for any number of threads, but it takes locks for that.
 */
typedef struct {
    SSL_CTX *ctx;
    atomic_int users;
    int is_server;
    int refuses_unknown; /* names */
    int names_count;
    named *names;
    unsigned char *alpn; /* what is offered or accepted, each with its length, in the order of preference */
    unsigned int alpn_length;
    tickets *tickets;
    sessions *sessions;
} context;

context *needletail_tls_keep(context *c);
void needletail_tls_release(context *c);

/* The latest session of the server `key`, for its caller to free; null if there is none. */
SSL_SESSION *needletail_tls_session(context *c, const char *key);
void needletail_tls_keep_session(context *c, const char *key, SSL_SESSION *session);

/* The server that a client's connection is to, as given to needletail_tls_open. */
const char *needletail_tls_key(const SSL *s);
context *needletail_tls_context_of(const SSL *s);

#endif
