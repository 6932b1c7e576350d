package needletail.http.message

/**
 * Rendered bytes of headers or of a response that is sent repeatedly; shared by all loops. For headers: their lines.
 * For a response: its own lines, the empty line, and the content if it is short.
 *
 * @param headLength bytes before the content
 * @param contentLength bytes of content; -1 if the content is not in `bytes`
 */
private[needletail] final class Rendered(val bytes: Array[Byte], val headLength: Int, val contentLength: Int)
