package needletail.load.engine.count

import java.util.concurrent.ConcurrentHashMap

import needletail.client.error.ClientError
import needletail.load.result.Outcome

/** The first message of each outcome of a run, if its name alone does not explain the failure. Used by all loops. */
private[engine] final class FailureSamples {
  private val first = new ConcurrentHashMap[Outcome, String]

  def note(outcome: Outcome, error: Throwable): Unit =
    if (FailureSamples.wanted(outcome) && !first.containsKey(outcome)) {
      first.putIfAbsent(outcome, FailureSamples.words(error))
      ()
    }

  /** By the outcome's name. */
  def all: Vector[(String, String)] = Outcome.all.flatMap(o => Option(first.get(o)).map(o.name -> _))
}

private[engine] object FailureSamples {
  private def wanted(outcome: Outcome): Boolean =
    (outcome eq Outcome.Garbage) || (outcome eq Outcome.ConnectFailed) || (outcome eq Outcome.Reset) ||
      (outcome eq Outcome.FailedCheck)

  /** The message without the host, which a report has already. */
  private def words(error: Throwable): String = error match {
    case e: ClientError => String.valueOf(e.getMessage).stripPrefix(s"${e.host}: ")
    case other          => Option(other.getMessage).getOrElse(other.toString)
  }
}
