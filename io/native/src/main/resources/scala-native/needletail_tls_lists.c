/* Lists of revoked certificates: which counts for whom, as RevokedCertificates of the JVM decides it. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"
#include "needletail_waiting.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How much later than by this clock a list may have been made: as much as with the JDK. */
#define CLOCK_SKEW (15 * 60)

/* Why a file is not accepted, as OpenSslSettings reads it. */
enum { ENDLESS = -1, NONE_COUNTS = -2 };

/* Which certificates a list is of. */
enum { OF_USERS = 1, OF_AUTHORITIES = 2 };

static atomic_int files_read, lists_hashed;

/* How often files of lists were read, and lists hashed as a whole, for tests. */
int needletail_tls_lists_read(void) { return atomic_load(&files_read); }
int needletail_tls_lists_hashed(void) { return atomic_load(&lists_hashed); }

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

int needletail_tls_key_hash(X509 *one, unsigned char to[KEY_HASH_SIZE]) {
    unsigned char *der = NULL, hash[64];
    X509_PUBKEY *key = ssl.X509_get_X509_PUBKEY(one);
    int length = ssl.i2d_X509_PUBKEY(key, NULL);
    if (length > 0) der = malloc((size_t)length);
    if (der == NULL) return 0;
    unsigned char *end = der;
    ssl.i2d_X509_PUBKEY(key, &end);
    int is_done = ssl.EVP_Digest(der, (size_t)length, hash, NULL, ssl.EVP_sha256(), NULL) == 1;
    if (is_done) memcpy(to, hash, KEY_HASH_SIZE);
    free(der);
    return is_done;
}

int needletail_tls_has_signed(X509 *issuer, X509_CRL *list) {
    EVP_PKEY *key = ssl.X509_get0_pubkey(issuer);
    int may = key != NULL && (ssl.X509_get_key_usage(issuer) & KEY_USAGE_CRL_SIGN) != 0;
    if (may) atomic_fetch_add(&lists_hashed, 1);
    int is = may && ssl.X509_CRL_verify(list, key) == 1;
    ssl.ERR_clear_error();
    return is;
}

static int is_named(const X509_NAME *a, const X509_NAME *b) { return ssl.X509_NAME_cmp(a, b) == 0; }

/* So many keys are remembered that have not signed a list. */
#define OTHERS 4

/* One that counts, and what is known of who has signed it: by keys, as these verify whatever certificate they are in. */
typedef struct {
    X509_CRL *crl;
    int scope;
    int is_signer_known;
    unsigned others_count; /* may be more than there is room for */
    unsigned char signer[KEY_HASH_SIZE];
    unsigned char others[OTHERS][KEY_HASH_SIZE];
} list;

/* Those of a file, for the contexts of one thread. */
struct lists {
    atomic_int users;
    int count;
    list *all;
};

lists *needletail_tls_keep_lists(lists *l) {
    if (l != NULL) atomic_fetch_add(&l->users, 1);
    return l;
}

void needletail_tls_release_lists(lists *l) {
    if (l == NULL || atomic_fetch_sub(&l->users, 1) != 1) return;
    for (int i = 0; i < l->count; i++) ssl.X509_CRL_free(l->all[i].crl);
    free(l->all);
    free(l);
}

/* Takes a list. Returns 0 if memory ran out. */
static int add(lists *to, X509_CRL *crl) {
    list *more = realloc(to->all, (size_t)(to->count + 1) * sizeof *more);
    if (more == NULL) return 0;
    to->all = more;
    memset(&more[to->count], 0, sizeof *more);
    more[to->count].crl = crl;
    more[to->count++].scope = scope_of(crl);
    return 1;
}

/*
 * Whether it is signed by the key of this issuer, who may sign lists: the whole list is read only for a key that it has
 * not been asked about.
 */
static int is_by(list *l, X509 *issuer) {
    unsigned char key[KEY_HASH_SIZE];
    if ((ssl.X509_get_key_usage(issuer) & KEY_USAGE_CRL_SIGN) == 0 || !needletail_tls_key_hash(issuer, key)) return 0;
    if (l->is_signer_known) return memcmp(l->signer, key, KEY_HASH_SIZE) == 0;
    for (unsigned i = 0; i < l->others_count && i < OTHERS; i++)
        if (memcmp(l->others[i], key, KEY_HASH_SIZE) == 0) return 0;
    l->is_signer_known = needletail_tls_has_signed(issuer, l->crl);
    memcpy(l->is_signer_known ? l->signer : l->others[l->others_count++ % OTHERS], key, KEY_HASH_SIZE);
    return l->is_signer_known;
}

static int read_lists(context *c, const char *pem, int length, long change) {
    int read = 0, is_endless = 0, has_failed = 0;
    atomic_fetch_add(&files_read, 1);
    if (ssl.OPENSSL_sk_num == NULL || ssl.OPENSSL_sk_value == NULL) return 0; /* nobody could be asked about a chain */
    ssl.ERR_clear_error();
    lists *all = calloc(1, sizeof *all);
    if (all == NULL) return 0;
    all->users = 1;
    BIO *in = ssl.BIO_new_mem_buf(pem, length);
    X509_CRL *one = in == NULL ? NULL : ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    while (one != NULL && !has_failed) {
        int counts = needletail_tls_does_list_count(one);
        read++;
        if (counts && ssl.X509_CRL_get0_nextUpdate(one) == NULL) is_endless = 1;
        has_failed = counts && !add(all, one);
        if (!counts || has_failed) ssl.X509_CRL_free(one);
        one = has_failed ? NULL : ssl.PEM_read_bio_X509_CRL(in, NULL, NULL, "");
    }
    if (has_failed || !needletail_tls_is_at_end()) read = 0;
    ssl.BIO_free(in);
    ssl.ERR_clear_error();
    int count = all->count;
    needletail_tls_release_lists(c->lists);
    c->lists = all;
    c->lists_change = change;
    return read == 0 ? 0 : count == 0 ? NONE_COUNTS : is_endless ? ENDLESS : count;
}

/*
 * Reads lists, of which there must be one from each issuer, without those that do not count. Returns how many do; 0 if
 * one is damaged, NONE_COUNTS, or ENDLESS if one that counts does not say when the next one comes. `change` is when the
 * first of them expires or is followed by another, in seconds since 1970.
 */
WAITING int needletail_tls_revoked(context *c, const char *pem, int length, long change) {
    BEGIN_WAITING();
    int count = read_lists(c, pem, length, change);
    END_WAITING();
    return count;
}

static int has_begun(const list *l) {
    time_t latest = time(NULL) + CLOCK_SKEW;
    const ASN1_STRING *made = ssl.X509_CRL_get0_lastUpdate(l->crl);
    return made != NULL && ssl.X509_cmp_time(made, &latest) < 0;
}

static int has_expired(const list *l) {
    const ASN1_STRING *end = ssl.X509_CRL_get0_nextUpdate(l->crl);
    return end == NULL || ssl.X509_cmp_current_time(end) <= 0;
}

static int is_newer(const list *l, const list *other) {
    int days = 0, seconds = 0;
    const ASN1_STRING *made = ssl.X509_CRL_get0_lastUpdate(l->crl), *before = ssl.X509_CRL_get0_lastUpdate(other->crl);
    return made != NULL && before != NULL && ssl.ASN1_TIME_diff(&days, &seconds, before, made) == 1 &&
           (days > 0 || seconds > 0);
}

/*
 * The keyIdentifier in a list's authorityKeyIdentifier, beside which that may name the issuer's certificate (RFC 5280
 * section 4.2.1.1); null if there is none. As RevocationLists.keyIdentifier.
 */
static const unsigned char *key_identifier(const list *l, int *length) {
    int at = ssl.X509_CRL_get_ext_by_NID(l->crl, AUTHORITY_KEY_IDENTIFIER, -1);
    if (at < 0) return NULL;
    ASN1_STRING *data = ssl.X509_EXTENSION_get_data(ssl.X509_CRL_get_ext(l->crl, at));
    const unsigned char *der = ssl.ASN1_STRING_get0_data(data);
    int size = ssl.ASN1_STRING_length(data), from = 2;
    if (size < 4 || der[0] != 0x30) return NULL;
    if (der[1] >= 0x80) from += der[1] & 0x7f; /* the other fields may be long */
    if (from + 2 > size || der[from] != 0x80 || der[from + 1] >= 0x80 || from + 2 + der[from + 1] > size) return NULL;
    *length = der[from + 1];
    return *length == 0 ? NULL : der + from + 2;
}

/* Whether lists of an unknown issuer are by one key: 1 or 0; -1 if nobody knows. */
static int is_same_key(const list *a, const list *b) {
    int n = 0, m = 0;
    const unsigned char *one = key_identifier(a, &n), *two = key_identifier(b, &m);
    if (one == NULL || two == NULL) return -1;
    return n == m && memcmp(one, two, (size_t)n) == 0;
}

/* Which lists are asked about a certificate. */
typedef struct {
    X509 *own;
    X509 *issuer;  /* by whose key they are signed; null: not known */
    STACK *others; /* trusted ones of the unknown issuer's name, who have not signed the certificate; or null */
} question;

/* By its basicConstraints, whatever its key may be used for. */
int needletail_tls_is_authority(X509 *one) { return (ssl.X509_get_extension_flags(one) & EXFLAG_CA) != 0; }

/* Whether it is of certificates of this issuer's name, and of this kind. */
static int is_for(const list *l, const question *q) {
    return is_named(ssl.X509_CRL_get_issuer(l->crl), ssl.X509_get_issuer_name(q->own)) &&
           (l->scope & (needletail_tls_is_authority(q->own) ? OF_AUTHORITIES : OF_USERS)) != 0;
}

static int is_asked(list *l, const question *q) {
    if (!is_for(l, q) || !has_begun(l)) return 0;
    if (q->issuer != NULL) return is_by(l, q->issuer);
    int count = q->others == NULL ? 0 : ssl.OPENSSL_sk_num(q->others);
    for (int i = 0; i < count; i++)
        if (is_by(l, ssl.OPENSSL_sk_value(q->others, (size_t)i))) return 0;
    return 1;
}

/* Whether a newer list takes its place; if the issuer is not known, perhaps, or for certain. */
static int is_replaced(lists *l, list *one, const question *q, int is_certain) {
    for (int i = 0; i < l->count; i++) {
        list *other = &l->all[i];
        if (other == one || !is_newer(other, one) || !is_asked(other, q)) continue;
        int is_same = q->issuer != NULL ? 1 : is_same_key(other, one);
        if (is_certain ? is_same == 1 : is_same != 0) return 1;
    }
    return 0;
}

/*
 * What is wrong with a certificate by its issuer's lists; 0 if nothing is. It is accepted by one that counts now, in
 * whose place there may be no newer one, and that it is revoked counts until there certainly is.
 */
static int judge(lists *l, const question *q) {
    int is_there = 0, is_begun = 0, is_now = 0, is_asked_once = 0, is_accepted = 0, is_revoked = 0;
    for (int i = 0; i < l->count; i++) {
        list *one = &l->all[i];
        X509_REVOKED *entry = NULL;
        if (!is_for(one, q)) continue;
        is_there = 1;
        if (has_begun(one)) is_begun = 1;
        if (has_begun(one) && !has_expired(one)) is_now = 1;
        if (!is_asked(one, q)) continue;
        is_asked_once = 1;
        is_accepted |= !has_expired(one) && !is_replaced(l, one, q, 0);
        is_revoked |= ssl.X509_CRL_get0_by_cert(one->crl, &entry, q->own) != 0 && !is_replaced(l, one, q, 1);
    }
    if (is_accepted) return is_revoked ? CERT_REVOKED : 0;
    if (!is_there) return LIST_MISSING;
    return is_asked_once || (is_begun && !is_now) ? LIST_EXPIRED : LIST_INVALID;
}

static void free_certificates(STACK *all) {
    int count = all == NULL ? 0 : ssl.OPENSSL_sk_num(all);
    for (int i = 0; i < count; i++) ssl.X509_free(ssl.OPENSSL_sk_value(all, (size_t)i));
    if (all != NULL) ssl.OPENSSL_sk_free(all);
}

/* The same of the peer's own certificate, which is trusted itself. */
static int judge_trusted(lists *l, X509_STORE_CTX *chain, X509 *own) {
    question q = {own, NULL, NULL};
    EVP_PKEY *key = ssl.X509_get0_pubkey(own);
    if (key != NULL && is_named(ssl.X509_get_subject_name(own), ssl.X509_get_issuer_name(own)) &&
        ssl.X509_verify(own, key) == 1)
        q.issuer = own;
    else if (ssl.X509_STORE_CTX_get1_certs != NULL && ssl.OPENSSL_sk_free != NULL)
        q.others = ssl.X509_STORE_CTX_get1_certs(chain, ssl.X509_get_issuer_name(own));
    int error = judge(l, &q);
    free_certificates(q.others);
    ssl.ERR_clear_error();
    return error;
}

/*
 * Whether the peer's own certificate is trusted itself, whatever it has sent behind that: then the chain has the store's
 * own object.
 */
static int is_stores(X509_STORE_CTX *chain, const X509 *own) {
    if (ssl.X509_STORE_CTX_get1_certs == NULL || ssl.OPENSSL_sk_free == NULL) return 0;
    STACK *all = ssl.X509_STORE_CTX_get1_certs(chain, ssl.X509_get_subject_name(own));
    int count = all == NULL ? 0 : ssl.OPENSSL_sk_num(all), is = 0;
    for (int i = 0; i < count; i++) is |= ssl.OPENSSL_sk_value(all, (size_t)i) == own;
    free_certificates(all);
    return is;
}

/*
 * Whether the certificates of a verified chain are revoked: 0, or an error, and whose it is. Nobody asks whether what is
 * trusted is valid (RFC 5280 section 6.1), as with the JDK: so the last certificate needs no list. OpenSSL's own checks
 * take a hash of the whole list each time, and choose by its name a list that another key may have signed.
 */
int needletail_tls_judge_lists(const context *c, X509_STORE_CTX *chain, X509 **wrong) {
    STACK *all = ssl.X509_STORE_CTX_get0_chain(chain);
    int count = ssl.OPENSSL_sk_num(all), error = 0;
    if (c->lists == NULL) return 0;
    X509 *own = *wrong = ssl.OPENSSL_sk_value(all, 0);
    if (count == 1 || is_stores(chain, own)) return judge_trusted(c->lists, chain, own);
    /* of one that is trusted itself nobody asks who has issued its issuer */
    for (int i = needletail_tls_is_trusted(chain, own) ? 0 : count - 2; i >= 0 && error == 0; i--) {
        question q = {*wrong = ssl.OPENSSL_sk_value(all, (size_t)i), ssl.OPENSSL_sk_value(all, (size_t)i + 1), NULL};
        error = judge(c->lists, &q);
    }
    return error;
}

#endif
