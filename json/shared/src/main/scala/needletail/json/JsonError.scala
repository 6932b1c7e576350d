package needletail.json

import needletail.http.message.Status
import needletail.routing.internal.matching.Quote

/**
 * Why a text is not JSON, or why a JSON value could not be converted.
 *
 * @param message the reason; `is missing` for a value that is not there
 * @param path the place in the document, such as `items[2].price`; empty for the document itself
 * @param offset the offset in bytes (UTF-8) of a syntax error; -1 for other errors
 * @param others further errors of the same value, in the order of its fields
 * @param isComplete whether the message itself names the place
 */
final case class JsonError(
    message: String,
    path: String = "",
    offset: Int = -1,
    others: Vector[JsonError] = Vector.empty,
    isComplete: Boolean = false
) {

  /** Both errors, with the others of both, each once; at most 100. */
  private[json] def and(that: JsonError): JsonError = {
    val own  = copy(others = Vector.empty)
    val more = others ++ (that.copy(others = Vector.empty) +: that.others)
    copy(others = more.distinct.filter(_ != own).take(JsonError.Most - 1))
  }

  /** Each error by itself. */
  private[json] def all: Vector[JsonError] = copy(others = Vector.empty) +: others

  /** 400 for a text that is not JSON, 422 for JSON that is not what was expected (RFC 9110 §15.5.21). */
  private[json] def status: Status = if (offset >= 0) Status.BadRequest else Status.UnprocessableContent

  /**
   * One line, safe to be shown to a client: `malformed JSON: field 'items[2]': expected a value at byte 17`, or `field
   * 'amount': expected Integer, got a string; missing field 'city'`.
   */
  override def toString: String =
    if (others.isEmpty) itself else (this +: others).map(_.itself).mkString("; ")

  private def itself: String = {
    val where = if (path.isEmpty || isComplete) "" else s"field '${Quote(path)}': "
    if (offset >= 0) s"malformed JSON: $where$message at byte $offset"
    else if (path.nonEmpty && message == JsonError.Missing) s"missing field '${Quote(path)}'"
    else s"$where$message"
  }
}

object JsonError {

  /** The message of an error about a value that is not there. */
  private[json] final val Missing = "is missing"

  /** How many errors are kept: documents of clients may have any number. */
  private final val Most = 100
}
