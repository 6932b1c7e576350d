package needletail.content.events

import java.nio.charset.StandardCharsets.UTF_8

/**
 * A server-sent event (HTML standard, §9.2). IllegalArgumentException for an `id` with a line break or NUL, and a
 * `name` with a line break.
 *
 * @param data any text; each of its lines is a line of the event
 * @param id sent by the client as Last-Event-ID when it reconnects
 * @param name the type of the event; a browser's `message` if empty
 * @param retryMillis after how long the client should connect again
 */
final case class Event(
    data: String,
    id: Option[String] = None,
    name: String = "",
    retryMillis: Option[Long] = None
) {
  if (id.exists(_.exists(c => c == '\n' || c == '\r' || c == 0)))
    throw new IllegalArgumentException("the id of an event has a line break or NUL")
  if (name.exists(c => c == '\n' || c == '\r'))
    throw new IllegalArgumentException("the name of an event has a line break")

  /** As sent. */
  def render: Array[Byte] = {
    val out = new java.lang.StringBuilder(data.length + 32)
    if (name.nonEmpty) out.append("event: ").append(name).append('\n')
    id.foreach(out.append("id: ").append(_).append('\n'))
    retryMillis.foreach(out.append("retry: ").append(_).append('\n'))
    var from = 0
    while (from >= 0) {
      var end = from
      while (end < data.length && data.charAt(end) != '\n' && data.charAt(end) != '\r') end += 1
      out.append("data: ").append(data, from, end).append('\n')
      from =
        if (end == data.length) -1
        else if (data.charAt(end) == '\r' && end + 1 < data.length && data.charAt(end + 1) == '\n') end + 2
        else end + 1
    }
    out.append('\n').toString.getBytes(UTF_8)
  }
}
