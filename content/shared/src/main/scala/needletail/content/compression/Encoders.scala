package needletail.content.compression

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

/** What contents can be compressed with, by the names of their codings. */
private[compression] object Encoders {
  val all: List[String] = List("gzip", "deflate", "br", "zstd")

  // in the whole program
  private val streams = new AtomicInteger
  private val skipped = new AtomicLong

  /** Why a coding of `all` cannot be used; null if it can. Loads the library that it needs. */
  def problem(coding: String): String =
    if (coding == "br" || coding == "zstd") CodingLibrary.problem(coding) else null

  /** @param size of the content in bytes; -1 if it is not known */
  def of(coding: String, level: Int, size: Int): Encoder =
    if (coding == "br" || coding == "zstd") CodingLibrary.encoder(coding, level, size)
    else new DeflateEncoder(coding == "gzip", level)

  /** One for a stream; one that needs no memory, and does not compress, if `most` streams are being compressed. */
  def ofStream(coding: String, level: Int, most: Int): Encoder =
    if (streams.incrementAndGet() > most) {
      streams.decrementAndGet()
      skipped.incrementAndGet()
      new StoringEncoder(StoredFormat.of(coding))
    } else
      try new Counted(of(coding, level, -1))
      catch {
        case e: Throwable =>
          streams.decrementAndGet()
          throw e
      }

  /** Streams that are being compressed. */
  def inStreams: Int = streams.get

  /** Whether one more may be compressed, of `most`. If not, that is counted. */
  def hasRoom(most: Int): Boolean = streams.get < most || {
    skipped.incrementAndGet()
    false
  }

  /** How many streams were not compressed, as too many others were. */
  def passedOver: Long = skipped.get

  private final class Counted(encoder: Encoder) extends Encoder {
    def take(bytes: Array[Byte], from: Int, length: Int): Unit            = encoder.take(bytes, from, length)
    def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int =
      encoder.encode(out, at, room, flush)
    def finish(): Unit      = encoder.finish()
    def isFinished: Boolean = encoder.isFinished

    def close(): Unit = {
      streams.decrementAndGet()
      encoder.close()
    }
  }
}
