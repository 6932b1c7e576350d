package needletail.load.engine

import java.util.concurrent.ConcurrentHashMap

import needletail.client.ClientError
import needletail.load.result.Outcome

/**
 * The first words that each outcome of a run came with, where its name alone leaves open what was wrong. From any
 * loop.
 */
private[engine] final class Reasons {
  private val first = new ConcurrentHashMap[Outcome, String]

  def note(outcome: Outcome, error: Throwable): Unit =
    if (Reasons.wanted(outcome) && !first.containsKey(outcome)) {
      first.putIfAbsent(outcome, Reasons.words(error))
      ()
    }

  /** By the outcome's name. */
  def all: Vector[(String, String)] = Outcome.all.flatMap(o => Option(first.get(o)).map(o.name -> _))
}

private[engine] object Reasons {
  private def wanted(outcome: Outcome): Boolean =
    (outcome eq Outcome.Garbage) || (outcome eq Outcome.ConnectFailed) || (outcome eq Outcome.Reset)

  /** Without the host, which a report names already. */
  private def words(error: Throwable): String = error match {
    case e: ClientError => String.valueOf(e.getMessage).stripPrefix(s"${e.host}: ")
    case other          => Option(other.getMessage).getOrElse(other.toString)
  }
}
