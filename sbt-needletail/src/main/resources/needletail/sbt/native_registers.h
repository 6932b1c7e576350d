/*
 * Included in front of every C source of a native program (NeedletailNativePlugin). Scala Native 0.5.10 means to keep the registers
 * of a thread that waits, or that starts a collection, for the collector to scan; on x86-64 it hands the place for
 * them over by value, so that nothing is kept, and an object that only such a register refers to is collected while it
 * is in use. This stands in for the runtime's RegistersCapture.h, with its guard, type and macro.
 */
#define NEEDLETAIL_REGISTERS /* for needletail_notice.c */

#if defined(__x86_64__) && !defined(_WIN32) && !defined(__ASSEMBLER__)
#define REGISTERS_CAPTURE_H

typedef struct RegistersBuffer {
    void *preserved[6]; /* what a call preserves; anything else is on the stack by then */
} RegistersBuffer;

#define RegistersCapture(buffer) \
    __asm__ volatile("movq %%rbx, 0(%0)\n\t" \
                     "movq %%rbp, 8(%0)\n\t" \
                     "movq %%r12, 16(%0)\n\t" \
                     "movq %%r13, 24(%0)\n\t" \
                     "movq %%r14, 32(%0)\n\t" \
                     "movq %%r15, 40(%0)\n\t" \
                     : \
                     : "r"((buffer).preserved) \
                     : "memory")
#endif
