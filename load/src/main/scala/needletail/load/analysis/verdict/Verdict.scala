package needletail.load.analysis.verdict

/** What limited a measured value: the server, or the load generator. A higher `rank` is more doubtful. */
sealed abstract class Limit(val name: String, private[analysis] val rank: Int) extends Product
    with Serializable

object Limit {

  /** Nothing about the generator explains it: it is the server's (or the network's). */
  case object Server extends Limit("SERVER-LIMITED", 1)

  /** For a rate only: the server did everything that was requested, and may be able to do more. */
  case object Load extends Limit("LOAD-LIMITED", 0)

  /** The generator or its machine caused it; it says nothing about the server. */
  case object Client extends Limit("CLIENT-LIMITED", 3)

  /** Both may have contributed, or it cannot be determined. */
  case object Uncertain extends Limit("UNCERTAIN", 2)

  val all: Vector[Limit] = Vector(Server, Load, Client, Uncertain)

  def named(name: String): Option[Limit] = all.find(_.name == name)
}

/**
 * What limited a value, and why.
 *
 * @param causes for people; empty if the limit is the server's
 */
final case class Verdict(limit: Limit, causes: Vector[String]) {

  /** Combines both: the more doubtful limit, and causes of the same rank without repetitions of a sort. */
  def and(other: Verdict): Verdict =
    if (limit == other.limit) Verdict(limit, Verdict.sorts(causes ++ other.causes))
    else if (limit.rank > other.limit.rank) this
    else other

  /** The same, said to be of that step, for a sentence that is not about the step alone. */
  def at(step: String): Verdict = copy(causes = causes.map { cause =>
    val sort = cause.indexOf(": ")
    if (sort < 0) s"$cause (at $step)" else s"${cause.take(sort)} (at $step)${cause.drop(sort)}"
  })

  def isClient: Boolean = limit == Limit.Client

  override def toString: String =
    if (causes.isEmpty) limit.name else s"${limit.name} (${causes.mkString("; ")})"
}

object Verdict {
  val Server: Verdict = Verdict(Limit.Server, Vector.empty)
  val Load: Verdict   = Verdict(Limit.Load, Vector.empty)

  /** One cause of each sort, as several runs have them in common; the sort is the text before the colon. */
  private def sorts(causes: Vector[String]): Vector[String] = causes.distinctBy(_.takeWhile(_ != ':'))
}
