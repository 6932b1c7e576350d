/*
 * For functions that wait in the kernel. Between BEGIN_WAITING and END_WAITING the collector does not wait for this
 * thread, and nothing of Scala's heap may be touched but octets whose owner is reachable.
 *
 * They stand where Scala's @blocking would, for two reasons (Scala Native 0.5.10, x86-64). The collector scans a
 * waiting thread's stack but not its registers, so what Scala code holds in a register that calls preserve would be
 * collected under it: a function marked WAITING first has all of these put on the stack, which is why it must keep a
 * frame of its own. And a thread that comes back must say so first and ask after a collection then, not before, or
 * one that begins in between takes it for waiting still.
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
