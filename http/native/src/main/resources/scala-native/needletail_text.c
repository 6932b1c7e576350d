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

/*
 * Copies bytes, each XORed with one of the key's four in turn, the lowest first. The memory may be the same, from the same
 * byte on, so the loop depends on no other step of its own.
 */
void needletail_text_mask(const uint8_t *source, uint8_t *target, int count, uint32_t key) {
    uint64_t twice = (uint64_t)key << 32 | key;
    int words = count & ~7;
#pragma clang loop vectorize(assume_safety)
    for (int i = 0; i < words; i += 8) {
        uint64_t word;
        memcpy(&word, source + i, 8);
        word ^= twice;
        memcpy(target + i, &word, 8);
    }
    for (int i = words; i < count; i++) target[i] = source[i] ^ (uint8_t)(key >> ((i & 3) << 3));
}

#endif
