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
  "there is no Read[${A}], which converts text to ${A}; for your own type, add one line to its companion object: implicit val read: Read[${A}] = Read.of(\"its name for error messages\")(text => Some or None)"
)
abstract class Read[A] {

  /** The type's name in error messages and documentation: "expected NAME in path segment, got 'x'". */
  def name: String

  /** The value, or `None` if the text is malformed. An exception is the server's error (500), not the client's. */
  def apply(text: String): Option[A]

  /** A `Read` of another type, converted by `f`. */
  final def map[B](f: A => B): Read[B] = Read.of(name)(text => apply(text).map(f))

  /** A `Read` of another type, for the values for which `f` returns `Some`; `name` is for error messages. */
  final def collect[B](name: String)(f: A => Option[B]): Read[B] =
    Read.of(name)(text => apply(text).flatMap(f))
}

object Read {

  /** The implicit `Read` of `A`. */
  def apply[A](implicit read: Read[A]): Read[A] = read

  /** Reads an `A` with `f`; `name` is for error messages. */
  def of[A](name: String)(f: String => Option[A]): Read[A] = {
    val called = name
    new Read[A] {
      def name: String                   = called
      def apply(text: String): Option[A] = f(text)
    }
  }

  /** Whether it is decimal digits with an optional sign. The standard library also accepts digits of other scripts. */
  private def isDecimal(text: String): Boolean = {
    var i = if (text.length > 1 && (text.charAt(0) == '-' || text.charAt(0) == '+')) 1 else 0
    while (i < text.length && text.charAt(i) >= '0' && text.charAt(i) <= '9') i += 1
    i == text.length
  }

  /** Any text. */
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

  /** The 36 characters of RFC 9562 §4, in either case; the JDK's parser would also accept `1-1-1-1-1`. */
  implicit val uuid: Read[UUID] = of("UUID") { text =>
    val wellFormed = text.length == 36 && text.indices.forall { i =>
      val c = text.charAt(i)
      if (i == 8 || i == 13 || i == 18 || i == 23) c == '-' else c < 128 && Character.digit(c, 16) >= 0
    }
    if (wellFormed) Some(UUID.fromString(text)) else None
  }
}
