package needletail.examples.redis

import scala.concurrent.duration._

import needletail.async.Async
import needletail.tcp.TcpClientError

/**
 * A cache in front of a slow function. Redis makes it faster, and nothing depends on it: when Redis is down, slow or
 * full, the function answers, after `limit` at the latest.
 *
 * @param expiry how long a value is kept
 * @param limit how long Redis may take
 */
final class Cache(redis: Redis, expiry: FiniteDuration, limit: FiniteDuration = 50.millis) {
  import Cache._

  private val quick = redis.within(limit)

  /** The value of a key: from Redis, or computed, and then kept there. */
  def apply(key: String)(compute: => Async[Array[Byte]]): Async[Cached] =
    quick.get(key).map[Looked](_.fold[Looked](Missed)(Found(_))).recover {
      case _: TcpClientError | _: RedisError | _: IllegalStateException => Failed
    }.flatMap {
      case Found(value) => Async.value(Cached(value, "hit"))
      case Failed       => compute.map(Cached(_, "off"))
      case Missed       =>
        compute.map { value =>
          quick.set(key, value, expiry).onComplete(_ => ()) // nobody waits for it, and a failure is no matter
          Cached(value, "miss")
        }
    }
}

/**
 * @param value must not be changed, as it may be on its way to Redis
 * @param how `hit`, `miss`, or `off` if Redis was of no help
 */
final case class Cached(value: Array[Byte], how: String)

private object Cache {
  sealed abstract class Looked
  final case class Found(value: Array[Byte]) extends Looked
  case object Missed                         extends Looked
  case object Failed                         extends Looked
}
