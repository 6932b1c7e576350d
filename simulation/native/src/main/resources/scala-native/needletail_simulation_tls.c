/*
 * Both sides of TLS connections in memory, by OpenSSL alone: the peers of the library's TLS in a simulation. They do what
 * the library never does, such as to ask for new keys (RFC 8446 section 4.6.3) or to renegotiate (RFC 5246).
 *
 * OpenSSL's headers are not needed: what is used of them is declared here. For one thread at a time.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_SIMULATION_TLS) && defined(__linux__)

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct ssl_session_st SSL_SESSION;
typedef struct bio_st BIO;
typedef struct x509_st X509;
typedef struct evp_pkey_st EVP_PKEY;

/* Where OpenSSL's random numbers come from; null for what is never called. */
typedef struct {
    int (*seed)(const void *, int);
    int (*bytes)(unsigned char *, int);
    void (*cleanup)(void);
    int (*add)(const void *, int, double);
    int (*pseudo)(unsigned char *, int);
    int (*status)(void);
} RAND_METHOD;

#define FUNCTIONS(F) \
    F(const void *, TLS_client_method, (void)) \
    F(const void *, TLS_server_method, (void)) \
    F(SSL_CTX *, SSL_CTX_new, (const void *)) \
    F(void, SSL_CTX_free, (SSL_CTX *)) \
    F(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *)) \
    F(int, SSL_CTX_use_certificate, (SSL_CTX *, X509 *)) \
    F(int, SSL_CTX_use_PrivateKey, (SSL_CTX *, EVP_PKEY *)) \
    F(void, SSL_CTX_sess_set_new_cb, (SSL_CTX *, int (*)(SSL *, SSL_SESSION *))) \
    F(int, SSL_CTX_set_ex_data, (SSL_CTX *, int, void *)) \
    F(void *, SSL_CTX_get_ex_data, (const SSL_CTX *, int)) \
    F(SSL_CTX *, SSL_get_SSL_CTX, (const SSL *)) \
    F(SSL *, SSL_new, (SSL_CTX *)) \
    F(void, SSL_free, (SSL *)) \
    F(long, SSL_ctrl, (SSL *, int, long, void *)) \
    F(void, SSL_set_bio, (SSL *, BIO *, BIO *)) \
    F(void, SSL_set_accept_state, (SSL *)) \
    F(void, SSL_set_connect_state, (SSL *)) \
    F(int, SSL_set_session, (SSL *, SSL_SESSION *)) \
    F(void, SSL_SESSION_free, (SSL_SESSION *)) \
    F(int, SSL_do_handshake, (SSL *)) \
    F(int, SSL_is_init_finished, (const SSL *)) \
    F(int, SSL_read, (SSL *, void *, int)) \
    F(int, SSL_write, (SSL *, const void *, int)) \
    F(int, SSL_shutdown, (SSL *)) \
    F(int, SSL_get_error, (const SSL *, int)) \
    F(const char *, SSL_get_version, (const SSL *)) \
    F(int, SSL_key_update, (SSL *, int)) \
    F(int, SSL_renegotiate, (SSL *)) \
    F(X509 *, SSL_get1_peer_certificate, (const SSL *)) \
    F(void *, X509_get_subject_name, (const X509 *)) \
    F(int, X509_NAME_print_ex, (BIO *, const void *, int, unsigned long)) \
    F(void, X509_free, (X509 *)) \
    F(X509 *, PEM_read_bio_X509, (BIO *, X509 **, void *, void *)) \
    F(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO *, EVP_PKEY **, void *, void *)) \
    F(void, EVP_PKEY_free, (EVP_PKEY *)) \
    F(const void *, BIO_s_mem, (void)) \
    F(BIO *, BIO_new, (const void *)) \
    F(BIO *, BIO_new_mem_buf, (const void *, int)) \
    F(int, BIO_free, (BIO *)) \
    F(int, BIO_read, (BIO *, void *, int)) \
    F(int, BIO_write, (BIO *, const void *, int)) \
    F(const RAND_METHOD *, RAND_OpenSSL, (void)) \
    F(int, RAND_set_rand_method, (const RAND_METHOD *)) \
    F(void, ERR_clear_error, (void)) \
    F(unsigned long, ERR_peek_last_error, (void)) \
    F(const char *, ERR_reason_error_string, (unsigned long))

static struct {
#define F(type, name, parameters) type(*name) parameters;
    FUNCTIONS(F)
#undef F
} ssl;

/* Constants, as in OpenSSL's headers. */
enum {
    CTRL_MODE = 33,
    CTRL_SESS_CACHE_MODE = 44,
    CTRL_HOSTNAME = 55,
    CTRL_MIN_PROTO_VERSION = 123,
    CTRL_MAX_PROTO_VERSION = 124,
    MODE_AUTO_RETRY = 4,
    SESS_CACHE_CLIENT_ONLY_OURS = 1 | 0x300,
    TLS1_2 = 0x0303,
    TLS1_3 = 0x0304,
    ERROR_WANT_READ = 2,
    ERROR_WANT_WRITE = 3,
    ERROR_ZERO_RETURN = 6,
    KEY_UPDATE_REQUESTED = 1,

    ENDED = -1, /* the peer has ended its stream */
    FAILED = -2,
};

/* See io's needletail_library.h. */
const char *needletail_library_load(const char *need, const char *const *files, const char *const *functions, size_t needed,
                                    void *table);

/*
 * Random numbers of a simulation, SplitMix64. A session ticket's length depends on one: with others, a seed would not
 * repeat what is read and written. Other threads get OpenSSL's own.
 */
static _Thread_local uint64_t random_state;
static _Thread_local int is_seeded;

static int random_bytes(unsigned char *to, int count) {
    if (!is_seeded) return ssl.RAND_OpenSSL()->bytes(to, count);
    for (int i = 0; i < count; i++) {
        uint64_t z = random_state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        to[i] = (unsigned char)((z ^ (z >> 31)) >> 56);
    }
    return 1;
}

static int has_random(void) { return 1; }

static const RAND_METHOD of_simulation = {NULL, random_bytes, NULL, NULL, random_bytes, has_random};

/* From now on OpenSSL's random numbers on this thread follow from `seed`. */
void needletail_simulation_tls_seed(int64_t seed) {
    random_state = (uint64_t)seed;
    is_seeded = 1;
}

/* This thread gets OpenSSL's own random numbers again. */
void needletail_simulation_tls_unseed(void) { is_seeded = 0; }

/* Loads the library with the first call. Returns why it cannot be used; null if it can. */
const char *needletail_simulation_tls_load(void) {
    static int loaded;
    static const char *problem;
    static const char *const files[] = {"libssl.so.3", "libssl.so", NULL};
#define F(type, name, parameters) #name,
    static const char *const functions[] = {FUNCTIONS(F) NULL};
#undef F
    if (!loaded) {
        problem = needletail_library_load("the simulation of TLS needs OpenSSL 3", files, functions,
                                          sizeof functions / sizeof *functions - 1, &ssl);
        if (problem == NULL) ssl.RAND_set_rand_method(&of_simulation);
        loaded = 1;
    }
    return problem;
}

/* What connections to one server share: the latest session, which the next one resumes. */
typedef struct {
    SSL_CTX *ctx;
    int is_server;
    SSL_SESSION *latest;
} context;

typedef struct {
    SSL *ssl;
    BIO *in, *out; /* owned by `ssl` */
} side;

static _Thread_local const char *reason = "out of memory";

/* Why the latest call has failed. */
const char *needletail_simulation_tls_reason(void) { return reason; }

static int keep_session(SSL *s, SSL_SESSION *session) {
    context *c = ssl.SSL_CTX_get_ex_data(ssl.SSL_get_SSL_CTX(s), 0);
    if (c->latest != NULL) ssl.SSL_SESSION_free(c->latest);
    c->latest = session;
    return 1; /* it is ours now */
}

static int show(SSL_CTX *ctx, const char *certificate, const char *key) {
    BIO *of_certificate = ssl.BIO_new_mem_buf(certificate, -1), *of_key = ssl.BIO_new_mem_buf(key, -1);
    X509 *x = ssl.PEM_read_bio_X509(of_certificate, NULL, NULL, NULL);
    EVP_PKEY *k = ssl.PEM_read_bio_PrivateKey(of_key, NULL, NULL, NULL);
    int done = x != NULL && k != NULL && ssl.SSL_CTX_use_certificate(ctx, x) == 1 && ssl.SSL_CTX_use_PrivateKey(ctx, k) == 1;
    ssl.X509_free(x);
    ssl.EVP_PKEY_free(k);
    ssl.BIO_free(of_certificate);
    ssl.BIO_free(of_key);
    return done;
}

void needletail_simulation_tls_release(context *c) {
    if (c->latest != NULL) ssl.SSL_SESSION_free(c->latest);
    ssl.SSL_CTX_free(c->ctx);
    free(c);
}

/* A client that speaks TLS 1.2 alone if it `is_old`, otherwise TLS 1.3 alone; a server speaks both. `certificate` may be null. */
context *needletail_simulation_tls_context(int is_server, int is_old, const char *certificate, const char *key) {
    context *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->is_server = is_server;
    c->ctx = ssl.SSL_CTX_new(is_server ? ssl.TLS_server_method() : ssl.TLS_client_method());
    if (c->ctx == NULL) {
        free(c);
        return NULL;
    }
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_MIN_PROTO_VERSION, is_server || is_old ? TLS1_2 : TLS1_3, NULL);
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_MAX_PROTO_VERSION, is_old ? TLS1_2 : TLS1_3, NULL);
    ssl.SSL_CTX_ctrl(c->ctx, CTRL_MODE, MODE_AUTO_RETRY, NULL);
    if (!is_server) {
        ssl.SSL_CTX_ctrl(c->ctx, CTRL_SESS_CACHE_MODE, SESS_CACHE_CLIENT_ONLY_OURS, NULL);
        ssl.SSL_CTX_set_ex_data(c->ctx, 0, c);
        ssl.SSL_CTX_sess_set_new_cb(c->ctx, keep_session);
    }
    if (certificate != NULL && !show(c->ctx, certificate, key)) {
        needletail_simulation_tls_release(c);
        return NULL;
    }
    return c;
}

/* One side of a connection; null if it fails. `name`: of the server that a client asks for. */
side *needletail_simulation_tls_open(context *c, const char *name) {
    side *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    ssl.ERR_clear_error();
    s->ssl = ssl.SSL_new(c->ctx);
    s->in = ssl.BIO_new(ssl.BIO_s_mem());
    s->out = ssl.BIO_new(ssl.BIO_s_mem());
    if (s->ssl == NULL || s->in == NULL || s->out == NULL) return NULL;
    ssl.SSL_set_bio(s->ssl, s->in, s->out);
    if (c->is_server) ssl.SSL_set_accept_state(s->ssl);
    else {
        ssl.SSL_set_connect_state(s->ssl);
        ssl.SSL_ctrl(s->ssl, CTRL_HOSTNAME, 0, (void *)name);
        if (c->latest != NULL) ssl.SSL_set_session(s->ssl, c->latest);
    }
    return s;
}

/* Encrypted bytes have come. */
void needletail_simulation_tls_receive(side *s, const char *from, int count) { ssl.BIO_write(s->in, from, count); }

/* Encrypted bytes that are to be sent: returns how many. */
int needletail_simulation_tls_output(side *s, char *to, int count) {
    int n = ssl.BIO_read(s->out, to, count);
    return n > 0 ? n : 0;
}

int needletail_simulation_tls_is_secured(side *s) { return ssl.SSL_is_init_finished(s->ssl); }

/* The result of a call: 0 if it waits for input, ENDED, or FAILED. */
static int outcome(side *s, int result) {
    int error = ssl.SSL_get_error(s->ssl, result);
    if (error == ERROR_WANT_READ || error == ERROR_WANT_WRITE) return 0;
    if (error == ERROR_ZERO_RETURN) return ENDED;
    const char *text = ssl.ERR_reason_error_string(ssl.ERR_peek_last_error());
    reason = text == NULL ? "the connection has failed" : text;
    return FAILED;
}

/* Goes on with the handshake, or reads plain bytes: returns how many, 0 without more input, ENDED, or FAILED. */
int needletail_simulation_tls_read(side *s, char *to, int count) {
    ssl.ERR_clear_error();
    int n = ssl.SSL_read(s->ssl, to, count);
    return n > 0 ? n : outcome(s, n);
}

int needletail_simulation_tls_write(side *s, const char *from, int count) {
    ssl.ERR_clear_error();
    int n = ssl.SSL_write(s->ssl, from, count);
    return n > 0 ? n : outcome(s, n);
}

/* Says that the stream ends; does nothing during a handshake. */
int needletail_simulation_tls_end(side *s) {
    ssl.ERR_clear_error();
    if (ssl.SSL_is_init_finished(s->ssl)) ssl.SSL_shutdown(s->ssl);
    return 0;
}

/* With TLS 1.3 changes its keys and asks the peer to do the same; before, begins another handshake. */
int needletail_simulation_tls_begin_anew(side *s) {
    ssl.ERR_clear_error();
    int is_new = strcmp(ssl.SSL_get_version(s->ssl), "TLSv1.3") == 0;
    int begun = is_new ? ssl.SSL_key_update(s->ssl, KEY_UPDATE_REQUESTED) : ssl.SSL_renegotiate(s->ssl);
    if (begun != 1) return outcome(s, begun);
    int result = ssl.SSL_do_handshake(s->ssl);
    return result == 1 ? 0 : outcome(s, result);
}

/* The subject of the peer's certificate as RFC 2253 writes it: returns how many bytes. */
int needletail_simulation_tls_peer(side *s, char *to, int count) {
    X509 *x = ssl.SSL_get1_peer_certificate(s->ssl);
    if (x == NULL) return 0;
    BIO *text = ssl.BIO_new(ssl.BIO_s_mem());
    ssl.X509_NAME_print_ex(text, ssl.X509_get_subject_name(x), 0, 0x1110317UL); /* XN_FLAG_RFC2253 */
    int n = ssl.BIO_read(text, to, count);
    ssl.BIO_free(text);
    ssl.X509_free(x);
    return n > 0 ? n : 0;
}

void needletail_simulation_tls_close(side *s) {
    ssl.SSL_free(s->ssl);
    free(s);
}

#endif
