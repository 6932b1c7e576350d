package needletail.simulation.peer

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.Async
import needletail.client.{Call, Client}
import needletail.content._
import needletail.http.MessageBody
import needletail.http.text.ByteWriter
import needletail.io.EventLoop
import needletail.simulation.reader.Mark
import needletail.simulation.service.{ContentService, UserCode}
import needletail.simulation.world.World
import needletail.stream.Stream

/** A call of the library's client, which decodes what comes: content, a body that is compressed, a form, or events. */
final class ContentCall(
    world: World,
    code: UserCode,
    client: Client,
    loop: EventLoop,
    number: Int,
    port: Int
) {
  private val random  = world.random.split()
  private val mark    = Mark(number, 1)
  private val size    = if (random.percent(80)) random.skewed(5000) else random.skewed(150000)
  private val content = Mark.content(mark, size)
  private val url     = s"http://127.0.0.1:$port${if (random.percent(25)) "/via" else ""}"

  /** Whether it has come to its end. */
  var isOver = false

  try
    loop.execute { () =>
      val result = random.below(10) match {
        case n if n < 4 =>
          val kind = random.pick(ContentService.kinds)
          answered(client.get(s"$url/text/$kind").header("X-Size", size.toString), content)
        case n if n < 6 => decoded()
        case n if n < 7 => form()
        case _          => events()
      }
      if (random.percent(15)) world.after(random.longBetween(0, 1000000000L)) {
        try loop.execute(() => result.cancel())
        catch { case _: RejectedExecutionException => () }
      }
      result.onComplete { end =>
        if (isOver) world.found(s"call $number came to an end a second time")
        isOver = true
        end match {
          case Success(_) => ()
          case Failure(e) => world.trace.say(world, s"call $number failed: $e")
        }
        code.at("a callback of a call")
      }
    }
  catch { case _: RejectedExecutionException => isOver = true }

  private def answered(call: Call, expected: Array[Byte]): Async[Unit] = {
    val marked = call.header("X-Mark", mark)
    if (random.percent(50))
      marked.response.map(r => check(r.status.code, r.header("X-Mark"), r.bytes, expected))
    else
      marked.stream.flatMap { r =>
        code.at("a streamed answer")
        if (random.percent(10)) {
          r.body.cancel()
          Async.unit
        } else
          MessageBody.collect(r.body, new ByteWriter(1024), 1 << 20)
            .map(bytes => check(r.status.code, r.header("X-Mark"), bytes, expected))
      }
  }

  private def check(status: Int, own: Option[String], bytes: Array[Byte], expected: Array[Byte]): Unit =
    if (status == 200) {
      val isEarly = new String(bytes, "ISO-8859-1") == "that will do"
      if (!own.contains(mark)) world.found(s"a call got an answer with the mark $own instead of $mark")
      if (!isEarly && !java.util.Arrays.equals(bytes, expected))
        world.found(s"a call got ${bytes.length} bytes that are not the ${expected.length} of $mark")
    }

  private def decoded(): Async[Unit] = {
    val coding = random.pick(Seq("gzip", "deflate"))
    val packed = new ContentEncoder(random)(coding, content)
    val call   =
      client.post(s"$url/${if (random.percent(50)) "decoded" else "passed"}").header(
        "Content-Encoding",
        coding
      )
    answered(
      if (random.percent(50)) call.body(packed) else call.body(code.requestStream(packed, Int.MaxValue)),
      content
    )
  }

  private def form(): Async[Unit] = {
    val cut  = random.below(size + 1)
    val form = FormData(s"b$number")
      .field("a", mark)
      .file("skip", "a\"b.txt", "text/plain", content)
      .file("a", "c.txt", "text/plain", content.take(cut))
      .file(
        "a",
        "d.txt",
        "text/plain",
        code.requestStream(content.drop(cut), Int.MaxValue),
        size.toLong - cut
      )
    answered(client.post(s"$url/form").form(form), mark.getBytes("US-ASCII") ++ content)
  }

  /** All events, each once and in order, whatever breaks in between. */
  private def events(): Async[Unit] = {
    val total    = random.skewed(20)
    var attempts = 0
    var next     = 0
    var isWhole  = false
    EventSource(retry = 200.millis) { lastId =>
      attempts += 1
      if (lastId != (if (next == 0) None else Some((next - 1).toString)))
        world.found(s"call $number asks for what comes after $lastId, and has seen $next events")
      val call =
        lastId.foldLeft(client.get(s"$url/count/$total").header("X-Mark", mark))(_.header("Last-Event-ID", _))
      if (attempts > 50) Async.value(None)
      else
        call.stream.map { r =>
          code.at("an answer with events")
          isWhole = r.status.code == 204
          if (r.status.code == 200) Some(r.body: Stream[Array[Byte]])
          else {
            r.body.cancel()
            if (isWhole) None else Some(Stream.empty)
          }
        }.transform {
          case Success(body) => Async.value(body)
          case Failure(_)    => Async.value(Some(Stream.empty)) // tries again
        }
    }.foreach { event =>
      if (event.data != mark + "\n" + next || event.id != Some(next.toString))
        world.found(s"call $number got the event ${event.id} instead of $next: ${event.data.take(40)}")
      next += 1
      code.at("an event")
    }.map { _ =>
      if (isWhole && next != total) world.found(s"call $number got $next of $total events")
    }
  }
}
