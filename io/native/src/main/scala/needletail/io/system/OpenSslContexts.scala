package needletail.io.system

import scala.scalanative.unsafe.*

import java.io.IOException

/**
 * A context of OpenSSL for each loop, made by `make` when the loop first needs it: with one for several, OpenSSL would
 * wait for locks. As `make` is called again and again, it must not depend on what may change.
 */
private[io] final class OpenSslContexts(make: () => Ptr[Byte]) {
  @volatile private var made = new Array[Long](0) // addresses, by the number of the thread; 0: none yet

  /** The calling thread's. */
  def here(): Ptr[Byte] = {
    OpenSsl.load()
    val slot  = OpenSslFunctions.slot()
    val known = made
    if (slot >= 0 && slot < known.length && known(slot) != 0) pointer(known(slot))
    else if (slot < 0) throw new IOException("no memory for TLS")
    else add(slot)
  }

  private def add(slot: Int): Ptr[Byte] = {
    val context = make()
    synchronized {
      val more = java.util.Arrays.copyOf(made, math.max(made.length, slot + 1))
      more(slot) = context.toLong
      made = more
    }
    context
  }

  private def pointer(address: Long): Ptr[Byte] = scala.scalanative.runtime.fromRawPtr[Byte](
    scala.scalanative.runtime.Intrinsics.castLongToRawPtr(address)
  )

  /** Connections go on; no further one may be made. */
  def release(): Unit = synchronized {
    made.foreach(address => if (address != 0) OpenSslFunctions.release(pointer(address)))
    made = new Array[Long](0)
  }
}
