package needletail.examples.line

import java.io.{BufferedReader, InputStreamReader}
import java.net.{InetSocketAddress, Socket}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.Address
import needletail.server.{RunningServer, ServerConfig}
import needletail.testing.Suite
import needletail.testkit.CodecTest

class LineSuite extends Suite {
  private def serving(body: RunningServer => Unit): Unit = {
    val server = LineServer(ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1)).start()
    try body(server)
    finally { Await.result(server.close(), 20.seconds); () }
  }

  /** Every line that comes back until the end of the connection. */
  private def talk(server: RunningServer, text: String): List[String] = {
    val socket = new Socket()
    socket.connect(new InetSocketAddress("127.0.0.1", server.port), 20000)
    socket.setSoTimeout(20000)
    socket.getOutputStream.write(text.getBytes("UTF-8"))
    val in = new BufferedReader(new InputStreamReader(socket.getInputStream, "UTF-8"))
    try Iterator.continually(in.readLine()).takeWhile(_ != null).toList
    finally socket.close()
  }

  test("the four commands") {
    serving { server =>
      val answers = talk(server, "PING\r\nECHO hello, wörld\nTIME\nQUIT\nPING\n")
      assertEquals(answers.take(2), List("PONG", "hello, wörld"))
      assert(Math.abs(answers(2).toLong - System.currentTimeMillis() / 1000) < 60, answers(2))
      assertEquals(answers.drop(3), List("BYE"))
    }
  }

  test("anything else, and a line that is too long") {
    serving { server =>
      assertEquals(talk(server, "DANCE\nQUIT\n").head, "ERROR commands are PING, ECHO text, TIME and QUIT")
      assertEquals(talk(server, "x" * 2000), List("ERROR a line is at most 1024 bytes long"))
    }
  }

  test("the codec, however its bytes come") {
    val codec = CodecTest(new LineCodec(maxLength = 8))
    codec.decodes("PING\r\nECHO a b\n\r\n\n12345678\n", "PING", "ECHO a b", "", "", "12345678")
    codec.isIncomplete("PING\r\nEC", "PING")
    assertEquals(codec.rejects("PING\n123456789", "PING"), "a line is at most 8 bytes long")
    codec.encodes("wörld", "w\u00c3\u00b6rld\r\n")
  }
}
