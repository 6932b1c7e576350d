package needletail.server

import java.nio.file.Paths

import scala.concurrent.duration._

import needletail.actor.{Actor, ActorRef}
import needletail.async.{Async, Loop}
import needletail.routing._
import needletail.stream.{Offer, Push, Stream}

/** The examples of docs/streams.md, letter by letter (GuideTextSuite). To be made on a loop. */
final class StreamGuide(save: String => Async[Unit]) {
  // format: off
  val upload = (POST / "lines" + request) to (request =>
    request.body.lines(longest = 1000).filter(_.nonEmpty).mapAsync(4)(save).fold(0)((n, _) => n + 1).map(n => s"$n lines".ok)
  )

  val numbers = GET / "numbers" / arg[Int] to (n => Stream.from(1 to n).map(i => s"$i\n").utf8.ok.contentType("text/plain"))
  val log     = GET / "log" to Response.ok.contentType("text/plain").stream(Stream.file(Paths.get("server.log")))

  sealed trait Message
  case class Watch(events: Push[Int]) extends Message
  case class Progress(percent: Int)   extends Message

  lazy val job: ActorRef[Message] = Actor.spawn[Message](Loop.current) { _ =>
    var watchers = List.empty[Push[Int]]
    message =>
      message match {
        case Watch(events)     => watchers ::= events
        case Progress(percent) =>
          watchers = watchers.filter(_.offer(percent) != Offer.Closed)
          if (percent == 100) watchers.foreach(_.complete())
      }
  }

  val progress = (GET / "progress" + request) to { request =>
    val events = new Push[Int](16)
    job ! Watch(events)
    val alive = Stream.ticks(15.seconds).map(_ => ": still here\n\n").until(request.connection.draining)
    Response.ok
      .contentType("text/event-stream")
      .stream(events.stream.map(n => s"data: $n\n\n").merge(alive, eager = true).utf8) // ends when either ends
  }
  // format: on
}
