package needletail.examples.reference

import java.nio.file.Path

import needletail.async.Async
import needletail.content._
import needletail.json._
import needletail.routing._
import needletail.stream.Stream

/** Files, forms, events and compression, as tests from outside expect them. */
object WebContent {

  /** Uploads are read to their end; only the server's own limit applies. */
  private val limits = MultipartLimits(partSize = Long.MaxValue, total = Long.MaxValue)

  private val count = arg[Long].filter(_ >= 0, "{NAME} must not be negative")

  /** With the files of `directory`, if there is one. `/text` is compressed as one of `codings`. */
  def routes(directory: Option[Path], codings: List[String] = CompressionConfig().codings): Routes = Routes(
    POST / "upload" + Body(Multipart.reader(limits)) to (upload(_)),
    GET / "events" + ?("n", count) + request to { case (n, request) =>
      Events(request)(last => events(last.flatMap(_.toLongOption).getOrElse(0L), n))
    },
    (GET / "text" + ?("bytes", count) to (bytes => text(bytes))).compressed(CompressionConfig(codings =
      codings
    ))
  ) ++ directory.fold(Routes())(files("/static", _))

  /** `n` events in all, after the one with the number `last`. */
  private def events(last: Long, n: Long): Stream[Event] =
    Stream.fromIterator(
      Iterator.unfold(Math.max(0L, last)) { before =>
        if (before >= n) None
        else Some((Event(s"event ${before + 1}", Some((before + 1).toString)), before + 1))
      }
    )

  private def upload(form: Multipart): Async[Response] =
    form.each { part =>
      val digest = new Sha256
      part.content.fold(0L) { (size, piece) =>
        digest.update(piece)
        size + piece.length
      }.map { size =>
        Json.obj(
          "name"     -> part.name,
          "fileName" -> part.fileName,
          "type"     -> part.contentType,
          "size"     -> size,
          "sha256"   -> digest.hex
        )
      }
    }.map(parts => Response.ok.json(Json.Arr(parts.toVector): Json))

  private val words = "the quick brown needletail flies over the lazy cloud and back again\n"

  /** Of all responses: however many are requested, there is one piece in memory. */
  private lazy val piece = (words * 500).getBytes("US-ASCII")

  private def text(bytes: Long): Response = {
    var left   = bytes
    val pieces = Iterator.continually(piece).takeWhile(_ => left > 0).map { p =>
      val next = if (left < p.length) java.util.Arrays.copyOf(p, left.toInt) else p
      left -= next.length
      next
    }
    Response.ok.contentType("text/plain; charset=utf-8").stream(ByteStream.fromIterator(pieces), bytes)
  }
}
