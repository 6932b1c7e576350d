/* The beginning and the end of a connection. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls_connection.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* How often the handshake has had output; see `awaitedRecord` in Socket. */
int needletail_tls_flights(const connection *c) { return c->flights; }

/* Bytes of output that waited and that the network has taken since; may overflow. */
int needletail_tls_taken(const connection *c) { return c->taken; }

/* What has failed, after a result that says so, and why. */
int needletail_tls_kind(const connection *c) { return c->kind; }
const char *needletail_tls_why(const connection *c) { return c->why; }

SSL *needletail_tls_ssl(const connection *c) { return c->ssl; }

const char *needletail_tls_key(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return c->key;
}

context *needletail_tls_context_of(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return c->context;
}

int needletail_tls_ask(const SSL *s, const char *name, size_t length) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    free(c->asked);
    c->asked = malloc(length + 1);
    if (c->asked == NULL) return 0;
    for (size_t i = 0; i < length; i++) c->asked[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
    c->asked[length] = 0;
    return 1;
}

void needletail_tls_forget_asked(connection *c) {
    free(c->asked);
    c->asked = NULL;
}

const char *needletail_tls_asked(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return c->asked;
}

int64_t *needletail_tls_session_end(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return &c->session_end;
}

session_limits *needletail_tls_limits_of(const SSL *s) {
    connection *c = ssl.SSL_get_ex_data(s, 0);
    return &c->limits;
}

/*
 * The address that `name` is, or null: without the interface of a scoped one (RFC 4007 section 11), which no
 * certificate has. `to` is where it is put.
 */
static const char *address_in(const char *name, char to[INET6_ADDRSTRLEN]) {
    unsigned char binary[16];
    size_t length = strcspn(name, "%");
    if (length >= INET6_ADDRSTRLEN) return NULL;
    memcpy(to, name, length);
    to[length] = 0;
    int is_old = name[length] == 0 && inet_pton(AF_INET, to, binary) == 1;
    return is_old || inet_pton(AF_INET6, to, binary) == 1 ? to : NULL;
}

/* A client's side: `name` is told to the server if it is a host's, and checked if `is_checked`. */
static int address(connection *c, const char *name, const char *key, int is_checked) {
    X509_VERIFY_PARAM *wanted = ssl.SSL_get0_param(c->ssl);
    char plain[INET6_ADDRSTRLEN];
    const char *ip = address_in(name, plain);
    c->key = strdup(key);
    if (c->key == NULL) return 0;
    if (ip == NULL && needletail_tls_is_host_name(name, strlen(name)) &&
        needletail_tls_set_host_name(c->ssl, name) != 1)
        return 0;
    if (is_checked) {
        if (name[0] == 0 || name[0] == '.') return 0; /* OpenSSL would check no name, or accept all below a domain */
        /* not by the common name (RFC 9525 section 6.3), which OpenSSL checks where there is no DNS name */
        ssl.X509_VERIFY_PARAM_set_hostflags(wanted, CHECK_NO_PARTIAL_WILDCARDS | CHECK_NEVER_SUBJECT);
        if (ip != NULL ? ssl.X509_VERIFY_PARAM_set1_ip_asc(wanted, ip) != 1
                       : ssl.X509_VERIFY_PARAM_set1_host(wanted, name, strlen(name)) != 1)
            return 0;
    }
    c->limits.at = INT64_MAX;
    SSL_SESSION *session = needletail_tls_session(c->context, key, &c->limits);
    if (session != NULL) {
        ssl.SSL_set_session(c->ssl, session);
        ssl.SSL_SESSION_free(session);
    }
    return 1;
}

/* To be used by the calling thread only. `name` is null for a server. Returns null if memory ran out. */
connection *needletail_tls_open(context *shared, int fd, const char *name, const char *key, int is_checked) {
    if (!needletail_tls_ready()) return NULL;
    connection *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
    if (c == NULL) return NULL;
    memset(c, 0, sizeof *c);
    ssl.ERR_clear_error();
    c->fd = fd;
    c->is_server = (unsigned char)shared->is_server;
    c->flags = AWAITS_WRITE;
    c->context = needletail_tls_keep(shared);
    c->ssl = ssl.SSL_new(shared->ctx);
    BIO *bio = c->ssl == NULL ? NULL : needletail_tls_encrypted(c);
    if (bio != NULL) {
        ssl.SSL_set_bio(c->ssl, bio, bio);
        ssl.SSL_set_ex_data(c->ssl, 0, c);
        if (c->is_server) ssl.SSL_set_accept_state(c->ssl);
        else ssl.SSL_set_connect_state(c->ssl);
        if (name == NULL || address(c, name, key, is_checked)) return c;
    }
    ssl.SSL_free(c->ssl);
    needletail_tls_release(c->context);
    free(c->key);
    free(c);
    return NULL;
}

/* Frees the connection, and tells the peer of the end unless it `is_reset`. The descriptor stays open. */
void needletail_tls_close(connection *c, int is_reset) {
    if (needletail_tls_start(c) == 0) {
        if (!is_reset && (c->is_heard || !c->is_server)) needletail_tls_say_end(c);
        here->out_count = 0;
    }
    ssl.SSL_set_shutdown(c->ssl, 3); /* otherwise its session could not be resumed */
    ssl.SSL_free(c->ssl);
    needletail_tls_release(c->context);
    free(c->key);
    free(c->asked);
    free(c->held);
    free(c->pending);
    free(c);
}

#endif
