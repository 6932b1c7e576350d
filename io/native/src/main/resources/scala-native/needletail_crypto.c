/*
 * Authentication codes and authenticated encryption, by the functions of OpenSSL's libcrypto that BoringSSL and AWS-LC
 * have too. They are looked up when a program first needs them; where NEEDLETAIL_TLS_LINKED is defined they are linked.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_CRYPTO) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_library.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_md_st EVP_MD;
typedef struct engine_st ENGINE;
typedef unsigned char byte;

/* The length of HMAC's key is an int in OpenSSL and a size_t elsewhere; small numbers are passed alike. */
#define CRYPTO_FUNCTIONS(F) \
    F(int, OPENSSL_init_crypto, (uint64_t, const void *)) \
    F(const EVP_MD *, EVP_sha256, (void)) \
    F(byte *, HMAC, (const EVP_MD *, const void *, size_t, const byte *, size_t, byte *, unsigned int *)) \
    F(const EVP_CIPHER *, EVP_aes_256_gcm, (void)) \
    F(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void)) \
    F(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *)) \
    F(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX *, int, int, void *)) \
    F(int, EVP_EncryptInit_ex, (EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const byte *, const byte *)) \
    F(int, EVP_EncryptUpdate, (EVP_CIPHER_CTX *, byte *, int *, const byte *, int)) \
    F(int, EVP_EncryptFinal_ex, (EVP_CIPHER_CTX *, byte *, int *)) \
    F(int, EVP_DecryptInit_ex, (EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const byte *, const byte *)) \
    F(int, EVP_DecryptUpdate, (EVP_CIPHER_CTX *, byte *, int *, const byte *, int)) \
    F(int, EVP_DecryptFinal_ex, (EVP_CIPHER_CTX *, byte *, int *)) \
    F(void, ERR_clear_error, (void))

static struct {
#define F(type, name, parameters) type(*name) parameters;
    CRYPTO_FUNCTIONS(F)
#undef F
} crypto;

enum { TAG_LENGTH = 16, CTRL_GET_TAG = 16, CTRL_SET_TAG = 17 };

#ifdef NEEDLETAIL_TLS_LINKED

#define F(type, name, parameters) extern type name parameters;
CRYPTO_FUNCTIONS(F)
#undef F

static const char *load(void) {
#define F(type, name, parameters) crypto.name = name;
    CRYPTO_FUNCTIONS(F)
#undef F
    return NULL;
}

#elif defined(NEEDLETAIL_STATIC)

static const char *load(void) { return "signing and encrypting need " NEEDLETAIL_UNLINKED_OPENSSL; }

#else

static const char *load(void) {
    static const char NEED[] =
        "signing and encrypting need OpenSSL 3 (Debian's package libssl3, Fedora's openssl-libs)";
    static const char *const files[] = {"libcrypto.so.3", "libcrypto.so", NULL};
#define F(type, name, parameters) #name,
    static const char *const functions[] = {CRYPTO_FUNCTIONS(F) NULL};
#undef F
#define F(type, name, parameters) +1
    return needletail_library_load(NEED, files, functions, CRYPTO_FUNCTIONS(F), &crypto);
#undef F
}

#endif

static const char *begin(void) {
    const char *problem = load();
    /* at exit it would free what other threads are using */
    if (problem == NULL) crypto.OPENSSL_init_crypto(UINT64_C(0x80000), NULL);
    return problem;
}

/* Loads the library unless that was done. Returns why it cannot be used, until this thread's next call; null if it can. */
const char *needletail_crypto_load(void) {
    static int is_loaded;
    return needletail_library_once(&is_loaded, begin);
}

/* HMAC with SHA-256, into the 32 bytes of `code`. Returns 1 if that is done. */
int needletail_crypto_hmac(const byte *key, int key_length, const byte *bytes, int length, byte *code) {
    unsigned int written = 0;
    int is_done = crypto.HMAC(crypto.EVP_sha256(), key, (size_t)key_length, bytes, (size_t)length, code, &written) != NULL;
    if (!is_done) crypto.ERR_clear_error();
    return is_done && written == 32;
}

/*
 * Encrypts `length` bytes by AES-256-GCM, with a nonce of 12 bytes, to as many at `out` and a tag of 16 behind them.
 * Returns 1 if that is done.
 */
int needletail_crypto_seal(const byte *key, const byte *nonce, const byte *context, int context_length, const byte *plain,
                           int length, byte *out) {
    int n = 0;
    EVP_CIPHER_CTX *c = crypto.EVP_CIPHER_CTX_new();
    int is_done = c != NULL && crypto.EVP_EncryptInit_ex(c, crypto.EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                  (context_length == 0 || crypto.EVP_EncryptUpdate(c, NULL, &n, context, context_length) == 1) &&
                  (length == 0 || crypto.EVP_EncryptUpdate(c, out, &n, plain, length) == 1) &&
                  crypto.EVP_EncryptFinal_ex(c, out + length, &n) == 1 &&
                  crypto.EVP_CIPHER_CTX_ctrl(c, CTRL_GET_TAG, TAG_LENGTH, out + length) == 1;
    if (c != NULL) crypto.EVP_CIPHER_CTX_free(c);
    if (!is_done) crypto.ERR_clear_error();
    return is_done;
}

/*
 * The reverse: decrypts `length` bytes and checks the tag behind them. Returns 1 if they are authentic, otherwise 0, and
 * -1 if it could not be done.
 */
int needletail_crypto_open(const byte *key, const byte *nonce, const byte *context, int context_length,
                           const byte *encrypted, int length, byte *out) {
    int n = 0, result = -1;
    byte tag[TAG_LENGTH], none[TAG_LENGTH];
    EVP_CIPHER_CTX *c = crypto.EVP_CIPHER_CTX_new();
    memcpy(tag, encrypted + length, sizeof tag);
    if (c != NULL && crypto.EVP_DecryptInit_ex(c, crypto.EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
        (context_length == 0 || crypto.EVP_DecryptUpdate(c, NULL, &n, context, context_length) == 1) &&
        (length == 0 || crypto.EVP_DecryptUpdate(c, out, &n, encrypted, length) == 1) &&
        crypto.EVP_CIPHER_CTX_ctrl(c, CTRL_SET_TAG, TAG_LENGTH, tag) == 1)
        result = crypto.EVP_DecryptFinal_ex(c, none, &n) == 1;
    if (c != NULL) crypto.EVP_CIPHER_CTX_free(c);
    if (result != 1) {
        if (length > 0) memset(out, 0, (size_t)length);
        crypto.ERR_clear_error();
    }
    return result;
}

#endif
