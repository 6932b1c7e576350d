package needletail.content.conditional

import needletail.http.message.HttpError
import needletail.http.{Dropped, Headers, HttpDate, Method, Reply, Request, Response, Status, ToReply}
import needletail.routing.Routes

/** Responses that depend on the conditions of their requests (RFC 9110 §13). */
private[content] object Conditional {

  /** The response of `make`, unless the conditions of `request` are against it; see `content.conditionally`. */
  def reply[R](request: Request, tag: Option[EntityTag], lastModified: Option[Long], headers: Headers)(
      make: => R
  )(implicit toReply: ToReply[R]): Reply = {
    val conditions = new Conditions(tag, lastModified, exists = tag.isDefined || lastModified.isDefined)
    conditions(request) match {
      case Verdict.NotModified =>
        withoutContent(marked(Response(Status.NotModified), tag, lastModified, headers))
      case Verdict.Failed  => failed(tag, lastModified)
      case Verdict.Proceed =>
        val reply = toReply(make)
        if (isRead(request))
          reply.map(response =>
            if (isSuccess(response)) marked(response, tag, lastModified, headers) else response
          )
        else reply // what is there now has another tag
    }
  }

  /** The same routes; see `routes.conditional`. */
  def of(routes: Routes): Routes = routes.mapResponse(revalidated)

  /** The response to send for a response that was made without regard to the conditions. */
  private def revalidated(request: Request, response: Response): Response =
    if (response.status != Status.Ok || !isRead(request)) response
    else {
      val tag          = response.headers.get("ETag").flatMap(EntityTag.parse)
      val lastModified = response.headers.get("Last-Modified").flatMap(HttpDate.parse)
      if (tag.isEmpty && lastModified.isEmpty) response
      else
        new Conditions(tag, lastModified)(request) match {
          case Verdict.Proceed     => response
          case Verdict.NotModified =>
            Dropped.response(response)
            closing(response, withoutContent(Response(Status.NotModified).withHeaders(response.headers)))
          case Verdict.Failed =>
            Dropped.response(response)
            closing(response, failed(tag, lastModified))
        }
    }

  private def isRead(request: Request): Boolean =
    request.method == Method.GET || request.method == Method.HEAD

  private def isSuccess(response: Response): Boolean =
    response.status.code >= 200 && response.status.code < 300

  private def marked(
      response: Response,
      tag: Option[EntityTag],
      lastModified: Option[Long],
      headers: Headers
  ): Response = {
    val tagged = tag.fold(response)(t => response.setHeader("ETag", t.toString))
    val dated  = lastModified.fold(tagged)(at => tagged.setHeader("Last-Modified", HttpDate.format(at)))
    if (headers.isEmpty) dated else dated.withHeaders(headers)
  }

  private val describing = List(
    "Accept-Ranges",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Language",
    "Content-Type"
  )

  /**
   * A 304 has the fields that a cache needs of a 200: Content-Location, Date, ETag, Vary, Cache-Control and Expires; what
   * else describes the content stays away, also Last-Modified if there is a tag (RFC 9110 §15.4.5).
   */
  private def withoutContent(response: Response): Response = {
    val bare =
      describing.foldLeft(response)((r, name) => if (r.headers.contains(name)) r.withoutHeader(name) else r)
    if (bare.headers.contains("ETag")) bare.withoutHeader("Last-Modified") else bare
  }

  private val refused =
    Response.of(HttpError(Status.PreconditionFailed, "the request's condition does not hold"))

  private def failed(tag: Option[EntityTag], lastModified: Option[Long]): Response =
    marked(refused, tag, lastModified, Headers.empty)

  private def closing(original: Response, response: Response): Response =
    if (original.closes) response.close else response
}
