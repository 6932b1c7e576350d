package needletail.routing

import needletail.http.message.Method
import needletail.routing.internal.matching.{Matching, Pattern}

/**
 * The methods, each a path without segments: `GET / "users"`, `users + POST`. Other methods are made by
 * `method("PROPFIND")`. `ANY`, and a path without a method, match all methods.
 *
 * A GET route also responds to HEAD, unless there is a HEAD route for the same path. OPTIONS is answered from the
 * routes, unless a route declares it.
 */
sealed abstract class Verb private[routing] (private[routing] override val method: Method)
    extends Path[Unit] {
  private[routing] def value(in: Matching): Any = ()
  private[routing] def children: List[Pattern]  = Nil
  private[routing] def segments: Int            = 0
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
  private[routing] def children: List[Pattern]  = Nil
  private[routing] def segments: Int            = 0
}

private[routing] final class OtherVerb(method: Method) extends Verb(method)
