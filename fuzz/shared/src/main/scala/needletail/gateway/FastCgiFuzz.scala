package needletail.gateway

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.fastcgi.{FastCgiParser, FastCgiRecord, FastCgiWriter, NameValues}
import needletail.http.text.{ByteWriter, Latin1}

/**
 * FastCGI records by [[FastCgiParser]]: the same whole and in pieces, and as for an independent parser; and pairs by
 * [[NameValues]], which are the same when they are written and parsed again.
 */
object FastCgiFuzz extends FuzzTarget("fast-cgi") {
  def check(data: Array[Byte]): Unit = {
    val whole = records(data, Array(data.length), 'A')
    Check.same("another reader", whole, strict(data))
    Pieces.of(data.length).foreach(ends =>
      Check.same(s"in ${ends.length} pieces", records(data, ends, 1), whole)
    )
    val w = new ByteWriter(64)
    whole.foreach {
      case Record(kind, id, content, true) if kind == FastCgiRecord.Stdout && content.nonEmpty =>
        FastCgiWriter.stream(w, kind, id, Check.bytes(content), 0, content.length)
      case _ => ()
    }
    val streamed =
      whole.collect { case r @ Record(FastCgiRecord.Stdout, _, content, true) if content.nonEmpty => r }
    Check.same("written and read again", records(w.taken, Array(w.length), 'B').filter(_.complete), streamed)
    pairs(data)
  }

  override def read(data: Array[Byte]): Unit = {
    val parser = new FastCgiParser
    var at     = parser.next(data, 0, data.length)
    while (parser.state != FastCgiParser.More && parser.state != FastCgiParser.Bad)
      at = parser.next(data, at, data.length)
    NameValues.read(new Variables, data, 0, data.length)
    ()
  }

  private final case class Record(kind: Int, id: Int, content: String, complete: Boolean)

  private def records(data: Array[Byte], ends: Array[Int], filler: Byte): Vector[Record] = {
    val parser  = new FastCgiParser
    val out     = Vector.newBuilder[Record]
    val content = new StringBuilder
    var at      = 0
    var open    = false
    var over    = false
    Pieces.feed(data, ends, filler) { (array, from, until) =>
      var go = !over
      while (go) {
        val to = parser.next(array, from + at, until)
        Check(to >= from + at && to <= until, s"used $to")
        at = to - from
        parser.state match {
          case FastCgiParser.Begin =>
            content.clear()
            open = true
          case FastCgiParser.Content =>
            Check(parser.dataFrom < parser.dataUntil && parser.dataUntil == to, "content lies elsewhere")
            content.append(Latin1.decode(array, parser.dataFrom, parser.dataUntil))
          case FastCgiParser.End =>
            Check.same("the content's length", content.length, parser.contentLength)
            out += Record(parser.kind, parser.id, content.toString, complete = true)
            open = false
          case FastCgiParser.Bad =>
            over = true
            go = false
          case _ => go = false
        }
      }
    }
    if (open) out += Record(parser.kind, parser.id, content.toString, complete = false)
    if (over) out += Record(-1, -1, "", complete = false)
    out.result()
  }

  private def strict(data: Array[Byte]): Vector[Record] = {
    def byte(i: Int) = data(i) & 0xff
    var out          = Vector.empty[Record]
    var at           = 0
    while (at < data.length)
      if (byte(at) != 1) {
        out = out :+ Record(-1, -1, "", complete = false)
        at = data.length
      } else if (at + 8 > data.length) at = data.length
      else {
        val (kind, id)  = (byte(at + 1), byte(at + 2) * 256 + byte(at + 3))
        val (size, pad) = (byte(at + 4) * 256 + byte(at + 5), byte(at + 6))
        val content     = Check.text(data.slice(at + 8, at + 8 + size))
        out = out :+ Record(kind, id, content, complete = at + 8 + size + pad <= data.length)
        at += 8 + size + pad
      }
    out
  }

  private def pairs(data: Array[Byte]): Unit = {
    val array     = Array.fill[Byte](data.length + 16)(0)
    val variables = new Variables
    System.arraycopy(data, 0, array, 8, data.length)
    if (NameValues.read(variables, array, 8, 8 + data.length)) {
      val w = new ByteWriter(64)
      variables.toList.foreach { case (name, value) => NameValues.write(w, name, value) }
      val again = new Variables
      Check(NameValues.read(again, w.bytes, 0, w.length), "pairs written can't be read")
      Check.same("pairs written and read again", again.toList, variables.toList)
      Check.same("pairs kept", variables.kept.toList, variables.toList)
      variables.toList.map(_._1).distinct.foreach { name =>
        val last = variables.toList.filter(_._1 == name).last._2
        Check.same(s"the last $name", Option(variables.get(name)).getOrElse(""), last)
      }
    }
  }
}
