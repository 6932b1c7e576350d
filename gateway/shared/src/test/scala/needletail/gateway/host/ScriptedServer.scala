package needletail.gateway.host

import java.io.{DataInputStream, IOException, OutputStream}
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger

import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter, NameValues}
import needletail.http.text.ByteWriter
import needletail.io.Address

/** A server that does to each connection what a test says, byte by byte. */
final class ScriptedServer(script: ScriptedServer.Conversation => Unit) {
  private val listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))
  private val all      = new CopyOnWriteArrayList[Socket]
  val accepted         = new AtomicInteger
  val ended            = new AtomicInteger

  def address: Address.Tcp = Address.Tcp("127.0.0.1", listener.getLocalPort)

  private val thread = new Thread(() =>
    try
      while (true) {
        val socket = listener.accept()
        all.add(socket)
        val index  = accepted.incrementAndGet()
        val served = new Thread(() =>
          try script(new ScriptedServer.Conversation(index, socket))
          catch { case _: IOException => () } // the other side has ended it
          finally {
            socket.close()
            ended.incrementAndGet()
            ()
          }
        )
        served.setDaemon(true)
        served.start()
      }
    catch { case _: IOException => () } // closed
  )
  thread.setDaemon(true)
  thread.start()

  def close(): Unit = {
    listener.close()
    all.forEach(_.close())
  }
}

object ScriptedServer {
  final case class ProgramRequest(id: Int, parameters: Map[String, String], flags: Int)

  final class Conversation(val index: Int, socket: Socket) {
    socket.setSoTimeout(15000)
    val in                = new DataInputStream(socket.getInputStream)
    val out: OutputStream = socket.getOutputStream

    /** Kind, id and content; throws an EOFException at the end. */
    def record(): (Int, Int, Array[Byte]) = {
      val head = new Array[Byte](8)
      in.readFully(head)
      val length  = ((head(4) & 0xff) << 8) | (head(5) & 0xff)
      val content = new Array[Byte](length)
      in.readFully(content)
      in.readFully(new Array[Byte](head(6) & 0xff))
      (head(1).toInt, ((head(2) & 0xff) << 8) | (head(3) & 0xff), content)
    }

    /** The next request's head. */
    def request(): ProgramRequest = {
      var (kind, id, content) = record()
      while (kind != FastCgiRecord.BeginRequest) {
        val next = record()
        kind = next._1
        id = next._2
        content = next._3
      }
      val flags      = content(2).toInt
      val parameters = new ByteWriter(1024)
      content = record()._3
      while (content.length > 0) {
        parameters.write(content)
        content = record()._3
      }
      val variables = new Variables
      if (!NameValues.read(variables, parameters.bytes, 0, parameters.length))
        throw new IOException("bad parameters")
      ProgramRequest(id, variables.toList.toMap, flags)
    }

    /** All of a request's content. */
    def content(): String = {
      val text = new StringBuilder
      var next = record()._3
      while (next.length > 0) {
        text.append(new String(next, ISO_8859_1))
        next = record()._3
      }
      text.result()
    }

    def send(bytes: Array[Byte]): Unit = {
      out.write(bytes)
      out.flush()
    }
    def send(text: String): Unit = send(text.getBytes(ISO_8859_1))

    def stdout(id: Int, text: String): Unit = stream(FastCgiRecord.Stdout, id, text)
    def stderr(id: Int, text: String): Unit = stream(FastCgiRecord.Stderr, id, text)

    private def stream(kind: Int, id: Int, text: String): Unit = {
      val w     = new ByteWriter(text.length + 100)
      val bytes = text.getBytes(ISO_8859_1)
      FastCgiWriter.stream(w, kind, id, bytes, 0, bytes.length)
      send(java.util.Arrays.copyOf(w.bytes, w.length))
    }

    def end(id: Int, protocolStatus: Int = 0): Unit = {
      val w = new ByteWriter(100)
      FastCgiWriter.endStream(w, FastCgiRecord.Stdout, id)
      FastCgiWriter.endRequest(w, id, 0, protocolStatus)
      send(java.util.Arrays.copyOf(w.bytes, w.length))
    }

    /** Answers that it accepts several requests at once on a connection. */
    def multiplexes(): Unit = {
      val values = new ByteWriter(64)
      NameValues.write(values, FastCgiRecord.MultiplexesConn, "1")
      val w = new ByteWriter(64)
      FastCgiWriter.management(w, FastCgiRecord.GetValuesResult, values)
      send(java.util.Arrays.copyOf(w.bytes, w.length))
    }

    /** Closes the connection, and drops what the other side has sent: it gets a reset behind what was sent to it. */
    def reset(): Unit = {
      socket.setSoLinger(true, 0)
      socket.close()
    }

    /** Waits until the other side has closed the connection. */
    def untilClosed(): Unit =
      try while (in.read() >= 0) ()
      catch { case _: IOException => () }
  }
}
