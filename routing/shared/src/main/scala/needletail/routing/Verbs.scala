package needletail.routing

import needletail.http.Method

/**
 * The methods, each a path without a segment yet: `GET / "users"`, `users + POST`. Any other method is made by
 * `method("PROPFIND")`; `ANY` answers to all of them, as does a path that names none.
 *
 * A GET route answers HEAD too, unless there is a HEAD route for the same path; OPTIONS is answered from the
 * routes, unless one declares it.
 */
sealed abstract class Verb(method: Method) extends Path[Unit] with MethodPart {
  private[routing] val means: Method = method
}

object GET     extends Verb(Method.GET)
object HEAD    extends Verb(Method.HEAD)
object POST    extends Verb(Method.POST)
object PUT     extends Verb(Method.PUT)
object PATCH   extends Verb(Method.PATCH)
object DELETE  extends Verb(Method.DELETE)
object OPTIONS extends Verb(Method.OPTIONS)
object TRACE   extends Verb(Method.TRACE)

object ANY extends Path[Unit] {
  private[routing] def value(in: Matching): Any = ()
  private[routing] def children: List[Part[?]]  = Nil
  private[routing] def segments: Int            = 0
}

private[routing] final class OtherVerb(method: Method) extends Verb(method)

/** The method of a route. */
private[routing] trait MethodPart { this: Path[Unit] =>
  private[routing] def means: Method
  private[routing] def value(in: Matching): Any = ()
  private[routing] def children: List[Part[?]]  = Nil
  private[routing] def segments: Int            = 0
}
