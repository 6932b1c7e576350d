package needletail.content.compression

import java.util.concurrent.atomic.AtomicInteger

import needletail.http.Status
import needletail.http.message.{Headers, HttpError}

/** What contents can be decompressed with, by the names of their codings. */
private[compression] object Decoders {

  // by libraries, in the whole program
  private val streams = new AtomicInteger

  /** The codings that can be decoded here. Looks for the libraries with the first call. */
  lazy val usable: List[String] = List("gzip", "deflate", "br", "zstd").filter(problem(_) == null)

  /** Why a coding cannot be used; null if it can. Loads the library that it needs. */
  def problem(coding: String): String = coding match {
    case "gzip" | "x-gzip" | "deflate" => null
    case "br" | "zstd"                 => CodingLibrary.decoderProblem(coding)
    case _                             => s"unknown coding $coding"
  }

  def isUsable(coding: String): Boolean =
    coding == "gzip" || coding == "x-gzip" || coding == "deflate" || usable.contains(coding)

  /** Throws HttpError 503 if `most` decoders of libraries are in use. */
  def of(coding: String, most: Int): Decoder =
    if (coding != "br" && coding != "zstd") new InflatingDecoder(coding != "deflate")
    else if (streams.incrementAndGet() > most) {
      streams.decrementAndGet()
      throw tooMany
    } else
      try new Counted(CodingLibrary.decoder(coding))
      catch {
        case e: Throwable =>
          streams.decrementAndGet()
          throw e
      }

  /** Contents that are being decoded by libraries. */
  def inStreams: Int = streams.get

  private val tooMany = HttpError(
    Status.ServiceUnavailable,
    "too many compressed bodies are being decoded",
    Headers("Retry-After" -> "1")
  )

  private final class Counted(decoder: Decoder) extends Decoder {
    def take(bytes: Array[Byte], from: Int, length: Int): Unit = decoder.take(bytes, from, length)
    def decode(out: Array[Byte]): Int                          = decoder.decode(out)
    def mayEnd: Boolean                                        = decoder.mayEnd

    def close(): Unit = {
      streams.decrementAndGet()
      decoder.close()
    }
  }
}
