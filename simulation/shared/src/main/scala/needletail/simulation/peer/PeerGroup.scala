package needletail.simulation.peer

import scala.reflect.ClassTag

import needletail.simulation.world.World

/** A client of a server, or a web server before it, that writes and reads its bytes itself. */
trait Peer {

  /** Whether it has nothing more to do. */
  def isOver: Boolean

  /** Checks, when no more faults are injected, what it has got. */
  def check(): Unit
}

/** Peers that each begin at a time that the seed decides. */
final class PeerGroup[A <: Peer: ClassTag](world: World, count: Int)(make: Int => A) {
  private val all = new Array[A](count) // null before their times

  for (n <- 1 to count)
    world.after(world.random.longBetween(0, world.random.pick(PeerGroup.Spreads))) { all(n - 1) = make(n) }

  def areOver: Boolean = all.forall(peer => peer != null && peer.isOver)
  def check(): Unit    = all.foreach(peer => if (peer != null) peer.check())

  /** The first one; null before its time. */
  def first: A = all(0)
}

private object PeerGroup {
  val Spreads: Seq[Long] = Seq(1L, 10000000L, 3000000000L)
}
