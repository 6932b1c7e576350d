package needletail.fuzz

/** Those of this platform. */
object Targets {
  val all: List[FuzzTarget] = SharedTargets.all
}
