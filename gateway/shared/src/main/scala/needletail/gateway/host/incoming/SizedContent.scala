package needletail.gateway.host.incoming

import needletail.http.ByteStream

/**
 * A request's content, with known length.
 *
 * @param stream null if there is none
 * @param close releases the temporary file, if there is one; may be called more than once
 */
private[host] final class SizedContent(val length: Long, val stream: ByteStream, val close: () => Unit)

private[host] object SizedContent {
  val none: SizedContent = new SizedContent(0, null, () => ())
}
