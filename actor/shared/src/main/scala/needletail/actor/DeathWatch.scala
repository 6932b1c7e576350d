package needletail.actor

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

/** The watchers to notify when an actor has stopped. Each is notified once, also if added after that. Thread-safe. */
private[actor] final class DeathWatch {

  /** Null once the actor has stopped. */
  private val watchers = new AtomicReference[Set[Watch]](Set.empty)

  @tailrec def add(watch: Watch): Unit = watchers.get match {
    case null                                            => watch.tell()
    case now if watchers.compareAndSet(now, now + watch) => ()
    case _                                               => add(watch)
  }

  @tailrec def remove(watch: Watch): Unit = watchers.get match {
    case null                                            => ()
    case now if watchers.compareAndSet(now, now - watch) => ()
    case _                                               => remove(watch)
  }

  def stopped(): Unit = {
    val last = watchers.getAndSet(null)
    if (last != null) last.foreach(_.tell())
  }
}

private[actor] trait Watch {

  /** The actor has stopped; on its loop's thread, or on that of `add` if it had stopped before. */
  def tell(): Unit
}
