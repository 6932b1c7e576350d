/*
 * Which keys and signatures are too weak: below 112 bits of security, which is OpenSSL's level 2. BoringSSL has no such
 * levels, and the functions that AWS-LC has for them do nothing. OpenSSL rounds: with RSA it takes a little less than 2048
 * bits for 112, so sizes of keys are always looked at here.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#include "needletail_tls.h"

#include <stdio.h>
#include <string.h>

enum {
    RSA = 6,
    DSA = 116,
    ELLIPTIC_CURVE = 408,
    RSA_PSS = 912,
    ED25519 = 1087,
    ED448 = 1088,
    BORINGS_ED25519 = 949,
    BORINGS_ED448 = 960,

    NO_HASH = 0, /* of its own, as with Ed25519 */
    MD2 = 3,
    MD5 = 4,
    SHA1 = 64,
    MD4 = 257,
    SHA256 = 672,
    SHA224 = 675, /* SHA-384 and SHA-512 are between these */

    SEQUENCE = 16,
};

/*
 * Those that either side may sign by: without SHA-1, which both libraries would use for a peer of TLS 1.2 that knows
 * nothing else, and with Ed25519 and P-521, which neither accepts by default.
 */
static const uint16_t SIGNATURES[] = {0x0403, 0x0804, 0x0401, 0x0807, 0x0503, 0x0805, 0x0501, 0x0603, 0x0806, 0x0601};

static int has_levels(SSL_CTX *ctx) {
    return ssl.SSL_CTX_set_security_level != NULL &&
           (ssl.SSL_CTX_get_security_level == NULL || ssl.SSL_CTX_get_security_level(ctx) >= 2);
}

/* OpenSSL 3 has other names for these two, and macros of the old ones. */
static int kind_of(const EVP_PKEY *key) {
    return ssl.EVP_PKEY_id != NULL ? ssl.EVP_PKEY_id(key) : ssl.EVP_PKEY_get_id(key);
}

const char *needletail_tls_kind_of_key(const EVP_PKEY *key) {
    switch (key == NULL ? 0 : kind_of(key)) {
    case RSA: return "RSA";
    case RSA_PSS: return "RSA-PSS";
    case DSA: return "DSA";
    case ELLIPTIC_CURVE: return "EC";
    case ED25519:
    case BORINGS_ED25519: return "Ed25519";
    case ED448:
    case BORINGS_ED448: return "Ed448";
    default: return "unknown kind";
    }
}

static int bits_of(const EVP_PKEY *key) {
    return ssl.EVP_PKEY_bits != NULL ? ssl.EVP_PKEY_bits(key) : ssl.EVP_PKEY_get_bits(key);
}

static int knows_keys(void) {
    return (ssl.EVP_PKEY_id != NULL || ssl.EVP_PKEY_get_id != NULL) &&
           (ssl.EVP_PKEY_bits != NULL || ssl.EVP_PKEY_get_bits != NULL);
}

static int can_judge(void) {
    return knows_keys() && ssl.OBJ_find_sigid_algs != NULL && ssl.OPENSSL_sk_num != NULL &&
           ssl.OPENSSL_sk_value != NULL;
}

#define SIGNATURES_COUNT (sizeof SIGNATURES / sizeof *SIGNATURES)

static int set_signatures(SSL_CTX *ctx) {
    return ssl.SSL_CTX_set_verify_algorithm_prefs != NULL && ssl.SSL_CTX_set_signing_algorithm_prefs != NULL &&
           ssl.SSL_CTX_set_verify_algorithm_prefs(ctx, SIGNATURES, SIGNATURES_COUNT) == 1 &&
           ssl.SSL_CTX_set_signing_algorithm_prefs(ctx, SIGNATURES, SIGNATURES_COUNT) == 1;
}

int needletail_tls_set_strength(context *c) {
    if (ssl.SSL_CTX_set_security_level != NULL && /* the system's policy may ask for more */
        (ssl.SSL_CTX_get_security_level == NULL || ssl.SSL_CTX_get_security_level(c->ctx) < 2))
        ssl.SSL_CTX_set_security_level(c->ctx, 2);
    c->judges_strength = !has_levels(c->ctx);
    return c->judges_strength ? can_judge() && set_signatures(c->ctx) : knows_keys();
}

/* The same for a certificate which has its own settings. */
int needletail_tls_set_signatures_of(SSL_CREDENTIAL *one) {
    return ssl.SSL_CREDENTIAL_set1_signing_algorithm_prefs(one, SIGNATURES, SIGNATURES_COUNT) == 1;
}

/* The least bits that a kind of key must have; 0 if all keys of that kind are strong. */
static int least_of(int kind) {
    return kind == RSA || kind == RSA_PSS || kind == DSA ? 2048 : kind == ELLIPTIC_CURVE ? 224 : 0;
}

/* Also if the library does not know the kind of key: then it cannot use it. */
static int is_key_weak(X509 *x) {
    EVP_PKEY *key = ssl.X509_get0_pubkey(x);
    return key == NULL || bits_of(key) < least_of(kind_of(key));
}

/* RSA-PSS has its hash among its parameters (RFC 4055 section 3.1), first; if it is not there, it is SHA-1. */
static int has_pss_strong_hash(X509 *x) {
    static const unsigned char sha2[] = {6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2}; /* or SHA-3, by one more number */
    const X509_ALGOR *how = NULL;
    const void *parameters = NULL;
    int type = 0;
    ssl.X509_get0_signature(NULL, &how, x);
    ssl.X509_ALGOR_get0(NULL, &type, &parameters, how);
    if (type != SEQUENCE) return 0;
    const unsigned char *at = ssl.ASN1_STRING_get0_data(parameters); /* 30 length a0 length 30 length sha2 */
    int length = ssl.ASN1_STRING_length(parameters);
    return length > 6 + (int)sizeof sha2 && at[1] < 0x80 && at[2] == 0xa0 && at[4] == 0x30 &&
           memcmp(at + 6, sha2, sizeof sha2) == 0;
}

/* The name of the hash of a signature that is weak; null if it is not, or not known. */
static const char *weak_hash(X509 *x) {
    int kind = ssl.X509_get_signature_nid(x), hash = NO_HASH, key = 0;
    if (kind == RSA_PSS) return has_pss_strong_hash(x) ? NULL : "SHA-1";
    if (ssl.OBJ_find_sigid_algs == NULL || ssl.OBJ_find_sigid_algs(kind, &hash, &key) != 1) return NULL;
    return hash == SHA1 ? "SHA-1" : hash == MD5 ? "MD5" : hash == MD4 ? "MD4" : hash == MD2 ? "MD2" : NULL;
}

#define WEAK_SIGNATURE "signature"

void needletail_tls_describe_weakness(X509 *x, char to[WEAKNESS_SIZE]) {
    EVP_PKEY *key = ssl.X509_get0_pubkey(x);
    const char *hash = weak_hash(x);
    int kind = key == NULL ? 0 : kind_of(key);
    const char *name = kind == ELLIPTIC_CURVE ? "EC" : kind == DSA ? "DSA" : "RSA";
    to[0] = 0;
    if (key == NULL) snprintf(to, WEAKNESS_SIZE, "unknown kind of key");
    else if (is_key_weak(x))
        snprintf(to, WEAKNESS_SIZE, "%s key of %d bits; the minimum is %d", name, bits_of(key), least_of(kind));
    else if (hash != NULL) snprintf(to, WEAKNESS_SIZE, WEAK_SIGNATURE " by %s; the minimum is SHA-224", hash);
}

const char *needletail_tls_own_weakness(X509 *x) {
    static _Thread_local char why[WEAKNESS_SIZE];
    needletail_tls_describe_weakness(x, why);
    int is_signature = strncmp(why, WEAK_SIGNATURE, sizeof WEAK_SIGNATURE - 1) == 0;
    int is_self_issued = ssl.X509_NAME_cmp(ssl.X509_get_subject_name(x), ssl.X509_get_issuer_name(x)) == 0;
    return why[0] == 0 || (is_signature && is_self_issued) ? NULL : why;
}

static int is_signature_weak(X509 *x) {
    int kind = ssl.X509_get_signature_nid(x), hash = 0, key = 0;
    if (kind == RSA_PSS) return !has_pss_strong_hash(x);
    if (ssl.OBJ_find_sigid_algs(kind, &hash, &key) != 1) return 1;
    return hash != NO_HASH && (hash < SHA256 || hash > SHA224);
}

/*
 * What is wrong with a verified chain if one of it is weak, and which: of the last one, which is trusted, only its key.
 * 0 if none is.
 */
int needletail_tls_weakness(const context *c, const STACK *all, X509 **wrong) {
    int count = ssl.OPENSSL_sk_num(all);
    for (int i = 0; i < count; i++) {
        X509 *one = ssl.OPENSSL_sk_value(all, (size_t)i), *before = *wrong;
        *wrong = one;
        if (c->judges_strength) {
            if (is_key_weak(one) || (i + 1 < count && is_signature_weak(one))) return TOO_WEAK;
        } else if (is_key_weak(one)) return i == 0 ? OWN_KEY_TOO_SMALL : ISSUERS_KEY_TOO_SMALL;
        *wrong = before;
    }
    return 0;
}

#endif
