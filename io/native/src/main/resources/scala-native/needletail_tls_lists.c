/* Lists of revoked certificates, and what of OpenSSL's objections to a peer's certificates counts. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <string.h>
#include <time.h>

/* How much later than by this clock a list may have been made: as much as with the JDK. */
#define CLOCK_SKEW (15 * 60)

/* Why a file is not accepted, as OpenSslSettings reads it. */
enum { ENDLESS = -1, NONE_COUNTS = -2 };

/* Which certificates a list is of. */
enum { OF_USERS = 1, OF_AUTHORITIES = 2 };

static atomic_int files_read;

/* How often files of lists were read, for tests. */
int needletail_tls_lists_read(void) { return atomic_load(&files_read); }

/*
 * Which certificates a list is of (RFC 5280 section 5.2.5): 0 for one of changes, and one of a distribution point or of
 * reasons, which does not count.
 */
static int scope_of(X509_CRL *list) {
    static const unsigned char only_users[] = {0x30, 3, 0x81, 1, 0xff}, only_authorities[] = {0x30, 3, 0x82, 1, 0xff};
    if (ssl.X509_CRL_get_ext_by_NID(list, DELTA_CRL_INDICATOR, -1) >= 0) return 0;
    int at = ssl.X509_CRL_get_ext_by_NID(list, ISSUING_DISTRIBUTION_POINT, -1);
    if (at < 0) return OF_USERS | OF_AUTHORITIES;
    ASN1_STRING *scope = ssl.X509_EXTENSION_get_data(ssl.X509_CRL_get_ext(list, at));
    if (ssl.ASN1_STRING_length(scope) != (int)sizeof only_users) return 0;
    const unsigned char *data = ssl.ASN1_STRING_get0_data(scope);
    if (memcmp(data, only_users, sizeof only_users) == 0) return OF_USERS;
    return memcmp(data, only_authorities, sizeof only_authorities) == 0 ? OF_AUTHORITIES : 0;
}

static int has_unknown(X509_CRL *list) {
    int at = ssl.X509_CRL_get_ext_by_NID(list, ISSUING_DISTRIBUTION_POINT, -1);
    int critical = ssl.X509_CRL_get_ext_by_critical(list, 1, -1);
    if (critical >= 0 && critical == at) critical = ssl.X509_CRL_get_ext_by_critical(list, 1, at);
    return critical >= 0;
}

/* Whether an entry takes a certificate off the list (RFC 5280 section 5.3.1). */
static int is_removal(const X509_REVOKED *entry) {
    static const unsigned char remove[] = {0x0a, 1, 8};
    int at = ssl.X509_REVOKED_get_ext_by_NID(entry, REVOCATION_REASON, -1);
    if (at < 0) return 0;
    ASN1_STRING *reason = ssl.X509_EXTENSION_get_data(ssl.X509_REVOKED_get_ext(entry, at));
    return ssl.ASN1_STRING_length(reason) == (int)sizeof remove &&
           memcmp(ssl.ASN1_STRING_get0_data(reason), remove, sizeof remove) == 0;
}

/*
 * An entry with a critical extension may be of another issuer's certificate (RFC 5280 section 5.3): so may others. A
 * removal is of a list of changes, and says nothing in a complete one.
 */
static int has_forbidden_entry(X509_CRL *list) {
    STACK *all = ssl.X509_CRL_get_REVOKED(list);
    if (all != NULL && (ssl.OPENSSL_sk_num == NULL || ssl.OPENSSL_sk_value == NULL)) return 1; /* nobody knows */
    int count = all == NULL ? 0 : ssl.OPENSSL_sk_num(all);
    for (int i = 0; i < count; i++) {
        X509_REVOKED *entry = ssl.OPENSSL_sk_value(all, (size_t)i);
        if (ssl.X509_REVOKED_get_ext_by_critical(entry, 1, -1) >= 0 || is_removal(entry)) return 1;
    }
    return 0;
}

int needletail_tls_does_list_count(X509_CRL *list) {
    return scope_of(list) != 0 && !has_unknown(list) && !has_forbidden_entry(list);
}

/*
 * Adds lists, of which there must be one from each issuer, without those that do not count: OpenSSL would accept one of a
 * distribution point that a certificate names. Of the `known` ones that count, in their order, some are `superseded`
 * (see needletail_tls_list_facts), and left out as well. Returns how many count; 0 if one is damaged, NONE_COUNTS, or
 * ENDLESS if one that counts does not say when the next one comes. `change` is when the first of them expires or is
 * followed by another, in seconds since 1970.
 */
int needletail_tls_revoked(context *c, const char *pem, int length, const char *superseded, int known, long change) {
    int read = 0, count = 0, counting = 0, is_endless = 0;
    atomic_fetch_add(&files_read, 1);
    ssl.ERR_clear_error();
    X509_STORE *store = ssl.SSL_CTX_get_cert_store(c->ctx);
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    X509_CRL *one = in == NULL ? NULL : ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    while (one != NULL) {
        int counts = needletail_tls_does_list_count(one);
        int is_old = counts && counting < known && superseded[counting];
        int is_taken = is_old || (counts && ssl.X509_STORE_add_crl(store, one) == 1);
        read++;
        counting += counts;
        if (is_taken) {
            count++;
            if (ssl.X509_CRL_get0_nextUpdate(one) == NULL) is_endless = 1;
        }
        ssl.X509_CRL_free(one);
        one = ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    }
    if (!needletail_tls_is_at_end()) read = 0;
    ssl.X509_STORE_set_flags(store, CRL_CHECK);
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    c->lists_change = change;
    return read == 0 ? 0 : count == 0 ? NONE_COUNTS : is_endless ? ENDLESS : count;
}

/* Whether OpenSSL objects to a list, or to there being none. That a certificate is on one is another error. */
static int is_of_lists(int error) {
    static const unsigned char all[] = {UNABLE_TO_GET_CRL,
                                        UNABLE_TO_DECRYPT_CRL_SIGNATURE,
                                        CRL_SIGNATURE_FAILURE,
                                        CRL_NOT_YET_VALID,
                                        CRL_HAS_EXPIRED,
                                        ERROR_IN_CRL_LAST_UPDATE,
                                        ERROR_IN_CRL_NEXT_UPDATE,
                                        UNABLE_TO_GET_CRL_ISSUER,
                                        KEYUSAGE_NO_CRL_SIGN,
                                        UNHANDLED_CRITICAL_CRL_EXTENSION,
                                        DIFFERENT_CRL_SCOPE,
                                        CRL_PATH_VALIDATION_ERROR};
    return error > 0 && error < 256 && memchr(all, error, sizeof all) != NULL;
}

static int is_made(X509_CRL *list) {
    time_t latest = time(NULL) + CLOCK_SKEW;
    const ASN1_STRING *made = ssl.X509_CRL_get0_lastUpdate(list);
    return made != NULL && ssl.X509_cmp_time(made, &latest) < 0;
}

static int is_present(X509_CRL *list) {
    const ASN1_STRING *end = ssl.X509_CRL_get0_nextUpdate(list);
    return is_made(list) && end != NULL && ssl.X509_cmp_current_time(end) > 0;
}

/* Whether a list is of all certificates, or of all that are authorities', or of all others, as this one. */
static int is_of_all(X509_CRL *list, X509 *own) {
    return !has_unknown(list) && (scope_of(list) & (ssl.X509_check_ca(own) == 1 ? OF_AUTHORITIES : OF_USERS)) != 0;
}

static STACK *lists_for(X509_STORE_CTX *chain, X509 *own) {
    return ssl.X509_STORE_CTX_get1_crls(chain, ssl.X509_get_issuer_name(own));
}

static void free_lists(STACK *lists, int count) {
    for (int i = 0; i < count; i++) ssl.X509_CRL_free(ssl.OPENSSL_sk_value(lists, (size_t)i));
    if (lists != NULL) ssl.OPENSSL_sk_free(lists);
}

/*
 * What is wrong with a certificate that is trusted itself, by the lists that bear its issuer's name; 0 if nothing is. The
 * issuer need not be known, so the lists cannot be verified: they are this side's own.
 */
static int find_in_lists(X509_STORE_CTX *chain, X509 *own) {
    int error = LIST_MISSING;
    STACK *lists = lists_for(chain, own);
    int count = lists == NULL ? 0 : ssl.OPENSSL_sk_num(lists);
    for (int i = 0; i < count; i++) {
        X509_CRL *list = ssl.OPENSSL_sk_value(lists, (size_t)i);
        X509_REVOKED *entry = NULL;
        if (error == CERT_REVOKED || !is_of_all(list, own)) continue;
        if (is_present(list)) error = ssl.X509_CRL_get0_by_cert(list, &entry, own) != 0 ? CERT_REVOKED : 0;
        else if (error != 0 && error != LIST_EXPIRED) error = is_made(list) ? LIST_EXPIRED : LIST_INVALID;
    }
    free_lists(lists, count);
    return error;
}

static int can_find(void) {
    return ssl.X509_STORE_CTX_get1_crls != NULL && ssl.OPENSSL_sk_num != NULL && ssl.OPENSSL_sk_value != NULL &&
           ssl.OPENSSL_sk_free != NULL;
}

/* Why no list counts for a certificate, to which OpenSSL objects by `error`. */
static int why_none(X509_STORE_CTX *chain, X509 *own, int error) {
    if (error == CRL_HAS_EXPIRED) return LIST_EXPIRED;
    if (own == NULL || !can_find()) return error == UNABLE_TO_GET_CRL ? LIST_MISSING : LIST_INVALID;
    int is_there = 0, is_over = 0, is_now = 0;
    STACK *lists = lists_for(chain, own);
    int count = lists == NULL ? 0 : ssl.OPENSSL_sk_num(lists);
    for (int i = 0; i < count; i++) {
        X509_CRL *list = ssl.OPENSSL_sk_value(lists, (size_t)i);
        if (!is_of_all(list, own)) continue;
        is_there = 1;
        if (is_present(list)) is_now = 1; /* which another key has signed */
        else if (is_made(list)) is_over = 1;
    }
    free_lists(lists, count);
    return is_over && !is_now ? LIST_EXPIRED : is_there ? LIST_INVALID : LIST_MISSING;
}

/*
 * An objection to a list, or 0 if it does not count. Nobody asks whether what is trusted is valid (RFC 5280 section 6.1),
 * as with the JDK: so the last certificate of a chain needs no list. But one that is the whole chain is the peer's own.
 */
static int judge_list(X509_STORE_CTX *chain, int error) {
    int depth = ssl.X509_STORE_CTX_get_error_depth(chain);
    int last = ssl.OPENSSL_sk_num == NULL ? -1 : ssl.OPENSSL_sk_num(ssl.X509_STORE_CTX_get0_chain(chain)) - 1;
    X509 *own = ssl.X509_STORE_CTX_get_current_cert(chain);
    if (depth == last && depth > 0) return 0;
    if (depth == last && own != NULL && can_find()) return find_in_lists(chain, own);
    if (error == CRL_NOT_YET_VALID && ssl.X509_STORE_CTX_get0_current_crl != NULL) {
        X509_CRL *list = ssl.X509_STORE_CTX_get0_current_crl(chain);
        if (list != NULL && is_made(list)) return 0;
    }
    return why_none(chain, own, error);
}

int needletail_tls_judge(int is_valid, X509_STORE_CTX *chain) {
    int error = is_valid ? 0 : ssl.X509_STORE_CTX_get_error(chain);
    if (is_of_lists(error)) {
        error = judge_list(chain, error);
        ssl.X509_STORE_CTX_set_error(chain, error);
        return error == 0;
    }
    if (error == WRONG_HOST || error == WRONG_ADDRESS) {
        X509 *one = ssl.X509_STORE_CTX_get_current_cert(chain);
        if (one != NULL && ssl.X509_get_ext_by_NID(one, SUBJECT_ALTERNATIVE_NAME, -1) < 0)
            ssl.X509_STORE_CTX_set_error(chain, NAMELESS);
    }
    return is_valid;
}

#endif
