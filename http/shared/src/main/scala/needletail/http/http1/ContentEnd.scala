package needletail.http.http1

/**
 * Finds where the rest of chunked content ends, in bytes that have arrived and are decoded later. It keeps none of them.
 *
 * @param decoder has decoded what is before these bytes
 * @param room bytes of data that the rest may have
 */
private[needletail] final class ContentEnd private[http1] (decoder: ChunkedDecoder, room: Long) {
  private val ahead       = decoder.lookAhead()
  private var seen        = 0     // so many bytes need not be looked at again
  private var data        = 0L    // bytes of data among them
  private var isMalformed = false // so that it has no end

  /** How many bytes there are up to the end, trailers included; -1 if it is not among them. */
  var distance: Int = -1

  /** Whether it has more data than it may have. It ends all the same, as it may be left unread. */
  var isTooLarge: Boolean = false

  /**
   * These are all the bytes that have arrived: those of the last call, and what came since. Each is looked at once,
   * except those of trailers.
   */
  def look(bytes: Array[Byte], from: Int, until: Int): Unit = if (distance < 0 && !isMalformed) {
    var p = from + seen
    while (p < until && !ahead.isAtTrailers && !isMalformed) {
      p = ahead.decode(bytes, p, until)
      data += ahead.dataUntil - ahead.dataFrom
      isMalformed = ahead.state == ChunkedDecoder.Bad
      if (ahead.chunkLeft > room - data) isTooLarge = true
    }
    seen = p - from
    if (ahead.isAtTrailers && p < until && !isMalformed) {
      val end = decoder.endOfTrailers(bytes, p, until)
      if (end >= 0) distance = end - from
    }
  }
}
