/* What is asked of the authorities in a chain that the library has verified, as it is on the JVM. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#include "needletail_tls.h"

#define DNS_NAME 0x82 /* the tag of a host in subjectAltName (RFC 5280 section 4.2.1.6) */

/* The length of an element in DER, whose content is then at `*at`; -1 if it is malformed. */
static int length_of(const unsigned char *der, int until, int *at) {
    int first = *at + 1 < until ? der[*at + 1] : 0x80, more = first < 0x80 ? 0 : first & 0x7f, length = first;
    *at += 2;
    if (first == 0x80 || more > 3 || more > until - *at) return -1;
    if (more > 0) length = 0;
    for (int i = 0; i < more; i++) length = length << 8 | der[(*at)++];
    return length <= until - *at ? length : -1;
}

/* Whether it has the name of a host with a dot at its end, which a certificate must not have. */
static int has_absolute_host(X509 *one) {
    int where = ssl.X509_get_ext_by_NID(one, SUBJECT_ALTERNATIVE_NAME, -1);
    if (where < 0) return 0;
    ASN1_STRING *names = ssl.X509_EXTENSION_get_data(ssl.X509_get_ext(one, where));
    const unsigned char *der = ssl.ASN1_STRING_get0_data(names);
    int until = ssl.ASN1_STRING_length(names), at = 0;
    int length = length_of(der, until, &at);
    while (length >= 0 && at < until) {
        int tag = der[at];
        length = length_of(der, until, &at);
        if (tag == DNS_NAME && length > 0 && der[at + length - 1] == '.') return 1;
        if (length > 0) at += length;
    }
    return 0;
}

static int limits_names(X509 *authority) { return ssl.X509_get_ext_by_NID(authority, NAME_CONSTRAINTS, -1) >= 0; }

/*
 * Each that has issued another one must say that it is an authority's: the library also takes a self-signed one of
 * version 1, and one whose key may sign certificates. Of the system's that is not asked. And the library excludes no host
 * whose name ends with a dot.
 */
int needletail_tls_judge_authorities(const context *c, X509_STORE_CTX *chain, X509 **wrong) {
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    int count = ssl.OPENSSL_sk_num(all);
    for (int i = 1; i < count; i++) {
        X509 *authority = ssl.OPENSSL_sk_value(all, (size_t)i);
        int is_unmarked = !needletail_tls_is_authority(authority) && !(c->trusts_system && i == count - 1);
        if (!is_unmarked && !limits_names(authority)) continue;
        /* of one that is trusted itself nobody asks who has issued it */
        if (needletail_tls_is_trusted(chain, ssl.OPENSSL_sk_value(all, (size_t)i - 1))) return 0;
        if (is_unmarked) {
            *wrong = authority;
            return NO_AUTHORITY;
        }
        for (int below = 0; below < i; below++)
            if (has_absolute_host(ssl.OPENSSL_sk_value(all, (size_t)below))) {
                *wrong = ssl.OPENSSL_sk_value(all, (size_t)below);
                return NAME_NOT_PERMITTED;
            }
    }
    return 0;
}

#endif
