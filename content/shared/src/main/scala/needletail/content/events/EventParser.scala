package needletail.content.events

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

/**
 * Finds events in bytes, wherever these are split (HTML standard, §9.2.6).
 *
 * @param longest bytes of a line, and characters of an event's data, at most; more is a `failure`
 * @param known the last id of the connection before
 */
private[events] final class EventParser(longest: Int, known: Option[String] = None) {
  private val line    = new java.io.ByteArrayOutputStream
  private val data    = new java.lang.StringBuilder
  private var hasData = false
  private var name    = ""
  private var first   = true // for the byte order mark
  private var wasCr   = false

  /** The last id, which also applies to later events; the id of an incomplete event does not count. */
  def lastId: Option[String]     = dispatchedId
  private var dispatchedId       = known
  private var id: Option[String] = known // of the event that is being read

  /** The last retry in milliseconds. */
  var retryMillis: Option[Long] = None

  /** Why nothing more is read: something was longer than `longest`. Null if nothing was. */
  var failure: IOException = null

  /** The events that `bytes` complete: up to a `failure`, if there is one. */
  def feed(bytes: Array[Byte]): List[Event] = {
    val events = List.newBuilder[Event]
    var i      = 0
    while (i < bytes.length && failure == null) {
      val b = bytes(i)
      if (b == '\n' && wasCr) wasCr = false
      else if (b == '\n' || b == '\r') {
        wasCr = b == '\r'
        val event = lineEnded(new String(line.toByteArray, UTF_8))
        line.reset()
        if (event != null) events += event
      } else {
        wasCr = false
        if (line.size < longest) line.write(b.toInt)
        else failure = new IOException(s"an event has a line of more than $longest bytes")
      }
      i += 1
    }
    events.result()
  }

  private def lineEnded(raw: String): Event = {
    val text = if (first && raw.startsWith("\ufeff")) raw.substring(1) else raw
    first = false
    if (text.isEmpty) dispatch()
    else {
      val colon = text.indexOf(':')
      val field = if (colon < 0) text else text.substring(0, colon)
      val rest  = if (colon < 0) "" else text.substring(colon + 1)
      val value = if (rest.startsWith(" ")) rest.substring(1) else rest
      field match {
        case "data" =>
          if (data.length + value.length > longest)
            failure = new IOException(s"an event has more than $longest characters")
          else {
            if (hasData) data.append('\n')
            data.append(value)
            hasData = true
          }
        case "event"                      => name = value
        case "id" if value.indexOf(0) < 0 => id = Some(value)
        case "retry" if value.nonEmpty && value.length < 10 && value.forall(c => c >= '0' && c <= '9') =>
          retryMillis = Some(value.toLong)
        case _ => ()
      }
      null
    }
  }

  private def dispatch(): Event = {
    dispatchedId = id // also without data
    val event = if (hasData) Event(data.toString, id, name) else null
    data.setLength(0)
    hasData = false
    name = ""
    event
  }
}
