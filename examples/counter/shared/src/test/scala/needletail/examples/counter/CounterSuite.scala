package needletail.examples.counter

import java.net.{InetSocketAddress, Socket}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.Address
import needletail.server.{Server, ServerConfig}
import needletail.testing.Suite

class CounterSuite extends Suite {
  private final val Connections = 64
  private final val Each        = 25

  test("under 64 connections at once no number comes twice and none is lost") {
    val server =
      Server(new Counter().routes, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2)).start()
    try {
      val seen    = new ConcurrentLinkedQueue[Int]
      val clients = List.fill(Connections)(new Thread(() => ask(server.port).foreach(n => seen.add(n))))
      clients.foreach(_.start())
      clients.foreach(_.join(20000))
      assertEquals(seen.toArray.toList.map(_.asInstanceOf[Int]).sorted, (1 to Connections * Each).toList)
    } finally { Await.result(server.close(), 20.seconds); () }
  }

  /** The numbers one client is given, one after another on one connection. */
  private def ask(port: Int): List[Int] = {
    val socket = new Socket()
    socket.connect(new InetSocketAddress("127.0.0.1", port), 20000)
    socket.setSoTimeout(20000)
    val in = new java.io.BufferedReader(new java.io.InputStreamReader(socket.getInputStream, "ISO-8859-1"))
    try
      List.fill(Each) {
        socket.getOutputStream.write("GET /dispatcher HTTP/1.1\r\nHost: a\r\n\r\n".getBytes("ISO-8859-1"))
        var length = 0
        var line   = in.readLine()
        while (line.nonEmpty) {
          if (line.toLowerCase.startsWith("content-length: ")) length = line.drop(16).toInt
          line = in.readLine()
        }
        List.fill(length)(in.read().toChar).mkString.toInt
      }
    finally socket.close()
  }
}
