package needletail.routing

import java.nio.charset.StandardCharsets.UTF_8

import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.message.{Parameters, PercentCoding}
import needletail.routing.internal.matching.{FormPairs, Percent}

/**
 * Queries and forms, by [[needletail.http.Parameters]], which parses all of one, and by [[FormPairs]], which finds
 * pairs in place: both must find the same as a split at ampersands.
 */
object FormFuzz extends FuzzTarget("form") {
  def check(data: Array[Byte]): Unit = {
    val text   = Check.text(data)
    val pieces = text.split("&", -1).toList.filter(_.nonEmpty).map { piece =>
      piece.indexOf('=') match {
        case -1 => (decoded(Check.bytes(piece)), Some(""))
        case i  => (decoded(Check.bytes(piece.take(i))), decoded(Check.bytes(piece.drop(i + 1))))
      }
    }
    // as text a query is ASCII: other characters are taken literally
    if (data.forall(_ >= 0)) Parameters.parse(text) match {
      case Right(query) =>
        Check.same("pairs", query.toList, pieces.map { case (n, v) => (n.orNull, v.orNull) })
        Check.same("written and read again", Parameters.parse(query.render), Right(query))
        query.toList.foreach { case (name, value) =>
          Check.same("a name", PercentCoding.decodeForm(PercentCoding.encode(name)), Right(name))
          Check.same("a value", PercentCoding.decode(PercentCoding.encode(value)), Right(value))
        }
      case Left(_) =>
        Check(
          pieces.exists(p => p._1.isEmpty || p._2.isEmpty) || pieces.size > Parameters.DefaultMax,
          "refused without a reason"
        )
    }
    pieces.flatMap(_._1).distinct.take(8).foreach { name =>
      val values = pieces.filter(_._1.contains(name)).map(_._2)
      val key    = name.getBytes(UTF_8)
      val around = Array.fill[Byte](data.length + 16)('%')
      System.arraycopy(data, 0, around, 8, data.length)
      val first = FormPairs.find(around, 8, 8 + data.length, key)
      Check.same(s"the first $name", if (first eq FormPairs.bad) None else Option(first), values.head)
      val all = FormPairs.findAll(around, 8, 8 + data.length, key)
      Check.same(s"all $name", Option(all), if (values.contains(None)) None else Some(values.flatten))
    }
    val absent = "absent".getBytes(UTF_8)
    if (!pieces.exists(_._1.contains("absent")))
      Check(FormPairs.find(data, 0, data.length, absent) == null, "a name that is not there")
    hashed(data)
  }

  /** Bytes that are the same decoded have the same hash, escaped or not. */
  private def hashed(data: Array[Byte]): Unit = {
    val text = Percent.decode(data, 0, data.length, plusIsSpace = false)
    if (text != null) {
      val plain   = text.getBytes(UTF_8)
      val escaped = plain.map(b => f"%%${b & 0xff}%02x").mkString.getBytes(UTF_8)
      Check(Percent.same(data, 0, data.length, plain, plusIsSpace = false), "not the same as itself decoded")
      Check.same(
        "the hash of what is decoded",
        Percent.hash(data, 0, data.length, escaped = true),
        Percent.hash(plain, 0, plain.length, escaped = false)
      )
      Check.same(
        "the hash of what is escaped",
        Percent.hash(escaped, 0, escaped.length, escaped = true),
        Percent.hash(plain, 0, plain.length, escaped = false)
      )
    }
  }

  override def read(data: Array[Byte]): Unit = {
    Parameters.parse(Check.text(data), Int.MaxValue / 4)
    FormPairs.find(data, 0, data.length, Array[Byte]('a'))
    FormPairs.findAll(data, 0, data.length, Array[Byte]('a'))
    Percent.decode(data, 0, data.length, plusIsSpace = true)
    ()
  }

  /** One step at a time: None if an escape or the UTF-8 is malformed. */
  private def decoded(rawBytes: Array[Byte]): Option[String] = {
    val out = Array.newBuilder[Byte]
    var i   = 0
    while (i < rawBytes.length) {
      rawBytes(i).toChar match {
        case '%' =>
          val digits = rawBytes.slice(i + 1, i + 3).map(b => Character.digit((b & 0xff).toChar, 16))
          if (digits.length < 2 || digits.exists(_ < 0)) return None
          out += (digits(0) * 16 + digits(1)).toByte
          i += 3
        case '+' =>
          out += ' '.toByte
          i += 1
        case _ =>
          out += rawBytes(i)
          i += 1
      }
    }
    val bytes = out.result()
    val text  = new String(bytes, UTF_8)
    if (java.util.Arrays.equals(text.getBytes(UTF_8), bytes)) Some(text) else None
  }
}
