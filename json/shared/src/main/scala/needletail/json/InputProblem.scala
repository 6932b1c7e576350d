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
  def entry(field: String, message: String): Json = Json.obj("field" -> field, "message" -> message)

  def of(error: JsonError): Json = entry(
    Quote(error.path, MaxPath),
    if (error.offset >= 0) s"${error.message} at byte ${error.offset}" else error.message
  )

  def response(status: Status, detail: String, errors: Seq[Json]): Response =
    Response(status).contentType(MediaType).bytes(json(status, detail, errors).toBytes)

  /** The error that has that response. */
  def error(status: Status, detail: String, errors: Seq[Json]): HttpError =
    HttpError(
      status,
      new String(json(status, detail, errors).toBytes, UTF_8),
      Headers("Content-Type" -> MediaType)
    )

  private def json(status: Status, detail: String, errors: Seq[Json]): Json.Obj = Json.obj(
    "errors" -> Json.Arr(errors.toVector),
    "status" -> status.code,
    "type"   -> "about:blank",
    "title"  -> status.reason,
    "detail" -> detail
  )
}
