/*
 * What is a macro in OpenSSL, for SSL_CTX_ctrl or the like, and a function of that macro's name in BoringSSL and AWS-LC,
 * which have no SSL_CTX_ctrl.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#include "needletail_tls.h"

/* Numbers of OpenSSL's macros, as in its headers. */
enum {
    MODE = 33,
    SESS_CACHE_MODE = 44,
    MAX_CERT_LIST = 51,
    SERVERNAME_CB = 53,
    SERVERNAME_ARG = 54,
    HOSTNAME = 55,
    TICKET_KEY_CB = 72,
    CHAIN = 88,
    CHAIN_CERT = 89,
    GROUPS_LIST = 92,
    MIN_PROTO_VERSION = 123,
    MAX_PROTO_VERSION = 124,
};

#define HAS(function) (ssl.function != NULL)

void needletail_tls_set_mode(SSL_CTX *ctx, int mode) {
    if (HAS(SSL_CTX_set_mode)) ssl.SSL_CTX_set_mode(ctx, (uint32_t)mode);
    else ssl.SSL_CTX_ctrl(ctx, MODE, mode, NULL);
}

int needletail_tls_set_versions(SSL_CTX *ctx, int least, int most) {
    if (HAS(SSL_CTX_set_min_proto_version) && HAS(SSL_CTX_set_max_proto_version))
        return ssl.SSL_CTX_set_min_proto_version(ctx, (uint16_t)least) == 1 &&
               ssl.SSL_CTX_set_max_proto_version(ctx, (uint16_t)most) == 1;
    return ssl.SSL_CTX_ctrl(ctx, MIN_PROTO_VERSION, least, NULL) == 1 &&
           ssl.SSL_CTX_ctrl(ctx, MAX_PROTO_VERSION, most, NULL) == 1;
}

int needletail_tls_set_groups(SSL_CTX *ctx, const char *names) {
    if (HAS(SSL_CTX_set1_groups_list)) return ssl.SSL_CTX_set1_groups_list(ctx, names) == 1;
    return ssl.SSL_CTX_ctrl(ctx, GROUPS_LIST, 0, (void *)names) == 1;
}

void needletail_tls_set_session_cache_mode(SSL_CTX *ctx, int mode) {
    if (HAS(SSL_CTX_set_session_cache_mode)) ssl.SSL_CTX_set_session_cache_mode(ctx, mode);
    else ssl.SSL_CTX_ctrl(ctx, SESS_CACHE_MODE, mode, NULL);
}

void needletail_tls_limit_certificates(SSL_CTX *ctx, int bytes) {
    if (HAS(SSL_CTX_set_max_cert_list)) ssl.SSL_CTX_set_max_cert_list(ctx, (size_t)bytes);
    else ssl.SSL_CTX_ctrl(ctx, MAX_CERT_LIST, bytes, NULL);
}

void needletail_tls_clear_chain(SSL_CTX *ctx) {
    if (HAS(SSL_CTX_clear_chain_certs)) ssl.SSL_CTX_clear_chain_certs(ctx);
    else ssl.SSL_CTX_ctrl(ctx, CHAIN, 0, NULL);
}

int needletail_tls_add_to_chain(SSL_CTX *ctx, X509 *x) {
    if (HAS(SSL_CTX_add1_chain_cert)) return ssl.SSL_CTX_add1_chain_cert(ctx, x);
    return (int)ssl.SSL_CTX_ctrl(ctx, CHAIN_CERT, 1, x);
}

void needletail_tls_set_name_callback(SSL_CTX *ctx, name_function *f, void *with) {
    if (HAS(SSL_CTX_set_tlsext_servername_callback)) ssl.SSL_CTX_set_tlsext_servername_callback(ctx, f);
    else ssl.SSL_CTX_callback_ctrl(ctx, SERVERNAME_CB, (void (*)(void))f);
    if (HAS(SSL_CTX_set_tlsext_servername_arg)) ssl.SSL_CTX_set_tlsext_servername_arg(ctx, with);
    else ssl.SSL_CTX_ctrl(ctx, SERVERNAME_ARG, 0, with);
}

void needletail_tls_set_ticket_keys(SSL_CTX *ctx, ticket_key_function *f) {
    if (HAS(SSL_CTX_set_tlsext_ticket_key_cb)) ssl.SSL_CTX_set_tlsext_ticket_key_cb(ctx, f);
    else ssl.SSL_CTX_callback_ctrl(ctx, TICKET_KEY_CB, (void (*)(void))f);
}

int needletail_tls_set_host_name(SSL *s, const char *name) {
    if (HAS(SSL_set_tlsext_host_name)) return ssl.SSL_set_tlsext_host_name(s, name);
    return (int)ssl.SSL_ctrl(s, HOSTNAME, 0, (void *)name);
}

#endif
