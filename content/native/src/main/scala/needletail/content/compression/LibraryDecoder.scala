package needletail.content.compression

import scala.scalanative.unsafe._

import needletail.http.Status
import needletail.http.message.HttpError

/** Brotli (RFC 7932) and Zstandard (RFC 8878), by the system's libraries. */
private[compression] final class LibraryDecoder(kind: Int) extends PiecewiseDecoder {
  import LibraryDecoder._
  private val decoder = DecodingFunctions.open(kind, Decoder.Window)
  if (decoder == null) throw HttpError(Status.ServiceUnavailable, "there is no memory to decode the body")

  def decode(out: Array[Byte]): Int = {
    val used  = stackalloc[CInt]()
    val place = if (from < until) input.at(from) else nothing.at(0)
    !used = 0
    val count = DecodingFunctions.decode(decoder, place, until - from, used, out.at(0), out.length)
    if (count < 0) throw Decoder.malformed
    from += !used
    count
  }

  def mayEnd: Boolean = DecodingFunctions.mayEnd(decoder) != 0

  def close(): Unit = DecodingFunctions.close(decoder)
}

private[compression] object LibraryDecoder {
  private val nothing = new Array[Byte](1)
}
