/* Finds OpenSSL: see needletail_tls_library.h. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_library.h"
#include "needletail_tls_library.h"

struct needletail_tls_library needletail_ssl;

#ifdef NEEDLETAIL_TLS_LINKED

#define F(type, name, parameters) extern type name parameters;
TLS_FUNCTIONS(F)
#undef F
#define F(type, name, parameters) extern __attribute__((weak)) type name parameters;
TLS_OPTIONAL_FUNCTIONS(F)
#undef F

static const char *load(void) {
#define F(type, name, parameters) needletail_ssl.name = name;
    TLS_FUNCTIONS(F)
    TLS_OPTIONAL_FUNCTIONS(F)
#undef F
    return NULL;
}

#elif defined(NEEDLETAIL_STATIC)

static const char *load(void) { return "TLS needs " NEEDLETAIL_UNLINKED_OPENSSL; }

#else

static const char *load(void) {
    static const char NEED[] = "TLS needs OpenSSL 3 (Debian's package libssl3, Fedora's openssl-libs)";
    static const char *const files[] = {"libssl.so.3", "libssl.so", NULL};
#define F(type, name, parameters) #name,
    static const char *const functions[] = {TLS_FUNCTIONS(F) TLS_OPTIONAL_FUNCTIONS(F) NULL};
#undef F
#define F(type, name, parameters) +1
    return needletail_library_load(NEED, files, functions, TLS_FUNCTIONS(F), &needletail_ssl);
#undef F
}

#endif

static const char *begin(void) {
    const char *problem = load();
    /* at exit it would free what other threads are using */
    if (problem == NULL) needletail_ssl.OPENSSL_init_crypto(INIT_NO_ATEXIT, NULL);
    return problem;
}

/* Loads the library unless that was done. Returns why it cannot be used, until this thread's next call; null if it can. */
const char *needletail_tls_load(void) {
    static int is_loaded;
    return needletail_library_once(&is_loaded, begin);
}

/* What the library, which is loaded, says that it is: for tests. */
const char *needletail_tls_version(void) {
    return needletail_ssl.OpenSSL_version == NULL ? "" : needletail_ssl.OpenSSL_version(0);
}

#endif
