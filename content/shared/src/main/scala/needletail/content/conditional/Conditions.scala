package needletail.content.conditional

import needletail.http.{HttpDate, Method, Request}

/** The result of a request's conditions (RFC 9110 §13). */
sealed abstract class Verdict

object Verdict {

  /** The request is to be performed. */
  case object Proceed extends Verdict

  /** The client has it already: 304. */
  case object NotModified extends Verdict

  /** The condition is false: 412. */
  case object Failed extends Verdict
}

/**
 * The conditions of a request, in the order of RFC 9110 §13.2.2.
 *
 * @param tag the tag of the selected representation, if it has one
 * @param lastModified in seconds since 1970, if known
 * @param exists whether there is a current representation
 */
final class Conditions(tag: Option[EntityTag], lastModified: Option[Long], exists: Boolean = true) {

  /** What becomes of `request`. For methods that select no representation, conditions do not count (§13.2.1). */
  def apply(request: Request): Verdict = {
    val safe = request.method == Method.GET || request.method == Method.HEAD
    if (!safe && Conditions.selectsNone(request.method)) Verdict.Proceed
    else if (!isCurrent(request)) Verdict.Failed
    else if (isKnown(request, safe)) if (safe) Verdict.NotModified else Verdict.Failed
    else Verdict.Proceed
  }

  /** If-Match, else If-Unmodified-Since (steps 1 and 2). */
  private def isCurrent(request: Request): Boolean =
    Conditions.field(request, "if-match") match {
      case Some("*")  => exists
      case Some(list) => matches(list)(_ isStrongly _)
      case None       => request.header("if-unmodified-since").flatMap(HttpDate.parse) match {
          case Some(date) => lastModified.forall(_ <= date)
          case None       => true
        }
    }

  /** If-None-Match, else If-Modified-Since (steps 3 and 4). */
  private def isKnown(request: Request, safe: Boolean): Boolean =
    Conditions.field(request, "if-none-match") match {
      case Some("*")  => exists
      case Some(list) => matches(list)(_ isWeakly _)
      case None       =>
        safe && request.header("if-modified-since").flatMap(HttpDate.parse).exists(date =>
          lastModified.exists(_ <= date)
        )
    }

  /** Whether Range applies: If-Range is absent or true (§13.1.5). `now` is in seconds since 1970. */
  def allowRange(request: Request, now: Long): Boolean =
    request.header("if-range") match {
      case None        => true
      case Some(value) =>
        EntityTag.parse(value) match {
          case Some(known) => tag.exists(_ isStrongly known)
          case None        => // a date is a strong validator once its second is over (§8.8.2.2)
            lastModified.exists(at => HttpDate.parse(value).contains(at) && at < now - 1)
        }
    }

  private def matches(list: String)(same: (EntityTag, EntityTag) => Boolean): Boolean =
    tag.exists(own => EntityTag.parseList(list).exists(_.exists(same(own, _))))
}

object Conditions {

  private def selectsNone(method: Method): Boolean =
    method == Method.OPTIONS || method == Method.TRACE || method == Method.CONNECT

  /** All lines of a list field as one. */
  private def field(request: Request, name: String): Option[String] =
    request.header(name) match {
      case None => None
      case one  =>
        val all = request.headers.getAll(name)
        if (all.tail.isEmpty) one.map(_.trim) else Some(all.mkString(", "))
    }
}
