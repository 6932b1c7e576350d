/*
 * Converts bytes to 16-bit characters and back. Plain loops, which the C compiler vectorises to a few instructions for
 * sixteen characters; loops of Scala Native check in each step whether a garbage collection is pending, so they are
 * not vectorised. The caller ensures the bounds; none of these functions waits or allocates.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TEXT)

#include <stdint.h>

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

#endif
