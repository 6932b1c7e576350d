package needletail.examples.memcached

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.LinkedHashMap

import needletail.examples.memcached.Command._

/**
 * The items of one shard, at most `maxBytes` of them: beyond, those that were not used for longest are evicted. Those
 * that have expired use memory until they are requested or evicted.
 *
 * @param maxItem bytes of a value
 * @param now milliseconds since 1970
 */
private[memcached] final class Items(maxBytes: Long, maxItem: Int, now: () => Long) {
  import Items._

  private val items     = new LinkedHashMap[String, Item](16, 0.75f, true) // in the order of use
  private var held      = 0L
  private var evictions = 0L
  private var uniques   = 0L

  /** Their total size, by `sizeOf`. */
  def bytes: Long   = held
  def count: Int    = items.size
  def evicted: Long = evictions

  def get(key: String): Option[Item] = {
    val item = items.get(key)
    if (item == null) None
    else if (item.expiresAt <= now()) {
      remove(key)
      None
    } else Some(item)
  }

  /** set, add, replace, append, prepend, cas. */
  def store(command: Store): Reply = {
    val present = get(command.key)
    val isThere = present.isDefined
    command.how match {
      case Set                => put(command)
      case AddNew if !isThere => put(command)
      case Replace if isThere => put(command)
      case Append if isThere  => join(command.key, present.get, present.get.value, command.value)
      case Prepend if isThere => join(command.key, present.get, command.value, present.get.value)
      case AddNew | Replace | Append | Prepend                    => Reply.NotStored
      case CompareAndSwap if !isThere                             => Reply.NotFound
      case CompareAndSwap if present.get.unique == command.unique => put(command)
      case CompareAndSwap                                         => Reply.Exists
    }
  }

  private def put(command: Store): Reply =
    keep(command.key, Item(command.flags, expiry(command.expiry), command.value, nextUnique()))

  private def join(key: String, item: Item, first: Array[Byte], second: Array[Byte]): Reply =
    if (first.length.toLong + second.length > maxItem) Reply.TooLarge
    else keep(key, item.copy(value = first ++ second, unique = nextUnique()))

  /** Whether there was one. */
  def delete(key: String): Boolean = get(key).isDefined && {
    remove(key)
    true
  }

  /** incr, decr: unsigned numbers of 64 bits; adding wraps around, subtracting stops at 0. */
  def add(command: Add): Reply = get(command.key) match {
    case None       => Reply.NotFound
    case Some(item) =>
      number(item.value) match {
        case None    => Reply.NotANumber
        case Some(n) =>
          val result =
            if (command.up) n + command.by
            else if (java.lang.Long.compareUnsigned(n, command.by) < 0) 0L
            else n - command.by
          val text = java.lang.Long.toUnsignedString(result)
          // a value never becomes shorter by this, as with memcached
          val kept = text.padTo(item.value.length, ' ')
          keep(command.key, item.copy(value = kept.getBytes(ISO_8859_1), unique = nextUnique()))
          Reply.Line(text)
      }
  }

  def touch(command: Touch): Reply = get(command.key) match {
    case None       => Reply.NotFound
    case Some(item) =>
      items.put(command.key, item.copy(expiresAt = expiry(command.expiry)))
      Reply.Touched
  }

  def clear(): Unit = {
    items.clear()
    held = 0
  }

  private def keep(key: String, item: Item): Reply = {
    remove(key)
    items.put(key, item)
    held += sizeOf(key, item)
    while (held > maxBytes) {
      remove(items.keySet.iterator.next())
      evictions += 1
    }
    Reply.Stored
  }

  private def remove(key: String): Unit = {
    val item = items.remove(key)
    if (item != null) held -= sizeOf(key, item)
  }

  private def nextUnique(): Long = {
    uniques += 1
    uniques
  }

  /** When an item expires whose client says so: 0 for never, seconds up to a month, or seconds since 1970. */
  private def expiry(seconds: Long): Long =
    if (seconds == 0) Long.MaxValue
    else if (seconds < 0) 0
    else if (seconds <= Month) now() + seconds * 1000
    else if (seconds > Long.MaxValue / 1000) Long.MaxValue
    else seconds * 1000
}

private[memcached] object Items {
  private final val Month = 30L * 24 * 60 * 60

  /** The approximate overhead of an item: objects and its place in the table. */
  private final val Overhead = 160L

  def sizeOf(key: String, item: Item): Long = key.length + item.value.length + Overhead

  private def number(value: Array[Byte]): Option[Long] =
    if (value.length > 20) None
    else {
      val text = new String(value, ISO_8859_1)
      val end  = text.reverseIterator.dropWhile(_ == ' ').size
      if (end == 0 || !text.take(end).forall(c => c >= '0' && c <= '9')) None
      else
        try Some(java.lang.Long.parseUnsignedLong(text.take(end)))
        catch { case _: NumberFormatException => None }
    }
}
