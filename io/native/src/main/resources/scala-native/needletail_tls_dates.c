/* Certificates in a peer's chain that have expired, or are not valid yet. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#include "needletail_tls.h"

int needletail_tls_is_trusted(X509_STORE_CTX *chain, X509 *one) {
    int is = 0;
    if (ssl.X509_STORE_CTX_get1_certs == NULL || ssl.OPENSSL_sk_free == NULL) return 0;
    STACK *all = ssl.X509_STORE_CTX_get1_certs(chain, ssl.X509_get_subject_name(one));
    int count = all == NULL ? 0 : ssl.OPENSSL_sk_num(all);
    for (int i = 0; i < count; i++) {
        X509 *other = ssl.OPENSSL_sk_value(all, (size_t)i);
        if (ssl.X509_cmp(one, other) == 0) is = 1;
        ssl.X509_free(other);
    }
    if (all != NULL) ssl.OPENSSL_sk_free(all);
    return is;
}

/*
 * Whether it does not matter that one of a chain is not valid now: one below it is trusted itself, so who has issued that
 * is of no concern. OpenSSL has the chain go on to an issuer that is trusted as well.
 */
int needletail_tls_forgives_date(X509_STORE_CTX *chain) {
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    X509 *wrong = ssl.X509_STORE_CTX_get_current_cert(chain);
    if (all == NULL || ssl.X509_STORE_CTX_get1_certs == NULL || ssl.OPENSSL_sk_num == NULL ||
        ssl.OPENSSL_sk_value == NULL || ssl.OPENSSL_sk_free == NULL)
        return 0;
    int count = ssl.OPENSSL_sk_num(all);
    for (int i = 0; i < count; i++) {
        X509 *one = ssl.OPENSSL_sk_value(all, (size_t)i);
        if (one == wrong) return 0;
        if (needletail_tls_is_trusted(chain, one)) return 1;
    }
    return 0;
}

#endif
