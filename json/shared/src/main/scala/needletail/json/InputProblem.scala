package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.Response
import needletail.http.message.{Headers, HttpError, Status}
import needletail.routing.internal.matching.Quote

/**
 * What is wrong with an input, as a problem (RFC 9457) whose member `errors` names each field. One form for all: bodies
 * that are not JSON or lack fields, and values that are not valid.
 */
private[needletail] object InputProblem {
  val MediaType = "application/problem+json"

  /** Longer paths are cut, as clients choose the names in them. */
  private final val MaxPath = 256

  /** An element of `errors`: the field, empty for the whole input, and what is wrong with it. */
  final class Entry(private[InputProblem] val field: String, private[InputProblem] val message: String)

  def entry(field: String, message: String): Entry = new Entry(field, message)

  def of(error: JsonError): Entry = entry(
    Quote(error.path, MaxPath),
    if (error.offset >= 0) s"${error.message} at byte ${error.offset}" else error.message
  )

  def response(status: Status, detail: String, errors: Seq[Entry]): Response =
    Response(status).contentType(MediaType).bytes(json(status, detail, errors).getBytes(UTF_8))

  /** The error that has that response. */
  def error(status: Status, detail: String, errors: Seq[Entry]): HttpError =
    HttpError(
      status,
      json(status, detail, errors),
      Headers("Content-Type" -> MediaType)
    )

  /** Not by `Json`, whose readers and writers know this. */
  private def json(status: Status, detail: String, errors: Seq[Entry]): String = {
    val out                                       = new JsonOutput(indented = false)
    def member(name: String, value: String): Unit = {
      out.name(name)
      out.quoted(value)
    }
    out.raw("{")
    out.name("errors")
    out.list('[', errors.toVector, ']') { e =>
      out.raw("{")
      member("field", e.field)
      out.raw(",")
      member("message", e.message)
      out.raw("}")
    }
    out.raw(s""","status":${status.code},"type":"about:blank",""")
    member("title", status.reason)
    out.raw(",")
    member("detail", detail)
    out.raw("}")
    out.toString
  }
}
