package needletail.load.plan

import scala.concurrent.duration._

/**
 * What is to be asked of whom, how often, for how long.
 *
 * @param kinds
 *   kinds of requests; each has users of its own (closed model), or shares the arrivals by weight (open model)
 * @param load
 *   the model of arrivals
 * @param timeout
 *   from due to the end of the answer; then the request counts as timed out and its connection is closed
 * @param connectTimeout
 *   for a connection to stand
 * @param keepAlive
 *   whether a connection serves more than one request
 * @param pipelining
 *   requests under way at most on one connection
 * @param goodStatuses
 *   where a kind does not name its own
 * @param loops
 *   event loops; 0 for one for each core
 * @param sources
 *   local addresses to connect from, in turn; empty lets the system choose
 * @param trust
 *   whom to believe of servers that are asked by https
 */
final case class LoadPlan(
    name: String,
    kinds: Vector[Kind],
    load: Load,
    timeout: FiniteDuration = 10.seconds,
    connectTimeout: FiniteDuration = 5.seconds,
    keepAlive: Boolean = true,
    pipelining: Int = 1,
    goodStatuses: Set[Int] = LoadPlan.GoodStatuses,
    loops: Int = 0,
    sources: Vector[String] = Vector.empty,
    trust: Trust = Trust.System
)

object LoadPlan {

  /** As the documents' ladder counts. */
  val GoodStatuses: Set[Int] = Set(200, 304)
}

/** Whose certificate a server may have that is asked by https. */
sealed trait Trust

object Trust {

  /** Whom the Java runtime trusts. */
  case object System extends Trust

  /** Those of a file with X.509 certificates in PEM, and nobody else. */
  final case class Certificates(file: String) extends Trust

  /** Whoever answers. */
  case object Anybody extends Trust
}

/** How requests come about. */
sealed trait Load

object Load {

  /**
   * Users who ask, wait for the answer, pause, and ask again.
   *
   * @param users
   *   of all kinds together, shared by weight where kinds do not name their own
   * @param requests
   *   of each user; None for as many as fit the duration
   * @param duration
   *   None lasts until every user has made its requests
   * @param ramp
   *   over which the users begin, evenly
   */
  final case class Closed(
      users: Int,
      requests: Option[Int],
      duration: Option[FiniteDuration],
      ramp: FiniteDuration = Duration.Zero,
      pause: Pause = Pause.None
  ) extends Load

  /**
   * Arrivals that know nothing of answers, as from the Internet: latency counts from the moment each was due.
   *
   * @param steps
   *   one after the other
   * @param poisson
   *   exponential distances, or else constant ones
   * @param connections
   *   at most; a request that finds all of them taken waits, and the wait counts
   */
  final case class Open(steps: Vector[Step], poisson: Boolean = false, connections: Int = 1000) extends Load

  /** Requests in a second of all kinds together, going evenly from one rate to the other over the duration. */
  final case class Step(from: Double, to: Double, duration: FiniteDuration)
}

/** A user's pause between an answer and the next request. */
sealed trait Pause

object Pause {
  case object None                                                      extends Pause
  final case class Constant(time: FiniteDuration)                       extends Pause
  final case class Uniform(least: FiniteDuration, most: FiniteDuration) extends Pause

  /** The absolute value of a normal distribution: the store's customers (SEEDS.md, section 5). */
  final case class Normal(mean: FiniteDuration, deviation: FiniteDuration) extends Pause
}

/**
 * A kind of request.
 *
 * @param weight
 *   its share of users or arrivals
 * @param users
 *   its own number of users in the closed model, in place of a share
 * @param requests
 *   what a user of this kind does in turn, in one session: more than one where later ones need what earlier ones
 *   answered
 */
final case class Kind(
    name: String,
    requests: Vector[RequestTemplate],
    weight: Double = 1,
    users: Option[Int] = None,
    pause: Option[Pause] = None
)

/**
 * A request, in whose target, header values and body `${name}` stands for a value of the session: from a feeder, or
 * drawn from an earlier answer.
 *
 * @param url
 *   absolute: `http://host:port/path?query`, `https` likewise, or `http+unix://%2Fpath%2Fto%2Fsocket/path`
 */
final case class RequestTemplate(
    method: String,
    url: String,
    headers: Vector[(String, String)] = Vector.empty,
    body: Option[String] = None,
    checks: Vector[Check] = Vector.empty,
    draws: Vector[Draw] = Vector.empty,
    feeders: Vector[Feeder] = Vector.empty
)

/** What an answer must be to count as good. */
sealed trait Check

object Check {
  final case class Status(codes: Set[Int])                extends Check
  final case class Header(name: String, contains: String) extends Check
  final case class BodyContains(text: String)             extends Check
  final case class BodyMatches(pattern: String)           extends Check
}

/** A value taken from an answer into the session: the pattern's first group found in the body, or a header's value. */
final case class Draw(name: String, header: Option[String], pattern: String)

/** Rows of values, one for each time a session begins. */
final case class Feeder(columns: Vector[String], rows: Vector[Vector[String]], random: Boolean)
