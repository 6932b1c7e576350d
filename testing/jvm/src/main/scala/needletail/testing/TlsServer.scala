package needletail.testing

import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.{Executors, ThreadFactory}

import com.sun.net.httpserver.{HttpExchange, HttpsConfigurator, HttpsServer}

/** The JDK's HTTPS server, which shares no code with what is tested. */
object TlsServer {

  /** Runs `body` with the server's port; `answer` is called on threads of the server's. */
  def serving[A](by: Certificate = Certificate.local)(answer: HttpExchange => Unit)(body: Int => A): A = {
    val server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100)
    val daemon: ThreadFactory = task => {
      val thread = new Thread(task)
      thread.setDaemon(true)
      thread
    }
    val threads = Executors.newFixedThreadPool(8, daemon)
    server.setExecutor(threads)
    server.setHttpsConfigurator(new HttpsConfigurator(by.context))
    server.createContext(
      "/",
      exchange =>
        try answer(exchange)
        finally exchange.close()
    )
    server.start()
    try body(server.getAddress.getPort)
    finally {
      server.stop(0)
      threads.shutdownNow()
      ()
    }
  }

  /** Sends that answer. */
  def reply(exchange: HttpExchange, status: Int, body: Array[Byte]): Unit = {
    exchange.sendResponseHeaders(status, if (body.isEmpty) -1 else body.length.toLong)
    if (body.nonEmpty) exchange.getResponseBody.write(body)
  }
}
