package needletail.examples.memcached

import needletail.examples.memcached.Command._

/** A parsed line: a command, or the beginning of one whose item follows. */
private[memcached] sealed abstract class Parsed
private[memcached] final case class Whole(command: Command) extends Parsed

/** A command that is refused, whose item of `length` bytes follows all the same: it must not be taken for commands. */
private[memcached] final case class RefusedStore(command: Wrong, length: Int) extends Parsed

/** The line of a command that stores an item of `length` bytes. */
private[memcached] final case class StoreHeader(
    how: How,
    key: String,
    flags: Long,
    expiry: Long,
    length: Int,
    unique: Long,
    isQuiet: Boolean
) extends Parsed {
  def complete(value: Array[Byte]): Command = Store(how, key, flags, expiry, value, unique, isQuiet)
}

/** Parses the line of a command, without its end. */
private[memcached] object CommandLine {
  private final val Unknown     = Whole(Wrong("ERROR"))
  private final val BadFormat   = Wrong("CLIENT_ERROR bad command line format")
  private final val Malformed   = Whole(BadFormat)
  private final val NoSuchStats = // memcdump shows this text, and none for ERROR
    Whole(Wrong("CLIENT_ERROR there are no statistics but those of stats alone, and items are not listed"))
  private final val BadDelta  = Whole(Wrong("CLIENT_ERROR invalid numeric delta argument"))
  private final val BadExpiry = Whole(Wrong("CLIENT_ERROR invalid exptime argument"))

  private val storing: Map[String, How] = Map(
    "set"     -> Set,
    "add"     -> AddNew,
    "replace" -> Replace,
    "append"  -> Append,
    "prepend" -> Prepend,
    "cas"     -> CompareAndSwap
  )

  /** Commands that may be sent with noreply. */
  private val quiet = storing.keySet ++ Seq("delete", "incr", "decr", "touch", "flush_all", "verbosity")

  def parse(line: String): Parsed = {
    val words = line.split(' ').toVector.filter(_.nonEmpty)
    if (words.isEmpty) Unknown
    else {
      val isQuiet   = words.length > 1 && words.last == "noreply"
      val arguments = if (isQuiet) words.slice(1, words.length - 1) else words.tail
      parse(words, arguments, isQuiet) match {
        // the client does not read an answer, not even an error
        case Whole(wrong: Wrong) if isQuiet && quiet.contains(words.head) => Whole(wrong.copy(isQuiet = true))
        case refused: RefusedStore => refused.copy(command = refused.command.copy(isQuiet = isQuiet))
        case parsed                => parsed
      }
    }
  }

  private def parse(words: Vector[String], arguments: Vector[String], isQuiet: Boolean): Parsed =
    (words.head, arguments) match {
      case ("get" | "gets", _) if words.length > 1 => // a key may be named noreply
        if (words.tail.forall(isKey)) Whole(Get(words.tail, words.head == "gets")) else Malformed
      case (name, _) if storing.contains(name) => store(storing(name), arguments, isQuiet)
      case ("delete", Vector(key))             => keyed(key)(Delete(key, isQuiet))
      case ("delete", Vector(key, "0"))        => keyed(key)(Delete(key, isQuiet))
      case ("delete", Vector(_, _))            =>
        Whole(Wrong("CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]"))
      case ("incr" | "decr", Vector(key, by)) =>
        unsigned(by).fold[Parsed](BadDelta)(n => keyed(key)(Add(key, n, words.head == "incr", isQuiet)))
      case ("touch", Vector(key, expiry)) =>
        expiry.toLongOption.fold[Parsed](BadExpiry)(n => keyed(key)(Touch(key, n, isQuiet)))
      case ("flush_all", Vector())      => Whole(FlushAll(0, isQuiet))
      case ("flush_all", Vector(delay)) =>
        delay.toLongOption.filter(_ >= 0).fold[Parsed](Malformed)(n => Whole(FlushAll(n, isQuiet)))
      // there is nothing to be more verbose about
      case ("verbosity", Vector()) if isQuiet => Whole(Verbosity(isQuiet))
      case ("verbosity", Vector(_))           => Whole(Verbosity(isQuiet))
      case ("version", _)                     => Whole(Version) // whatever follows, as with memcached
      case ("stats", Vector()) if !isQuiet    => Whole(Stats)
      case ("stats", _) if arguments.nonEmpty => NoSuchStats
      case ("quit", Vector()) if !isQuiet     => Whole(Quit)
      case _                                  => Unknown
    }

  private def store(how: How, words: Vector[String], isQuiet: Boolean): Parsed = {
    def header(key: String, flags: String, expiry: String, length: String, unique: Option[String]): Parsed = {
      val bytes  = length.toIntOption.filter(n => n >= 0 && n <= Int.MaxValue - 2)
      val parsed = for {
        f <- unsigned(flags).filter(n => n >= 0 && n <= 0xffffffffL)
        e <- expiry.toLongOption
        n <- bytes
        u <- unique.fold[Option[Long]](Some(0))(unsigned)
        if isKey(key)
      } yield StoreHeader(how, key, f, e, n, u, isQuiet)
      parsed.orElse(bytes.map(RefusedStore(BadFormat, _))).getOrElse(Malformed)
    }
    (how, words) match {
      case (CompareAndSwap, Vector(key, flags, expiry, length, unique)) =>
        header(key, flags, expiry, length, Some(unique))
      case (CompareAndSwap, _)                     => Unknown
      case (_, Vector(key, flags, expiry, length)) => header(key, flags, expiry, length, None)
      case _                                       => Unknown
    }
  }

  private def keyed(key: String)(command: => Command): Parsed = if (isKey(key)) Whole(command) else Malformed

  private def isKey(word: String) =
    word.length <= MemcachedCodec.MaxKey && word.forall(c => c > ' ' && c != 127)

  /** A number of 64 bits without a sign. */
  private def unsigned(word: String): Option[Long] =
    if (word.isEmpty || !word.forall(c => c >= '0' && c <= '9')) None
    else
      try Some(java.lang.Long.parseUnsignedLong(word))
      catch { case _: NumberFormatException => None }
}
