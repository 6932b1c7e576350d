package needletail.routing

import needletail.routing.internal.matching.Pattern

/** Nothing: Scala 3 passes a tuple to a function of several parameters. */
private[routing] abstract class SeveralParameters extends Pattern
