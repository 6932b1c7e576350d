package needletail.client

import needletail.client.config.ClientConfig
import needletail.client.connection.{ClientExchange, ClientLoopContext, ResponseReader}
import needletail.client.error.ClientError
import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.http.http1.ResponseHead
import needletail.http.message.Headers
import needletail.http.text.{ByteWriter, Latin1}

/**
 * A server's responses on one connection, to as many calls as the first byte says: in whatever pieces they arrive,
 * each call gets the same; each call ends once, with its end or a failure, in order.
 */
object AnswersFuzz extends FuzzTarget("answers") {
  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val bytes = data.drop(1)
    val whole = hear(bytes, data(0).toInt, Array(bytes.length), 'A')
    Pieces.of(bytes.length).foreach(ends =>
      Check.same(s"in ${ends.length} pieces", hear(bytes, data(0).toInt, ends, '\n'), whole)
    )
  }

  private def hear(bytes: Array[Byte], kinds: Int, ends: Array[Int], filler: Byte): String = {
    val log    = new StringBuilder
    val reader = new Reader(Seq.tabulate(1 + ((kinds >> 3) & 3))(i => ((kinds >> i) & 1) != 0), log)
    var used   = 0
    Pieces.feed(bytes, ends, filler) { (array, from, until) =>
      if (from + used < until && !reader.ended) {
        val to = reader.read(array, from + used, until)
        Check(to >= from + used && to <= until, s"used $to")
        used = to - from
      }
    }
    reader.end()
    reader.calls.foreach(call => Check(call.ends <= 1, s"${call.ends} ends of one call: $log"))
    log.toString
  }

  private final class Noted(index: Int, head: Boolean, log: StringBuilder) extends ClientExchange {
    private val content                  = new ByteWriter(64)
    var ends                             = 0
    override def isHead: Boolean         = head
    def encode(into: ByteWriter): Unit   = ()
    def onSent(): Unit                   = ()
    def onHead(head: ResponseHead): Unit = {
      log.append(s"$index: ${head.code} ${head.toHeaders.toList.mkString(",")}\n")
      ()
    }
    def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = {
      Check(from < until && !isHead, "content that is none")
      content.write(bytes, from, until - from)
    }
    private def text                   = Latin1.decode(content.bytes, 0, content.length)
    def onEnd(trailers: Headers): Unit = {
      ends += 1
      log.append(s"$index: $text, ${trailers.toList.mkString(",")}\n")
      ()
    }
    def onFailed(error: ClientError): Unit = {
      ends += 1
      log.append(s"$index: $text failed ${error.getMessage}\n")
      ()
    }
  }

  private final class Reader(heads: Seq[Boolean], log: StringBuilder)
      extends ResponseReader(new ClientLoopContext(null, ClientConfig())) {
    val calls: Seq[Noted] = heads.zipWithIndex.map { case (head, i) => new Noted(i, head, log) }
    calls.foreach(inFlight.append)
    def ended: Boolean                                                                   = isOver
    protected def answered(x: ClientExchange, trailers: Headers, spoiled: Boolean): Unit = {
      x.onEnd(trailers)
      if (isLast || spoiled) isOver = true // whether more arrived with it depends on the pieces
    }
    protected def broken(error: ClientError): Unit = {
      isOver = true
      val first = inFlight.takeFirst()
      if (first != null) first.onFailed(error)
    }
    protected def continued(x: ClientExchange): Unit = { log.append("continued\n"); () }
    protected def hasWritten: Boolean                = true
    protected def hostName: String                   = "http://a"
    def end(): Unit                                  = inputEnded()
  }
}
