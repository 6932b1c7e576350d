package needletail.json

import scala.collection.immutable.TreeMap

import needletail.routing.internal.matching.Quote
import needletail.routing.internal.typing.Concat

/**
 * Reads an `A` from JSON. A type of one's own is read field by field; an error names each field that is missing or wrong:
 * {{{
 * implicit val reader: JsonReader[Item] =
 *   (JsonReader.field[Long]("id") + JsonReader.field[String]("name")).map { case (id, name) => Item(id, name) }
 * }}}
 * A function is another way, where fields depend on each other. It ends with the first error:
 * {{{
 * implicit val reader: JsonReader[Item] = JsonReader { json =>
 *   for {
 *     id   <- json.at("id").as[Long]
 *     name <- json.at("name").as[String]
 *   } yield Item(id, name)
 * }
 * }}}
 */
@annotation.implicitNotFound(
  "there is no JsonReader[${A}], which converts JSON to ${A}; for your own type, define one in its companion object: implicit val reader: JsonReader[${A}] = JsonReader(json => for { a <- json.at(\"a\").as[Int]; … } yield …). A List, Option or Map of T needs only a JsonReader[T]"
)
trait JsonReader[A] {

  /** Reads the value at the cursor, which may be missing. */
  def read(at: JsonCursor): Either[JsonError, A]

  /** Where what `read(at)` reads is, for errors that name it: the member of a `field`, else `at`. */
  private[json] def place(at: JsonCursor): JsonCursor = at

  /** Both values, in a flat tuple as `+` of routes makes it, of at most 12; or the errors of both. */
  final def +[B, C](other: JsonReader[B])(implicit values: Concat[A, B, C]): JsonReader[C] = JsonReader {
    at =>
      read(at) match {
        case Right(a)    => other.read(at).map(b => values.join(a, b).asInstanceOf[C])
        case Left(error) =>
          other.read(at) match {
            case Right(_)   => Left(error)
            case Left(more) => Left(error.and(more))
          }
      }
  }
}

object JsonReader {

  /** A reader by a function, for types with fields. */
  def apply[A](f: JsonCursor => Either[JsonError, A]): JsonReader[A] = new JsonReader[A] {
    def read(at: JsonCursor): Either[JsonError, A] = f(at)
  }

  /** The member with that name as an `A`. */
  def field[A](name: String)(implicit reader: JsonReader[A]): JsonReader[A] = new JsonReader[A] {
    def read(at: JsonCursor): Either[JsonError, A]               = reader.read(at.at(name))
    override private[json] def place(at: JsonCursor): JsonCursor = reader.place(at.at(name))
  }

  /** The implicit reader of `A`. */
  def of[A](implicit reader: JsonReader[A]): JsonReader[A] = reader

  /** Readers derived from others. */
  implicit class Derived[A](private val self: JsonReader[A]) {

    /** A reader of another type, converted by `f`. */
    def map[B](f: A => B): JsonReader[B] = derived((_, read) => read.map(f))

    /** Refuses values with `message`, in which `{NAME}` stands for the path and `{VALUE}` for the value. */
    def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): JsonReader[A] =
      derived { (place, read) =>
        read.flatMap { a =>
          if (accept(a)) Right(a)
          else {
            val reason = Quote.fill(message, Quote(place.path), String.valueOf(a))
            Left(place.error(reason).copy(isComplete = message.contains("{NAME}")))
          }
        }
      }

    /** A reader of the values for which `f` is defined; others are not a `name`. */
    def collect[B](name: String)(f: A => Option[B]): JsonReader[B] =
      derived((place, read) =>
        read.flatMap(a => f(a).toRight(place.error(s"expected $name, got '${Quote(String.valueOf(a))}'")))
      )

    /** What `f` makes of the place and of what was read there. */
    private def derived[B](f: (JsonCursor, Either[JsonError, A]) => Either[JsonError, B]): JsonReader[B] =
      new JsonReader[B] {
        def read(at: JsonCursor): Either[JsonError, B]               = f(self.place(at), self.read(at))
        override private[json] def place(at: JsonCursor): JsonCursor = self.place(at)
      }
  }

  /** Any value. */
  implicit val json: JsonReader[Json] = JsonReader(_.required)

  implicit val string: JsonReader[String]   = kind("a string") { case Json.Str(value) => Some(value) }
  implicit val boolean: JsonReader[Boolean] = kind("a Boolean") { case Json.Bool(value) => Some(value) }

  /** Whole numbers that fit, however they are written: `1`, `1.0` and `1e0`, but not `1.5`. */
  implicit val int: JsonReader[Int] =
    kind("Integer") { case n: Json.Num => Numbers.whole(n.text).filter(_.isValidInt).map(_.toInt) }

  /** Whole numbers that fit, however they are written. */
  implicit val long: JsonReader[Long] =
    kind("Long") { case n: Json.Num => Numbers.whole(n.text).filter(_.isValidLong).map(_.toLong) }

  /** The nearest Double; numbers beyond its range are refused. */
  implicit val double: JsonReader[Double] =
    kind("Double") { case n: Json.Num => Some(n.text.toDouble).filterNot(_.isInfinite) }

  /** Whole numbers of at most 1,000 digits. */
  implicit val bigInt: JsonReader[BigInt] = kind("a whole number") { case n: Json.Num =>
    Numbers.whole(n.text)
  }

  /**
   * The number as written. Without an exponent it has at most 1,000 digits before the point and as many after it, or those
   * that are written: a sum with `1e1000000000` would take all memory.
   */
  implicit val bigDecimal: JsonReader[BigDecimal] = kind("a number of at most 1,000 digits") {
    case n: Json.Num => Numbers.bounded(n.text)
  }

  /** `None` if the value is missing or null. */
  implicit def option[A](implicit reader: JsonReader[A]): JsonReader[Option[A]] = JsonReader { at =>
    at.get match {
      case None | Some(Json.Null) => Right(None)
      case _                      => reader.read(at).map(Some(_))
    }
  }

  implicit def list[A](implicit reader: JsonReader[A]): JsonReader[List[A]]     = vector[A].map(_.toList)
  implicit def vector[A](implicit reader: JsonReader[A]): JsonReader[Vector[A]] = JsonReader { at =>
    at.required.flatMap {
      case Json.Arr(values) => all(values.indices.iterator.map(i => reader.read(at.at(i))))
      case other            => Left(at.error(s"expected an array, got ${other.kind}"))
    }
  }

  /**
   * Objects whose members are all of one type. The map is sorted, not hashed: clients choose the names, and might choose
   * such as collide.
   */
  implicit def map[A](implicit reader: JsonReader[A]): JsonReader[Map[String, A]] = JsonReader { at =>
    at.required.flatMap {
      case o: Json.Obj =>
        all(o.members.iterator.map { case (name, value) =>
          reader.read(at.member(name, value)).map(name -> _)
        })
          .map(TreeMap.from(_))
      case other => Left(at.error(s"expected an object, got ${other.kind}"))
    }
  }

  /** All results, or the first error. */
  private def all[A](results: Iterator[Either[JsonError, A]]): Either[JsonError, Vector[A]] = {
    val found = Vector.newBuilder[A]
    while (results.hasNext)
      results.next() match {
        case Right(a) => found += a
        case Left(e)  => return Left(e)
      }
    Right(found.result())
  }

  private def kind[A](name: String)(f: PartialFunction[Json, Option[A]]): JsonReader[A] = JsonReader { at =>
    at.required.flatMap { value =>
      f.applyOrElse(value, (_: Json) => None).toRight {
        val got = value match {
          case n: Json.Num => Quote(n.text, 32)
          case other       => other.kind
        }
        at.error(s"expected $name, got $got")
      }
    }
  }
}
