/*
 * Converts bytes to 16-bit characters and back. Plain loops, which the C compiler vectorises to a few instructions for
 * sixteen characters; loops of Scala Native check in each step whether a garbage collection is pending, so they are
 * not vectorised. The caller ensures the bounds; none of these functions waits or allocates.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TEXT)

#include <stdint.h>
#include <string.h>

/* Widens each byte to a character. */
void needletail_text_widen(const uint8_t *bytes, uint16_t *characters, int count) {
    for (int i = 0; i < count; i++) characters[i] = bytes[i];
}

/* Writes the low byte of each character; returns the bitwise OR of all characters. */
int needletail_text_narrow(const uint16_t *characters, uint8_t *bytes, int count) {
    uint16_t bits = 0;
    for (int i = 0; i < count; i++) {
        bits |= characters[i];
        bytes[i] = (uint8_t)characters[i];
    }
    return bits;
}

/* The bitwise OR of all bytes. */
int needletail_text_bits(const uint8_t *bytes, int count) {
    uint8_t bits = 0;
    for (int i = 0; i < count; i++) bits |= bytes[i];
    return bits;
}

typedef uint64_t block __attribute__((vector_size(16)));

static inline void mask_block(const uint8_t *source, uint8_t *target, block keys) {
    block words;
    memcpy(&words, source, 16);
    words ^= keys;
    memcpy(target, &words, 16);
}

/*
 * Copies bytes, each XORed with one of the key's four in turn, the lowest first. The memory may be the same, from the same
 * byte on, so the loop depends on no other step of its own.
 */
void needletail_text_mask(const uint8_t *source, uint8_t *target, int count, uint32_t key) {
    uint64_t twice = (uint64_t)key << 32 | key;
    block keys = {twice, twice};
    int i = 0;
    for (; i + 64 <= count; i += 64) {
        mask_block(source + i, target + i, keys);
        mask_block(source + i + 16, target + i + 16, keys);
        mask_block(source + i + 32, target + i + 32, keys);
        mask_block(source + i + 48, target + i + 48, keys);
    }
    for (; i + 16 <= count; i += 16) mask_block(source + i, target + i, keys);
#pragma clang loop vectorize(disable) unroll(disable)
    for (; i < count; i++) target[i] = source[i] ^ (uint8_t)(key >> ((i & 3) << 3));
}

#endif
