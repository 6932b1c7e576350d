package needletail.actor

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

/** Who wants to know that an actor has stopped. Each is told once, also one that comes too late. From any thread. */
private[actor] final class Watches {

  /** `null` once the actor has stopped. */
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

  /** On the thread of the one that stopped. */
  def tell(): Unit
}
