package needletail.examples.memcached

import java.io.{ByteArrayOutputStream, InputStream}
import java.net.{InetSocketAddress, Socket}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.Address
import needletail.server.{Log, ServerConfig}
import needletail.testing.Suite

class MemcachedServerSuite extends Suite {
  private val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = Log.none)

  private def serving[A](shards: Int = 3, memory: Long = 16 * 1024 * 1024)(body: MemcachedServer => A): A = {
    val server = new MemcachedServer(config, shards, memory)
    try body(server)
    finally Await.result(server.close(), 20.seconds)
  }

  /** A connection on which commands are sent, and their answers read as many bytes as are expected. */
  private final class Talk(server: MemcachedServer) {
    private val socket = new Socket()
    socket.connect(new InetSocketAddress("127.0.0.1", server.port), 20000)
    socket.setSoTimeout(20000)
    private val in: InputStream = socket.getInputStream

    def send(text: String): Unit = {
      socket.getOutputStream.write(text.getBytes("ISO-8859-1"))
      socket.getOutputStream.flush()
    }
    def says(expected: String): Unit =
      assertEquals(new String(in.readNBytes(expected.length), "ISO-8859-1"), expected)
    def ask(text: String)(expected: String): Unit = { send(text); says(expected) }
    def rest(): String                            = {
      val out = new ByteArrayOutputStream
      var b   = in.read()
      while (b >= 0) { out.write(b); b = in.read() }
      out.toString("ISO-8859-1")
    }
    def line(): String = Iterator.continually(in.read()).takeWhile(_ != '\n').map(_.toChar).mkString.trim
    def close(): Unit  = socket.close()
  }

  test("the value of a set that is refused is not taken for commands") {
    serving() { server =>
      val talk = new Talk(server)
      talk.ask("set k 0 0 1\r\n1\r\n")("STORED\r\n")
      for (head <- Seq("a\u0010 0 0", "a" * 251 + " 0 0", "a x 0", "a 4294967296 0", "a 0 x"))
        talk.ask(s"set $head 9\r\nflush_all\r\nget k\r\n")(
          "CLIENT_ERROR bad command line format\r\nVALUE k 0 1\r\n1\r\nEND\r\n"
        )
      talk.close()
    }
  }

  test("a session, in one piece and byte by byte") {
    val said =
      "set a 5 0 2\r\nhi\r\nget a\r\ngets nosuch\r\nincr a 1\r\nset n 0 0 1 noreply\r\n9\r\nincr n 2\r\n" +
        "get a n a\r\ndelete a\r\nget a\r\nfoo\r\nverbosity 1\r\nversion\r\nquit\r\nget n\r\n"
    val answered = "STORED\r\nVALUE a 5 2\r\nhi\r\nEND\r\nEND\r\n" +
      "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n11\r\n" +
      "VALUE a 5 2\r\nhi\r\nVALUE n 0 2\r\n11\r\nVALUE a 5 2\r\nhi\r\nEND\r\nDELETED\r\nEND\r\nERROR\r\nOK\r\nVERSION 1.6.0-needletail\r\n"
    serving() { server =>
      val whole = new Talk(server)
      whole.send(said)
      assertEquals(whole.rest(), answered)
      val single = new Talk(server)
      for (c <- said.take(said.length - "get n\r\n".length)) single.send(c.toString)
      assertEquals(single.rest(), answered)
    }
  }

  test("items of the limit, and too large ones, after which the connection goes on") {
    val most = 1024 * 1024
    serving() { server =>
      val talk = new Talk(server)
      val big  = "x" * most
      talk.ask(s"set big 0 0 $most\r\n$big\r\n")("STORED\r\n")
      talk.ask("get big\r\n")(s"VALUE big 0 $most\r\n$big\r\nEND\r\n")
      talk.ask("append big 0 0 1\r\ny\r\n")("SERVER_ERROR object too large for cache\r\n")
      talk.ask(
        s"add big2 0 0 ${most + 1}\r\n${big}y\r\nget big2\r\n"
      )("SERVER_ERROR object too large for cache\r\nEND\r\n")
      talk.ask(
        s"set big 0 0 ${most + 1}\r\n${big}y\r\nget big\r\n"
      )("SERVER_ERROR object too large for cache\r\nEND\r\n")
      talk.close()
    }
  }

  test("one get does not make the server hold what its clients cannot take") {
    serving() { server =>
      val talk = new Talk(server)
      val big  = "x" * 1000000
      talk.ask(s"set k 0 0 ${big.length}\r\n$big\r\n")("STORED\r\n")
      talk.ask(
        "get" + " k" * 20000 + "\r\nversion\r\n"
      )("SERVER_ERROR out of memory writing get response\r\nVERSION 1.6.0-needletail\r\n")
      talk.close()
    }
  }

  test("memory is bounded over all shards") {
    serving(shards = 2, memory = 4 * 1024 * 1024) { server =>
      val talk = new Talk(server)
      val text = "x" * 100000
      for (i <- 1 to 200) talk.ask(s"set k$i 0 0 ${text.length}\r\n$text\r\n")("STORED\r\n")
      talk.send("stats\r\nquit\r\n")
      val stats = talk.rest().linesIterator.map(_.split(' ')).collect { case Array("STAT", n, v) =>
        n -> v.toLong
      }.toMap
      assert(stats("bytes") <= 4 * 1024 * 1024 && stats("bytes") > 2 * 1024 * 1024, stats)
      assertEquals(stats("curr_items") + stats("evictions"), 200L)
    }
    intercept[IllegalArgumentException](new MemcachedServer(config, 4, 1024 * 1024))
  }

  test("many connections at once: every increment counts") {
    serving() { server =>
      val talks = (1 to 20).map(_ => new Talk(server))
      talks.head.ask("set n 0 0 1\r\n0\r\n")("STORED\r\n")
      for (_ <- 1 to 50) talks.foreach(_.send("incr n 1 noreply\r\n" * 10))
      talks.foreach(_.ask("version\r\n")("VERSION 1.6.0-needletail\r\n"))
      talks.head.ask("get n\r\n")("VALUE n 0 5\r\n10000\r\nEND\r\n")
      talks.foreach(_.close())
    }
  }

  test("flush_all, at once and after a delay") {
    serving() { server =>
      val talk = new Talk(server)
      talk.ask("set a 0 0 1\r\nx\r\nflush_all\r\nget a\r\n")("STORED\r\nOK\r\nEND\r\n")
      talk.ask("set a 0 0 1\r\nx\r\nflush_all 1\r\nget a\r\n")("STORED\r\nOK\r\nVALUE a 0 1\r\nx\r\nEND\r\n")
      eventually {
        talk.send("touch a 0\r\n")
        talk.line() == "NOT_FOUND"
      }
      talk.close()
    }
  }

  test("a line without an end closes the connection") {
    serving() { server =>
      val talk = new Talk(server)
      talk.send("x" * 65536)
      assertEquals(talk.rest(), "CLIENT_ERROR line too long\r\n")
    }
  }

  test("what to type is told of a Unix socket, too") {
    assertEquals(Main.reached(Address.Unix("/run/cache.sock")), "-U /run/cache.sock")
    assertEquals(Main.reached(Address.Tcp("0.0.0.0", 11211)), "127.0.0.1 11211")
  }
}
