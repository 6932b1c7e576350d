/*
 * For functions that wait in the kernel. Between BEGIN_WAITING and END_WAITING the garbage collector does not wait for
 * this thread, and it must not touch Scala's heap, except for bytes whose owner is reachable.
 *
 * Used instead of Scala's @blocking, for two reasons (Scala Native 0.5.10, x86-64). The collector scans a waiting
 * thread's stack but not its registers, so an object that is referenced only by a callee-saved register would be
 * collected. A function marked WAITING first saves all of these on the stack, which is why it must have a frame of its
 * own. And a thread that returns must set its state first and then check for a collection; otherwise a collection that
 * begins in between takes it for waiting still.
 */
#ifndef NEEDLETAIL_WAITING_H
#define NEEDLETAIL_WAITING_H

void scalanative_GC_set_mutator_thread_state(int state); /* 0: runs Scala code, 1: does not */
void scalanative_GC_yield(void);                         /* waits while a collection is under way */

#define WAITING __attribute__((noinline))
#define BEGIN_WAITING() \
    __builtin_unwind_init(); \
    scalanative_GC_set_mutator_thread_state(1)
#define END_WAITING() \
    scalanative_GC_set_mutator_thread_state(0); \
    scalanative_GC_yield()

#endif
