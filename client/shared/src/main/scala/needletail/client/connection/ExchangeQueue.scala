package needletail.client.connection

/** A queue of exchanges, linked through their own fields: any of them can be removed at constant cost. */
private[client] final class ExchangeQueue {
  var first: ClientExchange        = null
  private var last: ClientExchange = null
  var size: Int                    = 0

  def isEmpty: Boolean = first == null

  def append(x: ClientExchange): Unit = {
    x.line = this
    x.prev = last
    x.next = null
    if (last == null) first = x else last.next = x
    last = x
    size += 1
  }

  def takeFirst(): ClientExchange = {
    val x = first
    if (x != null) remove(x)
    x
  }

  def remove(x: ClientExchange): Unit = {
    if (x.prev == null) first = x.next else x.prev.next = x.next
    if (x.next == null) last = x.prev else x.next.prev = x.prev
    x.line = null
    x.prev = null
    x.next = null
    size -= 1
  }

  /** Replaces `x`, which is in this queue, by another exchange. */
  def replace(x: ClientExchange, by: ClientExchange): Unit = {
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
