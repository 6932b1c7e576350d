/* TLS by OpenSSL: what needletail_tls_context.c and needletail_tls_socket.c share. */
#ifndef NEEDLETAIL_TLS_H
#define NEEDLETAIL_TLS_H

#include <stdatomic.h>

#include "needletail_tls_library.h"

#define ssl needletail_ssl

/* Keys that session tickets are encrypted with, for all contexts of a server. */
typedef struct tickets tickets;

/* Where a client keeps the sessions of one server; see keep_session. */
typedef struct sessions sessions;

typedef struct named named;

/* Lists of revoked certificates. */
typedef struct lists lists;

/* Whether a certificate, as needletail_tls_facts.c tells of it, is accepted. Scala's; it throws nothing. */
typedef int own_check(const unsigned char *facts, int length);

/* Until when a client's session may be resumed. */
typedef struct {
    int64_t after; /* its full handshake, by needletail_tls_now; 0: until there is a session of one */
    int64_t at;    /* when the first certificate of the server's chain expires, in seconds since 1970 */
} session_limits;

/*
 * What the connections of one loop share. Complete before the first connection, and freed after the last one. OpenSSL
 * may use one for any number of threads, but it takes locks for that.
 */
typedef struct {
    SSL_CTX *ctx;
    atomic_int users;
    int is_server;
    int refuses_unknown; /* names */
    int names_count;
    named *names; /* other certificates */
    unsigned char *alpn; /* what a server accepts, each with its length, in the order of preference */
    unsigned int alpn_length;
    tickets *tickets;
    sessions *sessions;
    long session_seconds; /* how long a client's sessions may be resumed */
    unsigned char (*pins)[32]; /* SHA-256 of keys, one of which must be in the peer's chain */
    int pins_count;
    own_check *check; /* null: none */
    lists *lists;      /* null: none */
    long lists_change; /* when another list of revoked certificates counts, or none; in seconds since 1970; 0: never */
    int trusts_system;   /* not a file */
    int judges_strength; /* of signatures, too, as the library does not */
} context;

/* The certificates for a name, or for those one label below it if it begins with "*.", in lower case. */
struct named {
    char *name;
    context *context;
};

/* What X509_STORE_CTX_set_error gives a chain without a pinned key. */
#define NOT_PINNED 50

/* The same for a certificate that the server's own check refuses. The alert is certificate_unknown. */
#define REFUSED_BY_CHECK 1001
/* Instead of WRONG_HOST and WRONG_ADDRESS, for a certificate without any subjectAltName. */
#define NAMELESS 1002
/* For a chain that has a weak key or signature, where the library does not judge that. */
#define TOO_WEAK 1003
/* Instead of OpenSSL's, where no list says whether a certificate was revoked. The alert is certificate_unknown. */
#define LIST_MISSING 1004
#define LIST_EXPIRED 1005
#define LIST_INVALID 1006

/* Macros of OpenSSL's by their names; those that return something return 1 if they succeed. */
void needletail_tls_set_mode(SSL_CTX *ctx, int mode);
int needletail_tls_set_versions(SSL_CTX *ctx, int least, int most);
int needletail_tls_set_groups(SSL_CTX *ctx, const char *names);
void needletail_tls_set_session_cache_mode(SSL_CTX *ctx, int mode);
void needletail_tls_limit_certificates(SSL_CTX *ctx, int bytes);
void needletail_tls_clear_chain(SSL_CTX *ctx);
int needletail_tls_add_to_chain(SSL_CTX *ctx, X509 *x);
void needletail_tls_set_name_callback(SSL_CTX *ctx, name_function *f, void *with);
void needletail_tls_set_ticket_keys(SSL_CTX *ctx, ticket_key_function *f);
int needletail_tls_set_host_name(SSL *s, const char *name);

/* Whether reading PEM failed because there is no further block, and not because the next one is damaged. */
int needletail_tls_is_at_end(void);

/* Whether the same certificate is among the trusted ones. */
int needletail_tls_is_trusted(X509_STORE_CTX *chain, X509 *one);

/* Whether it does not matter that a certificate of a peer's chain is not valid now. */
int needletail_tls_forgives_date(X509_STORE_CTX *chain);

/* Adds a certificate, followed by those of its issuers, and its key. Returns 0 if the library refuses them. */
int needletail_tls_use(SSL_CTX *ctx, X509 **chain, int count, EVP_PKEY *key);

/*
 * Has weak keys and signatures refused: by the library, or what it cannot do, by its caller. Returns 0 if neither can.
 */
int needletail_tls_set_strength(context *c);
int needletail_tls_set_signatures_of(SSL_CREDENTIAL *one);
int needletail_tls_weakness(const context *c, const STACK *all, X509 **wrong);

/* Why the key or the signature of a certificate is too weak, as KeyStrength of the JVM says it; empty if it is not. */
#define WEAKNESS_SIZE 100
void needletail_tls_describe_weakness(X509 *x, char to[WEAKNESS_SIZE]);

/*
 * The same of a certificate of this side's, until the thread's next call; null if it is not. It does not matter how a
 * self-issued one is signed.
 */
const char *needletail_tls_own_weakness(X509 *x);

/* As Certificates.kindOfKey of the JVM names it. */
const char *needletail_tls_kind_of_key(const EVP_PKEY *key);

#define KEY_HASH_SIZE 32

/* SHA-256 of a certificate's SubjectPublicKeyInfo. Returns 0 if memory ran out. */
int needletail_tls_key_hash(X509 *one, unsigned char to[KEY_HASH_SIZE]);

/* Whether a list of revoked certificates counts for any certificates. */
int needletail_tls_does_list_count(X509_CRL *list);

/* Whether a list is signed by the key of this issuer, who may sign lists. Takes a hash of the whole list. */
int needletail_tls_has_signed(X509 *issuer, X509_CRL *list);

/* Whether it is an authority's. */
int needletail_tls_is_authority(X509 *one);

/* Whether the authorities of a verified chain are some, and permit it: 0, or an error, and of which it is. */
int needletail_tls_judge_authorities(const context *c, X509_STORE_CTX *chain, X509 **wrong);

/* Whether the certificates of a verified chain are revoked: 0, or an error, and whose it is. */
int needletail_tls_judge_lists(const context *c, X509_STORE_CTX *chain, X509 **wrong);

lists *needletail_tls_keep_lists(lists *l);
void needletail_tls_release_lists(lists *l);

context *needletail_tls_keep(context *c);
void needletail_tls_release(context *c);

/* Has a server decide whether a session is resumed that a client has a ticket for. */
void needletail_tls_judge_sessions(context *c);

void needletail_tls_free_sessions(sessions *all);
int needletail_tls_new_session(SSL *s, SSL_SESSION *session);
void needletail_tls_release_tickets(tickets *t);

/* Remembers who was refused, and which certificate of the chain is wrong, until needletail_tls_refused_facts. */
void needletail_tls_remember_refused(X509_STORE_CTX *chain, X509 *wrong);

/* The latest session of the server `key`, for its caller to free, and its limits; null if there is none. */
SSL_SESSION *needletail_tls_session(context *c, const char *key, session_limits *limits);

/* Those of the sessions of a client's connection. */
session_limits *needletail_tls_limits_of(const SSL *s);

/* Sets them, in a full handshake, by the chain that it has verified. */
void needletail_tls_limit_by_chain(X509_STORE_CTX *chain, const STACK *all);

/* Seconds of a clock that cannot be set; never 0. */
int64_t needletail_tls_now(void);

/* The peer's certificate, for the caller to free; null if it has shown none. */
X509 *needletail_tls_peer(const SSL *s);
int needletail_tls_is_accepted(X509 *x, own_check *check);
int needletail_tls_is_host_name(const char *name, size_t length);

typedef struct connection connection;

/* Remembers the name that a client asks for, until needletail_tls_forget_asked. Returns 0 if memory ran out. */
int needletail_tls_ask(const SSL *s, const char *name, size_t length);

/* That name in lower case; null if none is known. */
const char *needletail_tls_asked(const SSL *s);
void needletail_tls_forget_asked(connection *c);

/* Why a callback is about to fail because of the name that a client asks for, of which this keeps the beginning. */
void needletail_tls_refuse(const SSL *s, const char *before, const char *name, size_t length, const char *after);

/* Has a server's connections remember the names that their clients ask for, if the library can. */
int needletail_tls_can_hear_names(void);
void needletail_tls_hear_names(SSL_CTX *ctx);

/* When the session of a server's connection ends; see needletail_tls_tickets.c. */
int64_t *needletail_tls_session_end(const SSL *s);

SSL *needletail_tls_ssl(const connection *c);

/* The server that a client's connection is to, as given to needletail_tls_open. */
const char *needletail_tls_key(const SSL *s);
context *needletail_tls_context_of(const SSL *s);

#endif
