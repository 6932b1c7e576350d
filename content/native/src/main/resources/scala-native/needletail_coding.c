/*
 * Brotli (RFC 7932) and Zstandard (RFC 8878) by the libraries of that name, which are loaded when they are first asked
 * for. The declarations are ours, so that nobody needs the libraries' headers to build a program.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_CODING) && defined(__linux__)

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define BROTLI 0
#define ZSTD 1

/* The libraries' own numbers */
enum { PROCESS, FLUSH, FINISH };                              /* BrotliEncoderOperation */
enum { CONTINUE, FLUSH_FRAME, END_FRAME };                    /* ZSTD_EndDirective */
enum { QUALITY = 1, WINDOW = 2, SIZE_HINT = 5 };              /* BrotliEncoderParameter */
enum { LEVEL = 100, WINDOW_LOG = 101, SESSION_ONLY = 1 };     /* ZSTD_cParameter, ZSTD_ResetDirective */

typedef struct { void *bytes; size_t size, at; } zstd_buffer; /* ZSTD_inBuffer, ZSTD_outBuffer */

/* The functions of both, in the order in which they are looked up. */
static struct {
    void *(*create)(void *, void *, void *);
    int (*set)(void *, int, uint32_t);
    int (*compress)(void *, int, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    int (*is_finished)(void *);
    void (*destroy)(void *);
} brotli;

static struct {
    void *(*create)(void);
    size_t (*set)(void *, int, int);
    size_t (*size)(void *, unsigned long long);
    size_t (*compress)(void *, zstd_buffer *, zstd_buffer *, int);
    size_t (*reset)(void *, int);
    unsigned (*is_error)(size_t);
    size_t (*destroy)(void *);
} zstd;

/* Of needletail_library.h in the module io, where it is described. */
extern const char *needletail_library_load(const char *need, const char *const *files, const char *const *functions,
                                           size_t needed, void *table);
extern const char *needletail_library_once(int *is_done, const char *(*f)(void));

static const char *load_brotli(void) {
    static const char *const files[] = {"libbrotlienc.so.1", NULL};
    static const char *const functions[] = {
        "BrotliEncoderCreateInstance", "BrotliEncoderSetParameter",    "BrotliEncoderCompressStream",
        "BrotliEncoderIsFinished",     "BrotliEncoderDestroyInstance", NULL};
    return needletail_library_load("the coding br needs Brotli", files, functions, 5, &brotli);
}

static const char *load_zstd(void) {
    static const char *const files[] = {"libzstd.so.1", NULL};
    static const char *const functions[] = {"ZSTD_createCCtx",      "ZSTD_CCtx_setParameter", "ZSTD_CCtx_setPledgedSrcSize",
                                            "ZSTD_compressStream2", "ZSTD_CCtx_reset",        "ZSTD_isError",
                                            "ZSTD_freeCCtx",        NULL};
    return needletail_library_load("the coding zstd needs Zstandard", files, functions, 7, &zstd);
}

/* Loads the library unless that was done. Returns why it cannot be used, until this thread's next call; null if it can. */
const char *needletail_coding_load(int kind) {
    static int are_loaded[2];
    return needletail_library_once(&are_loaded[kind], kind == BROTLI ? load_brotli : load_zstd);
}

typedef struct {
    int kind, is_finished;
    void *state;
} encoder;

/* `size` of the content, -1 if unknown. Null if there is no memory. */
void *needletail_coding_open(int kind, int level, int window, int64_t size) {
    encoder *e = malloc(sizeof *e);
    if (e == NULL) return NULL;
    e->kind = kind;
    e->is_finished = 0;
    e->state = kind == BROTLI ? brotli.create(NULL, NULL, NULL) : zstd.create();
    if (e->state == NULL) {
        free(e);
        return NULL;
    }
    if (kind == BROTLI) {
        int least = 10;
        while (size >= 0 && least < window && (int64_t)1 << least < size) least++;
        brotli.set(e->state, QUALITY, (uint32_t)level);
        brotli.set(e->state, WINDOW, (uint32_t)(size >= 0 ? least : window));
        if (size >= 0) brotli.set(e->state, SIZE_HINT, (uint32_t)size);
    } else {
        zstd.set(e->state, LEVEL, level);
        zstd.set(e->state, WINDOW_LOG, window);
        if (size >= 0) zstd.size(e->state, (unsigned long long)size);
    }
    return e;
}

/* For another content, if the library can; returns whether it can. */
int needletail_coding_reset(void *of, int64_t size) {
    encoder *e = of;
    e->is_finished = 0;
    if (e->kind == BROTLI || zstd.is_error(zstd.reset(e->state, SESSION_ONLY))) return 0;
    if (size >= 0) zstd.size(e->state, (unsigned long long)size);
    return 1;
}

/*
 * `how`: 0 takes input, 1 flushes all that has been taken, 2 is the end. Adds to `used` the bytes of input that were
 * taken. Returns bytes written, -1 if the library fails. It has to be called again if there was room for no more.
 */
int needletail_coding_encode(void *of, const uint8_t *from, int count, int *used, uint8_t *to, int room, int how) {
    encoder *e = of;
    if (e->is_finished) return 0;
    if (e->kind == BROTLI) {
        size_t in = (size_t)count, out = (size_t)room, in_before, out_before;
        do { /* until nothing is left to do, or there is no room */
            in_before = in, out_before = out;
            if (!brotli.compress(e->state, how == 2 ? FINISH : how == 1 ? FLUSH : PROCESS, &in, &from, &out, &to, NULL))
                return -1;
        } while (out > 0 && (in != in_before || out != out_before));
        e->is_finished = brotli.is_finished(e->state);
        *used += count - (int)in;
        return room - (int)out;
    }
    zstd_buffer in = {(void *)from, (size_t)count, 0}, out = {to, (size_t)room, 0};
    size_t left, in_before, out_before;
    do {
        in_before = in.at, out_before = out.at;
        left = zstd.compress(e->state, &out, &in, how == 2 ? END_FRAME : how == 1 ? FLUSH_FRAME : CONTINUE);
        if (zstd.is_error(left)) return -1;
        if (how == 2 && left == 0) e->is_finished = 1;
    } while (!e->is_finished && out.at < out.size && (in.at != in_before || out.at != out_before));
    *used += (int)in.at;
    return (int)out.at;
}

int needletail_coding_finished(void *of) { return ((encoder *)of)->is_finished; }

void needletail_coding_close(void *of) {
    encoder *e = of;
    if (e->kind == BROTLI) brotli.destroy(e->state);
    else zstd.destroy(e->state);
    free(e);
}

#endif
