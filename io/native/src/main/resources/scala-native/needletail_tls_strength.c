/*
 * Which keys and signatures are too weak: below 112 bits of security, which is OpenSSL's level 2. BoringSSL has no such
 * levels, and the functions that AWS-LC has for them do nothing.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#include "needletail_tls.h"

enum {
    RSA = 6,
    ELLIPTIC_CURVE = 408,
    RSA_PSS = 912,

    MD5_WITH_RSA = 8,
    SHA1_WITH_RSA = 65,
    SHA1_WITH_DSA = 113,
    SHA1_WITH_ECDSA = 416,
};

/* Those that a peer may sign by: without SHA-1, and with Ed25519 and P-521, which neither accepts by default. */
static const uint16_t SIGNATURES[] = {0x0403, 0x0804, 0x0401, 0x0807, 0x0503, 0x0805, 0x0501, 0x0603, 0x0806, 0x0601};

static int has_levels(SSL_CTX *ctx) {
    return ssl.SSL_CTX_set_security_level != NULL &&
           (ssl.SSL_CTX_get_security_level == NULL || ssl.SSL_CTX_get_security_level(ctx) >= 2);
}

void needletail_tls_set_strength(context *c) {
    if (ssl.SSL_CTX_set_security_level != NULL && !has_levels(c->ctx)) /* the system's policy may ask for more */
        ssl.SSL_CTX_set_security_level(c->ctx, 2);
    c->judges_strength = !has_levels(c->ctx) && ssl.EVP_PKEY_id != NULL && ssl.EVP_PKEY_bits != NULL;
    if (c->judges_strength && ssl.SSL_CTX_set_verify_algorithm_prefs != NULL)
        ssl.SSL_CTX_set_verify_algorithm_prefs(c->ctx, SIGNATURES, sizeof SIGNATURES / sizeof *SIGNATURES);
}

/* Also if the library does not know the kind of key: then it cannot use it. */
int needletail_tls_is_key_weak(X509 *x) {
    EVP_PKEY *key = ssl.X509_get0_pubkey(x);
    int kind = key == NULL ? 0 : ssl.EVP_PKEY_id(key), bits = key == NULL ? 0 : ssl.EVP_PKEY_bits(key);
    return key == NULL || ((kind == RSA || kind == RSA_PSS) && bits < 2048) || (kind == ELLIPTIC_CURVE && bits < 224);
}

static int is_signature_weak(X509 *x) {
    int kind = ssl.X509_get_signature_nid(x);
    return kind == MD5_WITH_RSA || kind == SHA1_WITH_RSA || kind == SHA1_WITH_DSA || kind == SHA1_WITH_ECDSA;
}

/* Whether one of a verified chain is: of the last one, which is trusted, only its key. */
int needletail_tls_is_chain_weak(const STACK *all) {
    int count = ssl.OPENSSL_sk_num(all);
    for (int i = 0; i < count; i++) {
        X509 *one = ssl.OPENSSL_sk_value(all, (size_t)i);
        if (needletail_tls_is_key_weak(one) || (i + 1 < count && is_signature_weak(one))) return 1;
    }
    return 0;
}

#endif
