/*
 * For programs that are linked statically (needletailStatic of sbt-needletail). Scala Native's runtime asks the dynamic
 * linker for the function below, in order to find its stack. In a static program with glibc that would load a second C
 * library, whose functions then crash. So dlsym is replaced here, and returns the function that is linked.
 */
#if defined(NEEDLETAIL_STATIC) && defined(__linux__)

#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <string.h>

void *dlsym(void *handle, const char *name) {
    (void)handle;
    return strcmp(name, "pthread_getattr_np") == 0 ? (void *)&pthread_getattr_np : NULL;
}

#endif
