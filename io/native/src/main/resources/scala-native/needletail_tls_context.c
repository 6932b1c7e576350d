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

/* Bytes of a client's certificates, as with the JDK: OpenSSL has memory for all of them when it has their header. */
#define MAX_CERTIFICATES 32768

/*
 * Needed in each context of a server, not only in the one that connections begin with: when a ClientHello is repeated
 * (RFC 8446 section 4.1.2), OpenSSL looks for the session again by what is set in that of the name asked for.
 */
static void set_up_server(SSL_CTX *ctx) {
    static const unsigned char id[] = "needletail";
    ssl.SSL_CTX_set_session_id_context(ctx, id, sizeof id - 1); /* needed where clients have certificates */
    needletail_tls_limit_certificates(ctx, MAX_CERTIFICATES);
    needletail_tls_hear_names(ctx);
}

static atomic_int contexts_alive;

/* How many contexts there are, those of names included. */
int needletail_tls_contexts_alive(void) { return atomic_load(&contexts_alive); }

/* Sessions are resumed if it `is_resuming`, by a server with needletail_tls_resume. Returns null if memory ran out. */
context *needletail_tls_context(int is_server, int is_resuming) {
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
    atomic_fetch_add(&contexts_alive, 1);
    needletail_tls_set_mode(c->ctx,
                            MODE_ENABLE_PARTIAL_WRITE | MODE_ACCEPT_MOVING_WRITE_BUFFER | MODE_RELEASE_BUFFERS);
    ssl.SSL_CTX_set_options(c->ctx, OP_NO_COMPRESSION | OP_NO_RENEGOTIATION |
                                        (is_server ? OP_SERVER_PREFERENCE | OP_PRIORITIZE_CHACHA : 0) |
                                        (is_server && !is_resuming ? OP_NO_TICKET : 0));
    if (ssl.SSL_CTX_set_security_level != NULL && /* the system's policy may ask for more */
        (ssl.SSL_CTX_get_security_level == NULL || ssl.SSL_CTX_get_security_level(c->ctx) < 2))
        ssl.SSL_CTX_set_security_level(c->ctx, 2);
    if (ssl.SSL_CTX_set_num_tickets != NULL) ssl.SSL_CTX_set_num_tickets(c->ctx, is_resuming ? 1 : 0);
    if (is_server) set_up_server(c->ctx);
    if (is_server && is_resuming) needletail_tls_judge_sessions(c);
    if (is_server || !is_resuming)
        needletail_tls_set_session_cache_mode(c->ctx, SESS_CACHE_OFF); /* tickets only */
    else {
        needletail_tls_set_session_cache_mode(c->ctx, SESS_CACHE_CLIENT | SESS_CACHE_NO_INTERNAL);
        ssl.SSL_CTX_sess_set_new_cb(c->ctx, needletail_tls_new_session);
    }
    return c;
}

/*
 * Versions: 0x0303 is TLS 1.2, 0x0304 TLS 1.3. `ciphers` are those of TLS 1.2, `newer` of TLS 1.3. A library that does
 * not know the first of the `groups` gets the others: one that is validated by FIPS 140 may not have X25519. Returns
 * which of them the library refuses, as it would use its own then; null if none.
 */
const char *needletail_tls_profile(context *c, int least, int most, const char *ciphers, const char *newer,
                                   const char *groups) {
    const char *others = strchr(groups, ':');
    ssl.ERR_clear_error();
    if (needletail_tls_set_versions(c->ctx, least, most) != 1) return "versions";
    if (ssl.SSL_CTX_set_cipher_list(c->ctx, ciphers) != 1) return "ciphers of TLS 1.2";
    if (ssl.SSL_CTX_set_ciphersuites != NULL && ssl.SSL_CTX_set_ciphersuites(c->ctx, newer) != 1)
        return "ciphers of TLS 1.3";
    if (needletail_tls_set_groups(c->ctx, groups) != 1 &&
        (others == NULL || needletail_tls_set_groups(c->ctx, others + 1) != 1))
        return "groups";
    ssl.ERR_clear_error();
    return NULL;
}

context *needletail_tls_keep(context *c) {
    atomic_fetch_add(&c->users, 1);
    return c;
}

void needletail_tls_release(context *c) {
    if (atomic_fetch_sub(&c->users, 1) != 1) return;
    atomic_fetch_sub(&contexts_alive, 1);
    ssl.SSL_CTX_free(c->ctx);
    for (int i = 0; i < c->names_count; i++) {
        free(c->names[i].name);
        if (c->names[i].context != NULL) needletail_tls_release(c->names[i].context);
    }
    free(c->names);
    free(c->alpn);
    free(c->pins);
    needletail_tls_free_sessions(c->sessions);
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

/* Whether reading failed because there is no further block, and not because the next one is damaged. */
int needletail_tls_is_at_end(void) {
    const char *text = reason("");
    return strcasecmp(text, "no start line") == 0 || strcmp(text, "NO_START_LINE") == 0;
}

static EVP_PKEY *read_key(const char *pem, int length, const char *secret) {
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    EVP_PKEY *key = in == NULL ? NULL : ssl.PEM_read_bio_PrivateKey(in, NULL, password, (void *)secret);
    ssl.BIO_free(in);
    return key;
}

/* What may be wrong with a certificate and its key, beside other reasons. */
static const char NO_CERTIFICATE[] = "no certificate", NO_KEY[] = "no key", NOT_ITS_KEY[] = "not its key",
                  NOT_SUPPORTED[] = "not supported";

/* Why a key cannot be read: by the wrong password too, or as the library does not know how it is encrypted. */
static const char *no_key(void) {
    const char *text = reason("");
    int is_unknown = strcasecmp(text, "unsupported") == 0 || strncasecmp(text, "unknown", 7) == 0 ||
                     strncasecmp(text, "unsupported_", 12) == 0;
    return is_unknown ? NOT_SUPPORTED : NO_KEY;
}

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
    else if ((key = read_key(pem, length, secret)) == NULL) wrong = no_key();
    else if (ssl.X509_check_private_key(one, key) != 1) wrong = NOT_ITS_KEY;
    else if (ssl.SSL_CTX_use_certificate(c->ctx, one) != 1 || ssl.SSL_CTX_use_PrivateKey(c->ctx, key) != 1)
        wrong = reason("not usable");
    if (wrong == NULL) needletail_tls_clear_chain(c->ctx); /* of a certificate before */
    while (wrong == NULL && one != NULL) {
        ssl.X509_free(one);
        one = ssl.PEM_read_bio_X509(in, NULL, password, NULL);
        if (one == NULL && !needletail_tls_is_at_end()) wrong = NO_CERTIFICATE;
        if (one != NULL && needletail_tls_add_to_chain(c->ctx, one) != 1) wrong = reason("not usable");
    }
    ssl.EVP_PKEY_free(key);
    ssl.X509_free(one);
    ssl.BIO_free(in);
    return wrong;
}

/* Trust */

enum { TRUST_NOBODY = 0, TRUST_WANTED = 1, TRUST_REQUIRED = 2 };

/* Whether the peer must have a trusted certificate. A server requests one if `wanted`. */
void needletail_tls_verify(context *c, int how) {
    int mode = how == TRUST_NOBODY   ? VERIFY_NONE
               : how == TRUST_WANTED ? VERIFY_PEER
                                     : VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT;
    ssl.SSL_CTX_set_verify(c->ctx, mode, needletail_tls_judge);
}

/* Trusts these certificates, whether they are issuers' or not. Returns how many there are; 0 if one is damaged. */
int needletail_tls_trust(context *c, const char *pem, int length) {
    int count = 0;
    ssl.ERR_clear_error();
    X509_STORE *store = ssl.SSL_CTX_get_cert_store(c->ctx);
    STACK *issuers = c->is_server && ssl.OPENSSL_sk_new_null != NULL ? ssl.OPENSSL_sk_new_null() : NULL;
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    X509 *one = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, password, NULL);
    while (one != NULL) {
        if (ssl.X509_STORE_add_cert(store, one) == 1) count++;
        X509_NAME *subject = issuers == NULL ? NULL : ssl.X509_NAME_dup(ssl.X509_get_subject_name(one));
        if (subject != NULL) ssl.OPENSSL_sk_push(issuers, subject);
        ssl.X509_free(one);
        one = ssl.PEM_read_bio_X509(in, NULL, password, NULL);
    }
    if (!needletail_tls_is_at_end()) count = 0;
    ssl.X509_STORE_set_flags(store, PARTIAL_CHAIN);
    if (issuers != NULL) ssl.SSL_CTX_set_client_CA_list(c->ctx, issuers); /* told to clients */
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    return count;
}

/*
 * Trusts whom another context trusts, with its lists of revoked certificates: both are of one loop. Returns 0 if memory
 * ran out.
 */
int needletail_tls_share_trust(context *c, const context *other) {
    X509_STORE *store = ssl.SSL_CTX_get_cert_store(other->ctx);
    STACK *issuers = ssl.SSL_CTX_get_client_CA_list(other->ctx);
    if (issuers != NULL) {
        issuers = ssl.SSL_dup_CA_list(issuers);
        if (issuers == NULL) return 0;
        ssl.SSL_CTX_set_client_CA_list(c->ctx, issuers);
    }
    if (ssl.X509_STORE_up_ref(store) != 1) return 0;
    ssl.SSL_CTX_set_cert_store(c->ctx, store);
    c->lists_expiry = other->lists_expiry;
    return 1;
}

/* Trusts the system's certificates. */
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

static int is_pinned(const context *c, X509 *one) {
    unsigned char *der = NULL, hash[64];
    int found = 0, length = ssl.i2d_X509_PUBKEY(ssl.X509_get_X509_PUBKEY(one), NULL);
    if (length > 0) der = malloc((size_t)length);
    if (der == NULL) return 0;
    unsigned char *end = der;
    ssl.i2d_X509_PUBKEY(ssl.X509_get_X509_PUBKEY(one), &end);
    if (ssl.EVP_Digest(der, (size_t)length, hash, NULL, ssl.EVP_sha256(), NULL) == 1)
        for (int i = 0; i < c->pins_count && !found; i++) found = memcmp(c->pins[i], hash, sizeof c->pins[i]) == 0;
    free(der);
    return found;
}

/* Verifies a chain, and that it has a pinned key: in the verified chain, not among the certificates that the peer sent. */
static int verify_pinned(X509_STORE_CTX *chain, void *with) {
    context *c = with;
    int result = ssl.X509_verify_cert(chain);
    if (result <= 0) return result;
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    for (int i = 0; i < ssl.OPENSSL_sk_num(all); i++)
        if (is_pinned(c, ssl.OPENSSL_sk_value(all, i))) return 1;
    ssl.X509_STORE_CTX_set_error(chain, NOT_PINNED);
    return 0;
}

/* `count` hashes of 32 bytes. Returns 0 if memory ran out, or if the library cannot. */
int needletail_tls_pins(context *c, const char *hashes, int count) {
    if (ssl.OPENSSL_sk_num == NULL || ssl.OPENSSL_sk_value == NULL) return 0;
    c->pins = malloc((size_t)count * sizeof *c->pins);
    if (c->pins == NULL) return 0;
    memcpy(c->pins, hashes, (size_t)count * sizeof *c->pins);
    c->pins_count = count;
    ssl.SSL_CTX_set_cert_verify_callback(c->ctx, verify_pinned, c);
    return 1;
}

/* Verifies a client's chain, and asks the server's own check about it: within the handshake, so that it has an alert. */
static int verify_checked(X509_STORE_CTX *chain, void *with) {
    context *c = with;
    int result = ssl.X509_verify_cert(chain);
    if (result <= 0) return result;
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    if (ssl.OPENSSL_sk_num(all) > 0 && needletail_tls_is_accepted(ssl.OPENSSL_sk_value(all, 0), c->check)) return 1;
    ssl.X509_STORE_CTX_set_error(chain, REFUSED_BY_CHECK);
    return 0;
}

/*
 * Has a server ask `check` about its clients' certificates. It is called by the thread of a handshake, which is not
 * marked as waiting then. Returns 0 if the library cannot.
 */
int needletail_tls_check(context *c, own_check *check) {
    if (ssl.OPENSSL_sk_num == NULL || ssl.OPENSSL_sk_value == NULL) return 0;
    c->check = check;
    ssl.SSL_CTX_set_cert_verify_callback(c->ctx, verify_checked, c);
    return 1;
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

/*
 * Each protocol is preceded by its length. A client that offers others only is refused, one that offers none is not.
 * Returns 0 if the library refuses them, or if memory ran out.
 */
int needletail_tls_protocols(context *c, const char *protocols, int length) {
    if (!c->is_server) /* 0 is success */
        return ssl.SSL_CTX_set_alpn_protos(c->ctx, (const unsigned char *)protocols, (unsigned int)length) == 0;
    c->alpn = malloc((size_t)length);
    if (c->alpn == NULL) return 0;
    memcpy(c->alpn, protocols, (size_t)length);
    c->alpn_length = (unsigned int)length;
    ssl.SSL_CTX_set_alpn_select_cb(c->ctx, choose_protocol, c);
    return 1;
}

#endif
