package needletail.simulation.world

/**
 * What happened in a simulation, in order. A digest, by which two runs of a seed are compared, is always kept; the
 * text only if requested.
 */
final class Trace(kept: Boolean) {
  private val lines = new StringBuilder
  private var hash  = 0xcbf29ce484222325L
  private var count = 0L

  /** Whether bytes on the network differ from run to run, as they are encrypted: only their number counts then. */
  var countsBytes = false

  def say(world: World, what: => String): Unit = {
    count += 1
    mix(world.now)
    if (kept) {
      val micros = (world.now - Trace.Zero) / 1000
      lines.append(f"${micros / 1000}%7d.${micros % 1000}%03d ms  ").append(what).append('\n')
      ()
    }
  }

  /** Bytes sent over the network: a part of the digest. */
  def bytes(array: Array[Byte], from: Int, count: Int): Unit = {
    var i = if (countsBytes) from + count else from
    if (countsBytes) mix(count.toLong)
    while (i < from + count) {
      hash = (hash ^ (array(i) & 0xff)) * 0x100000001b3L
      i += 1
    }
  }

  private def mix(value: Long): Unit = hash = (hash ^ value) * 0x100000001b3L

  def digest: String = f"$hash%016x-$count"
  def text: String   = lines.toString
}

private object Trace {
  private final val Zero = 1000L * 1000 * 1000 * 1000
}
