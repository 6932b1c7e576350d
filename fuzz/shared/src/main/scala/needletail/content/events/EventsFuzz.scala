package needletail.content.events

import java.nio.charset.StandardCharsets.UTF_8

import needletail.fuzz.{Check, FuzzTarget, Pieces}

/**
 * Server-sent events by [[EventParser]]: the same wherever they are split, and by a reader of lines that has all bytes at
 * once; written and read again they are the same.
 */
object EventsFuzz extends FuzzTarget("events") {
  private final val Longest = 1000

  def check(data: Array[Byte]): Unit = {
    val whole = events(Iterator(data))
    if (data.length <= 4096)
      Pieces.of(data.length).foreach { ends =>
        val pieces = (0 +: ends).zip(ends).iterator.map { case (from, until) => data.slice(from, until) }
        Check.same(s"in pieces to ${ends.mkString(" ")}", events(pieces), whole)
      }
    val all   = reread(data)
    val wants = if (whole.isAll) all else all.take(whole.events.length)
    Check.same("another reader", whole.events, wants)
    whole.events.foreach { event =>
      Check(event.data.length <= Longest + event.data.count(_ == '\n'), s"an event of ${event.data.length}")
      val again = new EventParser(100 * Longest, known = event.id).feed(event.render)
      Check.same("written and read", again, List(event))
    }
  }

  override def read(data: Array[Byte]): Unit = { new EventParser(1 << 20).feed(data); () }

  /** What is found, up to what is too long; also whether anything is. */
  private final case class Found(
      events: List[Event],
      lastId: Option[String],
      retry: Option[Long],
      isAll: Boolean
  )

  private def events(pieces: Iterator[Array[Byte]]): Found = {
    val parser = new EventParser(Longest)
    val all    = pieces.flatMap(parser.feed(_)).toList
    Found(all, parser.lastId, parser.retryMillis, isAll = parser.failure == null)
  }

  /** The lines that have an end, in blocks that have one. */
  private def reread(data: Array[Byte]): List[Event] = {
    val text  = Check.text(data).replace("\r\n", "\n").replace('\r', '\n')
    val lines = text.split("\n", -1).toList.dropRight(1).map(line => new String(Check.bytes(line), UTF_8))
    val clean = lines match {
      case first :: rest => first.stripPrefix("\ufeff") :: rest
      case Nil           => Nil
    }
    var id    = None: Option[String]
    var block = Vector.empty[(String, String)]
    clean.flatMap { line =>
      if (line.nonEmpty) {
        val field = line.takeWhile(_ != ':')
        block :+= field -> line.drop(field.length + 1).stripPrefix(" ")
        Nil
      } else {
        block.foreach { case (field, value) =>
          if (field == "id" && !value.contains('\u0000')) id = Some(value)
        }
        val data = block.collect { case ("data", value) => value }
        val name = block.collect { case ("event", value) => value }.lastOption.getOrElse("")
        block = Vector.empty
        if (data.isEmpty) Nil else List(Event(data.mkString("\n"), id, name))
      }
    }
  }
}
