/* The names that clients request (SNI, RFC 6066 section 3): which are valid, and which certificates are used. */
#if defined(__SCALANATIVE_NEEDLETAIL_TLS) && defined(__linux__)

#define _GNU_SOURCE
#include "needletail_tls.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Labels of letters, digits and inner hyphens: RFC 1123 section 2.1. No dot at the end, as RFC 6066 has it. */
int needletail_tls_is_host_name(const char *name, size_t length) {
    size_t label = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && name[i] != '.') {
            if (!is_letter_or_digit(name[i]) && (name[i] != '-' || label == 0)) return 0;
            if (++label > 63) return 0;
        } else {
            if (label == 0 || name[i - 1] == '-') return 0;
            label = 0;
        }
    }
    return length <= 255;
}

static int is_ascii(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] > 127) return 0;
    return 1;
}

static size_t number(const unsigned char *at) { return (size_t)at[0] << 8 | at[1]; }

/*
 * Whether a ClientHello is accepted that has this list of names. A name that is none is refused with the alert that the
 * JDK has for it, and so is another one in a ClientHello that is repeated (RFC 8446 section 4.1.2). Anything but one host
 * name is left to the library, which rejects it.
 */
static int accepts(SSL *s, const unsigned char *list, size_t length, int *alert) {
    if (length < 5 || number(list) != length - 2 || list[2] != 0 || number(list + 3) != length - 5) return 1;
    const char *name = (const char *)list + 5;
    length -= 5;
    *alert = length == 0                                ? ALERT_DECODE_ERROR
             : length > 255 || !is_ascii(name, length) ? ALERT_UNRECOGNIZED_NAME
                                                        : ALERT_ILLEGAL_PARAMETER;
    if (!needletail_tls_is_host_name(name, length)) {
        needletail_tls_refuse(s, "it requests a name that no host can have", name, 0, "");
        return 0;
    }
    const char *before = needletail_tls_asked(s);
    if (before != NULL && (strlen(before) != length || strncasecmp(before, name, length) != 0)) {
        needletail_tls_refuse(s, "it has requested another name before ", name, length, "");
        return 0;
    }
    return needletail_tls_ask(s, name, length);
}

/* Called at the beginning of each ClientHello. */
static int hear(SSL *s, int *alert, void *with) {
    const unsigned char *list = NULL;
    size_t length = 0;
    (void)with;
    int is_there = ssl.SSL_client_hello_get0_ext(s, 0, &list, &length);
    return is_there != 1 || accepts(s, list, length, alert) ? CLIENT_HELLO_SUCCESS : CLIENT_HELLO_ERROR;
}

/* The same in BoringSSL, which uses no name of a ClientHello that is repeated. */
static int hear_first(const SSL_CLIENT_HELLO *hello) {
    const unsigned char *list = NULL;
    size_t length = 0;
    int alert = ALERT_ILLEGAL_PARAMETER;
    int is_there = ssl.SSL_early_callback_ctx_extension_get(hello, 0, &list, &length);
    if (is_there != 1 || accepts(hello->connection, list, length, &alert)) return SELECT_CERTIFICATE_SUCCESS;
    if (ssl.SSL_send_fatal_alert != NULL) ssl.SSL_send_fatal_alert(hello->connection, (uint8_t)alert);
    return SELECT_CERTIFICATE_ERROR;
}

static int has_every(void) { return ssl.SSL_CTX_set_client_hello_cb != NULL && ssl.SSL_client_hello_get0_ext != NULL; }

static int has_first(void) {
    return ssl.SSL_CTX_set_select_certificate_cb != NULL && ssl.SSL_early_callback_ctx_extension_get != NULL;
}

int needletail_tls_can_hear_names(void) { return has_every() || has_first(); }

void needletail_tls_hear_names(SSL_CTX *ctx) {
    if (has_every()) ssl.SSL_CTX_set_client_hello_cb(ctx, hear, NULL);
    else if (has_first()) ssl.SSL_CTX_set_select_certificate_cb(ctx, hear_first);
}

static int is_for(const char *name, const char *host) {
    if (name[0] != '*') return strcasecmp(name, host) == 0;
    const char *rest = strchr(host, '.');
    return rest != NULL && rest > host && strcasecmp(name + 1, rest) == 0;
}

static int choose_certificate(SSL *s, int *alert, void *with) {
    context *c = with;
    const char *host = ssl.SSL_get_servername(s, 0);
    if (host == NULL) return TLSEXT_NOACK;
    for (int is_wild = 0; is_wild < 2; is_wild++)
        for (int i = 0; i < c->names_count; i++)
            if ((c->names[i].name[0] == '*') == is_wild && is_for(c->names[i].name, host)) {
                if (c->names[i].context != NULL) ssl.SSL_set_SSL_CTX(s, c->names[i].context->ctx);
                return TLSEXT_OK;
            }
    if (!c->refuses_unknown) return TLSEXT_NOACK;
    *alert = ALERT_UNRECOGNIZED_NAME;
    needletail_tls_refuse(s, "it requests the name ", host, strlen(host), ", which no certificate is for");
    return TLSEXT_ALERT_FATAL;
}

/*
 * Which certificates are for which names: for `name` those of `its`, or the context's own if `its` is null. An exact
 * name has precedence. Returns 0 if memory ran out.
 */
int needletail_tls_name(context *c, const char *name, context *its) {
    named *more = realloc(c->names, (size_t)(c->names_count + 1) * sizeof *more);
    if (more == NULL) return 0;
    c->names = more;
    char *copy = strdup(name);
    if (copy == NULL) return 0;
    c->names[c->names_count].name = copy;
    c->names[c->names_count++].context = its == NULL ? NULL : needletail_tls_keep(its);
    return 1;
}

/* To be called after all names are known. */
void needletail_tls_choose(context *c, int refuses_unknown) {
    c->refuses_unknown = refuses_unknown;
    needletail_tls_set_name_callback(c->ctx, choose_certificate, c);
}

/* How many contexts it needs: its own, and those of its names. */
int needletail_tls_contexts(const context *c) {
    int count = 1;
    for (int i = 0; i < c->names_count; i++) {
        int is_new = c->names[i].context != NULL;
        for (int before = 0; before < i && is_new; before++)
            is_new = c->names[before].context != c->names[i].context;
        count += is_new;
    }
    return count;
}

#endif
