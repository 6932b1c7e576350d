package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

import needletail.fuzz.{Check, FuzzTarget}

/**
 * JSON documents. What is accepted is the same when it is written and parsed again, is well-formed UTF-8, and is
 * structured as a second, recursive recogniser of the grammar says; what is refused by one is refused by the other.
 */
object JsonFuzz extends FuzzTarget("json") {
  private val lenient = JsonLimits(duplicates = DuplicateNames.Last)

  def check(data: Array[Byte]): Unit = {
    val parsed = Json.parse(data, lenient)
    Check.same("accepted", parsed.isRight, new StrictJson(data, lenient.maxDepth).accepts)
    parsed match {
      case Left(error) =>
        Check(error.offset >= 0 && error.offset <= data.length, s"$error of ${data.length} bytes")
        Check(!error.toString.exists(Character.isISOControl(_)), error.toString)
      case Right(json) =>
        Check.same("parsed as a text", Json.parse(new String(data, UTF_8), lenient), parsed)
        Check.same("written and parsed", Json.parse(json.toBytes, lenient), parsed)
        Check.same("written with line breaks", Json.parse(json.pretty, lenient), parsed)
        val strict = Json.parse(data)
        Check(
          strict == parsed || strict.left.exists(_.message.startsWith("duplicate member")),
          s"$strict"
        )
        json.as[Double]
        json.as[BigInt]
        json.as[Map[String, List[Long]]]
        ()
    }
  }

  override def read(data: Array[Byte]): Unit = {
    Json.parse(data, lenient)
    Json.parse(quoted(data), lenient)
    Json.parse(members(data), lenient)
    ()
  }

  /** The input within quotes. */
  private def quoted(data: Array[Byte]): Array[Byte] = {
    val out = java.util.Arrays.copyOf(data, data.length)
    out(0) = '"'
    out(out.length - 1) = '"'
    out
  }

  /** An object with a member for each eight bytes; its names are the first of these. */
  private def members(data: Array[Byte]): Array[Byte] = {
    val out = Array.fill[Byte](data.length / 8 * 8)(' ')
    var i   = 0
    while (i < out.length) {
      out(i) = if (i == 0) '{' else ','
      out(i + 1) = '"'
      out(i + 2) = ('a' + (data(i) & 15)).toByte
      out(i + 3) = ('a' + (data(i) >> 4 & 15)).toByte
      out(i + 4) = '"'
      out(i + 5) = ':'
      out(i + 6) = '0'
      i += 8
    }
    if (i > 0) out(i - 1) = '}'
    out
  }
}
