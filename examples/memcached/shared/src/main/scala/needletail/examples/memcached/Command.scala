package needletail.examples.memcached

import java.nio.charset.StandardCharsets.ISO_8859_1

/** A client's commands. Keys are text, each char of which is a byte. */
private[memcached] sealed abstract class Command {

  /** Whether the client expects no answer. */
  def isQuiet: Boolean = false
}

private[memcached] object Command {

  /** get, or gets with `cas`. */
  final case class Get(keys: Vector[String], cas: Boolean) extends Command

  /** set, add, replace, append, prepend, and cas if `unique` is that of an item. */
  final case class Store(
      how: How,
      key: String,
      flags: Long,
      expiry: Long,
      value: Array[Byte],
      unique: Long,
      override val isQuiet: Boolean
  ) extends Command

  /** An item that is larger than items may be. Its bytes follow, as [[Skipped]]. */
  final case class TooLarge(how: How, key: String, override val isQuiet: Boolean) extends Command

  /** Bytes that belong to no command. */
  case object Skipped extends Command {
    override def isQuiet: Boolean = true
  }

  final case class Delete(key: String, override val isQuiet: Boolean) extends Command

  /** incr, and decr if not `up`; `by` is an unsigned number. */
  final case class Add(key: String, by: Long, up: Boolean, override val isQuiet: Boolean) extends Command
  final case class Touch(key: String, expiry: Long, override val isQuiet: Boolean)        extends Command

  /** `delay` in seconds; 0 for at once. */
  final case class FlushAll(delay: Long, override val isQuiet: Boolean) extends Command
  final case class Verbosity(override val isQuiet: Boolean)             extends Command
  case object Version                                                   extends Command
  case object Stats                                                     extends Command
  case object Quit                                                      extends Command

  /** What cannot be done, and the answer. */
  final case class Wrong(answer: String, override val isQuiet: Boolean = false) extends Command

  sealed abstract class How
  case object Set            extends How
  case object AddNew         extends How
  case object Replace        extends How
  case object Append         extends How
  case object Prepend        extends How
  case object CompareAndSwap extends How
}

/** Answers to a client. */
private[memcached] sealed abstract class Reply {
  def bytes: Array[Byte]
}

private[memcached] object Reply {
  final case class Line(text: String) extends Reply {
    def bytes: Array[Byte] = (text + "\r\n").getBytes(ISO_8859_1)
  }

  /** An item, and the key it was found by. */
  final case class Value(key: String, item: Item, cas: Boolean) extends Reply {
    def bytes: Array[Byte] = {
      val unique = if (cas) s" ${java.lang.Long.toUnsignedString(item.unique)}" else ""
      val head   = s"VALUE $key ${item.flags} ${item.value.length}$unique\r\n".getBytes(ISO_8859_1)
      val all    = java.util.Arrays.copyOf(head, head.length + item.value.length + 2)
      System.arraycopy(item.value, 0, all, head.length, item.value.length)
      all(all.length - 2) = '\r'
      all(all.length - 1) = '\n'
      all
    }
  }

  val Stored: Reply     = Line("STORED")
  val NotStored: Reply  = Line("NOT_STORED")
  val Exists: Reply     = Line("EXISTS")
  val NotFound: Reply   = Line("NOT_FOUND")
  val Deleted: Reply    = Line("DELETED")
  val Touched: Reply    = Line("TOUCHED")
  val Ok: Reply         = Line("OK")
  val End: Reply        = Line("END")
  val TooLarge: Reply   = Line("SERVER_ERROR object too large for cache")
  val NotANumber: Reply = Line("CLIENT_ERROR cannot increment or decrement non-numeric value")
  val TooMuch: Reply    = Line("SERVER_ERROR out of memory writing get response")
  val Busy: Reply       = Line("SERVER_ERROR the cache is busy")
}

/**
 * The value of a key. Immutable, like its array.
 *
 * @param flags the client's, 32 bits
 * @param expiresAt in milliseconds since 1970; Long.MaxValue for never
 * @param unique another one for each change
 */
private[memcached] final case class Item(flags: Long, expiresAt: Long, value: Array[Byte], unique: Long)
