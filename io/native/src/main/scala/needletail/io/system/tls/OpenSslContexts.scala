package needletail.io.system.tls

import scala.scalanative.runtime.{fromRawPtr, Intrinsics}
import scala.scalanative.unsafe.*

/**
 * A context of OpenSSL for each loop, made by `make` when the loop first needs it: with one for several, OpenSSL would
 * wait for locks.
 */
private[tls] final class OpenSslContexts(make: () => Ptr[Byte]) {
  private var made       = new Array[Long](0) // addresses, by the number of the thread; 0: none yet
  private var isReleased = false

  /** Runs `f` with the calling thread's. */
  def here[A](f: Ptr[Byte] => A): A = {
    val slot = OpenSslFunctions.slot()
    if (slot < 0) throw OpenSsl.outOfMemory
    var context = known(slot)
    if (context eq null) {
      context = make()
      keep(slot, context)
    }
    try f(context)
    finally OpenSslFunctions.release(context)
  }

  /** Makes one for each loop that has one of these others. */
  def makeFor(others: OpenSslContexts): Unit = others.slots.foreach { slot =>
    val context = make()
    try keep(slot, context)
    finally OpenSslFunctions.release(context)
  }

  private def slots: Seq[Int] = synchronized(made.indices.filter(made(_) != 0))

  private def known(slot: Int): Ptr[Byte] = synchronized {
    if (slot < made.length && made(slot) != 0) OpenSslFunctions.keep(pointer(made(slot))) else null
  }

  private def keep(slot: Int, context: Ptr[Byte]): Unit = synchronized {
    if (!isReleased) {
      if (slot >= made.length) made = java.util.Arrays.copyOf(made, slot + 1)
      made(slot) = OpenSslFunctions.keep(context).toLong
    }
  }

  private def pointer(address: Long): Ptr[Byte] = fromRawPtr[Byte](Intrinsics.castLongToRawPtr(address))

  /** Frees the contexts, each when its last connection has ended. A context that is needed later is made again. */
  def release(): Unit = synchronized {
    isReleased = true
    clear()
  }

  /** The same, but those that are made again are kept again. */
  def clear(): Unit = synchronized {
    made.foreach(address => if (address != 0) OpenSslFunctions.release(pointer(address)))
    made = new Array[Long](0)
  }
}
