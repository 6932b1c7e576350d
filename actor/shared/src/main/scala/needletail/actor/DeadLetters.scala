package needletail.actor

import java.util.concurrent.atomic.LongAdder

/** Messages that were never received, of all actors of this process. */
private[actor] object DeadLetters {
  val total = new LongAdder
}
