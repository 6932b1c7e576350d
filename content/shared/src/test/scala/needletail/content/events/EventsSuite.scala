package needletail.content.events

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._

import needletail.http.{Headers, Method, Request}
import needletail.routing._
import needletail.stream.{Push, Stream}
import needletail.testing.Suite
import needletail.testkit._

class EventsSuite extends Suite {
  private def render(event: Event) = new String(event.render, UTF_8)

  test("an event is one line for each field and each line of its data") {
    assertEquals(render(Event("a\nb\r\nc\rd")), "data: a\ndata: b\ndata: c\ndata: d\n\n")
    assertEquals(render(Event("")), "data: \n\n")
    assertEquals(
      render(Event("x", Some("7"), "tick", Some(3000))),
      "event: tick\nid: 7\nretry: 3000\ndata: x\n\n"
    )
  }

  test("a field that could end its line is refused") {
    for (id <- Seq("a\nb", "a\rb", "a\u0000b")) {
      intercept[IllegalArgumentException](Event("x", Some(id))); ()
    }
    intercept[IllegalArgumentException](Event("x", name = "a\nid: 7"))
  }

  private def parsed(text: String, longest: Int = 1000): List[Event] = {
    val parser = new EventParser(longest)
    val events = parser.feed(text.getBytes(UTF_8))
    if (parser.failure != null) throw parser.failure
    events
  }

  test("a line, and the data of an event, may be as long as the limit and no longer") {
    assertEquals(parsed("data:aaaaa\n\n", 10).map(_.data), List("aaaaa"))
    intercept[java.io.IOException](parsed("data:aaaaaa\n\n", 10))
    intercept[java.io.IOException](parsed(":23456789ab", 10))
    assertEquals(parsed("data:aaaaa\ndata:bbbbb\n\n", 10).map(_.data), List("aaaaa\nbbbbb"))
    intercept[java.io.IOException](parsed("data:aaaaa\ndata:bbbbb\ndata:\n\n", 10))
  }

  test("a byte order mark counts at the beginning only, and an id with NUL not at all") {
    assertEquals(parsed("\ufeffdata: a\n\ufeffdata: b\n\n").map(_.data), List("a"))
    assertEquals(parsed("id: 1\nid: 2\u00003\ndata: a\n\n"), List(Event("a", Some("1"))))
  }

  private def routes(events: Option[String] => Stream[Event]) =
    Routes(GET / "events" + request to (Events(_)(events)))

  test("the stream continues after Last-Event-ID") {
    def numbers(last: Option[String]) =
      Stream.from(last.fold(1)(_.toInt + 1) to 3).map(n => Event(n.toString, Some(n.toString)))
    val all = routes(numbers).test(Request.get("/events"))
    assertEquals(all.text, "id: 1\ndata: 1\n\nid: 2\ndata: 2\n\nid: 3\ndata: 3\n\n")
    assertEquals(all.header("Content-Type"), Some("text/event-stream"))
    assertEquals(all.header("Cache-Control"), Some("no-cache"))
    val rest = routes(numbers).test(Request(Method.GET, "/events", Headers("Last-Event-ID" -> "2")))
    assertEquals(rest.text, "id: 3\ndata: 3\n\n")
  }

  test("comments keep an idle connection alive") {
    val push  = new Push[Event](4)
    val reply = routes(_ => push.stream).test(Request.get("/events"))
    reply.advance(0.seconds)
    assertEquals(reply.pieces.next(), Some(":\n\n"))
    push.offer(Event("x"))
    push.complete()
    assertEquals(reply.pieces.next(), Some("data: x\n\n"))
    assertEquals(reply.pieces.next(), None)
  }
}
