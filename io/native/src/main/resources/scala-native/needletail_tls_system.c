/*
 * The certificates that the system trusts. That there are none, or that they cannot be read, is an error: the library's
 * own function for them says nothing then, and a client would accept nobody for as long as it keeps its context.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"
#include "needletail_waiting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether one of these folders, with colons between them, has any files. */
static int have_files(const char *folders) {
    int have = 0;
    char *all = strdup(folders), *rest = NULL;
    for (char *one = all == NULL ? NULL : strtok_r(all, ":", &rest); one != NULL; one = strtok_r(NULL, ":", &rest)) {
        DIR *folder = opendir(one);
        struct dirent *file = folder == NULL ? NULL : readdir(folder);
        while (file != NULL && file->d_name[0] == '.') file = readdir(folder);
        if (file != NULL) have = 1;
        if (folder != NULL) closedir(folder);
    }
    free(all);
    return have;
}

/* The library reads them when it needs them, by their names. */
static int add_folders(context *c, const char *folders) {
    return have_files(folders) && ssl.SSL_CTX_load_verify_locations(c->ctx, NULL, folders) == 1;
}

/*
 * Returns 1 if the file has certificates, 0 if it has none, does not exist, or nobody may read it, and -errno if it cannot
 * be read now, for example for want of a descriptor.
 */
static int load_file(context *c, const char *file) {
    if (ssl.SSL_CTX_load_verify_locations(c->ctx, file, NULL) == 1) return 1;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -errno;
    close(fd);
    return 0;
}

static const char *trust_system(context *c) {
    static _Thread_local char why[200];
    static const char *const bundles[] = {
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
    const char *file = secure_getenv("SSL_CERT_FILE"), *folders = secure_getenv("SSL_CERT_DIR");
    int is_chosen = file != NULL || folders != NULL;
    c->trusts_system = 1;
    ssl.ERR_clear_error();
    if (file == NULL) file = ssl.X509_get_default_cert_file();
    if (folders == NULL) folders = ssl.X509_get_default_cert_dir();
    int found = load_file(c, file);
    if (found >= 0 && add_folders(c, folders)) found = 1;
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles && found == 0 && !is_chosen; i++)
        found = load_file(c, file = bundles[i]);
    ssl.ERR_clear_error();
    if (found > 0) return NULL;
    if (found == 0) return "the system has no trusted certificates";
    snprintf(why, sizeof why, "%s, with the system's trusted certificates, cannot be read: %s", file, strerror(-found));
    return why;
}

/* Trusts the system's certificates: of the file and the folders that the environment names, or of the usual ones. */
WAITING const char *needletail_tls_trust_system(context *c) {
    BEGIN_WAITING();
    const char *wrong = trust_system(c);
    END_WAITING();
    return wrong;
}

#endif
