/*
 * Octets to characters of 16 bits and back. Plain loops, which the C compiler turns into a few instructions for sixteen
 * characters; those of Scala Native ask in each step whether the collector waits, and so stay as they are.
 * The caller sees to the bounds; none of them waits or allocates.
 */
#if defined(__SCALANATIVE_NEEDLETAIL_TEXT)

#include <stdint.h>

/* Each octet becomes the character of its number. */
void needletail_text_widen(const uint8_t *octets, uint16_t *characters, int count) {
    for (int i = 0; i < count; i++) characters[i] = octets[i];
}

/* The low octet of each character; answers all bits that any character has. */
int needletail_text_narrow(const uint16_t *characters, uint8_t *octets, int count) {
    uint16_t bits = 0;
    for (int i = 0; i < count; i++) {
        bits |= characters[i];
        octets[i] = (uint8_t)characters[i];
    }
    return bits;
}

/* All bits that any octet has. */
int needletail_text_bits(const uint8_t *octets, int count) {
    uint8_t bits = 0;
    for (int i = 0; i < count; i++) bits |= octets[i];
    return bits;
}

#endif
