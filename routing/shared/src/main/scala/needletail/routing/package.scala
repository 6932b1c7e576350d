package needletail

import scala.concurrent.Future

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

  // What routes are written with beside the DSL itself, so that one import is enough.
  type Request    = http.Request
  type Response   = http.Response
  type Status     = http.Status
  type Method     = http.Method
  type HttpError  = http.HttpError
  type ByteStream = http.ByteStream
  type Headers    = http.Headers
  type Cookie     = http.Cookie
  type Priority   = http.Priority

  /** The names and values of an HTML form: `Body[Form]`. */
  type Form = http.QueryString

  val Request: http.Request.type       = http.Request
  val Response: http.Response.type     = http.Response
  val Status: http.Status.type         = http.Status
  val Method: http.Method.type         = http.Method
  val HttpError: http.HttpError.type   = http.HttpError
  val ByteStream: http.ByteStream.type = http.ByteStream
  val Headers: http.Headers.type       = http.Headers
  val Cookie: http.Cookie.type         = http.Cookie
  val Priority: http.Priority.type     = http.Priority
  val Form: http.QueryString.type      = http.QueryString

  /** `![A]` reads an `A`; `![A]("name")` one that messages and documentation call so. */
  val ! : Arg.type = Arg

  /** `arg[A]` is `![A]`, where the grammar does not allow that (Scala 3). */
  val arg: Arg.type = Arg

  /** Accepts the rest of a path, be it empty: `GET / "static" / *` matches `/static/` and all below. */
  val * : Path[Unit] = new Rest[Unit](captured = false)

  /**
   * Captures the rest of a path, its segments decoded one by one. They are a list, since a decoded segment may
   * hold a slash, or be `..`: look at each before you make a file name of them.
   */
  val !* : Path[List[String]] = new Rest[List[String]](captured = true)

  /** A header, its name compared without case: `header("X-Id", ![Int])`, or one certain text. */
  def header[A](name: String, values: Values[A]): Parameter[A] = new Parameter(new HeaderField(name), values)
  def header(name: String, text: String): Part[Unit] = new LiteralParameter(new HeaderField(name), text)

  /** A cookie: `cookie("session", ![String])`, or one certain text. */
  def cookie[A](name: String, values: Values[A]): Parameter[A] = new Parameter(new CookieField(name), values)
  def cookie(name: String, text: String): Part[Unit] = new LiteralParameter(new CookieField(name), text)

  /** The request itself, for a handler that wants more of it than its parts. */
  val request: Part[http.Request] = Given.request

  /** A value that lives as long as the connection; made by the key on first use. */
  def attachment[A](key: http.Attachment[A]): Part[A] = Given.attachment(key)

  /** A method that has no object of its own: `method("PROPFIND") / "files"`. Throws if it is no token. */
  def method(name: String): Path[Unit] = new OtherVerb(http.Method(name))

  /** `"foo" / …` and `"foo" subroutes { base => … }`. */
  implicit class LiteralPath(private val text: String) {
    def /(literal: String): Path[Unit] = Literal.path(s"$text/$literal")
    def /[B](path: Path[B]): Path[B]   = new BothPaths[B](Literal.path(text), path, Concat.unitLeft[B])
    def /[P](other: P)(implicit not: NotInPath[P]): Mistake = not(other)

    /** See [[Path.subroutes]]. */
    def subroutes(routes: (Path[Unit] => Routes)*): Routes = Literal.path(text).subroutes(routes*)
  }

  /** [[Path.subroutes]] for what is more than a path: `(GET / "admin" + authorised) subroutes { base => … }`. */
  implicit class PartSubroutes[A](private val part: Part[A]) {
    def subroutes(routes: (Part[A] => Routes)*): Routes = {
      val base = new SharedPart[A](part)
      Part.under(base, routes.map(_(base)))
    }
  }

  /** Lets a route without values answer with a `Future`: `GET / "report" to report()`. */
  implicit def futureReply(response: Future[http.Response]): http.Reply =
    new http.Reply.Later(async.Async.fromFuture(response))
}

package routing {

  /** Query parameters: `?("page", ![Int])`, or one certain text, `?("version", "2")`. */
  object ? {
    def apply[A](name: String, values: Values[A]): Parameter[A] = new Parameter(new QueryField(name), values)
    def apply(name: String, text: String): Part[Unit] = new LiteralParameter(new QueryField(name), text)
  }
}
