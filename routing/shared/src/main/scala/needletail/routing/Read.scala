package needletail.routing

import java.util.UUID

/**
 * Reads a value of type `A` from the text of a path segment, query parameter, header or cookie.
 *
 * A type of one's own takes one line, out of another one or out of text:
 * {{{
 * implicit val readUserId: Read[UserId] = Read[Long].map(UserId(_))
 * implicit val readColour: Read[Colour] = Read.of("Colour")(text => Colour.all.find(_.name == text))
 * }}}
 */
@annotation.implicitNotFound(
  "nothing tells how to read a ${A} from text; a type of your own needs one line in its companion object: implicit val read: Read[${A}] = Read.of(\"its name for error messages\")(text => Some or None)"
)
abstract class Read[A] {

  /** What error messages and documentation call it: "expected NAME in path segment, got 'x'". */
  def name: String

  /** The value, or `None` for a text that is none. What it throws is the server's error (500), not the client's. */
  def apply(text: String): Option[A]

  /** A type made of this one, any value of it. */
  final def map[B](f: A => B): Read[B] = Read.of(name)(text => apply(text).map(f))

  /** A type made of this one where `f` answers `Some`; `name` is for error messages. */
  final def collect[B](name: String)(f: A => Option[B]): Read[B] = Read.of(name)(text => apply(text).flatMap(f))
}

object Read {

  /** The way to read an `A` that is in scope. */
  def apply[A](implicit read: Read[A]): Read[A] = read

  /** Reads an `A` with `f`; `name` is what error messages expect. */
  def of[A](name: String)(f: String => Option[A]): Read[A] = {
    val called = name
    new Read[A] {
      def name: String                   = called
      def apply(text: String): Option[A] = f(text)
    }
  }

  /** Are these digits, after one sign perhaps? The library's own readers take the digits of any script. */
  private def isDecimal(text: String): Boolean = {
    var i = if (text.length > 1 && (text.charAt(0) == '-' || text.charAt(0) == '+')) 1 else 0
    while (i < text.length && text.charAt(i) >= '0' && text.charAt(i) <= '9') i += 1
    i == text.length
  }

  implicit val string: Read[String] = of("String")(Some(_))

  /** Decimal digits with an optional sign, -2147483648 to 2147483647. */
  implicit val int: Read[Int] = of("Integer")(text => if (isDecimal(text)) text.toIntOption else None)

  /** Decimal digits with an optional sign, 64 bits. */
  implicit val long: Read[Long] = of("Long")(text => if (isDecimal(text)) text.toLongOption else None)

  /** A finite decimal number such as `-1.5e3`; no hexadecimal, no type suffix, no NaN. */
  implicit val double: Read[Double] = of("Double") { text =>
    if (text.forall(c => (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'))
      text.toDoubleOption.filter(d => !d.isInfinite)
    else None
  }

  /** `true` or `false`. */
  implicit val boolean: Read[Boolean] = of("Boolean") {
    case "true"  => Some(true)
    case "false" => Some(false)
    case _       => None
  }

  /** The 36 characters of RFC 9562 §4, in either case; the JDK's own reader would also take `1-1-1-1-1`. */
  implicit val uuid: Read[UUID] = of("UUID") { text =>
    val wellFormed = text.length == 36 && text.indices.forall { i =>
      val c = text.charAt(i)
      if (i == 8 || i == 13 || i == 18 || i == 23) c == '-' else c < 128 && Character.digit(c, 16) >= 0
    }
    if (wellFormed) Some(UUID.fromString(text)) else None
  }
}

/**
 * What `![A]` may ask for: a type with a [[Read]], which makes a [[Value]] that can stand anywhere; `Option` and
 * `List` of one, which make [[Values]] for query parameters, headers and cookies.
 */
@annotation.implicitNotFound(
  "nothing tells how to read a ${A} from text; a type of your own needs one line in its companion object: implicit val read: Read[${A}] = Read.of(\"its name for error messages\")(text => Some or None)"
)
sealed abstract class Readable[A] {
  type Reader
  private[routing] def reader(name: String): Reader
}

object Readable {
  implicit def one[A](implicit read: Read[A]): Readable[A] { type Reader = Value[A] } = new Readable[A] {
    type Reader = Value[A]
    private[routing] def reader(name: String) = Value.of(read, name)
  }

  implicit def optional[A](implicit read: Read[A]): Readable[Option[A]] { type Reader = Values[Option[A]] } =
    new Readable[Option[A]] {
      type Reader = Values[Option[A]]
      private[routing] def reader(name: String) = Value.of(read, name).optional
    }

  implicit def many[A](implicit read: Read[A]): Readable[List[A]] { type Reader = Values[List[A]] } =
    new Readable[List[A]] {
      type Reader = Values[List[A]]
      private[routing] def reader(name: String) = Value.of(read, name).list
    }
}

/** The `!` of `![Int]`, and `arg` in `arg[Int]`. */
object Arg {

  /** Reads an `A`. */
  def apply[A](implicit readable: Readable[A]): readable.Reader = readable.reader(null)

  /** Reads an `A` that error messages and documentation call `name`. */
  def apply[A](name: String)(implicit readable: Readable[A]): readable.Reader = readable.reader(name)
}
