package needletail.conformance.operation

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import needletail.testing.Pause

/** Customers of the store, who ask for each kind of page over and over from the moment they are made. */
final class Customers(port: Int, val ofEachKind: Int = 8) extends AutoCloseable {
  import Customers._

  private val seen               = new ConcurrentLinkedQueue[Visit]
  @volatile private var shopping = true
  private val threads            = for (kind <- kinds; _ <- 1 to ofEachKind) yield {
    val thread = new Thread(() => shop(kind), s"customer: $kind")
    thread.setDaemon(true)
    thread.start()
    thread
  }

  /** How many they are. */
  def count: Int = threads.length

  /** What was seen of that kind by those who asked at that time of `System.nanoTime` or later. */
  def visits(kind: String, since: Long = Long.MinValue): Seq[Visit] =
    seen.asScala.filter(v => v.kind == kind && v.began >= since).toSeq

  /** They leave, and wait for their last answers. */
  def close(): Unit = {
    shopping = false
    threads.foreach(_.join(15000))
  }

  private def shop(kind: String): Unit = while (shopping) {
    val began  = System.nanoTime()
    val status =
      try ask(port, kind)
      catch { case NonFatal(_) => 0 }
    seen.add(Visit(kind, began, status, (System.nanoTime() - began) / 1000000))
    Pause(10.millis)
  }
}

object Customers {
  val kinds: Seq[String] = Seq("index", "search", "payment")

  /** @param status 0 when there was no answer */
  final case class Visit(kind: String, began: Long, status: Int, millis: Long)

  // HTTP from elsewhere; its few connections are kept open by it
  private val client = HttpClient.newBuilder.version(HttpClient.Version.HTTP_1_1).build()

  /** Asks once: the status. */
  def ask(port: Int, kind: String): Int = {
    def to(path: String) = HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port$path"))
      .timeout(Duration.ofSeconds(10))
    val request = kind match {
      case "index"   => to("/").build()
      case "search"  => to("/search?query=needle").build()
      case "payment" =>
        to("/payments").header("Content-Type", "application/x-www-form-urlencoded")
          .POST(HttpRequest.BodyPublishers.ofString("amount=20")).build()
    }
    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode
  }
}
