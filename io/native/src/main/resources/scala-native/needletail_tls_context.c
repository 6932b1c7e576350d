/*
 * Contexts: certificates, trust and the settings of TLS. A function that fails returns a reason, which is valid until
 * the next call of the same thread; null if it succeeded.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *reason(const char *otherwise) {
    unsigned long code = ssl.ERR_peek_last_error();
    const char *text = code == 0 ? NULL : ssl.ERR_reason_error_string(code);
    return text == NULL ? otherwise : text;
}

static int new_session(SSL *s, SSL_SESSION *session);

/* Versions: 0x0303 is TLS 1.2, 0x0304 TLS 1.3. `ciphers` are those of TLS 1.2. Returns null if memory ran out. */
context *needletail_tls_context(int is_server, int least, int most, const char *ciphers, const char *groups) {
    context *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    ssl.ERR_clear_error();
    c->ctx = ssl.SSL_CTX_new(is_server ? ssl.TLS_server_method() : ssl.TLS_client_method());
    c->users = 1;
    c->is_server = is_server;
    if (c->ctx == NULL) {
        free(c);
        return NULL;
    }
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_MODE,
                     MODE_ENABLE_PARTIAL_WRITE | MODE_ACCEPT_MOVING_WRITE_BUFFER | MODE_RELEASE_BUFFERS, NULL);
    ssl.SSL_CTX_set_options(c->ctx, OP_NO_COMPRESSION | OP_NO_RENEGOTIATION);
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_MIN_PROTO_VERSION, least, NULL);
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_MAX_PROTO_VERSION, most, NULL);
    if (ssl.SSL_CTX_set_security_level != NULL) ssl.SSL_CTX_set_security_level(c->ctx, 2);
    ssl.SSL_CTX_set_cipher_list(c->ctx, ciphers);
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_GROUPS_LIST, 0, (void *)groups);
    if (is_server)
        ssl.SSL_CTX_ctrl(c->ctx, CTRL_SESS_CACHE_MODE, SESS_CACHE_OFF, NULL); /* tickets only */
    else {
        ssl.SSL_CTX_ctrl(c->ctx, CTRL_SESS_CACHE_MODE, SESS_CACHE_CLIENT | SESS_CACHE_NO_INTERNAL, NULL);
        ssl.SSL_CTX_sess_set_new_cb(c->ctx, new_session);
    }
    return c;
}

context *needletail_tls_keep(context *c) {
    atomic_fetch_add(&c->users, 1);
    return c;
}

static void free_sessions(sessions *all);
void needletail_tls_release_tickets(tickets *t);

void needletail_tls_release(context *c) {
    if (atomic_fetch_sub(&c->users, 1) != 1) return;
    ssl.SSL_CTX_free(c->ctx);
    for (int i = 0; i < c->names_count; i++) {
        free(c->names[i].name);
        ssl.SSL_CTX_free(c->names[i].ctx);
    }
    free(c->names);
    free(c->alpn);
    free_sessions(c->sessions);
    if (c->tickets != NULL) needletail_tls_release_tickets(c->tickets);
    free(c);
}

/* Certificates */

/* OpenSSL would otherwise ask for the password on the terminal. */
static int password(char *to, int size, int writing, void *with) {
    (void)writing;
    int length = with == NULL ? 0 : (int)strlen(with);
    if (length == 0 || length > size) return -1;
    memcpy(to, with, (size_t)length);
    return length;
}

static EVP_PKEY *read_key(const char *pem, int length, const char *secret) {
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    EVP_PKEY *key = in == NULL ? NULL : ssl.PEM_read_bio_PrivateKey(in, NULL, password, (void *)secret);
    ssl.BIO_free(in);
    return key;
}

/* What may be wrong with a certificate and its key, beside other reasons. */
static const char NO_CERTIFICATE[] = "no certificate", NO_KEY[] = "no key", NOT_ITS_KEY[] = "not its key";

/*
 * Certificates in PEM, the own one first, and its key. `secret` is the key's password, or null. Several keys, of
 * different kinds, can be used: then the client decides.
 */
const char *needletail_tls_certificate(context *c, const char *chain, int chain_length, const char *pem, int length,
                                       const char *secret) {
    const char *wrong = NULL;
    ssl.ERR_clear_error();
    EVP_PKEY *key = NULL;
    BIO *in = ssl.BIO_new_mem_buf(chain, chain_length);
    X509 *one = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, password, NULL);
    if (one == NULL) wrong = NO_CERTIFICATE;
    else if ((key = read_key(pem, length, secret)) == NULL) {
        const char *text = reason(NO_KEY);
        wrong = strstr(text, "no start line") != NULL || strstr(text, "unsupported") != NULL ? NO_KEY : text;
    } else if (ssl.X509_check_private_key(one, key) != 1) wrong = NOT_ITS_KEY;
    else if (ssl.SSL_CTX_use_certificate(c->ctx, one) != 1 || ssl.SSL_CTX_use_PrivateKey(c->ctx, key) != 1)
        wrong = reason("not usable");
    while (wrong == NULL && one != NULL) {
        ssl.X509_free(one);
        one = ssl.PEM_read_bio_X509(in, NULL, password, NULL);
        if (one != NULL && ssl.SSL_CTX_ctrl(c->ctx, CTRL_CHAIN_CERT, 1, one) != 1) wrong = reason("not usable");
    }
    ssl.EVP_PKEY_free(key);
    ssl.X509_free(one);
    ssl.BIO_free(in);
    return wrong;
}

/* Trust */

enum { TRUST_NOBODY = 0, TRUST_WANTED = 1, TRUST_REQUIRED = 2 };

/* Whether the peer must have a certificate that is trusted. A server asks for one if it is wanted. */
void needletail_tls_verify(context *c, int how) {
    int mode = how == TRUST_NOBODY   ? VERIFY_NONE
               : how == TRUST_WANTED ? VERIFY_PEER
                                     : VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT;
    ssl.SSL_CTX_set_verify(c->ctx, mode, NULL);
}

/* Trusts these certificates, whether they are issuers' or not. Returns how many there are. */
int needletail_tls_trust(context *c, const char *pem, int length) {
    int count = 0;
    ssl.ERR_clear_error();
    X509_STORE *store = ssl.SSL_CTX_get_cert_store(c->ctx);
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    X509 *one = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, password, NULL);
    while (one != NULL) {
        if (ssl.X509_STORE_add_cert(store, one) == 1) count++;
        ssl.X509_free(one);
        one = ssl.PEM_read_bio_X509(in, NULL, password, NULL);
    }
    ssl.X509_STORE_set_flags(store, PARTIAL_CHAIN);
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    return count;
}

/* Trusts what the system does. */
const char *needletail_tls_trust_system(context *c) {
    static const char *const bundles[] = {
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
    ssl.ERR_clear_error();
    if (getenv("SSL_CERT_FILE") != NULL || getenv("SSL_CERT_DIR") != NULL ||
        access(ssl.X509_get_default_cert_file(), R_OK) == 0 || access(ssl.X509_get_default_cert_dir(), R_OK) == 0)
        return ssl.SSL_CTX_set_default_verify_paths(c->ctx) == 1 ? NULL : reason("cannot be read");
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++)
        if (access(bundles[i], R_OK) == 0)
            return ssl.SSL_CTX_load_verify_locations(c->ctx, bundles[i], NULL) == 1 ? NULL : reason("cannot be read");
    return "the system has no trusted certificates";
}

/* ALPN */

static int choose_protocol(SSL *s, const unsigned char **out, unsigned char *length, const unsigned char *in,
                           unsigned int in_length, void *with) {
    context *c = with;
    (void)s;
    for (unsigned int own = 0; own < c->alpn_length; own += 1u + c->alpn[own])
        for (unsigned int at = 0; at < in_length; at += 1u + in[at])
            if (in[at] == c->alpn[own] && at + in[at] < in_length &&
                memcmp(in + at + 1, c->alpn + own + 1, in[at]) == 0) {
                *out = in + at + 1;
                *length = in[at];
                return TLSEXT_OK;
            }
    return TLSEXT_ALERT_FATAL; /* RFC 7301 section 3.2 */
}

/* Each protocol is preceded by its length. A client that offers others only is refused, one that offers none is not. */
void needletail_tls_protocols(context *c, const char *protocols, int length) {
    c->alpn = malloc((size_t)length);
    if (c->alpn == NULL) return;
    memcpy(c->alpn, protocols, (size_t)length);
    c->alpn_length = (unsigned int)length;
    if (c->is_server) ssl.SSL_CTX_set_alpn_select_cb(c->ctx, choose_protocol, c);
}

/* Sessions of a client */

#define SERVERS 256
#define SESSIONS 4

struct sessions {
    struct {
        char *key;
        int count;
        SSL_SESSION *kept[SESSIONS]; /* the latest last */
    } of[SERVERS]; /* by the key's hash; of two servers with the same one, the latest */
};

static unsigned int place(const char *key) {
    unsigned int hash = 2166136261u;
    for (; *key != 0; key++) hash = (hash ^ (unsigned char)*key) * 16777619u;
    return (hash ^ hash >> 16) % SERVERS;
}

static void forget(sessions *all, unsigned int at) {
    for (int i = 0; i < all->of[at].count; i++) ssl.SSL_SESSION_free(all->of[at].kept[i]);
    all->of[at].count = 0;
    free(all->of[at].key);
    all->of[at].key = NULL;
}

static void free_sessions(sessions *all) {
    if (all == NULL) return;
    for (unsigned int i = 0; i < SERVERS; i++) forget(all, i);
    free(all);
}

SSL_SESSION *needletail_tls_session(context *c, const char *key) {
    unsigned int at = place(key);
    sessions *all = c->sessions;
    if (all == NULL || all->of[at].key == NULL || strcmp(all->of[at].key, key) != 0) return NULL;
    while (all->of[at].count > 0) {
        SSL_SESSION *last = all->of[at].kept[--all->of[at].count];
        if (ssl.SSL_SESSION_is_resumable(last)) return last; /* each once: RFC 8446 appendix C.4 */
        ssl.SSL_SESSION_free(last);
    }
    return NULL;
}

/* Takes over `session`. */
void needletail_tls_keep_session(context *c, const char *key, SSL_SESSION *session) {
    unsigned int at = place(key);
    if (c->sessions == NULL) c->sessions = calloc(1, sizeof *c->sessions);
    sessions *all = c->sessions;
    if (all != NULL && (all->of[at].key == NULL || strcmp(all->of[at].key, key) != 0)) {
        forget(all, at);
        all->of[at].key = strdup(key);
    }
    if (all == NULL || all->of[at].key == NULL) {
        ssl.SSL_SESSION_free(session);
        return;
    }
    if (all->of[at].count == SESSIONS) {
        ssl.SSL_SESSION_free(all->of[at].kept[0]);
        memmove(&all->of[at].kept[0], &all->of[at].kept[1], (SESSIONS - 1) * sizeof(SSL_SESSION *));
        all->of[at].count--;
    }
    all->of[at].kept[all->of[at].count++] = session;
}

static int new_session(SSL *s, SSL_SESSION *session) {
    const char *key = needletail_tls_key(s);
    if (key == NULL) return 0;
    needletail_tls_keep_session(needletail_tls_context_of(s), key, session);
    return 1;
}

#endif
