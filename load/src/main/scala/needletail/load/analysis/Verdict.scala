package needletail.load.analysis

/** Whose limit a figure shows, the more doubtful the higher `rank`. */
sealed abstract class Limit(val name: String, private[analysis] val rank: Int) extends Product
    with Serializable

object Limit {

  /** Nothing on the generator's side explains it: it is the server's (or the network's). */
  case object Server extends Limit("SERVER-LIMITED", 1)

  /** Only for a rate: the server did all that was asked of it, and may be able to do more. */
  case object Asked extends Limit("AS ASKED", 0)

  /** The generator or its machine made it what it is; it says nothing of the server. */
  case object Client extends Limit("CLIENT-LIMITED", 3)

  /** Both may have had a part in it, or it cannot be told. */
  case object Uncertain extends Limit("UNCERTAIN", 2)

  val all: Vector[Limit] = Vector(Server, Asked, Client, Uncertain)

  def named(name: String): Option[Limit] = all.find(_.name == name)
}

/**
 * What a figure shows, and why.
 *
 * @param causes
 *   in plain words; empty where the limit is the server's
 */
final case class Verdict(limit: Limit, causes: Vector[String]) {

  /** Of both, what speaks more against the figure; of causes of the same weight one of each sort. */
  def and(other: Verdict): Verdict =
    if (limit == other.limit) Verdict(limit, Verdict.sorts(causes ++ other.causes))
    else if (limit.rank > other.limit.rank) this
    else other

  def isClient: Boolean = limit == Limit.Client

  override def toString: String =
    if (causes.isEmpty) limit.name else s"${limit.name} (${causes.mkString("; ")})"
}

object Verdict {
  val Server: Verdict = Verdict(Limit.Server, Vector.empty)
  val Asked: Verdict  = Verdict(Limit.Asked, Vector.empty)

  /** One cause of each sort, as several runs have them in common; the sort is what stands before the colon. */
  private def sorts(causes: Vector[String]): Vector[String] = causes.distinctBy(_.takeWhile(_ != ':'))
}
