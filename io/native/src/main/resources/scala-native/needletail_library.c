/* See needletail_library.h. */
#if (defined(__SCALANATIVE_NEEDLETAIL_TLS) || defined(__SCALANATIVE_NEEDLETAIL_CRYPTO) || \
     defined(__SCALANATIVE_NEEDLETAIL_CODING)) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_library.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static const char *text(const char *format, ...) {
    static _Thread_local char made[512];
    va_list values;
    va_start(values, format);
    vsnprintf(made, sizeof made, format, values);
    va_end(values);
    return made;
}

const char *needletail_library_once(int *is_done, const char *(*f)(void)) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *problem = NULL;
    if (__atomic_load_n(is_done, __ATOMIC_ACQUIRE)) return NULL;
    pthread_mutex_lock(&lock);
    if (!*is_done) {
        problem = f();
        if (problem == NULL) __atomic_store_n(is_done, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return problem;
}

#ifdef NEEDLETAIL_STATIC

/* To load a library, a static program would load a second C library too. */
const char *needletail_library_load(const char *need, const char *const *files, const char *const *functions, size_t needed,
                                    void *table) {
    (void)files, (void)functions, (void)needed, (void)table;
    return text("%s, which a static program cannot load", need);
}

#else

#include <dlfcn.h>
#include <string.h>

/* Whether `file` itself was not found; it may also need another that is missing, or be none that can be loaded. */
static int is_missing(const char *error, const char *file) {
    return strstr(error, file) != NULL && strstr(error, "No such file") != NULL && strstr(error, "needed by") == NULL;
}

const char *needletail_library_load(const char *need, const char *const *files, const char *const *functions, size_t needed,
                                    void *table) {
    void *library = NULL;
    const char *const *file = files;
    size_t i;
    char problem[256] = "";
    while (*file != NULL && (library = dlopen(*file, RTLD_NOW | RTLD_LOCAL)) == NULL) {
        const char *error = dlerror();
        if (problem[0] == 0 && error != NULL && !is_missing(error, *file))
            snprintf(problem, sizeof problem, "%s", error);
        file++;
    }
    if (library == NULL && problem[0] != 0) return text("%s, which cannot be loaded: %s", need, problem);
    if (library == NULL) return text("%s, which is not installed: there is no %s", need, *files);
    for (i = 0; functions[i] != NULL; i++) {
        void *found = dlsym(library, functions[i]);
        if (found == NULL && i < needed) {
            dlclose(library);
            return text("%s; the %s that is installed has no %s", need, *file, functions[i]);
        }
        memcpy((char *)table + i * sizeof found, &found, sizeof found);
    }
    return NULL;
}

#endif

#endif
