/*
 * Certificates with their keys, as the library takes them. OpenSSL and AWS-LC keep one for each kind of key, the latest.
 * BoringSSL keeps only the latest, unless they are given as what it calls credentials, in the order of preference.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#include "needletail_tls.h"

#include <stdlib.h>

/* Whether the first certificate has precedence over others with the same kind of key; otherwise the last one has. */
int needletail_tls_prefers_first(void) {
    return ssl.SSL_CTX_add1_credential != NULL && ssl.SSL_CREDENTIAL_new_x509 != NULL &&
           ssl.CRYPTO_BUFFER_new != NULL && ssl.SSL_CREDENTIAL_set1_signing_algorithm_prefs != NULL;
}

static CRYPTO_BUFFER *encoded(X509 *x) {
    unsigned char *der = NULL;
    int length = ssl.i2d_X509(x, NULL);
    if (length > 0) der = malloc((size_t)length);
    if (der == NULL) return NULL;
    unsigned char *end = der;
    ssl.i2d_X509(x, &end);
    CRYPTO_BUFFER *made = ssl.CRYPTO_BUFFER_new(der, (size_t)length, NULL);
    free(der);
    return made;
}

static int add_credential(SSL_CTX *ctx, X509 **chain, int count, EVP_PKEY *key) {
    CRYPTO_BUFFER **all = calloc((size_t)count, sizeof *all);
    SSL_CREDENTIAL *made = ssl.SSL_CREDENTIAL_new_x509();
    int is_done = all != NULL && made != NULL;
    for (int i = 0; i < count && is_done; i++) is_done = (all[i] = encoded(chain[i])) != NULL;
    is_done = is_done && ssl.SSL_CREDENTIAL_set1_cert_chain(made, all, (size_t)count) == 1 &&
              ssl.SSL_CREDENTIAL_set1_private_key(made, key) == 1 && needletail_tls_set_signatures_of(made) &&
              ssl.SSL_CTX_add1_credential(ctx, made) == 1;
    for (int i = 0; i < count && all != NULL; i++) ssl.CRYPTO_BUFFER_free(all[i]);
    ssl.SSL_CREDENTIAL_free(made);
    free(all);
    return is_done;
}

int needletail_tls_use(SSL_CTX *ctx, X509 **chain, int count, EVP_PKEY *key) {
    if (needletail_tls_prefers_first()) return add_credential(ctx, chain, count, key);
    int is_done = ssl.SSL_CTX_use_certificate(ctx, chain[0]) == 1 && ssl.SSL_CTX_use_PrivateKey(ctx, key) == 1;
    if (is_done) needletail_tls_clear_chain(ctx); /* of a certificate before */
    for (int i = 1; i < count && is_done; i++) is_done = needletail_tls_add_to_chain(ctx, chain[i]) == 1;
    return is_done;
}

#endif
