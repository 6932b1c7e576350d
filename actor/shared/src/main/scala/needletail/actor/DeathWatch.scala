package needletail.actor

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import needletail.async.Survivable

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

  /** @param failed called with what one of them throws; the others are told all the same */
  def stopped(failed: Throwable => Unit): Unit = {
    val last = watchers.getAndSet(null)
    if (last != null) last.foreach { watch =>
      try watch.tell()
      catch { case Survivable(e) => failed(e) }
    }
  }
}

private[actor] trait Watch {

  /** The actor has stopped; on its loop's thread, or on that of `add` if it had stopped before. */
  def tell(): Unit
}
