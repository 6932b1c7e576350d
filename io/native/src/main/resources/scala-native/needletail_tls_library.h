/*
 * The functions of OpenSSL that TLS needs. Only such as BoringSSL and AWS-LC have too; where OpenSSL has a macro for
 * SSL_CTX_ctrl or the like, theirs is a function of the macro's name, see needletail_tls_macros.c. OpenSSL's headers are
 * not needed: what is used of them, which has been stable since 1.1.0, is declared here. What is an int in OpenSSL and wider
 * elsewhere is passed as wide as it is there, and what is narrower elsewhere is read as narrow: both fit OpenSSL, too.
 *
 * A program looks the functions up when it first uses TLS. Where NEEDLETAIL_TLS_LINKED is defined they are linked.
 */
#ifndef NEEDLETAIL_TLS_LIBRARY_H
#define NEEDLETAIL_TLS_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct ssl_session_st SSL_SESSION;
typedef struct ssl_method_st SSL_METHOD;
typedef struct ssl_cipher_st SSL_CIPHER;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;
typedef struct x509_st X509;
typedef struct X509_crl_st X509_CRL;
typedef struct x509_revoked_st X509_REVOKED;
typedef struct x509_store_st X509_STORE;
typedef struct x509_store_ctx_st X509_STORE_CTX;
typedef struct X509_VERIFY_PARAM_st X509_VERIFY_PARAM;
typedef struct X509_name_st X509_NAME;
typedef struct X509_pubkey_st X509_PUBKEY;
typedef struct X509_algor_st X509_ALGOR;
typedef struct X509_extension_st X509_EXTENSION;
typedef struct asn1_string_st ASN1_STRING; /* of any kind: a number, a time */
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_md_st EVP_MD;
typedef struct hmac_ctx_st HMAC_CTX;
typedef struct engine_st ENGINE;
typedef struct stack_st STACK; /* of certificates, of names */
typedef struct ssl_credential_st SSL_CREDENTIAL;
typedef struct crypto_buffer_st CRYPTO_BUFFER;
typedef struct crypto_buffer_pool_st CRYPTO_BUFFER_POOL;

/* A client's greeting in BoringSSL and AWS-LC; what follows is not used. */
typedef struct ssl_early_callback_ctx {
    SSL *connection;
} SSL_CLIENT_HELLO;

typedef int password_function(char *to, int size, int writing, void *with);
typedef int alpn_function(SSL *, const unsigned char **out, unsigned char *length, const unsigned char *in,
                          unsigned int in_length, void *with);
typedef int name_function(SSL *, int *alert, void *with);
typedef int ticket_key_function(SSL *, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *, HMAC_CTX *, int is_new);
typedef int ticket_function(SSL *, SSL_SESSION *, const unsigned char *key_name, size_t length, int status, void *with);

#define TLS_FUNCTIONS(F) \
    F(int, OPENSSL_init_crypto, (uint64_t, const void *)) \
    F(const SSL_METHOD *, TLS_server_method, (void)) \
    F(const SSL_METHOD *, TLS_client_method, (void)) \
    F(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *)) \
    F(void, SSL_CTX_free, (SSL_CTX *)) \
    F(uint64_t, SSL_CTX_set_options, (SSL_CTX *, uint64_t)) \
    F(int, SSL_CTX_set_cipher_list, (SSL_CTX *, const char *)) \
    F(int, SSL_CTX_use_certificate, (SSL_CTX *, X509 *)) \
    F(int, SSL_CTX_use_PrivateKey, (SSL_CTX *, EVP_PKEY *)) \
    F(void, SSL_CTX_set_verify, (SSL_CTX *, int, int (*)(int, X509_STORE_CTX *))) \
    F(int, SSL_CTX_load_verify_locations, (SSL_CTX *, const char *, const char *)) \
    F(X509_STORE *, SSL_CTX_get_cert_store, (const SSL_CTX *)) \
    F(void, SSL_CTX_set_cert_store, (SSL_CTX *, X509_STORE *)) \
    F(int, X509_STORE_up_ref, (X509_STORE *)) \
    F(void, SSL_CTX_set_client_CA_list, (SSL_CTX *, STACK *)) \
    F(STACK *, SSL_CTX_get_client_CA_list, (const SSL_CTX *)) \
    F(STACK *, SSL_dup_CA_list, (STACK *)) \
    F(int, SSL_CTX_set_alpn_protos, (SSL_CTX *, const unsigned char *, size_t)) \
    F(void, SSL_CTX_set_alpn_select_cb, (SSL_CTX *, alpn_function *, void *)) \
    F(void, SSL_CTX_sess_set_new_cb, (SSL_CTX *, int (*)(SSL *, SSL_SESSION *))) \
    F(int, SSL_CTX_set_session_id_context, (SSL_CTX *, const unsigned char *, size_t)) \
    F(long, SSL_CTX_set_timeout, (SSL_CTX *, long)) \
    F(SSL *, SSL_new, (SSL_CTX *)) \
    F(void, SSL_free, (SSL *)) \
    F(void, SSL_set_bio, (SSL *, BIO *, BIO *)) \
    F(void, SSL_set_accept_state, (SSL *)) \
    F(void, SSL_set_connect_state, (SSL *)) \
    F(int, SSL_do_handshake, (SSL *)) \
    F(int, SSL_read, (SSL *, void *, int)) \
    F(int, SSL_write, (SSL *, const void *, int)) \
    F(int, SSL_pending, (const SSL *)) \
    F(int, SSL_shutdown, (SSL *)) \
    F(void, SSL_set_shutdown, (SSL *, int)) \
    F(int, SSL_get_error, (const SSL *, int)) \
    F(X509_VERIFY_PARAM *, SSL_get0_param, (SSL *)) \
    F(long, SSL_get_verify_result, (const SSL *)) \
    F(int, SSL_set_ex_data, (SSL *, int, void *)) \
    F(void *, SSL_get_ex_data, (const SSL *, int)) \
    F(int, SSL_set_session, (SSL *, SSL_SESSION *)) \
    F(void, SSL_CTX_set_cert_verify_callback, (SSL_CTX *, int (*)(X509_STORE_CTX *, void *), void *)) \
    F(const char *, SSL_CIPHER_standard_name, (const SSL_CIPHER *)) \
    F(int, SSL_session_reused, (const SSL *)) \
    F(const char *, SSL_get_servername, (const SSL *, int)) \
    F(SSL_CTX *, SSL_set_SSL_CTX, (SSL *, SSL_CTX *)) \
    F(void, SSL_get0_alpn_selected, (const SSL *, const unsigned char **, unsigned int *)) \
    F(const char *, SSL_get_version, (const SSL *)) \
    F(const SSL_CIPHER *, SSL_get_current_cipher, (const SSL *)) \
    F(void, SSL_SESSION_free, (SSL_SESSION *)) \
    F(int, SSL_SESSION_up_ref, (SSL_SESSION *)) \
    F(uint16_t, SSL_SESSION_get_protocol_version, (const SSL_SESSION *)) \
    F(int, SSL_SESSION_is_resumable, (const SSL_SESSION *)) \
    F(BIO_METHOD *, BIO_meth_new, (int, const char *)) \
    F(int, BIO_meth_set_read, (BIO_METHOD *, int (*)(BIO *, char *, int))) \
    F(int, BIO_meth_set_write, (BIO_METHOD *, int (*)(BIO *, const char *, int))) \
    F(int, BIO_meth_set_ctrl, (BIO_METHOD *, long (*)(BIO *, int, long, void *))) \
    F(BIO *, BIO_new, (const BIO_METHOD *)) \
    F(int, BIO_free, (BIO *)) \
    F(void, BIO_set_data, (BIO *, void *)) \
    F(void *, BIO_get_data, (BIO *)) \
    F(void, BIO_set_init, (BIO *, int)) \
    F(void, BIO_set_flags, (BIO *, int)) \
    F(void, BIO_clear_flags, (BIO *, int)) \
    F(BIO *, BIO_new_mem_buf, (const void *, ptrdiff_t)) \
    F(void, ERR_clear_error, (void)) \
    F(uint32_t, ERR_peek_error, (void)) \
    F(uint32_t, ERR_peek_last_error, (void)) \
    F(const char *, ERR_reason_error_string, (unsigned long)) \
    F(X509 *, PEM_read_bio_X509, (BIO *, X509 **, password_function *, void *)) \
    F(X509_CRL *, PEM_read_bio_X509_CRL, (BIO *, X509_CRL **, password_function *, void *)) \
    F(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO *, EVP_PKEY **, password_function *, void *)) \
    F(void, EVP_PKEY_free, (EVP_PKEY *)) \
    F(void, X509_free, (X509 *)) \
    F(int, X509_check_private_key, (X509 *, EVP_PKEY *)) \
    F(X509_PUBKEY *, X509_get_X509_PUBKEY, (const X509 *)) \
    F(int, i2d_X509_PUBKEY, (X509_PUBKEY *, unsigned char **)) \
    F(int, i2d_X509, (X509 *, unsigned char **)) \
    F(EVP_PKEY *, X509_get0_pubkey, (const X509 *)) \
    F(void, X509_get0_signature, (const ASN1_STRING **, const X509_ALGOR **, const X509 *)) \
    F(void, X509_ALGOR_get0, (const void **, int *, const void **, const X509_ALGOR *)) \
    F(int, X509_get_signature_nid, (const X509 *)) \
    F(int, X509_verify, (X509 *, EVP_PKEY *)) \
    F(uint32_t, X509_get_key_usage, (X509 *)) \
    F(int, X509_verify_cert, (X509_STORE_CTX *)) \
    F(STACK *, X509_STORE_CTX_get0_chain, (const X509_STORE_CTX *)) \
    F(void, X509_STORE_CTX_set_error, (X509_STORE_CTX *, int)) \
    F(int, X509_STORE_CTX_get_error, (const X509_STORE_CTX *)) \
    F(X509 *, X509_STORE_CTX_get_current_cert, (const X509_STORE_CTX *)) \
    F(void *, X509_STORE_CTX_get_ex_data, (const X509_STORE_CTX *, int)) \
    F(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void)) \
    F(X509_NAME *, X509_get_issuer_name, (const X509 *)) \
    F(int, X509_NAME_cmp, (const X509_NAME *, const X509_NAME *)) \
    F(int, X509_NAME_print_ex, (BIO *, const X509_NAME *, int, unsigned long)) \
    F(ASN1_STRING *, X509_get_serialNumber, (X509 *)) \
    F(const ASN1_STRING *, X509_get0_notBefore, (const X509 *)) \
    F(const ASN1_STRING *, X509_get0_notAfter, (const X509 *)) \
    F(int, X509_cmp_current_time, (const ASN1_STRING *)) \
    F(uint32_t, X509_get_extension_flags, (X509 *)) \
    F(int, X509_cmp, (const X509 *, const X509 *)) \
    F(int, ASN1_TIME_diff, (int *, int *, const ASN1_STRING *, const ASN1_STRING *)) \
    F(int, X509_get_ext_by_NID, (const X509 *, int, int)) \
    F(X509_EXTENSION *, X509_get_ext, (const X509 *, int)) \
    F(ASN1_STRING *, X509_EXTENSION_get_data, (X509_EXTENSION *)) \
    F(const unsigned char *, ASN1_STRING_get0_data, (const ASN1_STRING *)) \
    F(int, ASN1_STRING_length, (const ASN1_STRING *)) \
    F(int, ASN1_STRING_type, (const ASN1_STRING *)) \
    F(int, X509_digest, (const X509 *, const EVP_MD *, unsigned char *, unsigned int *)) \
    F(int, EVP_Digest, (const void *, size_t, unsigned char *, unsigned int *, const EVP_MD *, ENGINE *)) \
    F(const BIO_METHOD *, BIO_s_mem, (void)) \
    F(int, BIO_read, (BIO *, void *, int)) \
    F(X509_NAME *, X509_get_subject_name, (const X509 *)) \
    F(X509_NAME *, X509_NAME_dup, (X509_NAME *)) \
    F(void, X509_CRL_free, (X509_CRL *)) \
    F(X509_NAME *, X509_CRL_get_issuer, (const X509_CRL *)) \
    F(const ASN1_STRING *, X509_CRL_get0_lastUpdate, (const X509_CRL *)) \
    F(const ASN1_STRING *, X509_CRL_get0_nextUpdate, (const X509_CRL *)) \
    F(int, X509_CRL_verify, (X509_CRL *, EVP_PKEY *)) \
    F(int, X509_CRL_get0_by_cert, (X509_CRL *, X509_REVOKED **, X509 *)) \
    F(int, X509_CRL_get_ext_by_critical, (const X509_CRL *, int, int)) \
    F(int, X509_CRL_get_ext_by_NID, (const X509_CRL *, int, int)) \
    F(X509_EXTENSION *, X509_CRL_get_ext, (const X509_CRL *, int)) \
    F(STACK *, X509_CRL_get_REVOKED, (X509_CRL *)) \
    F(int, X509_REVOKED_get_ext_by_critical, (const X509_REVOKED *, int, int)) \
    F(int, X509_REVOKED_get_ext_by_NID, (const X509_REVOKED *, int, int)) \
    F(X509_EXTENSION *, X509_REVOKED_get_ext, (const X509_REVOKED *, int)) \
    F(int, X509_cmp_time, (const ASN1_STRING *, time_t *)) \
    F(int, X509_STORE_add_cert, (X509_STORE *, X509 *)) \
    F(int, X509_STORE_set_flags, (X509_STORE *, unsigned long)) \
    F(const char *, X509_get_default_cert_file, (void)) \
    F(const char *, X509_get_default_cert_dir, (void)) \
    F(const char *, X509_verify_cert_error_string, (long)) \
    F(int, X509_VERIFY_PARAM_set1_host, (X509_VERIFY_PARAM *, const char *, size_t)) \
    F(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *, const char *)) \
    F(void, X509_VERIFY_PARAM_set_hostflags, (X509_VERIFY_PARAM *, unsigned int)) \
    F(int, RAND_bytes, (unsigned char *, size_t)) \
    F(void, OPENSSL_cleanse, (void *, size_t)) \
    F(const EVP_CIPHER *, EVP_aes_256_cbc, (void)) \
    F(const EVP_MD *, EVP_sha256, (void)) \
    F(int, EVP_EncryptInit_ex, (EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const unsigned char *, \
                                const unsigned char *)) \
    F(int, EVP_DecryptInit_ex, (EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const unsigned char *, \
                                const unsigned char *)) \
    F(int, HMAC_Init_ex, (HMAC_CTX *, const void *, size_t, const EVP_MD *, ENGINE *))

/* Those that some of the libraries have, or have by another name; null where they are missing. */
#define TLS_OPTIONAL_FUNCTIONS(F) \
    F(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *)) \
    F(long, SSL_CTX_callback_ctrl, (SSL_CTX *, int, void (*)(void))) \
    F(long, SSL_ctrl, (SSL *, int, long, void *)) \
    F(uint32_t, SSL_CTX_set_mode, (SSL_CTX *, uint32_t)) \
    F(int, SSL_CTX_set_min_proto_version, (SSL_CTX *, uint16_t)) \
    F(int, SSL_CTX_set_max_proto_version, (SSL_CTX *, uint16_t)) \
    F(int, SSL_CTX_set1_groups_list, (SSL_CTX *, const char *)) \
    F(int, SSL_CTX_set_session_cache_mode, (SSL_CTX *, int)) \
    F(int, SSL_CTX_clear_chain_certs, (SSL_CTX *)) \
    F(int, SSL_CTX_add1_chain_cert, (SSL_CTX *, X509 *)) \
    F(int, SSL_CTX_set_tlsext_servername_callback, (SSL_CTX *, name_function *)) \
    F(int, SSL_CTX_set_tlsext_servername_arg, (SSL_CTX *, void *)) \
    F(int, SSL_CTX_set_tlsext_ticket_key_cb, (SSL_CTX *, ticket_key_function *)) \
    F(int, SSL_set_tlsext_host_name, (SSL *, const char *)) \
    F(int, SSL_CTX_set_ciphersuites, (SSL_CTX *, const char *)) \
    F(int, SSL_CTX_set_num_tickets, (SSL_CTX *, size_t)) \
    F(void, SSL_CTX_set_security_level, (SSL_CTX *, int)) \
    F(int, SSL_CTX_get_security_level, (const SSL_CTX *)) \
    F(X509 *, SSL_get1_peer_certificate, (const SSL *)) \
    F(X509 *, SSL_get_peer_certificate, (const SSL *)) \
    F(int, OPENSSL_sk_num, (const STACK *)) \
    F(void *, OPENSSL_sk_value, (const STACK *, size_t)) \
    F(STACK *, OPENSSL_sk_new_null, (void)) \
    F(int, OPENSSL_sk_push, (STACK *, const void *)) \
    F(void, OPENSSL_sk_free, (STACK *)) \
    F(STACK *, X509_STORE_CTX_get1_certs, (X509_STORE_CTX *, X509_NAME *)) \
    F(void, SSL_CTX_set_max_cert_list, (SSL_CTX *, size_t)) \
    F(void, SSL_CTX_set_client_hello_cb, (SSL_CTX *, int (*)(SSL *, int *, void *), void *)) \
    F(int, SSL_client_hello_get0_ext, (SSL *, unsigned int, const unsigned char **, size_t *)) \
    F(int, SSL_CTX_set_session_ticket_cb, (SSL_CTX *, int (*)(SSL *, void *), ticket_function *, void *)) \
    F(X509 *, SSL_SESSION_get0_peer, (SSL_SESSION *)) \
    F(void, SSL_CTX_set_session_psk_dhe_timeout, (SSL_CTX *, uint32_t)) \
    F(void, SSL_CTX_set_select_certificate_cb, (SSL_CTX *, int (*)(const SSL_CLIENT_HELLO *))) \
    F(int, SSL_early_callback_ctx_extension_get, (const SSL_CLIENT_HELLO *, uint16_t, const unsigned char **, size_t *)) \
    F(int, SSL_send_fatal_alert, (SSL *, uint8_t)) \
    F(const char *, OpenSSL_version, (int)) \
    F(int, SSL_CTX_set_verify_algorithm_prefs, (SSL_CTX *, const uint16_t *, size_t)) \
    F(int, SSL_CTX_set_signing_algorithm_prefs, (SSL_CTX *, const uint16_t *, size_t)) \
    F(int, OBJ_find_sigid_algs, (int, int *, int *)) \
    F(int, EVP_PKEY_id, (const EVP_PKEY *)) \
    F(int, EVP_PKEY_bits, (const EVP_PKEY *)) \
    F(int, EVP_PKEY_get_id, (const EVP_PKEY *)) \
    F(int, EVP_PKEY_get_bits, (const EVP_PKEY *)) \
    F(SSL_CREDENTIAL *, SSL_CREDENTIAL_new_x509, (void)) \
    F(void, SSL_CREDENTIAL_free, (SSL_CREDENTIAL *)) \
    F(int, SSL_CREDENTIAL_set1_cert_chain, (SSL_CREDENTIAL *, CRYPTO_BUFFER *const *, size_t)) \
    F(int, SSL_CREDENTIAL_set1_private_key, (SSL_CREDENTIAL *, EVP_PKEY *)) \
    F(int, SSL_CREDENTIAL_set1_signing_algorithm_prefs, (SSL_CREDENTIAL *, const uint16_t *, size_t)) \
    F(int, SSL_CTX_add1_credential, (SSL_CTX *, const SSL_CREDENTIAL *)) \
    F(CRYPTO_BUFFER *, CRYPTO_BUFFER_new, (const unsigned char *, size_t, CRYPTO_BUFFER_POOL *)) \
    F(void, CRYPTO_BUFFER_free, (CRYPTO_BUFFER *))

struct needletail_tls_library {
#define F(type, name, parameters) type(*name) parameters;
    TLS_FUNCTIONS(F)
    TLS_OPTIONAL_FUNCTIONS(F)
#undef F
};

extern struct needletail_tls_library needletail_ssl;

/* Constants, as in OpenSSL's headers. */
enum {
    MODE_ENABLE_PARTIAL_WRITE = 1,
    MODE_ACCEPT_MOVING_WRITE_BUFFER = 2,
    MODE_RELEASE_BUFFERS = 16,

    SESS_CACHE_OFF = 0,
    SESS_CACHE_CLIENT = 1,
    SESS_CACHE_NO_INTERNAL = 0x300,

    TLS1_2 = 0x0303,
    TLS1_3 = 0x0304,

    VERIFY_NONE = 0,
    VERIFY_PEER = 1,
    VERIFY_FAIL_IF_NO_PEER_CERT = 2,

    ERROR_WANT_READ = 2,
    ERROR_WANT_WRITE = 3,
    ERROR_ZERO_RETURN = 6,

    BIO_FLAGS_READ = 1,
    BIO_FLAGS_SHOULD_RETRY = 8,
    BIO_CTRL_FLUSH = 11,

    TLSEXT_OK = 0,
    TLSEXT_ALERT_FATAL = 2,
    TLSEXT_NOACK = 3,

    CHECK_NO_PARTIAL_WILDCARDS = 4,
    CHECK_NEVER_SUBJECT = 0x20,
    CERT_NOT_YET_VALID = 9,
    CERT_HAS_EXPIRED = 10,
    CERT_REVOKED = 23,
    NAME_NOT_PERMITTED = 47,
    NO_AUTHORITY = 79,
    KEY_USAGE_CRL_SIGN = 2,
    EXFLAG_CA = 0x10,
    WRONG_HOST = 62,
    WRONG_ADDRESS = 64,
    OWN_KEY_TOO_SMALL = 66,
    ISSUERS_KEY_TOO_SMALL = 67,
    SUBJECT_ALTERNATIVE_NAME = 85,
    AUTHORITY_KEY_IDENTIFIER = 90,
    DELTA_CRL_INDICATOR = 140,
    NAME_CONSTRAINTS = 666,
    REVOCATION_REASON = 141,
    ISSUING_DISTRIBUTION_POINT = 770,
    ALERT_ILLEGAL_PARAMETER = 47,
    ALERT_DECODE_ERROR = 50,
    ALERT_UNRECOGNIZED_NAME = 112,

    CLIENT_HELLO_ERROR = 0,
    CLIENT_HELLO_SUCCESS = 1,
    SELECT_CERTIFICATE_ERROR = -1,
    SELECT_CERTIFICATE_SUCCESS = 1,

    TICKET_SUCCESS = 5,
    TICKET_SUCCESS_RENEW = 6,
    TICKET_RETURN_IGNORE_RENEW = 2,
    TICKET_RETURN_USE = 3,
    TICKET_RETURN_USE_RENEW = 4,
};

#define PARTIAL_CHAIN 0x80000UL /* a certificate that is trusted need not be an issuer's */

#define INIT_NO_ATEXIT UINT64_C(0x80000)
#define OP_NO_TICKET (UINT64_C(1) << 14)
#define OP_NO_COMPRESSION (UINT64_C(1) << 17)
#define OP_PRIORITIZE_CHACHA (UINT64_C(1) << 21) /* for clients that do: they have no AES in hardware */
#define OP_SERVER_PREFERENCE (UINT64_C(1) << 22)
#define OP_NO_RENEGOTIATION (UINT64_C(1) << 30)

#endif
