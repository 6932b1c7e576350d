package needletail.actor

import needletail.async.{Loop, Timer}

/**
 * What an actor's current incarnation has created: timers, watches and children. See [[Context]] for their contracts.
 * Used on the actor's loop.
 */
private[actor] final class ActorResources[M](loop: Loop, inbox: Inbox[M]) {
  private var incarnation = 0
  private var ticks       = Set.empty[Tick]            // those whose timers run
  private var watching    = Set.empty[Notice]
  private var children    = Set.empty[ActorRef[_]]     // those that have stopped are removed later
  private var most        = ActorResources.FewChildren // as many are looked at before the next one

  def schedule(nanos: Long, message: M, repeats: Boolean): Scheduled = {
    val tick = new Tick(nanos, message, repeats)
    if (!inbox.isClosed) {
      ticks += tick
      tick.arm()
    }
    tick
  }

  def watch(watched: DeathWatch, message: M): Scheduled = {
    val notice = new Notice(watched, message)
    if (!inbox.isClosed) {
      watching += notice
      watched.add(notice)
    }
    notice
  }

  /** A child has been spawned; it is stopped with this incarnation. */
  def adopt(child: ActorRef[_]): Unit =
    if (inbox.isClosed) child.stop()
    else {
      if (children.size >= most) {
        // not each time, as a parent may have many that live long
        children = children.filterNot(_.isStopped)
        most = math.max(ActorResources.FewChildren, 2 * children.size)
      }
      children += child
    }

  /** The incarnation is over: cancels its timers and watches, and stops its children. */
  def end(): Unit = {
    incarnation += 1
    ticks.foreach(_.cancel())
    watching.foreach(_.cancel())
    children.foreach(_.stop())
    children = Set.empty
    most = ActorResources.FewChildren
  }

  /** A timer, and the message to enqueue when it is due. */
  private final class Tick(nanos: Long, val message: M, repeats: Boolean)
      extends Delivery[M]
      with Mailbox.Entry
      with Runnable {
    private val of           = incarnation
    private var cancelled    = false
    private var timer: Timer = null

    /** Whether it is in the mailbox. Other threads clear this when they drop it from there. */
    @volatile private var waits = false

    def take(): Boolean = {
      waits = false
      !cancelled && of == incarnation
    }

    def dropped(): Unit = waits = false

    def arm(): Unit = timer = loop.schedule(nanos, this)

    def run(): Unit = {
      if (!waits) {
        waits = true
        if (!inbox.put(this)) waits = false
      }
      if (repeats) arm() else ticks -= this
    }

    def cancel(): Unit = {
      cancelled = true
      if (timer != null) timer.cancel()
      ticks -= this
    }
  }

  /** A watch on another actor, and the message to receive when that has stopped. */
  private final class Notice(watched: DeathWatch, val message: M) extends Delivery[M] with Watch {
    def tell(): Unit = inbox.putNotice(this)

    def take(): Boolean = watching.contains(this) && {
      watching -= this
      true
    }

    def cancel(): Unit = {
      watching -= this
      watched.remove(this)
    }
  }
}

private object ActorResources {
  private final val FewChildren = 16
}
