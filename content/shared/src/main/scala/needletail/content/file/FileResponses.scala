package needletail.content.file

import java.nio.charset.StandardCharsets.US_ASCII

import needletail.content.conditional.{Conditions, Verdict}
import needletail.http.{ByteStream, Headers, HttpDate, Method, Request, Response, Status}
import needletail.http.text.Entropy

/** The responses to requests for one variant of a file: RFC 9110 §13 and §14. Immutable. */
private[file] final class FileResponses(
    variant: Variant,
    mediaType: String,
    cacheControl: Option[String],
    varies: Boolean,
    mostRanges: Int
) {
  import FileResponses._
  private val dated = if (variant.lastModified >= 0) Some(variant.lastModified) else None

  private val validators: Headers = {
    val optional = List(
      dated.map(at => "Last-Modified" -> HttpDate.format(at)),
      cacheControl.map("Cache-Control" -> _),
      if (varies) Some("Vary" -> "Accept-Encoding") else None
    )
    Headers((("ETag" -> variant.tag.toString) :: optional.flatten)*)
  }
  private val described = {
    val ranges = validators.add("Accept-Ranges", "bytes")
    if (variant.coding == null) ranges else ranges.add("Content-Encoding", variant.coding)
  }
  private val conditions = new Conditions(Some(variant.tag), dated)

  private val empty       = Response.ok.contentType(mediaType).withHeaders(described)
  private val whole       = if (variant.content == null) null else empty.bytes(variant.content)
  private val notModified = Response(Status.NotModified).withHeaders(validators)
  private val failed      = Response(Status.PreconditionFailed).withHeaders(validators)

  /** The response. `mayStream` says whether a long content had better be sent from the file, even if it is in memory. */
  def apply(request: Request, now: Long, mayStream: Boolean): Outcome = conditions(request) match {
    case Verdict.NotModified                             => Outcome.Ready(notModified)
    case Verdict.Failed                                  => Outcome.Ready(failed)
    case Verdict.Proceed if request.method != Method.GET => // framed as for GET, if it is compressed as well
      Outcome.Ready(
        if (isCopied(variant.size, mayStream)) whole else empty.stream(ByteStream.of(nothing), variant.size)
      )
    case Verdict.Proceed =>
      request.header("range") match {
        case Some(range) if conditions.allowRange(request, now) =>
          ByteRanges.parse(range, variant.size, mostRanges) match {
            case ByteRanges.Whole             => all(mayStream)
            case ByteRanges.Unsatisfiable     => unsatisfiable
            case ByteRanges.Parts(List(part)) => one(part, mayStream)
            case ByteRanges.Parts(parts)      => several(parts)
          }
        case _ => all(mayStream)
      }
  }

  private def all(mayStream: Boolean): Outcome =
    if (isCopied(variant.size, mayStream)) Outcome.Ready(whole)
    else Outcome.Streamed(empty, List(Part.Range(0, variant.size)))

  /** Whether so many bytes come from the server's own memory. */
  private def isCopied(length: Long, mayStream: Boolean): Boolean =
    variant.content != null && !(mayStream && length >= FileContent.SendFrom)

  private def unsatisfiable: Outcome = Outcome.Ready(
    Response(Status.RangeNotSatisfiable).header("Content-Range", s"bytes */${variant.size}")
      .header("Accept-Ranges", "bytes")
  )

  private def one(part: (Long, Long), mayStream: Boolean): Outcome = {
    val response = empty.withStatus(Status.PartialContent).header("Content-Range", rangeOf(part))
    if (isCopied(part._2 - part._1, mayStream)) Outcome.Ready(response.bytes(variant.bytes(part._1, part._2)))
    else Outcome.Streamed(response, List(Part.Range(part._1, part._2)))
  }

  private def rangeOf(part: (Long, Long)): String = s"bytes ${part._1}-${part._2 - 1}/${variant.size}"

  private def several(parts: List[(Long, Long)]): Outcome = {
    val boundary = Boundary.fresh()
    val pieces   = parts.zipWithIndex.flatMap { case (part, i) =>
      val lines = (if (i == 0) "" else "\r\n") +
        s"--$boundary\r\nContent-Type: $mediaType\r\nContent-Range: ${rangeOf(part)}\r\n\r\n"
      List(Part.Bytes(lines.getBytes(US_ASCII)), Part.Range(part._1, part._2))
    } :+ Part.Bytes(s"\r\n--$boundary--\r\n".getBytes(US_ASCII))
    val response = empty.withStatus(Status.PartialContent)
      .contentType(s"multipart/byteranges; boundary=$boundary")
    if (variant.content == null) Outcome.Streamed(response, pieces)
    else {
      val bytes = pieces.map {
        case Part.Bytes(b)           => b
        case Part.Range(from, until) => variant.bytes(from, until)
      }
      Outcome.Ready(response.bytes(Array.concat(bytes*)))
    }
  }
}

private[file] object FileResponses {
  private val nothing = new Array[Byte](0)
}

/** A response, or the missing condition for one. */
private[file] sealed abstract class Outcome

private[file] object Outcome {
  final case class Ready(response: Response)                       extends Outcome
  final case class Streamed(response: Response, parts: List[Part]) extends Outcome
}

/** Boundaries of multipart contents, which are unpredictable for authors of the content. */
private[content] object Boundary {
  def fresh(): String = {
    val bytes = new Array[Byte](16)
    Entropy.fill(bytes)
    bytes.map(b => f"${b & 0xff}%02x").mkString("needletail-", "", "")
  }
}
