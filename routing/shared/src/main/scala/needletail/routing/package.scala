package needletail

import scala.concurrent.Future

import needletail.routing.internal.typing.{
  Concat,
  Mistake,
  NoParameterType,
  NotAValue,
  NotInPath,
  SubroutesAreAFunction
}

/**
 * The routing DSL; one import, `import needletail.routing._`.
 *
 * {{{
 * val routes = Routes(
 *   GET / "foo" / ![Int] / ![String] to { case (i, s) => ("Got an int " + i + " and a string " + s).ok },
 *   GET / "search" + ?("query", ![String]) + ?("page", ![Option[Int]]) to { case (query, page) => … }
 * )
 * }}}
 * A route is a [[routing.Part pattern]] and a handler. `/` appends a path segment, `+` adds anything else, `to`
 * ends it; in Scala `/` binds tighter than `+`, and `to` comes last, so that no parentheses are needed.
 *
 * The import brings `Request`, `Response`, `Status` and their like along; import what else you need of
 * `needletail.http` by name, as a second wildcard would make these names ambiguous.
 *
 * `![A]` reads a value of type `A`. The grammar of Scala 3 does not allow `!` before `[`; write `arg[A]` there,
 * which is the same in both.
 */
package object routing extends routing.Gather with routing.Responding {

  // Types that routes are written with, so that one import is enough.
  type Request    = http.Request
  type Response   = http.Response
  type Status     = http.Status
  type Method     = http.Method
  type HttpError  = http.HttpError
  type ByteStream = http.ByteStream
  type Headers    = http.Headers
  type Cookie     = http.Cookie
  type Priority   = http.Priority

  /** Of a query, or of a form: `Body[Parameters]`. */
  type Parameters = http.Parameters

  val Request: http.Request.type       = http.Request
  val Response: http.Response.type     = http.Response
  val Status: http.Status.type         = http.Status
  val Method: http.Method.type         = http.Method
  val HttpError: http.HttpError.type   = http.HttpError
  val ByteStream: http.ByteStream.type = http.ByteStream
  val Headers: http.Headers.type       = http.Headers
  val Cookie: http.Cookie.type         = http.Cookie
  val Priority: http.Priority.type     = http.Priority
  val Parameters: http.Parameters.type = http.Parameters

  type Description          = routing.internal.description.Description
  type ParameterDescription = routing.internal.description.ParameterDescription
  type RouteDescription     = routing.internal.description.RouteDescription

  val Description: routing.internal.description.Description.type = routing.internal.description.Description
  val ParameterDescription: routing.internal.description.ParameterDescription.type =
    routing.internal.description.ParameterDescription
  val RouteDescription: routing.internal.description.RouteDescription.type =
    routing.internal.description.RouteDescription

  /** `![A]` reads an `A`; `![A]("name")` reads one with that name in messages and documentation. */
  val ! : Arg.type = Arg

  /** `arg[A]` is `![A]`, for Scala 3, whose grammar does not allow that. */
  val arg: Arg.type = Arg

  /** Matches the rest of a path, which may be empty: `GET / "static" / *` matches `/static/` and everything below. */
  val * : Path[Unit] = new Rest[Unit](captured = false)

  /**
   * Captures the rest of a path as a list of decoded segments. A decoded segment may contain a slash, or be `..`:
   * check each before using it in a file name.
   */
  val !* : Path[List[String]] = new Rest[List[String]](captured = true)

  /** A header, with a value, `header("X-Id", ![Int])`, or a required text. Names are case-insensitive. */
  def header[A](name: String, values: Values[A]): Parameter[A] =
    new Parameter(new internal.matching.HeaderField(name), values)

  /** Requires a header with that text. Names are case-insensitive, the text is not. */
  def header(name: String, text: String): Part[Unit] =
    new LiteralParameter(new internal.matching.HeaderField(name), text)

  /** Does not compile: this overload exists for its error message. */
  def header(name: String)(implicit not: NoParameterType): Mistake = not(name)

  /** Does not compile: this overload exists for its error message. */
  def header[P](name: String, other: P)(implicit not: NotAValue[P]): Mistake = not(name, other)

  /** A cookie, with a value, `cookie("session", ![String])`, or a required text. */
  def cookie[A](name: String, values: Values[A]): Parameter[A] =
    new Parameter(new internal.matching.CookieField(name), values)

  /** Requires a cookie with that text. */
  def cookie(name: String, text: String): Part[Unit] =
    new LiteralParameter(new internal.matching.CookieField(name), text)

  /** Does not compile: this overload exists for its error message. */
  def cookie(name: String)(implicit not: NoParameterType): Mistake = not(name)

  /** Does not compile: this overload exists for its error message. */
  def cookie[P](name: String, other: P)(implicit not: NotAValue[P]): Mistake = not(name, other)

  /** The request itself, for a handler that needs more than its parts. */
  val request: Part[http.Request] = RequestValue.request

  /** A value with the lifetime of the connection; made by the key on first use. */
  def attachment[A](key: http.Attachment[A]): Part[A] = RequestValue.attachment(key)

  /**
   * A method without an object of its own: `method("PROPFIND") / "files"`. Throws IllegalArgumentException if it is
   * not a token.
   */
  def method(name: String): Path[Unit] = new OtherVerb(http.Method(name))

  /**
   * A literal segment of exactly this text, whatever characters it has: `GET / "files" / segment("a/b?")` matches
   * `/files/a%2Fb%3F`. Throws IllegalArgumentException for `.` and `..`, which no request matches.
   */
  def segment(text: String): Path[Unit] = Literal.segment(text)

  /** `"foo" / …` and `"foo" subroutes { base => … }`. */
  implicit class LiteralPath(private val text: String) {
    def /(literal: String): Path[Unit] = Literal.path(text) / literal
    def /[B](path: Path[B]): Path[B]   = new BothPaths[B](Literal.path(text), path, Concat.unitLeft[B])
    def /[P](other: P)(implicit not: NotInPath[P]): Mistake = not(other)

    /** See `Path.subroutes`. */
    def subroutes[R](routes: (Path[Unit] => R)*)(implicit areRoutes: AreRoutes[R]): Routes =
      Literal.path(text).subroutes(routes*)
    def subroutes(routes: Routes)(implicit not: SubroutesAreAFunction): Mistake = not(routes)
  }

  /**
   * `Path.subroutes` for patterns that are more than a path: `(GET / "admin" + authorised) subroutes { base => … }`.
   */
  implicit class PartSubroutes[A](private val part: Part[A]) {
    def subroutes[R](routes: (Part[A] => R)*)(implicit areRoutes: AreRoutes[R]): Routes = {
      val base = new SharedPart[A](part)
      Part.under(base, routes.map(f => areRoutes(f(base))))
    }
    def subroutes(routes: Routes)(implicit not: SubroutesAreAFunction): Mistake = not(routes)
  }

  /** Allows a `Future` as the reply of a route without values: `GET / "report" to report()`. */
  implicit def futureReply(response: Future[http.Response]): http.Reply =
    new http.Reply.Later(async.Async.fromFuture(response))
}

package routing {

  /** Query parameters, with a value, `?("page", ![Int])`, or a required text, `?("version", "2")`. */
  object ? {
    def apply[A](name: String, values: Values[A]): Parameter[A] =
      new Parameter(new internal.matching.QueryField(name), values)
    def apply(name: String, text: String): Part[Unit] =
      new LiteralParameter(new internal.matching.QueryField(name), text)
    def apply(name: String)(implicit not: NoParameterType): Mistake           = not(name)
    def apply[P](name: String, other: P)(implicit not: NotAValue[P]): Mistake = not(name, other)
  }
}
