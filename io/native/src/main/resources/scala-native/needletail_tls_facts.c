/* What certificates and sessions say. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls_connection.h"
#include "needletail_waiting.h"

#include <stdlib.h>
#include <string.h>

#define RFC2253 0x1110313UL /* XN_FLAG_RFC2253 without ASN1_STRFLGS_ESC_MSB: text in UTF-8 */
#define NEGATIVE_INTEGER 0x102 /* V_ASN1_NEG_INTEGER */

/* Text as it grows. Each field is preceded by its length, 4 bytes, the highest first. Null once memory ran out. */
typedef struct {
    unsigned char *bytes;
    int count, size, has_failed;
} text;

static void put(text *t, const void *from, int n) {
    if (t->has_failed) return;
    if (n < 0 || n > 1 << 20) n = 0; /* not left out: the fields are known by their order */
    if (t->count + n + 4 > t->size) {
        int size = 2 * t->size + n + 256;
        unsigned char *more = realloc(t->bytes, (size_t)size);
        if (more == NULL) {
            t->has_failed = 1;
            return;
        }
        t->bytes = more;
        t->size = size;
    }
    for (int shift = 24; shift >= 0; shift -= 8) t->bytes[t->count++] = (unsigned char)(n >> shift);
    if (n > 0) memcpy(t->bytes + t->count, from, (size_t)n);
    t->count += n;
}

static void put_string(text *t, const char *s) { put(t, s == NULL ? "" : s, s == NULL ? 0 : (int)strlen(s)); }

static void put_asn1(text *t, const ASN1_STRING *s) {
    put(t, ssl.ASN1_STRING_get0_data(s), ssl.ASN1_STRING_length(s));
}

static void put_name(text *t, X509_NAME *name) {
    char *line = NULL;
    int count = 0, size = 0;
    BIO *out = ssl.BIO_new(ssl.BIO_s_mem());
    if (out == NULL) t->has_failed = 1;
    int has_more = out != NULL && ssl.X509_NAME_print_ex(out, name, 0, RFC2253) >= 0;
    while (has_more) {
        size = 2 * size + 1024;
        char *more = realloc(line, (size_t)size);
        if (more == NULL) {
            t->has_failed = 1;
            break;
        }
        line = more;
        int n = ssl.BIO_read(out, line + count, size - count);
        if (n > 0) count += n;
        has_more = count == size;
    }
    put(t, line, count);
    free(line);
    ssl.BIO_free(out);
}

/* The fields of a certificate, as OpenSslFacts reads them. */
static void put_certificate(text *t, X509 *x) {
    unsigned char hash[64];
    unsigned int length = 0;
    put_name(t, ssl.X509_get_subject_name(x));
    put_name(t, ssl.X509_get_issuer_name(x));
    put_asn1(t, ssl.X509_get_serialNumber(x));
    put_asn1(t, ssl.X509_get0_notBefore(x));
    put_asn1(t, ssl.X509_get0_notAfter(x));
    ssl.X509_digest(x, ssl.EVP_sha256(), hash, &length);
    put(t, hash, (int)length);
    int at = ssl.X509_get_ext_by_NID(x, SUBJECT_ALTERNATIVE_NAME, -1);
    if (at < 0) put(t, NULL, 0);
    else put_asn1(t, ssl.X509_EXTENSION_get_data(ssl.X509_get_ext(x, at)));
    /* the serial number's sign, which its bytes do not have */
    put_string(t, ssl.ASN1_STRING_type(ssl.X509_get_serialNumber(x)) == NEGATIVE_INTEGER ? "-" : "");
}

/*
 * Whether a server's own check accepts a certificate. Not if memory ran out. It may write to another connection: the
 * handshake's input and output, which are in buffers of the thread, stay as they are.
 */
int needletail_tls_is_accepted(X509 *x, own_check *check) {
    text t = {0};
    put_certificate(&t, x);
    buffers *own = t.has_failed ? NULL : needletail_tls_lend();
    int is_accepted = own != NULL && check(t.bytes, t.count);
    if (own != NULL) needletail_tls_take_back(own);
    ssl.ERR_clear_error(); /* the check may have used other connections */
    free(t.bytes);
    return is_accepted;
}

static _Thread_local text refused;

void needletail_tls_remember_refused(X509_STORE_CTX *chain, X509 *wrong) {
    char why[WEAKNESS_SIZE];
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    free(refused.bytes);
    memset(&refused, 0, sizeof refused);
    if (all == NULL || ssl.OPENSSL_sk_num(all) <= 0) return;
    X509 *own = ssl.OPENSSL_sk_value(all, 0);
    put_certificate(&refused, own);
    if (wrong == NULL) return;
    needletail_tls_describe_weakness(wrong, why);
    put_name(&refused, ssl.X509_get_issuer_name(wrong));
    if (wrong == own) put(&refused, NULL, 0);
    else put_name(&refused, ssl.X509_get_subject_name(wrong));
    put_string(&refused, why);
    put_asn1(&refused, ssl.X509_get0_notBefore(wrong));
    put_asn1(&refused, ssl.X509_get0_notAfter(wrong));
}

/*
 * Of the peer that this thread has refused last: its certificate, the issuer of the one in its chain that is wrong,
 * whose that is if it is not the peer's own, why it is too weak, if it is, and from when until when it is valid.
 * To be asked for once, when a handshake has failed by it, and freed by the caller.
 */
unsigned char *needletail_tls_refused_facts(int *length) {
    unsigned char *bytes = refused.bytes;
    *length = refused.has_failed ? 0 : refused.count;
    memset(&refused, 0, sizeof refused);
    return bytes;
}

X509 *needletail_tls_peer(const SSL *s) {
    return ssl.SSL_get1_peer_certificate != NULL  ? ssl.SSL_get1_peer_certificate(s)
           : ssl.SSL_get_peer_certificate != NULL ? ssl.SSL_get_peer_certificate(s)
                                                  : NULL;
}

/* The first certificate in PEM, and its SubjectPublicKeyInfo. To be freed by the caller; null if there is none. `length` is set. */
unsigned char *needletail_tls_certificate_facts(const char *pem, int size, int *length) {
    text t = {0};
    ssl.ERR_clear_error();
    BIO *in = ssl.BIO_new_mem_buf(pem, size);
    X509 *x = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, NULL, "");
    if (x != NULL) {
        unsigned char *key = NULL;
        put_certificate(&t, x);
        int count = ssl.i2d_X509_PUBKEY(ssl.X509_get_X509_PUBKEY(x), NULL);
        unsigned char *to = key = count > 0 ? malloc((size_t)count) : NULL;
        if (key != NULL) ssl.i2d_X509_PUBKEY(ssl.X509_get_X509_PUBKEY(x), &to);
        put(&t, key, key == NULL ? 0 : count);
        free(key);
    }
    ssl.X509_free(x);
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    *length = t.has_failed ? 0 : t.count;
    return t.bytes;
}

static void put_extension(text *t, const X509_CRL *list, int nid) {
    int at = ssl.X509_CRL_get_ext_by_NID(list, nid, -1);
    if (at < 0) put(t, NULL, 0);
    else put_asn1(t, ssl.X509_EXTENSION_get_data(ssl.X509_CRL_get_ext(list, at)));
}

/* The hash of the key of the one among these certificates that has signed a list; empty if there is none. */
static void put_signer(text *t, X509_CRL *list, const char *pem, int size) {
    unsigned char key[KEY_HASH_SIZE];
    int is_found = 0;
    BIO *in = size > 0 ? ssl.BIO_new_mem_buf(pem, size) : NULL;
    X509 *x = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, NULL, "");
    while (x != NULL) {
        is_found = ssl.X509_NAME_cmp(ssl.X509_get_subject_name(x), ssl.X509_CRL_get_issuer(list)) == 0 &&
                   needletail_tls_has_signed(x, list) && needletail_tls_key_hash(x, key);
        ssl.X509_free(x);
        x = is_found ? NULL : ssl.PEM_read_bio_X509(in, NULL, NULL, "");
    }
    ssl.BIO_free(in);
    put(t, key, is_found ? (int)sizeof key : 0);
}

static void put_list(text *t, X509_CRL *list, const char *trusted, int trusted_size) {
    const ASN1_STRING *end = ssl.X509_CRL_get0_nextUpdate(list);
    put_name(t, ssl.X509_CRL_get_issuer(list));
    put_extension(t, list, AUTHORITY_KEY_IDENTIFIER);
    put_extension(t, list, ISSUING_DISTRIBUTION_POINT);
    put_asn1(t, ssl.X509_CRL_get0_lastUpdate(list));
    if (end == NULL) put(t, NULL, 0);
    else put_asn1(t, end);
    put_signer(t, list, trusted, trusted_size);
}

static text list_facts(const char *pem, int size, const char *trusted, int trusted_size) {
    text t = {0};
    ssl.ERR_clear_error();
    BIO *in = ssl.BIO_new_mem_buf(pem, size);
    X509_CRL *one = in == NULL ? NULL : ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    while (one != NULL) {
        if (needletail_tls_does_list_count(one)) put_list(&t, one, trusted, trusted_size);
        ssl.X509_CRL_free(one);
        one = ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    }
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    return t;
}

/*
 * Of each list of revoked certificates in PEM that counts: its issuer, the issuer's key, what it is of, when it was made,
 * and when it ends; empty if it does not say it; and the key of the trusted certificate that has signed it. To be freed
 * by the caller.
 */
WAITING unsigned char *needletail_tls_list_facts(const char *pem, int size, const char *trusted, int trusted_size,
                                                 int *length) {
    BEGIN_WAITING();
    text t = list_facts(pem, size, trusted, trusted_size);
    END_WAITING();
    *length = t.has_failed ? 0 : t.count;
    return t.bytes;
}

static int has_list(const char *pem, int size, const X509_NAME *issuer) {
    int has = 0;
    BIO *in = ssl.BIO_new_mem_buf(pem, size);
    X509_CRL *one = in == NULL ? NULL : ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    while (one != NULL) {
        has |= ssl.X509_NAME_cmp(ssl.X509_CRL_get_issuer(one), issuer) == 0 && needletail_tls_does_list_count(one);
        ssl.X509_CRL_free(one);
        one = has ? NULL : ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    }
    ssl.BIO_free(in);
    return has;
}

static text needed_lists(const char *pem, int size, const char *lists, int all) {
    text t = {0};
    ssl.ERR_clear_error();
    BIO *in = ssl.BIO_new_mem_buf(pem, size);
    X509 *x = in == NULL ? NULL : ssl.PEM_read_bio_X509(in, NULL, NULL, "");
    while (x != NULL) {
        X509_NAME *name = needletail_tls_is_authority(x) ? ssl.X509_get_subject_name(x) : ssl.X509_get_issuer_name(x);
        put_name(&t, name);
        put_string(&t, has_list(lists, all, name) ? "listed" : "");
        ssl.X509_free(x);
        x = ssl.PEM_read_bio_X509(in, NULL, NULL, "");
    }
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    return t;
}

/*
 * The issuers whose lists are needed: of those certificates in PEM that are an authority's, and the issuers of the others;
 * and after each whether there is a list that counts, or nothing. To be freed by the caller.
 */
WAITING unsigned char *needletail_tls_needed_lists(const char *pem, int size, const char *lists, int all, int *length) {
    BEGIN_WAITING();
    text t = needed_lists(pem, size, lists, all);
    END_WAITING();
    *length = t.has_failed ? 0 : t.count;
    return t.bytes;
}

/*
 * The results of a handshake: version, cipher, protocol, name, and the peer's certificate if it has shown one. To be
 * asked for once, as the name is forgotten.
 */
unsigned char *needletail_tls_session_facts(connection *c, int *length) {
    const SSL *s = needletail_tls_ssl(c);
    text t = {0};
    const unsigned char *protocol = NULL;
    unsigned int n = 0;
    X509 *x = needletail_tls_peer(s);
    put_string(&t, ssl.SSL_get_version(s));
    put_string(&t, ssl.SSL_CIPHER_standard_name(ssl.SSL_get_current_cipher(s)));
    ssl.SSL_get0_alpn_selected(s, &protocol, &n);
    put(&t, protocol, (int)n);
    /* of a resumed session of TLS 1.2 OpenSSL knows the name only if there is a certificate for it */
    const char *asked = needletail_tls_asked(s);
    put_string(&t, asked != NULL ? asked : ssl.SSL_get_servername(s, 0));
    needletail_tls_forget_asked(c);
    put_string(&t, ssl.SSL_session_reused(s) ? "resumed" : "");
    if (x != NULL) put_certificate(&t, x);
    ssl.X509_free(x);
    *length = t.has_failed ? 0 : t.count;
    return t.bytes;
}

void needletail_tls_free_facts(unsigned char *facts) { free(facts); }

#endif
