/* Finds OpenSSL: see needletail_tls_library.h. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls_library.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct needletail_tls_library needletail_ssl;

static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef NEEDLETAIL_TLS_LINKED

#define F(type, name, parameters) extern type name parameters;
TLS_FUNCTIONS(F)
#undef F
#define F(type, name, parameters) extern __attribute__((weak)) type name parameters;
TLS_OPTIONAL_FUNCTIONS(F)
#undef F

static void load(void) {
#define F(type, name, parameters) needletail_ssl.name = name;
    TLS_FUNCTIONS(F)
    TLS_OPTIONAL_FUNCTIONS(F)
#undef F
}

#elif defined(NEEDLETAIL_STATIC)

/* To load a library, a static program would load a second C library too. */
static void load(void) { snprintf(problem, sizeof problem, "this program is linked statically, and without OpenSSL"); }

#else

#include <dlfcn.h>

static void load(void) {
    static const char *const names[] = {"libssl.so.3", "libssl.so"};
    static const struct {
        const char *name;
        size_t place;
        int is_needed;
    } functions[] = {
#define F(type, name, parameters) {#name, offsetof(struct needletail_tls_library, name), 1},
        TLS_FUNCTIONS(F)
#undef F
#define F(type, name, parameters) {#name, offsetof(struct needletail_tls_library, name), 0},
            TLS_OPTIONAL_FUNCTIONS(F)
#undef F
    };
    void *library = NULL;
    size_t i;
    for (i = 0; library == NULL && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(problem, sizeof problem,
                 "TLS needs OpenSSL 3, which is not installed: neither libssl.so.3 nor libssl.so was found");
        return;
    }
    for (i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        if (found == NULL && functions[i].is_needed) {
            snprintf(problem, sizeof problem, "TLS needs OpenSSL 3; the libssl that is installed has no %s",
                     functions[i].name);
            return;
        }
        memcpy((char *)&needletail_ssl + functions[i].place, &found, sizeof found);
    }
}

#endif

static void begin(void) {
    load();
    /* at exit it would free what other threads are using */
    if (problem[0] == 0) needletail_ssl.OPENSSL_init_crypto(INIT_NO_ATEXIT, NULL);
}

/* Loads the library with the first call. Returns why it cannot be used; null if it can. */
const char *needletail_tls_load(void) {
    pthread_once(&once, begin);
    return problem[0] == 0 ? NULL : problem;
}

#endif
