package needletail.gateway

import java.io.{IOException, InputStream}
import java.net.{InetSocketAddress, Socket}

import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter}
import needletail.http.text.ByteWriter

/** A web server's side of a FastCGI connection, blocking; every wait ends after twenty seconds. */
private[gateway] final class FastCgiClient(port: Int) {
  import FastCgiRecord.*

  private val socket = new Socket()
  socket.connect(new InetSocketAddress("127.0.0.1", port), 5000)
  socket.setSoTimeout(20000)
  socket.setTcpNoDelay(true)
  private val in: InputStream = socket.getInputStream
  private val reading         = new Records.Reading
  private val buffer          = new Array[Byte](64 * 1024)
  private var looked          = 0

  /** Sends what `write` writes, at once. */
  def send(write: ByteWriter => Unit): this.type = raw(Records.written(write))

  def raw(bytes: Array[Byte]): this.type = {
    socket.getOutputStream.write(bytes)
    socket.getOutputStream.flush()
    this
  }

  /** Begins a request and gives its parameters. */
  def begin(
      id: Int,
      pairs: Seq[(String, String)],
      keeps: Boolean = true,
      role: Int = Responder
  ): this.type = send { w =>
    FastCgiWriter.beginRequest(w, id, role, keeps)
    val params = Records.params(pairs: _*)
    FastCgiWriter.stream(w, Params, id, params, 0, params.length)
    FastCgiWriter.endStream(w, Params, id)
  }

  def content(id: Int, text: String): this.type =
    send(w => FastCgiWriter.stream(w, Stdin, id, Records.latin1(text), 0, text.length))

  def contentEnds(id: Int): this.type = send(w => FastCgiWriter.endStream(w, Stdin, id))

  /** A whole request without content, or with that. */
  def request(id: Int, pairs: Seq[(String, String)], text: String = "", keeps: Boolean = true): this.type = {
    begin(id, pairs, keeps)
    if (text.nonEmpty) content(id, text)
    contentEnds(id)
  }

  /** The next record. */
  def record(): Record = {
    while (reading.records.length == looked) {
      val n = in.read(buffer)
      if (n < 0) throw new IOException("the connection ended")
      reading.read(buffer, 0, n)
    }
    looked += 1
    reading.records(looked - 1)
  }

  /** All that comes for a request until its end; records of others are an error. */
  def answer(id: Int): Answer = {
    val answers = answersOf(1)
    answers.getOrElse(id, throw new AssertionError(s"an answer to another request: $answers"))
  }

  /** The answers to so many requests, in whatever order their records come. */
  def answersOf(count: Int): Map[Int, Answer] = {
    var open   = Map.empty[Int, Answer]
    var closed = Map.empty[Int, Answer]
    while (closed.size < count) {
      val r   = record()
      val now = open.getOrElse(r.id, Answer("", "", -1, -1))
      r.kind match {
        case Stdout     => open += r.id -> now.copy(out = now.out + r.content)
        case Stderr     => open += r.id -> now.copy(err = now.err + r.content)
        case EndRequest =>
          closed += r.id -> now.copy(
            appStatus = r.content.charAt(3).toInt,
            status = r.content.charAt(4).toInt
          )
          open -= r.id
        case other => throw new AssertionError(s"a record of type $other")
      }
    }
    if (open.nonEmpty) throw new AssertionError(s"others have been begun: ${open.keys}")
    closed
  }

  /** Has the other side ended the connection, orderly or not? Waits for it up to twenty seconds. */
  def isEnded: Boolean =
    try in.read() < 0
    catch {
      case _: java.net.SocketTimeoutException => false
      case _: IOException                     => true
    }

  def endOutput(): Unit = socket.shutdownOutput()
  def close(): Unit     = socket.close()
}

/** What came for a request: its streams and how it ended. */
final case class Answer(out: String, err: String, appStatus: Int, status: Int) {
  def head: String    = out.take(out.indexOf("\r\n\r\n"))
  def content: String = out.drop(out.indexOf("\r\n\r\n") + 4)
}
