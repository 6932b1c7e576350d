package needletail.load.plan

import scala.concurrent.duration._

/**
 * A load to be generated: which requests go to which servers, how often and for how long.
 *
 * @param kinds kinds of requests; each has users of its own (closed model), or shares the arrivals by weight (open
 *   model)
 * @param load the model of arrivals
 * @param timeout from when a request is due to the end of its answer; then it counts as timed out and its connection
 *   is closed
 * @param connectTimeout how long opening a connection may take
 * @param keepAlive whether a connection serves more than one request
 * @param pipelining maximum of requests in flight on one connection
 * @param goodStatuses the statuses of good responses, for kinds of requests without their own
 * @param loops event loops; 0 for one for each core
 * @param sources local addresses to connect from, in turn; empty lets the system choose
 * @param bands bounds of latency between which reports count good responses
 * @param trust which certificates of HTTPS servers are accepted
 * @param resumesTls whether TLS sessions are resumed; otherwise each connection has a full handshake
 * @param certificate shown to HTTPS servers that ask for one
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
    trust: Trust = Trust.System,
    resumesTls: Boolean = true,
    bands: Vector[FiniteDuration] = Vector.empty,
    certificate: Option[ClientCertificate] = None
)

object LoadPlan {

  /** The default: 200 and 304. */
  val GoodStatuses: Set[Int] = Set(200, 304)
}

/** Which certificates of HTTPS servers are accepted. */
sealed trait Trust

object Trust {

  /** Those in the Java runtime's trust store. */
  case object System extends Trust

  /** Only those in a file with X.509 certificates in PEM. */
  final case class Certificates(file: String) extends Trust

  /** Any certificate: the server is not authenticated. */
  case object Anybody extends Trust
}

/** The generator's own certificate: files in PEM, with the chain and with its key, which has no password. */
final case class ClientCertificate(chain: String, key: String)

/** How requests are generated: by users (closed model), or by arrivals (open model). */
sealed trait Load

object Load {

  /**
   * Users who send a request, wait for the answer, pause, and send the next.
   *
   * @param users of all kinds together, shared by weight by kinds without their own number
   * @param requests requests of each user; None: as many as fit the duration
   * @param duration None: until every user has made its requests
   * @param ramp time over which the users begin, evenly
   */
  final case class Closed(
      users: Int,
      requests: Option[Int],
      duration: Option[FiniteDuration],
      ramp: FiniteDuration = Duration.Zero,
      pause: Pause = Pause.None
  ) extends Load

  /**
   * Arrivals that do not wait for answers, as from the Internet. Latency counts from the moment each was due.
   *
   * @param steps successive rates
   * @param poisson exponential intervals, otherwise constant ones
   * @param connections maximum of connections; a request that finds all of them in use waits, and the wait counts
   */
  final case class Open(steps: Vector[Step], poisson: Boolean = false, connections: Int = 1000) extends Load

  /** Requests per second of all kinds together, changing linearly from one rate to the other over the duration. */
  final case class Step(from: Double, to: Double, duration: FiniteDuration)
}

/** A user's pause between an answer and the next request. */
sealed trait Pause

object Pause {
  case object None                                                      extends Pause
  final case class Constant(time: FiniteDuration)                       extends Pause
  final case class Uniform(least: FiniteDuration, most: FiniteDuration) extends Pause

  /** The absolute value of a normal distribution: the pauses of the store's customers. */
  final case class Normal(mean: FiniteDuration, deviation: FiniteDuration) extends Pause
}

/**
 * A kind of request.
 *
 * @param weight its share of users or arrivals
 * @param users its own number of users in the closed model, instead of a share
 * @param requests what a user of this kind sends in turn, in one session: more than one if later requests need values
 *   of earlier answers
 */
final case class Kind(
    name: String,
    requests: Vector[RequestTemplate],
    weight: Double = 1,
    users: Option[Int] = None,
    pause: Option[Pause] = None
) {

  /** The feeders of all its requests, each once. */
  private[load] def feeders: Vector[Feeder] = requests.flatMap(_.feeders).distinct

  /** The names of a session's values: the columns of feeders and what is taken from answers, each once. */
  private[load] def valueNames: Vector[String] =
    (feeders.flatMap(_.columns) ++ requests.flatMap(_.extractions.map(_.name))).distinct
}

/**
 * A request. In its target, header values and body `\${name}` is replaced by a value of the session: from a feeder, or
 * taken from an earlier answer.
 *
 * @param url absolute: `http://host:port/path?query`, the same with `https`, or
 *   `http+unix://%2Fpath%2Fto%2Fsocket/path`. With `ws` or `wss` the body is sent as a text message on a WebSocket, and
 *   the next message is its answer; the headers are those that open it
 */
final case class RequestTemplate(
    method: String,
    url: String,
    headers: Vector[(String, String)] = Vector.empty,
    body: Option[String] = None,
    checks: Vector[Check] = Vector.empty,
    extractions: Vector[Extraction] = Vector.empty,
    feeders: Vector[Feeder] = Vector.empty
)

/** A check that an answer must pass to count as good. */
sealed trait Check

object Check {
  final case class Status(codes: Set[Int])                extends Check
  final case class Header(name: String, contains: String) extends Check
  final case class BodyContains(text: String)             extends Check
  final case class BodyMatches(pattern: String)           extends Check
}

/** A value taken from an answer into the session: the pattern's first group found in the body, or a header's value. */
final case class Extraction(name: String, header: Option[String], pattern: String)

/** Rows of values, one for each session. */
final case class Feeder(columns: Vector[String], rows: Vector[Vector[String]], random: Boolean)
