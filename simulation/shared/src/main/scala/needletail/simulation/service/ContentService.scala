package needletail.simulation.service

import scala.concurrent.duration._

import needletail.async.Async
import needletail.content._
import needletail.http.Reply
import needletail.routing._
import needletail.simulation.reader.Mark
import needletail.simulation.world.World
import needletail.stream.Stream

/**
 * Routes with compressed responses, bodies with a coding, forms in parts and server-sent events. What they respond with
 * is made of the request's mark, or is what it has sent.
 */
final class ContentService(
    world: World,
    code: UserCode,
    compression: CompressionConfig,
    limits: DecodingLimits
) {
  import ContentService._

  val routes: Routes = Routes(
    GET / "text" / arg[String]("kind") + request to { case (kind, r) => text(kind, r) },
    POST / "decoded" + request + Body(Decoding.reader[Array[Byte]](limits)) to { case (r, bytes) =>
      code.at("a handler of a decoded body")
      ok(r).bytes(bytes)
    },
    POST / "passed" + request to (r => passed(r)),
    POST / "form" + request + Body[Multipart] to { case (r, form) => parts(r, form) },
    GET / "count" / arg[Int]("total") + request to { case (total, r) => count(total, r) }
  ).compressed(compression)

  private def ok(r: Request): Response =
    Response.ok.header("X-Mark", r.header("X-Mark").getOrElse("none")).contentType("text/plain")

  private def text(kind: String, r: Request): Reply = {
    code.at("a handler of texts")
    val mark    = r.header("X-Mark").getOrElse("none")
    val size    = r.header("X-Size").fold(0)(_.toInt)
    val content = Mark.content(mark, size)
    kind match {
      case "whole" => ok(r).bytes(content)
      case "later" =>
        Async.sleep(world.random.longBetween(0, 900000000L).nanos).map(_ => ok(r).bytes(content))
      case "stream" => ok(r).stream(code.stream(content))
      case "known"  => ok(r).stream(code.stream(content), size.toLong)
      case "breaks" => ok(r).stream(code.stream(content, failsAt = size / 2))
      case _        => Response.notFound
    }
  }

  /** The decoded body as a stream, with user code in between. */
  private def passed(r: Request): Reply = {
    code.at("a handler of a decoded stream")
    Decoding.decoded(r, limits) match {
      case Left(error)  => Response.of(error)
      case Right(plain) =>
        if (world.random.percent(10)) plain.body.stream.next().map(_ => ok(r).text("that will do"))
        else ok(r).stream(plain.body.stream.map { piece => code.at("a piece that was decoded"); piece })
    }
  }

  /** What the parts have in their content, one after the other; parts whose name begins with "skip" are not read. */
  private def parts(r: Request, form: Multipart): Async[Response] = {
    code.at("a handler of forms")
    form.each { part =>
      code.at("a part of a form")
      if (part.name.startsWith("skip")) Async.value(Array.emptyByteArray)
      else if (part.name.startsWith("peek")) part.content.next().map(_ => Array.emptyByteArray)
      else part.bytes(1 << 20)
    }.map(all => ok(r).bytes(Array.concat(all*)))
  }

  /** Events with the numbers up to `total`, from the one after the last that the client has seen, and not all at once. */
  private def count(total: Int, r: Request): Response = {
    code.at("a handler of events")
    val next = Events.lastId(r).fold(0)(_.toInt + 1)
    val mark = r.header("X-Mark").getOrElse("none")
    if (next >= total) Response(Status.NoContent)
    else {
      val some = 1 + world.random.below(total - next)
      Events(r, heartbeat = 500.millis) { _ =>
        val events = Stream.fromIterator(Iterator.range(next, next + some)).mapAsync(1) { i =>
          code.at("a source of events")
          val event = Event(mark + "\n" + i, id = Some(i.toString), retryMillis = Some(100 + i.toLong))
          if (world.random.percent(50)) Async.value(event)
          else Async.sleep(world.random.longBetween(0, world.random.pick(pauses)).nanos).map(_ => event)
        }
        if (world.random.percent(20)) events ++ Stream.fail(new IllegalStateException("the events break off"))
        else events
      }
    }
  }
}

object ContentService {
  val kinds: Seq[String] = Seq("whole", "whole", "later", "stream", "stream", "known", "breaks")

  private val pauses = Seq(1000L, 20000000L, 900000000L)
}
