package needletail.client

/** Exchanges in order, linked through themselves, so that one can leave from the middle. */
private[client] final class Line {
  var first: Exchange        = null
  private var last: Exchange = null
  var size: Int              = 0

  def isEmpty: Boolean = first == null

  def append(x: Exchange): Unit = {
    x.line = this
    x.prev = last
    x.next = null
    if (last == null) first = x else last.next = x
    last = x
    size += 1
  }

  def takeFirst(): Exchange = {
    val x = first
    if (x != null) remove(x)
    x
  }

  def remove(x: Exchange): Unit = {
    if (x.prev == null) first = x.next else x.prev.next = x.next
    if (x.next == null) last = x.prev else x.next.prev = x.prev
    x.line = null
    x.prev = null
    x.next = null
    size -= 1
  }

  /** Puts another one in the place of one that is in this line. */
  def replace(x: Exchange, by: Exchange): Unit = {
    by.line = this
    by.prev = x.prev
    by.next = x.next
    if (x.prev == null) first = by else x.prev.next = by
    if (x.next == null) last = by else x.next.prev = by
    x.line = null
    x.prev = null
    x.next = null
  }
}
