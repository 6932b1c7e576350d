/*
 * The keys that a server encrypts session tickets with (RFC 5077 section 4, RFC 8446 section 4.6.1): the same for all
 * loops, replaced now and then, so that who learns one can read the sessions of some hours and not all. A ticket of
 * the key before is accepted, and replaced by one of the current key.
 *
 * A ticket is good for the name only that its client asked for (RFC 6066 section 3): the name is a part of the key by
 * which it is authenticated.
 *
 * A session ends when its lifetime is over, which began with its full handshake, or when its client's certificate or a
 * list of revoked ones expires. The libraries begin the lifetime anew with each ticket of TLS 1.3, so that time is a
 * part of the key's name, which the ticket's authentication covers. All tickets that follow from one handshake have the
 * same time, so each hides it by other bytes: who sees two could tell otherwise that they are of one client.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IV_SIZE = 16, END_SIZE = 8 };

typedef struct {
    unsigned char name[8]; /* in a ticket followed by the end of its session, the highest byte first */
    unsigned char mask[32]; /* hides that time, with the IV of the ticket */
    unsigned char authentication[32];
    unsigned char encryption[32];
} ticket_key;

struct tickets {
    pthread_mutex_t lock;
    atomic_int users;
    long seconds;   /* that a key is current */
    time_t renewed; /* 0: there is no key yet */
    int has_former;
    ticket_key current, former;
};

int64_t needletail_tls_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec + 1;
}

static atomic_int alive;

/* How many servers' keys there are. */
int needletail_tls_tickets_alive(void) { return atomic_load(&alive); }

/*
 * Returns null if memory ran out. Each key encrypts tickets for so many seconds, and decrypts them for as long again; how
 * long a session can be resumed is written into its ticket.
 */
tickets *needletail_tls_tickets(long seconds) {
    tickets *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->users = 1;
    t->seconds = seconds;
    atomic_fetch_add(&alive, 1);
    return t;
}

void needletail_tls_release_tickets(tickets *t) {
    if (atomic_fetch_sub(&t->users, 1) != 1) return;
    pthread_mutex_destroy(&t->lock);
    ssl.OPENSSL_cleanse(t, sizeof *t); /* a memset before free is optimised away */
    free(t);
    atomic_fetch_sub(&alive, 1);
}

/* Replaces the keys that are too old. Returns 0 if there are no random numbers. */
static int renew(tickets *t) {
    time_t age = needletail_tls_now() - t->renewed;
    if (t->renewed != 0 && age < t->seconds) return 1;
    t->has_former = t->renewed != 0 && age < 2 * t->seconds;
    if (t->has_former) t->former = t->current;
    else ssl.OPENSSL_cleanse(&t->former, sizeof t->former);
    t->renewed = 0;
    if (ssl.RAND_bytes((unsigned char *)&t->current, sizeof t->current) != 1) return 0;
    t->renewed = needletail_tls_now();
    return 1;
}

/* Writes the key by which tickets for the name asked for are authenticated. Returns its length. */
static size_t key_for_name(SSL *s, const ticket_key *key, unsigned char *to) {
    const char *name = needletail_tls_asked(s);
    if (!needletail_tls_can_hear_names()) name = ssl.SSL_get_servername(s, 0);
    size_t length = name == NULL ? 0 : strnlen(name, 255);
    memcpy(to, key->authentication, sizeof key->authentication);
    if (length > 0) memcpy(to + sizeof key->authentication, name, length);
    return sizeof key->authentication + length;
}

/* When a session ends that begins now. Other clocks are read in whole seconds as well, so it may be one too early. */
static int64_t end_of_new(SSL *s, const tickets *t) {
    int64_t left = t->seconds, change = needletail_tls_context_of(s)->lists_change;
    X509 *peer = needletail_tls_peer(s);
    int days = 0, seconds = 0;
    if (peer != NULL && ssl.ASN1_TIME_diff(&days, &seconds, NULL, ssl.X509_get0_notAfter(peer)) == 1) {
        int64_t valid = (int64_t)days * 86400 + seconds - 1;
        if (valid < left) left = valid;
    }
    if (peer != NULL && change != 0) {
        int64_t valid = change - time(NULL) - 1;
        if (valid < left) left = valid;
    }
    ssl.X509_free(peer);
    return needletail_tls_now() + left;
}

/* Hides a time in a ticket, or shows it again. Returns 0 if the library cannot. */
static int mask_end(unsigned char *end, const ticket_key *key, const unsigned char *iv) {
    unsigned char both[sizeof key->mask + IV_SIZE], hash[32];
    memcpy(both, key->mask, sizeof key->mask);
    memcpy(both + sizeof key->mask, iv, IV_SIZE);
    int is_made = ssl.EVP_Digest(both, sizeof both, hash, NULL, ssl.EVP_sha256(), NULL) == 1;
    for (int i = 0; i < END_SIZE && is_made; i++) end[i] ^= hash[i];
    ssl.OPENSSL_cleanse(both, sizeof both);
    ssl.OPENSSL_cleanse(hash, sizeof hash);
    return is_made;
}

static int write_end(unsigned char *to, const ticket_key *key, const unsigned char *iv, int64_t end) {
    for (int i = 0; i < END_SIZE; i++) to[i] = (unsigned char)(end >> (56 - 8 * i));
    return mask_end(to, key, iv);
}

static int read_end(const unsigned char *from, const ticket_key *key, const unsigned char *iv, int64_t *end) {
    unsigned char shown[END_SIZE];
    uint64_t number = 0;
    memcpy(shown, from, sizeof shown);
    int is_read = mask_end(shown, key, iv);
    for (int i = 0; i < END_SIZE; i++) number = number << 8 | shown[i];
    ssl.OPENSSL_cleanse(shown, sizeof shown);
    *end = is_read ? (int64_t)number : 0;
    return is_read;
}

/* Whether a session has ended, also by a clock that was set since. -1 if the library cannot tell. */
static int is_over(const context *c, const unsigned char *name, const ticket_key *key, const unsigned char *iv,
                   int64_t *end) {
    if (!read_end(name + sizeof key->name, key, iv, end)) return -1;
    return needletail_tls_now() >= *end || (c->lists_change != 0 && time(NULL) >= c->lists_change);
}

static int ticket_key_for(SSL *s, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, HMAC_CTX *hmac,
                          int is_new) {
    context *c = needletail_tls_context_of(s);
    tickets *t = c->tickets;
    int64_t *end = needletail_tls_session_end(s);
    ticket_key key;
    unsigned char authentication[sizeof key.authentication + 255];
    int result = 0; /* not known: a full handshake */
    pthread_mutex_lock(&t->lock);
    if (!renew(t)) result = -1;
    else if (is_new || memcmp(name, t->current.name, sizeof key.name) == 0) {
        key = t->current;
        result = is_new || strcmp(ssl.SSL_get_version(s), "TLSv1.3") != 0 ? 1 : 2; /* each is used once */
    } else if (t->has_former && memcmp(name, t->former.name, sizeof key.name) == 0) {
        key = t->former;
        result = 2; /* to be replaced */
    }
    pthread_mutex_unlock(&t->lock);
    if (result <= 0) return result;
    if (is_new) {
        if (*end == 0 || !ssl.SSL_session_reused(s)) *end = end_of_new(s, t);
    } else {
        int over = is_over(c, name, &key, iv, end);
        if (over != 0) {
            ssl.OPENSSL_cleanse(&key, sizeof key);
            return over < 0 ? -1 : 0;
        }
    }
    if (is_new) {
        memcpy(name, key.name, sizeof key.name);
        if (ssl.RAND_bytes(iv, IV_SIZE) != 1 || !write_end(name + sizeof key.name, &key, iv, *end) ||
            ssl.EVP_EncryptInit_ex(cipher, ssl.EVP_aes_256_cbc(), NULL, key.encryption, iv) != 1)
            result = -1;
    } else if (ssl.EVP_DecryptInit_ex(cipher, ssl.EVP_aes_256_cbc(), NULL, key.encryption, iv) != 1)
        result = -1;
    if (result > 0 &&
        ssl.HMAC_Init_ex(hmac, authentication, key_for_name(s, &key, authentication), ssl.EVP_sha256(), NULL) != 1)
        result = -1;
    ssl.OPENSSL_cleanse(&key, sizeof key);
    ssl.OPENSSL_cleanse(authentication, sizeof key.authentication);
    return result;
}

/*
 * Called for a session that a client wants to resume. It is not if its client's certificate has expired, by a clock
 * that was set since, or if the server's own check does not accept that any more.
 */
static int judge_session(SSL *s, SSL_SESSION *session, const unsigned char *key_name, size_t length, int status,
                         void *with) {
    context *c = with;
    (void)s;
    (void)key_name;
    (void)length;
    if (status != TICKET_SUCCESS && status != TICKET_SUCCESS_RENEW) return TICKET_RETURN_IGNORE_RENEW;
    X509 *peer = ssl.SSL_SESSION_get0_peer(session);
    if (peer != NULL && (ssl.X509_cmp_current_time(ssl.X509_get0_notAfter(peer)) <= 0 ||
                         (c->check != NULL && !needletail_tls_is_accepted(peer, c->check))))
        return TICKET_RETURN_IGNORE_RENEW;
    return status == TICKET_SUCCESS ? TICKET_RETURN_USE : TICKET_RETURN_USE_RENEW;
}

void needletail_tls_judge_sessions(context *c) {
    if (ssl.SSL_CTX_set_session_ticket_cb != NULL && ssl.SSL_SESSION_get0_peer != NULL)
        ssl.SSL_CTX_set_session_ticket_cb(c->ctx, NULL, judge_session, c);
}

/* Makes a server resume sessions whose tickets are encrypted with these keys. */
void needletail_tls_resume(context *c, tickets *t) {
    atomic_fetch_add(&t->users, 1);
    c->tickets = t;
    ssl.SSL_CTX_set_timeout(c->ctx, t->seconds);
    if (ssl.SSL_CTX_set_session_psk_dhe_timeout != NULL) /* the same for TLS 1.3 */
        ssl.SSL_CTX_set_session_psk_dhe_timeout(c->ctx, (uint32_t)t->seconds);
    needletail_tls_set_ticket_keys(c->ctx, ticket_key_for);
}

#endif
