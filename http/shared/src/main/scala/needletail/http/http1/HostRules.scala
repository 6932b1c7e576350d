package needletail.http.http1

import needletail.http.http1.fields.Fields
import needletail.http.message.{HttpError, Status}
import needletail.http.text.{Authority, Words}

/**
 * The rules for Host (RFC 9112 §3.2): exactly one field line in HTTP/1.1, at most one in 1.0, empty or well formed.
 *
 * The last valid value is cached, as it is nearly always repeated; identical bytes are not parsed again.
 */
private[needletail] final class HostRules {
  private val known       = new Array[Byte](64)
  private var knownLength = 0

  /**
   * Sets the authority of `head` unless an absolute target has one. Returns the error, or null. With `again` a Host
   * field is known to be well formed.
   */
  @inline def decide(head: Head, again: Boolean): HttpError =
    if ((head.seen & Fields.Host) == 0)
      if (head.minor == 0) null else bad("an HTTP/1.1 request must have a Host header")
    else if ((head.repeated & Fields.Host) != 0) bad("a request must not have two Host headers")
    else {
      val field = head.first(Fields.Host)
      val from  = head.valueStart(field)
      val until = head.valueEnd(field)
      if (from < until && !again && !isInOrder(head.bytes, from, until))
        return bad("the Host header must name a host and optionally a port")
      if (head.authorityFrom < 0) {
        head.authorityFrom = from - head.base
        head.authorityUntil = until - head.base
      }
      null
    }

  @noinline private def isInOrder(bytes: Array[Byte], from: Int, until: Int): Boolean =
    isKnown(bytes, from, until - from) || (Authority.isValid(bytes, from, until) && {
      remember(bytes, from, until - from)
      true
    })

  private def remember(bytes: Array[Byte], from: Int, length: Int): Unit =
    if (length <= known.length) {
      System.arraycopy(bytes, from, known, 0, length)
      knownLength = length
    }

  /** Whether these bytes equal the cached ones. Compares eight bytes at a time; the last eight may overlap. */
  private def isKnown(bytes: Array[Byte], from: Int, length: Int): Boolean =
    length == knownLength && {
      if (length < 8) {
        var i = 0
        while (i < length && bytes(from + i) == known(i)) i += 1
        i == length
      } else {
        val last = length - 8
        var i    = 0
        while (i < last && Words.load(bytes, from + i) == Words.load(known, i)) i += 8
        i >= last && Words.load(bytes, from + last) == Words.load(known, last)
      }
    }

  @noinline private def bad(message: String) = HttpError(Status.BadRequest, message)
}
