package needletail.simulation.peer

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.reader.{Mark, SentRequest, StrictHttpReader}
import needletail.simulation.service.Service
import needletail.simulation.world.World

/**
 * A client with one connection, on which it sends each request at its time, whether or not earlier ones are answered.
 *
 * @param refused called for a request that is answered with 503
 */
final class LoadClient(world: World, number: Int, port: Int)(refused: () => Unit) {
  private val sent   = new ArrayBuffer[SentRequest]
  private val reader = new StrictHttpReader(
    i => if (i < sent.size) sent(i) else null,
    what => world.found(s"client $number: $what")
  )
  private val client = new SimpleClient(world.network.connect(port))(read, reader.ended)
  private var judged = 0

  private def read(bytes: Array[Byte], count: Int): Unit = {
    reader.feed(bytes, count)
    while (judged < reader.answers.size) {
      val status = reader.answers(judged).status
      judged += 1
      if (status == 503) refused()
      else if (status != 200) world.found(s"client $number: status $status")
    }
  }

  def send(path: String): Unit = {
    val request = new SentRequest(Mark(number, sent.size + 1), "GET", null, mayContinue = false)
    request.isSent = true
    sent += request
    client.send(Service.ascii(s"GET $path HTTP/1.1\r\nHost: a\r\nX-Mark: ${request.mark}\r\n\r\n"))
  }

  /** How many requests have no response. */
  def unanswered: Int = sent.size - reader.answers.size

  def close(): Unit = client.close()
}
