package needletail.routing.internal.typing

import needletail.http.Response

// Overloads with one of these as an implicit parameter exist for their error messages: there are no instances.

/** The type of expressions that do not compile. Not `Nothing`, which would fit wherever a part is expected. */
sealed abstract class Mistake

/** The error message for `+` with something that cannot be added to a route. */
@annotation.implicitNotFound(
  "a ${P} cannot be added to a route with +; allowed are a method, a path that begins with one (GET / \"x\"), ?(\"name\", arg[T]), header, cookie, Body[T], Filter, attachment. A path segment is added with /"
)
sealed abstract class NotAPart[P] {
  private[routing] def apply(other: P): Mistake
}

/** The error message for `/` with something that is not allowed in a path. */
@annotation.implicitNotFound(
  "a ${P} is not allowed in a path; allowed are a literal in quotes, arg[T] to convert one segment to a T, * to accept the rest, !* to capture it. Query parameters, headers, cookies and bodies are added with +, and only they can be optional, lists or have a default"
)
sealed abstract class NotInPath[P] {
  private[routing] def apply(other: P): Mistake
}

/** Evidence that a route has no values, so that `to` needs no function. */
@annotation.implicitNotFound(
  "this route has values: pass a function of them to `to`, such as to (value => ...) or, for several, to { case (a, b) => ... }"
)
sealed abstract class NoValues[A]

object NoValues {
  implicit val unit: NoValues[Unit] = new NoValues[Unit] {}
}

/** The error message for `to` with a text. */
@annotation.implicitNotFound(
  "a text is not a response yet: write \"...\".ok, or .notFound, .withStatus(status)"
)
sealed abstract class TextIsNoResponse {
  private[routing] def apply(text: String): Response
}

/** The error message for something that is used as a route but has no handler. */
@annotation.implicitNotFound(
  "this is not a route: every route ends with `to` and a handler, such as GET / \"x\" to \"it\".ok, or GET / arg[Int] to (n => ...). A list of routes is passed as Routes(list: _*)"
)
sealed abstract class NotARoute {
  private[routing] def apply(other: Any): Mistake
}

/** The error message for `arg[T] { value => ... }`. */
@annotation.implicitNotFound(
  "`to` is missing between the pattern and its handler: GET / \"x\" / arg[T] to { value => ... }"
)
sealed abstract class MissingTo {
  private[routing] def apply(handler: Any): Mistake
}

/** The error message for `subroutes` with routes instead of a function. */
@annotation.implicitNotFound(
  "subroutes takes a function of the common part, which begins each route: \"x\" subroutes { base => Routes(base + GET / \"y\" to ..., ...) }"
)
sealed abstract class SubroutesAreAFunction {
  private[routing] def apply(routes: Any): Mistake
}

/** The error message for a parameter without the type of its value. */
@annotation.implicitNotFound(
  "the type of this parameter is missing: (\"name\", arg[T]), or (\"name\", \"text\") to require that text"
)
sealed abstract class NoParameterType {
  private[routing] def apply(name: String): Mistake
}

/** The error message for a parameter with something that says neither how it is read nor which text it must have. */
@annotation.implicitNotFound(
  "a ${P} does not say how this parameter is read: write arg[T] to read a T, or a text in quotes to require that text"
)
sealed abstract class NotAValue[P] {
  private[routing] def apply(name: String, other: P): Mistake
}
