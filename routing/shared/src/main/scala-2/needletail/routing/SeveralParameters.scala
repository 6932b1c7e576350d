package needletail.routing

import needletail.routing.internal.matching.Pattern
import needletail.routing.internal.typing.{CaseIsMissing, SeveralValuesNeedCase => Member}

/** For Scala 2, in which `(a, b) => …` does not take a tuple. */
private[routing] abstract class SeveralParameters extends Pattern {

  /** Does not compile: this overload exists for its error message, which says that `case` is missing. */
  def to(handler: (Member, Member) => Any)(implicit not: CaseIsMissing): Route = not(handler)

  /** Does not compile: this overload exists for its error message, which says that `case` is missing. */
  def to(handler: (Member, Member, Member) => Any)(implicit not: CaseIsMissing): Route = not(handler)

  /** Does not compile: this overload exists for its error message, which says that `case` is missing. */
  def to(handler: (Member, Member, Member, Member) => Any)(implicit not: CaseIsMissing): Route = not(handler)
}
