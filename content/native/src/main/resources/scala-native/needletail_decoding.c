/*
 * Brotli (RFC 7932) and Zstandard (RFC 8878) decompressed by the libraries of that name, which are loaded when they are
 * first asked for. The declarations are ours, so that nobody needs the libraries' headers to build a program.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_DECODING) && defined(__linux__)

#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BROTLI 0
#define ZSTD 1

/* The libraries' own numbers */
enum { FAILED, SUCCEEDED };                                   /* BrotliDecoderResult */
enum { WINDOW_LOG_MAX = 100 };                                /* ZSTD_dParameter */

typedef struct { void *bytes; size_t size, at; } zstd_buffer; /* ZSTD_inBuffer, ZSTD_outBuffer */

static struct {
    void *(*create)(void *, void *, void *);
    int (*decompress)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*destroy)(void *);
} brotli;

static struct {
    void *(*create)(void);
    size_t (*set)(void *, int, int);
    size_t (*decompress)(void *, zstd_buffer *, zstd_buffer *);
    unsigned (*is_error)(size_t);
    size_t (*destroy)(void *);
} zstd;

static _Thread_local char problem[192];

#ifdef NEEDLETAIL_STATIC

/* To load a library, a static program would load a second C library too. */
static int load(int kind) {
    snprintf(problem, sizeof problem, "the coding %s cannot be used: this program is linked statically",
             kind == BROTLI ? "br" : "zstd");
    return 0;
}

#else

#include <dlfcn.h>

/* Returns 0 with a `problem` if it fails. */
static int load(int kind) {
    static const char *const names[] = {"libbrotlidec.so.1", "libzstd.so.1"};
    static const struct {
        int kind;
        const char *name;
        void *place;
    } functions[] = {
        {BROTLI, "BrotliDecoderCreateInstance", &brotli.create},
        {BROTLI, "BrotliDecoderDecompressStream", &brotli.decompress},
        {BROTLI, "BrotliDecoderDestroyInstance", &brotli.destroy},
        {ZSTD, "ZSTD_createDCtx", &zstd.create},
        {ZSTD, "ZSTD_DCtx_setParameter", &zstd.set},
        {ZSTD, "ZSTD_decompressStream", &zstd.decompress},
        {ZSTD, "ZSTD_isError", &zstd.is_error},
        {ZSTD, "ZSTD_freeDCtx", &zstd.destroy},
    };
    const char *coding = kind == BROTLI ? "br" : "zstd";
    void *library = dlopen(names[kind], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(problem, sizeof problem, "the coding %s needs %s, which is not installed", coding, names[kind]);
        return 0;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].kind == kind) {
            void *found = dlsym(library, functions[i].name);
            if (found == NULL) {
                snprintf(problem, sizeof problem, "%s, which the coding %s needs, has no %s", names[kind], coding,
                         functions[i].name);
                dlclose(library);
                return 0;
            }
            memcpy(functions[i].place, &found, sizeof found);
        }
    return 1;
}

#endif

/*
 * Loads the library unless that was done; what has failed is tried again. Returns why it cannot be used, until this
 * thread's next call; null if it can.
 */
const char *needletail_decoding_load(int kind) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int are_loaded[2];
    pthread_mutex_lock(&lock);
    if (!are_loaded[kind]) are_loaded[kind] = load(kind);
    int is_loaded = are_loaded[kind];
    pthread_mutex_unlock(&lock);
    return is_loaded ? NULL : problem;
}

typedef struct {
    int kind, may_end;
    void *state;
} decoder;

/* Zstandard frames with a larger window than that power of two are refused. Null if there is no memory. */
void *needletail_decoding_open(int kind, int window) {
    decoder *d = malloc(sizeof *d);
    if (d == NULL) return NULL;
    d->kind = kind;
    d->may_end = 0;
    d->state = kind == BROTLI ? brotli.create(NULL, NULL, NULL) : zstd.create();
    if (d->state == NULL) {
        free(d);
        return NULL;
    }
    if (kind == ZSTD) zstd.set(d->state, WINDOW_LOG_MAX, window);
    return d;
}

/*
 * Adds to `used` the bytes of input that were taken. Returns bytes written, 0 if it needs more input, -1 if the input is
 * malformed. What comes after the end of brotli data is taken and ignored.
 */
int needletail_decoding_decode(void *of, const uint8_t *from, int count, int *used, uint8_t *to, int room) {
    decoder *d = of;
    if (d->kind == BROTLI) {
        size_t in = (size_t)count, out = (size_t)room;
        if (!d->may_end) {
            int result = brotli.decompress(d->state, &in, &from, &out, &to, NULL);
            if (result == FAILED) return -1;
            d->may_end = result == SUCCEEDED;
        }
        *used += d->may_end ? count : count - (int)in;
        return room - (int)out;
    }
    zstd_buffer in = {(void *)from, (size_t)count, 0}, out = {to, (size_t)room, 0};
    size_t in_before, out_before;
    do {
        if (d->may_end && in.at == in.size) break; /* otherwise it would begin another frame */
        in_before = in.at, out_before = out.at;
        size_t left = zstd.decompress(d->state, &out, &in);
        if (zstd.is_error(left)) return -1;
        d->may_end = left == 0;
    } while (out.at < out.size && (in.at != in_before || out.at != out_before));
    *used += (int)in.at;
    return (int)out.at;
}

/* Whether the content may end here. */
int needletail_decoding_may_end(void *of) { return ((decoder *)of)->may_end; }

void needletail_decoding_close(void *of) {
    decoder *d = of;
    if (d->kind == BROTLI) brotli.destroy(d->state);
    else zstd.destroy(d->state);
    free(d);
}

#endif
