package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

import needletail.routing.{BodyReader, Content}

/**
 * A JSON value (RFC 8259). Immutable; `toString` is the value as JSON, without spaces.
 *
 * {{{
 * val order = Json.obj("id" -> 7, "items" -> List("pen", "ink"))
 * for {
 *   json   <- Json.parse(text)
 *   amount <- json.at("amount").as[Int]
 *   city   <- json.at("customer").at("city").as[Option[String]]
 * } yield (amount, city)
 * }}}
 */
sealed abstract class Json {

  /** The member with that name; whether there is one is found out by `as` and `get`. */
  final def at(name: String): JsonCursor = cursor.at(name)

  /** The element with that index, from 0; whether there is one is found out by `as` and `get`. */
  final def at(index: Int): JsonCursor = cursor.at(index)

  /** This value as an `A`, or the error. */
  final def as[A](implicit reader: JsonReader[A]): Either[JsonError, A] = reader.read(cursor)

  /** A cursor at this value, whose errors have paths that begin here. */
  final def cursor: JsonCursor = JsonCursor.root(this)

  /** The member with that name, if this is an object that has one. */
  final def get(name: String): Option[Json] = this match {
    case o: Json.Obj => Option(o.valueOf(name))
    case _           => None
  }

  /** The value as JSON in UTF-8. */
  final def toBytes: Array[Byte] = printed(indented = false).toBytes

  /** With line breaks, and two spaces for each level. */
  final def pretty: String = printed(indented = true).toString

  final override def toString: String = printed(indented = false).toString

  private def printed(indented: Boolean): JsonOutput = {
    val out = new JsonOutput(indented)
    write(out)
    out
  }

  private[json] def write(out: JsonOutput): Unit

  /** With its article, for error messages. */
  private[json] def kind: String
}

object Json {

  /** The value `null`. */
  case object Null extends Json {
    private[json] def write(out: JsonOutput): Unit = out.raw("null")
    private[json] def kind                         = "null"
  }

  /** `true` or `false`. */
  final case class Bool(value: Boolean) extends Json {
    private[json] def write(out: JsonOutput): Unit = out.raw(if (value) "true" else "false")
    private[json] def kind                         = "a Boolean"
  }

  /** A string, without its quotes and escapes. */
  final case class Str(value: String) extends Json {
    private[json] def write(out: JsonOutput): Unit = out.quoted(value)
    private[json] def kind                         = "a string"
  }

  /**
   * A number as written: nothing is rounded, and `1.0` differs from `1`. To be read by `as[Int]`, `Long`,
   * `Double`, `BigDecimal` or `BigInt`.
   */
  final class Num private[json] (val text: String) extends Json {
    private[json] def write(out: JsonOutput): Unit = out.raw(text)
    private[json] def kind                         = "a number"
    override def equals(other: Any): Boolean       = other match {
      case n: Num => n.text == text
      case _      => false
    }
    override def hashCode: Int = text.hashCode
  }

  /** An array. */
  final case class Arr(values: Vector[Json]) extends Json {
    private[json] def write(out: JsonOutput): Unit = out.list('[', values, ']')(_.write(out))
    private[json] def kind                         = "an array"
  }

  /** An object. Its names are unique, and in order of their appearance; equality ignores the order. */
  final class Obj private[json] (val members: Vector[(String, Json)]) extends Json {
    private[json] def write(out: JsonOutput): Unit = out.list('{', members, '}') { member =>
      out.name(member._1)
      member._2.write(out)
    }
    private[json] def kind = "an object"

    private[json] def valueOf(name: String): Json = {
      var i = 0
      while (i < members.length) {
        val member = members(i)
        if (member._1 == name) return member._2
        i += 1
      }
      null
    }

    /** With another member, in place of the one with the same name if there is one. */
    def +(member: Member): Obj = {
      val i = members.indexWhere(_._1 == member.name)
      val m = (member.name, member.value)
      new Obj(if (i < 0) members :+ m else members.updated(i, m))
    }

    /** Without the member of that name. */
    def -(name: String): Obj = new Obj(members.filterNot(_._1 == name))

    override def equals(other: Any): Boolean = other match {
      case o: Obj =>
        (o eq this) || (o.members.length == members.length && o.members.sortBy(_._1) == members.sortBy(_._1))
      case _ => false
    }
    override def hashCode: Int = scala.util.hashing.MurmurHash3.unorderedHash(members)
  }

  /** A name and a value; a pair of a name and anything with a [[JsonWriter]] is converted to one. */
  final class Member private (val name: String, val value: Json)

  object Member {
    implicit def of[A](pair: (String, A))(implicit writer: JsonWriter[A]): Member =
      new Member(pair._1, writer.write(pair._2))
  }

  /** An object: `Json.obj("id" -> 7, "name" -> "pen")`. Throws IllegalArgumentException if a name is there twice. */
  def obj(members: Member*): Obj = {
    val all = members.iterator.map(m => (m.name, m.value)).toVector
    UniqueNames.duplicate(all).foreach(name =>
      throw new IllegalArgumentException(s"duplicate member '$name'")
    )
    new Obj(all)
  }

  /** An array: `Json.arr(1.toJson, "x".toJson)`; of values of one type: `list.toJson`. */
  def arr(values: Json*): Arr = Arr(values.toVector)

  /** Any value that has a [[JsonWriter]] as JSON. */
  def apply[A](value: A)(implicit writer: JsonWriter[A]): Json = writer.write(value)

  /** Parses a text that is one value. Offsets in errors count bytes of its UTF-8. */
  def parse(text: String): Either[JsonError, Json] = parse(text, JsonLimits.default)

  /** Parses a text that is one value, within `limits`; the limit of bytes counts its UTF-8 encoding. */
  def parse(text: String, limits: JsonLimits): Either[JsonError, Json] = {
    val unpaired = Surrogates.unpaired(text)
    if (unpaired < 0) parse(text.getBytes(UTF_8), limits)
    else {
      val bytes = text.substring(0, unpaired).getBytes(UTF_8)
      Left(JsonError(
        "unpaired surrogate",
        FieldPath.at(bytes, bytes.length, enclosing = false),
        bytes.length
      ))
    }
  }

  /** Parses bytes that are one value in UTF-8; ill-formed UTF-8, and a byte order mark, are errors. */
  def parse(bytes: Array[Byte]): Either[JsonError, Json] = parse(bytes, JsonLimits.default)

  /** Parses bytes that are one value in UTF-8 within `limits`. */
  def parse(bytes: Array[Byte], limits: JsonLimits): Either[JsonError, Json] =
    new JsonParser[Json](bytes, limits, Builder).parse()

  private object Builder extends JsonBuilder[Json] {
    private val yes = Bool(true)
    private val no  = Bool(false)

    def nothing: Json                              = Null
    def boolean(value: Boolean): Json              = if (value) yes else no
    def string(value: String): Json                = Str(value)
    def number(text: String): Json                 = new Num(text)
    def arr(values: Vector[Json]): Json            = Arr(values)
    def obj(members: Vector[(String, Json)]): Json = new Obj(members)
  }

  /** `Body[Json]`; [[JsonFormat]] describes what is rejected. */
  implicit val body: BodyReader[Json] = body(JsonLimits.default)

  /** `Body[Json]` with other limits: `Body(Json.body(limits))`. */
  def body(limits: JsonLimits): BodyReader[Json] = JsonBody.reader(parse(_, limits))

  /** `json.ok` and similar methods. */
  implicit val content: Content[Json] = (status, json) => JsonBody.respond(status, json.toBytes)
}

/**
 * A place in a JSON document, where there may be a value; it knows its path for error messages. Made by `json.at`.
 */
final class JsonCursor private[json] (
    private val value: Json, // null: missing
    private val parent: JsonCursor,
    private val name: String, // null for an element
    private val index: Int
) {

  /** The member with that name. */
  def at(name: String): JsonCursor = {
    val found = value match {
      case o: Json.Obj => o.valueOf(name)
      case _           => null
    }
    new JsonCursor(found, this, name, -1)
  }

  /** A member that has been found already. */
  private[json] def member(name: String, value: Json): JsonCursor = new JsonCursor(value, this, name, -1)

  /** The element with that index, from 0. */
  def at(index: Int): JsonCursor = {
    val found = value match {
      case Json.Arr(values) if index >= 0 && index < values.length => values(index)
      case _                                                       => null
    }
    new JsonCursor(found, this, null, index)
  }

  /**
   * The value as an `A`; or the error that it is missing, or not an `A`. `as[Option[A]]` is `None` where the value is
   * missing or null.
   */
  def as[A](implicit reader: JsonReader[A]): Either[JsonError, A] = reader.read(this)

  /** The value, if there is one. */
  def get: Option[Json] = Option(value)

  /** An error about this place. */
  def error(message: String): JsonError = JsonError(message, path)

  /** The value, or the error that it is missing or that its parent has another type. */
  def required: Either[JsonError, Json] = if (value != null) Right(value) else Left(missing)

  private def missing: JsonError = parent.value match {
    case null                        => parent.missing
    case _: Json.Obj if name != null => error(JsonError.Missing)
    case _: Json.Arr if name == null => error(JsonError.Missing)
    case other                       =>
      parent.error(s"expected ${if (name != null) "an object" else "an array"}, got ${other.kind}")
  }

  /** Such as `items[2].price`; empty for the document itself. Longer names than 256 characters are cut. */
  def path: String = {
    val out                              = new StringBuilder
    def append(cursor: JsonCursor): Unit = if (cursor.parent != null) {
      append(cursor.parent)
      if (cursor.name == null) out.append('[').append(cursor.index).append(']')
      else {
        if (out.nonEmpty) out.append('.')
        if (cursor.name.length <= JsonCursor.MaxName) out.append(cursor.name)
        else out.append(cursor.name.substring(0, JsonCursor.MaxName)).append('\u2026')
      }
      ()
    }
    append(this)
    out.toString
  }
}

private[json] object JsonCursor {
  def root(value: Json): JsonCursor = new JsonCursor(value, null, null, -1)

  /** Characters of a name that a path has: names are the client's, and each error has a path. */
  final val MaxName = 256
}
