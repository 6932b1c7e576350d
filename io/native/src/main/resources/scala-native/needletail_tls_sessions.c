/* The sessions that a client keeps, to resume them: RFC 8446 section 2.2. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <stdlib.h>
#include <string.h>

#define SERVERS 256
#define SESSIONS 4

struct sessions {
    struct {
        char *key;
        int count;
        SSL_SESSION *kept[SESSIONS]; /* the latest last */
    } of[SERVERS]; /* by the key's hash; of two servers with the same one, the latest */
};

static unsigned int place(const char *key) {
    unsigned int hash = 2166136261u;
    for (; *key != 0; key++) hash = (hash ^ (unsigned char)*key) * 16777619u;
    return (hash ^ hash >> 16) % SERVERS;
}

static void forget(sessions *all, unsigned int at) {
    for (int i = 0; i < all->of[at].count; i++) ssl.SSL_SESSION_free(all->of[at].kept[i]);
    all->of[at].count = 0;
    free(all->of[at].key);
    all->of[at].key = NULL;
}

void needletail_tls_free_sessions(sessions *all) {
    if (all == NULL) return;
    for (unsigned int i = 0; i < SERVERS; i++) forget(all, i);
    free(all);
}

SSL_SESSION *needletail_tls_session(context *c, const char *key) {
    unsigned int at = place(key);
    sessions *all = c->sessions;
    if (all == NULL || all->of[at].key == NULL || strcmp(all->of[at].key, key) != 0) return NULL;
    while (all->of[at].count > 0) {
        SSL_SESSION *last = all->of[at].kept[--all->of[at].count];
        if (ssl.SSL_SESSION_is_resumable(last)) return last; /* each once: RFC 8446 appendix C.4 */
        ssl.SSL_SESSION_free(last);
    }
    return NULL;
}

/* Takes over `session`. */
static void keep(context *c, const char *key, SSL_SESSION *session) {
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
        ssl.SSL_SESSION_free(all->of[at].kept[0]);
        memmove(&all->of[at].kept[0], &all->of[at].kept[1], (SESSIONS - 1) * sizeof(SSL_SESSION *));
        all->of[at].count--;
    }
    all->of[at].kept[all->of[at].count++] = session;
}

int needletail_tls_new_session(SSL *s, SSL_SESSION *session) {
    const char *key = needletail_tls_key(s);
    if (key == NULL) return 0;
    keep(needletail_tls_context_of(s), key, session);
    return 1;
}

#endif
