/*
 * Contexts: certificates, trust and the settings of TLS. A function that fails returns a reason, which is valid until
 * the next call of the same thread; null if it succeeded.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"
#include "needletail_waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *reason_of(unsigned long code, const char *otherwise) {
    const char *text = code == 0 ? NULL : ssl.ERR_reason_error_string(code);
    return text == NULL ? otherwise : text;
}

static const char *reason(const char *otherwise) { return reason_of(ssl.ERR_peek_last_error(), otherwise); }

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

/*
 * Sessions are resumed unless `seconds` is 0: for so long after their full handshake by a client, by a server with
 * needletail_tls_resume. Returns null if memory ran out.
 */
context *needletail_tls_context(int is_server, int seconds) {
    int is_resuming = seconds != 0;
    context *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    ssl.ERR_clear_error();
    c->ctx = ssl.SSL_CTX_new(is_server ? ssl.TLS_server_method() : ssl.TLS_client_method());
    c->users = 1;
    c->is_server = is_server;
    c->session_seconds = seconds;
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
    if (!needletail_tls_set_strength(c)) return "strength of keys";
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
    needletail_tls_release_lists(c->lists);
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
static const char NO_CERTIFICATE[] = "no certificate", NO_KEY[] = "no key", NOT_SUPPORTED[] = "not supported";

/* The same of a key that is not the certificate's, with the kinds of both. */
static const char *not_its_key(EVP_PKEY *key, X509 *x) {
    static _Thread_local char why[64];
    snprintf(why, sizeof why, "not its key: %s, %s", needletail_tls_kind_of_key(key),
             needletail_tls_kind_of_key(ssl.X509_get0_pubkey(x)));
    return why;
}

/*
 * Why a key cannot be read: by the wrong password too, or as the library does not know how it is encrypted. The last
 * error of BoringSSL and AWS-LC says in which part of them the first one is.
 */
static const char *no_key(void) {
    const char *text = reason("");
    if (strcmp(text, "ASN.1 encoding routines") == 0) text = reason_of(ssl.ERR_peek_error(), "");
    int is_unknown = strcasecmp(text, "unsupported") == 0 || strncasecmp(text, "unknown", 7) == 0 ||
                     strncasecmp(text, "unsupported_", 12) == 0;
    return is_unknown ? NOT_SUPPORTED : NO_KEY;
}

typedef struct {
    X509 **all;
    int count;
} certificates;

static void free_certificates(certificates *c) {
    for (int i = 0; i < c->count; i++) ssl.X509_free(c->all[i]);
    free(c->all);
}

/* Reads those in PEM, to be freed even if it returns 0: there is none, one is damaged, or memory ran out. */
static int read_certificates(certificates *to, const char *pem, int length) {
    int has_failed = 0;
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    X509 *one = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, password, NULL);
    while (one != NULL && !has_failed) {
        X509 **more = realloc(to->all, (size_t)(to->count + 1) * sizeof *more);
        has_failed = more == NULL;
        if (has_failed) ssl.X509_free(one);
        else {
            to->all = more;
            to->all[to->count++] = one;
            one = ssl.PEM_read_bio_X509(in, NULL, password, NULL);
        }
    }
    if (!needletail_tls_is_at_end()) has_failed = 1;
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    return !has_failed && to->count > 0;
}

/* Why the first of them is too weak that is; null if none is. */
static const char *weakness(const certificates *c) {
    const char *why = NULL;
    for (int i = 0; i < c->count && why == NULL; i++) why = needletail_tls_own_weakness(c->all[i]);
    return why;
}

static const char *use_certificate(context *c, const char *chain, int chain_length, const char *pem, int length,
                                   const char *secret) {
    const char *wrong = NULL;
    certificates all = {0};
    EVP_PKEY *key = NULL;
    ssl.ERR_clear_error();
    if (!read_certificates(&all, chain, chain_length)) wrong = NO_CERTIFICATE;
    else if ((key = read_key(pem, length, secret)) == NULL) wrong = no_key();
    else if (ssl.X509_check_private_key(all.all[0], key) != 1) wrong = not_its_key(key, all.all[0]);
    else if ((wrong = weakness(&all)) == NULL && !needletail_tls_use(c->ctx, all.all, all.count, key))
        wrong = reason("not usable");
    ssl.EVP_PKEY_free(key);
    free_certificates(&all);
    return wrong;
}

/*
 * Certificates in PEM, the own one first, and its key. `secret` is the key's password, or null. Several keys, of
 * different kinds, can be used: then the client decides.
 */
WAITING const char *needletail_tls_certificate(context *c, const char *chain, int chain_length, const char *pem,
                                               int length, const char *secret) {
    BEGIN_WAITING();
    const char *wrong = use_certificate(c, chain, chain_length, pem, length, secret);
    END_WAITING();
    return wrong;
}

/* Trust */

enum { TRUST_NOBODY = 0, TRUST_WANTED = 1, TRUST_REQUIRED = 2 };

static int is_pinned(const context *c, X509 *one) {
    unsigned char hash[KEY_HASH_SIZE];
    if (!needletail_tls_key_hash(one, hash)) return 0;
    for (int i = 0; i < c->pins_count; i++)
        if (memcmp(c->pins[i], hash, sizeof hash) == 0) return 1;
    return 0;
}

/* In the verified chain, not among the certificates that the peer sent. */
static int has_pinned(const context *c, const STACK *all) {
    for (int i = 0; i < ssl.OPENSSL_sk_num(all); i++)
        if (is_pinned(c, ssl.OPENSSL_sk_value(all, (size_t)i))) return 1;
    return 0;
}

/* Called for each error of a peer's chain. Says in the error if a certificate is for no host at all. */
static int judge(int is_valid, X509_STORE_CTX *chain) {
    int error = is_valid ? 0 : ssl.X509_STORE_CTX_get_error(chain);
    if ((error == CERT_NOT_YET_VALID || error == CERT_HAS_EXPIRED) && needletail_tls_forgives_date(chain)) {
        ssl.X509_STORE_CTX_set_error(chain, 0);
        return 1;
    }
    if (error == WRONG_HOST || error == WRONG_ADDRESS) {
        X509 *one = ssl.X509_STORE_CTX_get_current_cert(chain);
        if (one != NULL && ssl.X509_get_ext_by_NID(one, SUBJECT_ALTERNATIVE_NAME, -1) < 0)
            ssl.X509_STORE_CTX_set_error(chain, NAMELESS);
    }
    return is_valid;
}

/*
 * Verifies a chain, and what the library does not: that it is strong, that its authorities are some and permit it, that
 * nothing of it is revoked, that it has a pinned key, and that the server's own check accepts it, which is asked within the handshake, so that a client which is
 * refused has an alert.
 */
static int verify(X509_STORE_CTX *chain, void *with) {
    context *c = with;
    int result = ssl.X509_verify_cert(chain);
    if (result <= 0) {
        needletail_tls_remember_refused(chain, ssl.X509_STORE_CTX_get_current_cert(chain));
        return result;
    }
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    X509 *wrong = ssl.OPENSSL_sk_value(all, 0);
    int error = needletail_tls_weakness(c, all, &wrong);
    if (error == 0) error = needletail_tls_judge_authorities(c, chain, &wrong);
    if (error == 0) error = needletail_tls_judge_lists(c, chain, &wrong);
    if (error == 0 && c->pins != NULL && !has_pinned(c, all)) error = NOT_PINNED;
    if (error == 0 && c->check != NULL &&
        (ssl.OPENSSL_sk_num(all) <= 0 || !needletail_tls_is_accepted(ssl.OPENSSL_sk_value(all, 0), c->check)))
        error = REFUSED_BY_CHECK;
    if (error == 0 && !c->is_server && c->session_seconds != 0) needletail_tls_limit_by_chain(chain, all);
    if (error == 0) return result;
    needletail_tls_remember_refused(chain, wrong);
    ssl.X509_STORE_CTX_set_error(chain, error);
    return 0;
}

/* Returns 0 if the library cannot. */
static int verify_more(context *c) {
    if (ssl.OPENSSL_sk_num == NULL || ssl.OPENSSL_sk_value == NULL) return 0;
    ssl.SSL_CTX_set_cert_verify_callback(c->ctx, verify, c);
    return 1;
}

/* Whether the peer must have a trusted certificate. A server requests one if `wanted`. */
void needletail_tls_verify(context *c, int how) {
    int mode = how == TRUST_NOBODY   ? VERIFY_NONE
               : how == TRUST_WANTED ? VERIFY_PEER
                                     : VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT;
    ssl.SSL_CTX_set_verify(c->ctx, mode, judge);
    verify_more(c);
}

static int trust(context *c, const char *pem, int length) {
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

/* Trusts these certificates, whether they are issuers' or not. Returns how many there are; 0 if one is damaged. */
WAITING int needletail_tls_trust(context *c, const char *pem, int length) {
    BEGIN_WAITING();
    int count = trust(c, pem, length);
    END_WAITING();
    return count;
}

/*
 * Trusts whom another context trusts, with its lists of revoked certificates; if it has any, both are of one loop. The
 * library's store of certificates has locks of its own. Returns 0 if memory ran out.
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
    c->lists = needletail_tls_keep_lists(other->lists);
    c->lists_change = other->lists_change;
    c->trusts_system = other->trusts_system;
    return 1;
}

/* `count` hashes of 32 bytes. Returns 0 if memory ran out, or if the library cannot. */
int needletail_tls_pins(context *c, const char *hashes, int count) {
    if (!verify_more(c)) return 0;
    c->pins = malloc((size_t)count * sizeof *c->pins);
    if (c->pins == NULL) return 0;
    memcpy(c->pins, hashes, (size_t)count * sizeof *c->pins);
    c->pins_count = count;
    return 1;
}

/*
 * Has a server ask `check` about its clients' certificates. It is called by the thread of a handshake, which is not
 * marked as waiting then. Returns 0 if the library cannot.
 */
int needletail_tls_check(context *c, own_check *check) {
    c->check = check;
    return verify_more(c);
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
