/*
 * Included in front of every C source of a native program (NeedletailNativePlugin), and linked with --wrap. Scala Native's runtime
 * keeps a page that must not be touched about a megabyte below the place where a thread's stack begins, to notice
 * recursion that does not end. To get there it reads and then writes each page of that megabyte: nearly half of all
 * page faults of a program's start, and a megabyte that stays resident for every thread. Here the bounds are moved as
 * it does it, and one page is touched. No header of C's is included: the sources behind choose what those declare.
 */
#if defined(__linux__) && !defined(__cplusplus) && !defined(__ASSEMBLER__)

/* The first members of what Scala Native 0.5 calls ThreadInfo (nativeThreadTLS.h). */
struct needletail_stack {
    __SIZE_TYPE__ size; /* what the runtime takes to be there, in bytes */
    __SIZE_TYPE__ max;
    char *top; /* the lowest address of `size` */
    char *bottom;
};

extern struct needletail_stack *needletail_current_stack(void) __asm__("scalanative_currentThreadInfo");
extern __SIZE_TYPE__ needletail_stack_guard(void) __asm__("scalanative_StackOverflowGuards_size");
extern void __real_scalanative_StackOverflowGuards_setup(_Bool main_thread);

/*
 * The first thread's stack is mapped as far as it has been used, and a page can only be protected where it is mapped.
 * The stack pointer goes along, since kernels before 4.20 map nothing far below it.
 */
__attribute__((weak, noinline)) void needletail_map_stack(char *lowest) {
    volatile char *area = __builtin_alloca((__SIZE_TYPE__)((char *)__builtin_frame_address(0) - lowest));
    area[0] = 0;
}

__attribute__((weak)) void __wrap_scalanative_StackOverflowGuards_setup(_Bool main_thread) {
    const __SIZE_TYPE__ step = 1024 * 1024; /* the runtime's own: it goes on in such steps when the page is reached */
    struct needletail_stack *stack = needletail_current_stack();
    __SIZE_TYPE__ guard = needletail_stack_guard();
    if (stack->size <= guard && stack->max > guard) {
        stack->size = stack->max - stack->size > step ? stack->size + step : stack->max;
        stack->top = stack->bottom - stack->size;
        if (main_thread) needletail_map_stack(stack->top);
    }
    __real_scalanative_StackOverflowGuards_setup(main_thread);
}
#endif
