/* Libraries that a program uses if they are installed. Their headers are not needed to build it. */
#ifndef NEEDLETAIL_LIBRARY_H
#define NEEDLETAIL_LIBRARY_H

#include <stddef.h>

/*
 * Loads the first of `files` that is installed, and finds `functions` in it, whose addresses it stores in `table`, an array
 * of pointers in the same order. The first `needed` of them must exist; the others are null if they do not. Both lists end
 * with a null. Returns null; if it fails, a text for the user that begins with `need`, such as "TLS needs OpenSSL 3". Each
 * is to be called once.
 */
const char *needletail_library_load(const char *need, const char *const *files, const char *const *functions, size_t needed,
                                    void *table);

/* What a static program says that needs OpenSSL, and was not linked with it. */
#define NEEDLETAIL_UNLINKED_OPENSSL \
    "OpenSSL 3, which a static program cannot load: build it with NEEDLETAIL_LINKED_TLS=1, or needletailLinkedTls := true"

#endif
