package needletail.content.answer

import needletail.http.{Request, Response, Status}
import needletail.json.{InputProblem, Json}
import needletail.routing.{Content, Routes}

/**
 * What went wrong, for programs to read (RFC 9457): application/problem+json.
 *
 * @param kind the URI of the type of problem; `about:blank` if it is only the status
 * @param title what this type of problem is; by default the status' reason
 * @param detail what went wrong this time
 * @param instance a URI of this occurrence
 * @param extensions further members
 */
final case class Problem(
    status: Status,
    detail: String = "",
    kind: String = "about:blank",
    title: String = "",
    instance: String = "",
    extensions: Json.Obj = Json.obj()
) {

  /** As in RFC 9457: the status, the members that are not empty, and the extensions. */
  def toJson: Json.Obj = {
    val own = List(
      "type"     -> kind,
      "title"    -> (if (title.nonEmpty) title else status.reason),
      "detail"   -> detail,
      "instance" -> instance
    ).collect { case (name, value) if value.nonEmpty => name -> (Json.Str(value): Json) }
    val members = ("status" -> Json(status.code)) :: own
    members.foldLeft(extensions)((json, member) => json + member)
  }

  /** A response with its status and, as content, its JSON. */
  def toResponse: Response = Response(status).contentType(Problem.MediaType).bytes(toJson.toBytes)
}

object Problem {

  /** The media type of problems in JSON. */
  val MediaType: String = InputProblem.MediaType

  /** `problem.withStatus` and similar methods; the status of the problem changes with it. */
  implicit val content: Content[Problem] = (status, problem) => problem.copy(status = status).toResponse

  /** The same routes, whose errors in plain text, such as those of parameters, become problems with that detail. */
  private[content] def of(routes: Routes): Routes = routes.mapResponse { (request, response) =>
    val _: Request = request
    val plain      = response.headers.get("Content-Type").forall(_ == needletail.http.MediaType.Text)
    if (!response.status.isError || !plain || response.content == null) response
    else if (response.headers.contains("Content-Encoding")) response // not a text any more
    else {
      val detail = new String(response.content, java.nio.charset.StandardCharsets.UTF_8)
      response.contentType(MediaType).bytes(Problem(response.status, detail).toJson.toBytes)
    }
  }
}
