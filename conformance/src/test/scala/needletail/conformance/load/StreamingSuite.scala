package needletail.conformance.load

import java.util.Arrays
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}

import scala.concurrent.duration._

import needletail.conformance.client.{ReplyReader, Wire}
import needletail.conformance.harness.{Background, ConformanceSuite, FirstFailure, Message, Program}
import needletail.conformance.harness.Message.{echo, head, target}
import needletail.conformance.harness.Outcome._
import needletail.testing.Pause

/** Long bodies in both directions: back-pressure, and what others notice of them (nothing). */
class StreamingSuite extends ConformanceSuite {
  override protected def maxBody: Int = 200000000

  private val megabyte = 1024 * 1024

  /** Data in which a block that is lost, doubled or moved shows. */
  private def pattern(size: Int): Array[Byte] = {
    val data  = new Array[Byte](size)
    var state = 12345
    var i     = 0
    while (i < size) {
      state = state * 1103515245 + 12345
      data(i) = (state >>> 16).toByte
      i += 1
    }
    data
  }

  private def sendChunked(wire: Wire, data: Array[Byte], size: Int): Boolean =
    data.grouped(size).forall { part =>
      wire.send(Wire.latin1(s"${part.length.toHexString}\r\n") ++ part ++ Wire.latin1("\r\n"))
    } && wire.send("0\r\n\r\n")

  private def assertEchoes(
      program: Program,
      data: Array[Byte],
      request: String,
      delay: FiniteDuration = Duration.Zero
  )(
      send: Wire => Boolean
  ): Unit = {
    val wire     = program.connect()
    val complete = new AtomicBoolean(false)
    val writer   = Background.run("echo")(complete.set(wire.send(request) && send(wire)))
    try {
      Pause(delay)
      val reader = new ReplyReader(wire, replyMillis = 15000)
      val got    = reply(reader)
      assertEquals((got.status, got.whole, got.body.length), (200, true, data.length))
      assert(Arrays.equals(got.body, data), "the echo differs from what was sent")
      writer.join(10000)
      assert(complete.get, "the program did not take all of the request")
      wire.send(Message.next)
      assertEquals(reply(reader).text, Json)
    } finally wire.close()
  }

  each("10 MB in chunks come back as they went (MUST, RFC 9112 §7.1)") { program =>
    val data = pattern(10 * megabyte)
    assertEchoes(program, data, echo("Transfer-Encoding: chunked"))(sendChunked(_, data, 16000))
  }

  each("10 MB in chunks of odd sizes come back as they went (MUST, RFC 9112 §7.1)") { program =>
    val data = pattern(10 * megabyte)
    assertEchoes(program, data, echo("Transfer-Encoding: chunked"))(sendChunked(_, data, 4099))
  }

  each("10 MB of known length come back as they went (MUST, RFC 9112 §6.3)") { program =>
    val data = pattern(10 * megabyte)
    assertEchoes(program, data, echo(s"Content-Length: ${data.length}"))(_.send(data))
  }

  each("10 MB come back to a client that reads late (STATED)") { program =>
    val data = pattern(10 * megabyte)
    assertEchoes(program, data, echo(s"Content-Length: ${data.length}"), delay = 700.millis)(_.send(data))
  }

  each("16 echoes of 1 MB at once, both directions (STATED)") { program =>
    val data    = pattern(megabyte)
    val right   = new AtomicInteger
    val failed  = new FirstFailure
    val threads = (1 to 16).map { i =>
      Background.run("echoes") {
        failed.keep {
          if (i % 2 == 0)
            assertEchoes(program, data, echo("Transfer-Encoding: chunked"))(sendChunked(_, data, 10000))
          else assertEchoes(program, data, echo(s"Content-Length: ${data.length}"))(_.send(data))
          right.incrementAndGet()
          ()
        }
      }
    }
    threads.foreach(_.join(40000))
    failed.rethrow()
    assertEquals(right.get, 16)
  }

  each("a reply of 100 MB is whole (MUST, RFC 9112 §6.3)") { program =>
    val wire = program.connect()
    try {
      val size = 100000000L
      wire.send(head(s"GET /big?bytes=$size HTTP/1.1", "Host: a", "Connection: close"))
      val (count, how) = wire.discard(Wire.in(60000))
      assertEquals(how, Wire.End)
      assert(count >= size, s"$count bytes")
    } finally wire.close()
  }

  /** Memory while clients hold up what the program would send them. */
  private def bounded(name: String, clients: Int, request: String, more: Array[Byte]): Unit =
    each(s"$name: memory is bounded, others are served (STATED)") { program =>
      assertServes(program)
      val resident = program.residentBytes.getOrElse(0L)
      val sent     = new AtomicLong
      val wires    = (1 to clients).map(_ => program.connect(receiveBuffer = 32768))
      val writers  = wires.map { wire =>
        Background.run("no reading") {
          wire.send(request)
          while (more.nonEmpty && wire.send(more)) sent.addAndGet(more.length.toLong)
        }
      }
      try {
        // no more is taken and held
        untilStill((sent.get, program.residentBytes.getOrElse(0L) / megabyte), 400.millis)
        (1 to 20).foreach(_ => assertServes(program)) // while they go on not reading
        val grown = program.residentBytes.getOrElse(0L) - resident
        assert(
          grown < 100L * megabyte,
          s"${grown / megabyte} MB more memory for $clients connections, ${sent.get / megabyte} MB sent"
        )
      } finally {
        wires.foreach(_.close())
        writers.foreach(_.join(5000))
      }
      assertServes(program)
    }

  bounded(
    "20 clients that ask for 1 GB and never read",
    20,
    target("/big?bytes=1000000000"),
    Array.emptyByteArray
  )
  bounded(
    "20 clients that echo 150 MB and never read",
    20,
    echo("Content-Length: 150000000"),
    new Array[Byte](65536)
  )
  bounded(
    "20 clients that echo 150 MB in chunks and never read",
    20,
    echo("Transfer-Encoding: chunked"),
    Wire.latin1("2000\r\n") ++ new Array[Byte](8192) ++ Wire.latin1("\r\n")
  )

  each("a small request is served while 4 clients read long replies (STATED)") { program =>
    val wires   = (1 to 4).map(_ => program.connect())
    val readers = wires.map { wire =>
      wire.send(target("/big?bytes=1000000000"))
      Background.run("reading") { wire.discard(Wire.in(60000)); () }
    }
    try
      (1 to 20).foreach(_ => assertServes(program)) // while they go on reading
    finally {
      wires.foreach(_.close())
      readers.foreach(_.join(5000))
    }
  }
}
