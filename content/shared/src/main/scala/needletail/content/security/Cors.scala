package needletail.content.security

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.{Dropped, Method, Request, Response, Status}
import needletail.http.text.Origin
import needletail.routing.Routes

/**
 * Which other origins a browser lets use these routes (Fetch standard, CORS). Without it, none.
 *
 * @param origins origins as `https://shop.example`; `*` for all, which excludes `credentials`
 * @param methods for requests that a browser asks about first
 * @param headers request headers that scripts may set; `*` for all requested ones
 * @param exposed response headers that scripts may read
 * @param credentials whether cookies and authorisation are sent
 * @param maxAge how long a browser keeps the answer
 */
final case class CorsConfig(
    origins: Set[String],
    methods: List[Method] = List(Method.GET, Method.HEAD, Method.POST),
    headers: List[String] = Nil,
    exposed: List[String] = Nil,
    credentials: Boolean = false,
    maxAge: FiniteDuration = FiniteDuration(10, MINUTES)
) {
  if (credentials && origins.contains("*"))
    throw new IllegalArgumentException("CorsConfig: credentials cannot be sent to all origins")
  for (origin <- origins)
    Setting("CorsConfig").check(
      "origins",
      origin,
      origin == "*" || Origin.isValid(origin),
      s"${Origin.form}; or *"
    )
}

private[content] final class Cors(config: CorsConfig) {
  private val all = config.origins.contains("*")

  def apply(routes: Routes): Routes = routes.mapResponse(shared)

  private def shared(request: Request, made: Response): Response = {
    val response = withoutGrants(made)
    request.header("origin") match {
      case None         => varied(response)
      case Some(origin) =>
        val preflight =
          request.method == Method.OPTIONS && request.header("access-control-request-method").isDefined
        if (!all && !config.origins.contains(origin)) varied(response)
        else if (preflight) allowed(asked(request, response), origin)
        else {
          val shown = allowed(response, origin)
          if (config.exposed.isEmpty) shown
          else shown.setHeader("Access-Control-Expose-Headers", config.exposed.mkString(", "))
        }
    }
  }

  /** What this configuration does not grant is not granted, also if a service behind a proxy route would. */
  private def withoutGrants(response: Response): Response =
    Cors.grants.foldLeft(response)((r, name) => if (r.headers.contains(name)) r.withoutHeader(name) else r)

  private def allowed(response: Response, origin: String): Response = {
    val named = varied(response).setHeader("Access-Control-Allow-Origin", if (all) "*" else origin)
    if (config.credentials) named.setHeader("Access-Control-Allow-Credentials", "true") else named
  }

  /** The answer to a preflight, for a path that there is. */
  private def asked(request: Request, response: Response): Response =
    if (response.status == Status.NotFound) response
    else {
      Dropped.response(response)
      val headers =
        if (config.headers.contains("*")) request.header("access-control-request-headers").getOrElse("")
        else config.headers.mkString(", ")
      val answer = Response(Status.NoContent)
        .header("Access-Control-Allow-Methods", config.methods.map(_.name).mkString(", "))
        .header("Access-Control-Max-Age", config.maxAge.toSeconds.toString)
        .header("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
      if (headers.isEmpty) answer else answer.header("Access-Control-Allow-Headers", headers)
    }

  /** The response differs by origin, unless all get the same. */
  private def varied(response: Response): Response =
    if (all || response.headers.list("Vary").exists(_.equalsIgnoreCase("origin"))) response
    else response.header("Vary", "Origin")
}

private object Cors {

  /** The fields by which a server grants something to other origins (Fetch standard §3.3.3). */
  val grants: List[String] = List(
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers",
    "Access-Control-Max-Age",
    "Access-Control-Expose-Headers"
  )
}
