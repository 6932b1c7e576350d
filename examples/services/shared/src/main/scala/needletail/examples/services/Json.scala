package needletail.examples.services

/**
 * A JSON value (RFC 8259), for programs with few and small ones; otherwise use `needletail-json`.
 *
 * Numbers are kept as written. `toString` is the value as JSON, without spaces.
 */
sealed abstract class Json {

  /** The first member with that name, if this is an object that has one. */
  final def get(name: String): Option[Json] = this match {
    case Json.Obj(members*) => members.collectFirst { case (`name`, value) => value }
    case _                  => None
  }

  /** The elements, if this is an array. */
  final def elements: Option[Seq[Json]] = this match {
    case Json.Arr(values*) => Some(values)
    case _                 => None
  }

  final def text: Option[String] = this match {
    case Json.Str(value) => Some(value)
    case _               => None
  }

  /** The whole number, if this is one that fits. */
  final def long: Option[Long] = this match {
    case Json.Num(written) => written.toLongOption
    case _                 => None
  }

  final override def toString: String = {
    val out = new java.lang.StringBuilder
    write(out)
    out.toString
  }

  private def write(out: java.lang.StringBuilder): Unit = this match {
    case Json.Obj(members*) =>
      list(out, '{', members, '}') { case (name, value) =>
        Json.quote(out, name)
        out.append(':')
        value.write(out)
      }
    case Json.Arr(values*) => list(out, '[', values, ']')(_.write(out))
    case Json.Str(value)   => Json.quote(out, value)
    case Json.Num(written) => out.append(written); ()
    case Json.Bool(value)  => out.append(value); ()
    case Json.Null         => out.append("null"); ()
  }

  private def list[A](out: java.lang.StringBuilder, open: Char, values: Seq[A], close: Char)(
      each: A => Unit
  ): Unit = {
    out.append(open)
    var first = true
    values.foreach { value =>
      if (!first) out.append(',')
      first = false
      each(value)
    }
    out.append(close)
    ()
  }
}

object Json {
  final case class Obj(members: (String, Json)*) extends Json
  final case class Arr(values: Json*)            extends Json
  final case class Str(value: String)            extends Json
  final case class Bool(value: Boolean)          extends Json
  case object Null                               extends Json

  /** A number; `written` must be valid in the grammar (§6). */
  final case class Num(written: String) extends Json

  def apply(value: Long): Json = Num(value.toString)

  /** With at most two decimal places; `Null` for NaN and infinities. */
  def apply(value: Double): Json =
    if (value.isNaN || value.isInfinite) Null
    else {
      val hundredths = Math.round(value * 100)
      if (hundredths % 100 == 0) Num((hundredths / 100).toString) else Num((hundredths / 100.0).toString)
    }

  def apply(value: String): Json  = Str(value)
  def apply(value: Boolean): Json = Bool(value)

  /** Parses a text that is one value. Left is the error and its place. */
  def parse(text: String): Either[String, Json] = new JsonParser(text).parse()

  private def quote(out: java.lang.StringBuilder, text: String): Unit = {
    out.append('"')
    text.foreach {
      case '"'          => out.append("\\\"")
      case '\\'         => out.append("\\\\")
      case '\n'         => out.append("\\n")
      case c if c < ' ' =>
        out.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16))
      case c => out.append(c)
    }
    out.append('"')
    ()
  }
}
