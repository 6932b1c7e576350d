package needletail.conformance.websocket

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise}

import needletail.websocket._

/**
 * Runs the cases of a WebSocket server for tests, such as Autobahn's fuzzing server, as its client: it echoes what each
 * case sends.
 */
final class ClientCases(server: String, compression: Option[PerMessageDeflate]) {
  private val config = WebSocketClientConfig(
    webSocket = WebSocketConfig(maxMessage = 16 * 1024 * 1024, compression = compression)
  )

  def run(): Unit = {
    val client = WebSocketClient(config)
    try {
      val count = last(client, "/getCaseCount").toInt
      for (n <- 1 to count) {
        last(client, s"/runCase?case=$n&agent=needletail")
        if (n % 50 == 0) println(s"$n of $count cases")
      }
      last(client, "/updateReports?agent=needletail")
      println(s"$count cases")
    } finally client.close()
  }

  /** Echoes messages until the server closes. Returns the last message. */
  private def last(client: WebSocketClient, path: String): String = {
    val over   = Promise[String]()
    val opened = client.future(server + path) { socket =>
      new WebSocketListener {
        private var seen                      = ""
        def onMessage(message: Message): Unit = {
          if (message.isText && message.bytes.length < 100) seen = message.text
          if (!path.startsWith("/getCaseCount")) socket ! message
        }
        override def onClose(code: Int, reason: String): Unit = { over.trySuccess(seen); () }
      }
    }
    Await.result(opened, 20.seconds)
    Await.result(over.future, 600.seconds)
  }
}
