/* Libraries that a program uses if they are installed. Their headers are not needed to build it. */
#ifndef NEEDLETAIL_LIBRARY_H
#define NEEDLETAIL_LIBRARY_H

#include <stddef.h>

/*
 * Calls `f` unless a call of it has succeeded, which it says by a null: then `is_done`, at first 0, is set. What has failed,
 * for want of a descriptor for example, is tried again by the next call. Returns what `f` has returned, which is valid
 * until this thread's next call.
 */
const char *needletail_library_once(int *is_done, const char *(*f)(void));

/*
 * Loads the first of `files` that is installed, and finds `functions` in it, whose addresses it stores in `table`, an array
 * of pointers in the same order. The first `needed` of them must exist; the others are null if they do not. Both lists end
 * with a null. Returns null; if it fails, a text for the user that begins with `need`, such as "TLS needs OpenSSL 3",
 * which is valid until this thread's next call. To be called until it has succeeded, by one thread at a time.
 */
const char *needletail_library_load(const char *need, const char *const *files, const char *const *functions, size_t needed,
                                    void *table);

/* What a static program says that needs OpenSSL, and was not linked with it. */
#define NEEDLETAIL_UNLINKED_OPENSSL \
    "OpenSSL 3, which a static program cannot load: build it with NEEDLETAIL_LINKED_TLS=1, or needletailLinkedTls := true"

#endif
