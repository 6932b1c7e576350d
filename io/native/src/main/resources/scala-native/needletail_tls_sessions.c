/*
 * The sessions that a client keeps, to resume them: RFC 8446 section 2.2.
 *
 * In a handshake that resumes one nobody looks at the server's certificate, and a server may replace a session by another
 * whenever it is resumed. So each has an end, which those have too that follow from it: a time after its full handshake,
 * or the end of the first certificate of the chain that was verified then. All of them end when another list of revoked
 * certificates counts.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SERVERS 256
#define SESSIONS 4

typedef struct {
    SSL_SESSION *session;
    session_limits limits;
} kept_session;

struct sessions {
    struct {
        char *key;
        int count;
        kept_session kept[SESSIONS]; /* the latest last */
    } of[SERVERS]; /* by the key's hash; of two servers with the same one, the latest */
};

static unsigned int place(const char *key) {
    unsigned int hash = 2166136261u;
    for (; *key != 0; key++) hash = (hash ^ (unsigned char)*key) * 16777619u;
    return (hash ^ hash >> 16) % SERVERS;
}

static void forget(sessions *all, unsigned int at) {
    for (int i = 0; i < all->of[at].count; i++) ssl.SSL_SESSION_free(all->of[at].kept[i].session);
    all->of[at].count = 0;
    free(all->of[at].key);
    all->of[at].key = NULL;
}

void needletail_tls_free_sessions(sessions *all) {
    if (all == NULL) return;
    for (unsigned int i = 0; i < SERVERS; i++) forget(all, i);
    free(all);
}

/* Whether a session has ended, also by a clock that was set since. */
static int is_over(const context *c, const session_limits *limits) {
    int64_t now = time(NULL);
    return needletail_tls_now() >= limits->after || now >= limits->at || (c->lists_change != 0 && now >= c->lists_change);
}

SSL_SESSION *needletail_tls_session(context *c, const char *key, session_limits *limits) {
    unsigned int at = place(key);
    sessions *all = c->sessions;
    if (all == NULL || all->of[at].key == NULL || strcmp(all->of[at].key, key) != 0) return NULL;
    while (all->of[at].count > 0) {
        kept_session *last = &all->of[at].kept[all->of[at].count - 1];
        SSL_SESSION *session = last->session;
        int is_usable = ssl.SSL_SESSION_is_resumable(session) && !is_over(c, &last->limits);
        if (is_usable) *limits = last->limits;
        if (is_usable && ssl.SSL_SESSION_get_protocol_version(session) < TLS1_3) {
            ssl.SSL_SESSION_up_ref(session); /* a server that resumes it may give no other one */
            return session;
        }
        all->of[at].count--;
        if (is_usable) return session; /* each once: RFC 8446 appendix C.4 */
        ssl.SSL_SESSION_free(session);
    }
    return NULL;
}

/* Takes over `session`. */
static void keep(context *c, const char *key, SSL_SESSION *session, const session_limits *limits) {
    unsigned int at = place(key);
    if (c->sessions == NULL) c->sessions = calloc(1, sizeof *c->sessions);
    sessions *all = c->sessions;
    if (all != NULL && (all->of[at].key == NULL || strcmp(all->of[at].key, key) != 0)) {
        forget(all, at);
        all->of[at].key = strdup(key);
    }
    if (all == NULL || all->of[at].key == NULL) {
        ssl.SSL_SESSION_free(session);
        return;
    }
    if (all->of[at].count == SESSIONS) {
        ssl.SSL_SESSION_free(all->of[at].kept[0].session);
        memmove(&all->of[at].kept[0], &all->of[at].kept[1], (SESSIONS - 1) * sizeof(kept_session));
        all->of[at].count--;
    }
    all->of[at].kept[all->of[at].count++] = (kept_session){session, *limits};
}

int needletail_tls_new_session(SSL *s, SSL_SESSION *session) {
    const char *key = needletail_tls_key(s);
    context *c = needletail_tls_context_of(s);
    if (key == NULL) return 0;
    session_limits *limits = needletail_tls_limits_of(s);
    if (limits->after == 0) limits->after = needletail_tls_now() + c->session_seconds;
    if (is_over(c, limits)) return 0;
    keep(c, key, session, limits);
    return 1;
}

void needletail_tls_limit_by_chain(X509_STORE_CTX *chain, const STACK *all) {
    const SSL *s = ssl.X509_STORE_CTX_get_ex_data(chain, ssl.SSL_get_ex_data_X509_STORE_CTX_idx());
    if (s == NULL) return;
    session_limits *limits = needletail_tls_limits_of(s);
    limits->after = 0; /* whatever session was offered */
    limits->at = INT64_MAX;
    int64_t now = time(NULL);
    for (int i = 0, count = ssl.OPENSSL_sk_num(all); i < count; i++) {
        X509 *one = ssl.OPENSSL_sk_value(all, (size_t)i);
        int days = 0, seconds = 0;
        if (ssl.ASN1_TIME_diff(&days, &seconds, NULL, ssl.X509_get0_notAfter(one)) != 1) continue;
        int64_t at = now + (int64_t)days * 86400 + seconds;
        if (at > now && at < limits->at) limits->at = at; /* that one has expired may not matter: needletail_tls_dates.c */
    }
}

#endif
