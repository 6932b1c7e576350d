package needletail.io.system.tls

import scala.scalanative.runtime.{fromRawPtr, Intrinsics}
import scala.scalanative.unsafe.*

import java.util.concurrent.locks.ReentrantLock

/**
 * A context of OpenSSL for each loop, made by `make` when the loop first needs it: with one for several, OpenSSL would
 * wait for locks.
 *
 * @param make  gets the model, or null if there is none
 * @param model makes a further context, whose trusted certificates the others share, as reading them takes time; None:
 *              they need no such thing
 */
private[tls] final class OpenSslContexts(
    make: Ptr[Byte] => Ptr[Byte],
    model: Option[() => Ptr[Byte]] = None
) {
  private var made             = new Array[Long](0) // addresses, by the number of the thread; 0: none yet
  private var shared           = 0L                 // the model's address; 0: none yet
  private var isReleased       = false
  private val reading          = new ReentrantLock  // while the model is made
  @volatile private var failed = Option.empty[Long] // when that has failed last

  /** See `TlsClientContext.isPrepared`. */
  def isPrepared: Boolean = model.isEmpty || synchronized(shared != 0)

  /** See `TlsClientContext.prepare`; throws what it has failed with. */
  def prepare(): Boolean = reading.tryLock() && {
    try if (!isPrepared) model.foreach(f => share(f()))
    catch {
      case e: Throwable =>
        failed = Some(System.nanoTime)
        throw e
    } finally reading.unlock()
    true
  }

  def hasFailedSince(nanos: Long): Boolean = failed.exists(_ - nanos > 0)

  /** Takes the model over. */
  private def share(model: Ptr[Byte]): Unit = synchronized {
    if (isReleased) OpenSslFunctions.release(model) else shared = model.toLong
  }

  /** By the model, which may be released meanwhile. */
  private def newContext(): Ptr[Byte] = {
    val model = synchronized(if (shared == 0) null else OpenSslFunctions.keep(pointer(shared)))
    try make(model)
    finally if (model ne null) OpenSslFunctions.release(model)
  }

  /** Runs `f` with the calling thread's. */
  def here[A](f: Ptr[Byte] => A): A = {
    val slot = OpenSslFunctions.slot()
    if (slot < 0) throw OpenSsl.outOfMemory
    var context = known(slot)
    if (context eq null) {
      context = newContext()
      keep(slot, context)
    }
    try f(context)
    finally OpenSslFunctions.release(context)
  }

  /** Makes one for each loop that has one of these others. */
  def makeFor(others: OpenSslContexts): Unit = others.slots.foreach { slot =>
    val context = newContext()
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
    if (shared != 0) OpenSslFunctions.release(pointer(shared))
    shared = 0
  }
}
