package needletail

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path

import scala.concurrent.duration.FiniteDuration

import needletail.async.Async
import needletail.client.{Call, ClientError, Service}
import needletail.content.answer.Download
import needletail.content.compression.Compression
import needletail.content.conditional.Conditional
import needletail.content.file.{ClassPathServer, FileServer}
import needletail.content.forward.Proxy
import needletail.content.security.Cors
import needletail.http.message.{HttpError, MediaType, Parameters}
import needletail.http.{Handler, Headers, HttpDate, Reply, Request, Response, Status, ToReply}
import needletail.json.{Json, JsonReader, JsonWriter}
import needletail.routing.{request, Part, Routes}

/**
 * What web programs need besides routes: static files, compression, multipart forms, server-sent events, and more. All
 * of it wraps or makes routes, which stay routes.
 */
package object content {
  type CompressionConfig = compression.CompressionConfig
  type Conditions        = conditional.Conditions
  type CookieSecrets     = security.CookieSecrets
  type CorsConfig        = security.CorsConfig
  type CrossSite         = security.CrossSite
  type Csrf              = security.Csrf
  type CsrfToken         = security.CsrfToken
  type DecodingLimits    = compression.DecodingLimits
  type EntityTag         = conditional.EntityTag
  type Event             = events.Event
  type FileConfig        = file.FileConfig
  type FormData          = multipart.FormData
  type FormPart          = multipart.FormPart
  type Html              = answer.Html
  type Multipart         = multipart.Multipart
  type MultipartLimits   = multipart.MultipartLimits
  type Problem           = answer.Problem
  type ProxyConfig       = forward.ProxyConfig
  type RateLimit         = limit.RateLimit
  type ReverseProxies    = forward.ReverseProxies
  type RequestId         = answer.RequestId
  type SecurityHeaders   = security.SecurityHeaders
  type Verdict           = conditional.Verdict
  type FieldError        = validation.FieldError
  type Validated[A]      = validation.Validated[A]

  val Authentication: security.Authentication.type            = security.Authentication
  val CompressionConfig: compression.CompressionConfig.type   = compression.CompressionConfig
  val CompressionMetrics: compression.CompressionMetrics.type = compression.CompressionMetrics
  val CorsConfig: security.CorsConfig.type                    = security.CorsConfig
  val CrossSite: security.CrossSite.type                      = security.CrossSite
  val Decoding: compression.Decoding.type                     = compression.Decoding
  val Csrf: security.Csrf.type                                = security.Csrf
  val DecodingLimits: compression.DecodingLimits.type         = compression.DecodingLimits
  val EntityTag: conditional.EntityTag.type                   = conditional.EntityTag
  val Event: events.Event.type                                = events.Event
  val EventSource: events.EventSource.type                    = events.EventSource
  val Events: events.Events.type                              = events.Events
  val FileConfig: file.FileConfig.type                        = file.FileConfig
  val FormData: multipart.FormData.type                       = multipart.FormData
  val Html: answer.Html.type                                  = answer.Html
  val Multipart: multipart.Multipart.type                     = multipart.Multipart
  val MultipartLimits: multipart.MultipartLimits.type         = multipart.MultipartLimits
  val Problem: answer.Problem.type                            = answer.Problem
  val ProxyConfig: forward.ProxyConfig.type                   = forward.ProxyConfig
  val RateLimit: limit.RateLimit.type                         = limit.RateLimit
  val Redirect: answer.Redirect.type                          = answer.Redirect
  val ReverseProxies: forward.ReverseProxies.type             = forward.ReverseProxies
  val RequestId: answer.RequestId.type                        = answer.RequestId
  val SecurityHeaders: security.SecurityHeaders.type          = security.SecurityHeaders

  val Verdict: conditional.Verdict.type = conditional.Verdict

  val FieldError: validation.FieldError.type = validation.FieldError
  val Validated: validation.Validated.type   = validation.Validated

  /** All parameters of the query, to validate them together. */
  val queryParameters: Part[Parameters] = request.refine { request =>
    try Right(request.queryParams)
    catch { case e: HttpError => Left(Response.of(e)) }
  }

  /**
   * Routes for the files of a directory, below `prefix`: `files("/assets", Paths.get("public"))`.
   *
   * GET and HEAD, with conditions and ranges (RFC 9110 §13 and §14). A request for a directory gets its index file; one
   * without a slash at the end is redirected to the one with it. Files are never looked for outside of the directory,
   * links that lead out of it included; names that begin with a dot, devices and pipes are answered 404.
   *
   * @throws java.lang.IllegalArgumentException if there is no such directory
   */
  def files(prefix: String, directory: Path, config: FileConfig = FileConfig()): Routes =
    new FileServer(directory, config).routes(prefix)

  /**
   * The route of one file: `singleFile("/favicon.ico", Paths.get("icons/black.ico"))`. As `files` in all else, but its
   * name may begin with a dot, and there may be no such file yet; its directory must be there.
   */
  def singleFile(path: String, file: Path, config: FileConfig = FileConfig()): Routes = {
    val whole = file.toAbsolutePath.normalize
    if (whole.getParent == null) throw new IllegalArgumentException(s"singleFile: $file is a directory")
    new FileServer(whole.getParent, config.copy(hidden = true)).route(path, whole.getFileName.toString)
  }

  /**
   * Routes for files of the class path below `base`: `resources("/assets", "public")`. As `files`, but they never change
   * and have no Last-Modified, and a directory is only known by its index file. Natively the program has to be linked
   * with them: `nativeConfig ~= { _.withEmbedResources(true) }`.
   *
   * @throws java.lang.IllegalArgumentException on the JVM, if nothing of the class path is below `base`
   */
  def resources(prefix: String, base: String, config: FileConfig = FileConfig()): Routes =
    new ClassPathServer(base, config).routes(prefix)

  /** The route of one file of the class path: `singleResource("/favicon.ico", "public/icons/black.ico")`. */
  def singleResource(path: String, name: String, config: FileConfig = FileConfig()): Routes = {
    val slash = name.lastIndexOf('/')
    new ClassPathServer(
      name.substring(0, slash + 1),
      config.copy(hidden = true)
    ).route(path, name.substring(slash + 1))
  }

  /**
   * Routes that pass requests on to `service`, and its responses back, as they arrive: `proxy("/api", service)`. The
   * prefix is removed unless `config` keeps it. Connection-specific fields are removed, and Forwarded
   * names the client.
   */
  def proxy(prefix: String, service: Service, config: ProxyConfig = ProxyConfig()): Routes =
    new Proxy(prefix, service, config).routes

  /**
   * The response of `make`, a `Response`, `Async[Response]` or `Future[Response]`, if the request's conditions allow it
   * (RFC 9110 §13.2.2). Otherwise `make` is not evaluated: GET and HEAD are answered 304 if the client has the current
   * state, and 412 is the answer if If-Match or If-Unmodified-Since is false, or If-None-Match for a method that changes
   * something. Between the check and the change, others may change it too, unless the program prevents that.
   *
   * {{{
   * GET / "notes" / id + request to { case (note, request) =>
   *   conditionally(request, Some(EntityTag(note.version)), headers = Headers("Cache-Control" -> "no-cache"))(page(note).ok)
   * }
   * }}}
   * To be called where the request would succeed without conditions: they do not count for other responses (§13.2.1).
   *
   * @param tag the tag of the current state. With neither tag nor date there is no state yet, as for the PUT that creates
   *   it: then `If-None-Match: *` holds, and If-Match does not
   * @param lastModified when it last changed, in seconds since 1970
   * @param headers what a response to GET or HEAD and its 304 have in common besides ETag and Last-Modified: Cache-Control,
   *   Expires, Vary, Content-Location. They are added to successful responses
   */
  def conditionally[R](
      request: Request,
      tag: Option[EntityTag],
      lastModified: Option[Long] = None,
      headers: Headers = Headers.empty
  )(make: => R)(implicit toReply: ToReply[R]): Reply =
    Conditional.reply(request, tag, lastModified, headers)(make)

  /** The response of the media type that the client prefers; see [[answer.Negotiation]]. */
  def negotiate(request: Request)(offered: (String, () => Response)*): Response =
    answer.Negotiation.negotiate(request)(offered*)

  implicit class HtmlInterpolator(private val context: StringContext) {

    /** HTML with values that are escaped; see [[answer.Html]]. */
    def html(values: Any*): Html = Html.interpolate(context.parts, values)
  }

  implicit class PartWithValidation[A](private val part: Part[A]) {

    /**
     * The result of `f` for this part's value; if it finds errors, the response is a problem (RFC 9457) with the list
     * `errors`, each with `field` and `message`; see [[validation.Validated]].
     */
    def validate[B](f: A => Validated[B], status: Status = Status.UnprocessableContent): Part[B] =
      part.refine(f(_).orProblem(status))
  }

  implicit class ParametersWithFields(private val parameters: Parameters) {

    /** A field to check: a type with a `Read`, or an `Option` or `List` of one. */
    def field[A](name: String)(implicit reader: validation.ReadField[A]): validation.Field[A] =
      validation.ReadField.field[A](parameters, name)
  }

  implicit class RoutesWithContent(private val routes: Routes) {

    /** The same routes, whose responses are compressed for clients that accept it; see [[CompressionConfig]]. */
    def compressed: Routes = compressed(CompressionConfig())

    def compressed(config: CompressionConfig): Routes = new Compression(config)(routes)

    /**
     * The same routes, whose responses with ETag or Last-Modified become 304 for GET and HEAD if the client has them, and
     * 412 if If-Match or If-Unmodified-Since is false. This saves the transfer, not the work of the handler, and does
     * not protect what other methods change: see `conditionally`.
     */
    def conditional: Routes = Conditional.of(routes)

    /** The same routes, open to the other origins of `config`. */
    def cors(config: CorsConfig): Routes = new Cors(config)(routes)

    /** The same routes, with headers that make browsers more careful; see [[SecurityHeaders]]. */
    def securityHeaders: Routes = securityHeaders(SecurityHeaders())

    def securityHeaders(headers: SecurityHeaders): Routes = headers(routes)

    /** The same routes, closed to requests that other sites make browsers send; see [[CrossSite]]. */
    def refuseCrossSite: Routes = refuseCrossSite(CrossSite())

    def refuseCrossSite(check: CrossSite): Routes = check(routes)

    /** The same routes, whose responses set the cookie that their tokens belong to; see [[Csrf]]. */
    def csrf(tokens: Csrf): Routes = tokens(routes)

    /** The same routes, with a limit of requests for each client. */
    def rateLimit(limit: RateLimit): Routes = limit(routes)

    /** The same routes, whose responses have the id of their request; see [[RequestId]]. */
    def requestIds: Routes = requestIds(RequestId())

    def requestIds(ids: RequestId): Routes = ids(routes)

    /**
     * The same routes behind reverse proxies: `request.connection` has the client's address, and whether the client used
     * TLS. To be applied after what uses these, such as `rateLimit`; the access log has them too.
     */
    def behind(proxies: ReverseProxies): Routes = routes.around { (request, next) =>
      proxies(request)
      next()
    }

    /** The same routes, with errors as problems (RFC 9457) instead of plain text. */
    def problems: Routes = Problem.of(routes)
  }

  implicit class CompressedHandler(private val handler: Handler) {

    /** The same handler, whose responses are compressed for clients that accept it; see [[CompressionConfig]]. */
    def compressedBy(config: CompressionConfig): Handler = new Compression(config)(handler)
  }

  implicit class ResponseWithContent(private val response: Response) {

    /** With that ETag, which names this state of the content (RFC 9110 §8.8.3). */
    def etag(tag: EntityTag): Response = response.setHeader("ETag", tag.toString)

    /** With a strong ETag: `version` is what stands between the quotes. */
    def etag(version: String): Response = etag(EntityTag(version))

    /** With that time in Last-Modified, in seconds since 1970. */
    def lastModified(epochSecond: Long): Response =
      response.setHeader("Last-Modified", HttpDate.format(epochSecond))

    /** With these directives in Cache-Control, such as `no-store` or `private, max-age=60` (RFC 9111 §5.2). */
    def cacheControl(directives: String): Response = response.setHeader("Cache-Control", directives)

    /** Caches, those shared by many clients too, may use it without asking for so long: `max-age`, in whole seconds. */
    def cacheControl(maxAge: FiniteDuration): Response = {
      if (maxAge.toSeconds < 0)
        throw new IllegalArgumentException(s"cacheControl: maxAge $maxAge is negative")
      cacheControl(s"max-age=${maxAge.toSeconds}")
    }

    /** The same response, to be saved as a file of that name (RFC 6266). */
    def download(fileName: String): Response =
      response.setHeader("Content-Disposition", Download.disposition(fileName, inline = false))

    /** The same response, to be shown; if it is saved, under that name. */
    def inline(fileName: String): Response =
      response.setHeader("Content-Disposition", Download.disposition(fileName, inline = true))
  }

  implicit class CallWithContent(private val call: Call) {

    /**
     * Sends it: the response's JSON as an `A`. Fails with a `ClientError`: `UnexpectedStatus` as `call.text` does, and
     * `Malformed` if it is not JSON or not an `A`.
     */
    def as[A](implicit reader: JsonReader[A]): Async[A] = call.bytes.flatMap { bytes =>
      Json.parse(bytes).flatMap(_.as[A]) match {
        case Right(value) => Async.value(value)
        case Left(error)  =>
          Async.fail(
            new ClientError.Malformed(call.hostName, s"unexpected response content: $error").of(call.name)
          )
      }
    }

    /** With `value` as JSON as content. */
    def json[A](value: A)(implicit writer: JsonWriter[A]): Call =
      call.setHeader("Content-Type", MediaType.Json).body(writer.write(value).toBytes)

    /** With a form as content: application/x-www-form-urlencoded. */
    def form(form: Parameters): Call =
      call.setHeader("Content-Type", MediaType.Form).body(form.render.getBytes(UTF_8))

    /** With a form as content that can have files: multipart/form-data. */
    def form(form: FormData): Call = {
      val typed = call.setHeader("Content-Type", form.contentType)
      if (form.length >= 0) typed.body(form.stream, form.length) else typed.body(form.stream)
    }
  }
}
