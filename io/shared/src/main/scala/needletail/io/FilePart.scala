package needletail.io

import needletail.async.Async
import needletail.io.platform.DiskFile

/**
 * A part of an open file that a [[Connection]] sends without reading it. It is in the system's memory already, so that
 * sending it need not wait for a disk. Used on one loop.
 *
 * @param position of the first byte that has not been sent
 * @param until    where it ends
 * @param freshUntil until when it is taken to be in memory, in nanoseconds of the loop's clock
 */
private[needletail] final class FilePart(
    private[io] val file: DiskFile,
    private var at: Long,
    val until: Long,
    val freshUntil: Long
) {
  private var cut     = false
  private var refused = false

  def position: Long = at

  /** Bytes that have not been sent. */
  def left: Long = until - at

  /** Whether the file turned out to end before `until`. */
  def isCut: Boolean = cut

  /** Whether the system could not send it. Whether that is the file's fault or the peer's shows when it is read. */
  def isRefused: Boolean = refused

  private[io] def sent(n: Int): Unit = if (n < 0) cut = true else at += n

  private[io] def refuse(): Unit = refused = true
}

/** Content that consists of one part of a file, in pieces that are sent one after the other. */
private[needletail] trait FileOutput {

  /** Whether it can be sent in parts now. If not, it has to be read. */
  def isSendable: Boolean

  /**
   * The next part; the part before it must have been sent, or is not fresh any more and sending stopped. Completes
   * when it is in memory. A failure ends the content.
   */
  def nextPart(): Async[FilePart]

  /** The system cannot send it: it is read from now on, from that position of the file, and not sendable any more. */
  def readFrom(position: Long): Unit
}
