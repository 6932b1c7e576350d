package needletail.content.limit

import java.util.LinkedHashMap

import scala.concurrent.duration._

import needletail.async.{Async, Loop, Setting}
import needletail.http.{ConnectionInfo, Request, Response, Status}
import needletail.routing.Routes

/**
 * A limit of requests for each client: a bucket of `burst` tokens for each key, into which `requests` tokens come in
 * each `per`. A request without a token is answered 429 with Retry-After. Shared by all loops.
 *
 * Responses have the remaining quota in `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
 *
 * @param burst requests at once, at most; 0: as many as `requests`
 * @param key identifies clients; by default the address, for IPv6 its /64
 * @param maxKeys clients that are known at the same time; beyond that, one that has been known is forgotten
 */
final case class RateLimit(
    requests: Int,
    per: FiniteDuration,
    burst: Int = 0,
    key: Request => String = RateLimit.address,
    maxKeys: Int = 100000
) {
  private def check(): Unit = {
    val is = Setting("RateLimit")
    is.positive("requests", requests)
    is.positive("per", per)
    is.notNegative("burst", burst)
    is.positive("maxKeys", maxKeys)
    val most = Setting.Longest.toNanos / interval
    is.check(
      "burst",
      capacity,
      capacity <= most,
      s"at most $most, so that the bucket is full again within ${Setting.Longest}"
    )
  }

  /** The tokens of a full bucket. */
  private[limit] def capacity: Int = if (burst == 0) requests else burst

  /** Nanoseconds for one token. */
  private[limit] def interval: Long = Math.max(1, per.toNanos / requests)

  check()

  private[content] def apply(routes: Routes): Routes = {
    val buckets = new Buckets(this)
    val policy  = "\"default\";q=" + requests + ";w=" + Math.max(1, per.toSeconds)
    routes.around { (request, next) =>
      val taken                              = buckets.take(key(request), Loop.nanoTime())
      def told(response: Response): Response = response.header("RateLimit-Policy", policy)
        .header("RateLimit", "\"default\";r=" + taken.left + ";t=" + taken.seconds)
      if (taken.granted) next().map(told)
      else
        Async.value(
          told(Response(Status.TooManyRequests).header(
            "Retry-After",
            taken.seconds.toString
          ).text("too many requests"))
        )
    }
  }
}

object RateLimit {

  /** The client's address without its port; for IPv6 the network of 64 bits, which one client has many addresses of. */
  def address(request: Request): String = addressOf(request.connection)

  private[limit] def addressOf(connection: ConnectionInfo): String = {
    val remote = connection.remoteAddress
    if (remote.startsWith("[")) {
      val until    = remote.indexOf(']')
      val text     = if (until < 0) remote else remote.substring(1, until)
      val elided   = text.indexOf("::")
      val leading  = if (elided < 0) text else text.substring(0, elided)
      val groups   = leading.split(':').filter(_.nonEmpty)
      val trailing = if (elided < 0) "" else text.substring(elided + 2)
      val last     = trailing.split(':').filter(_.nonEmpty)
      val zeros    = if (elided < 0) 0 else 8 - groups.length - last.length
      (groups ++ Seq.fill(Math.max(0, zeros))("0") ++ last).take(4).mkString(":")
    } else {
      val colon = if (remote.startsWith("/")) -1 else remote.lastIndexOf(':')
      if (colon < 0) remote else remote.substring(0, colon)
    }
  }
}

/** What became of a request: whether it may run, tokens that are left, seconds until the next one, or until all. */
private[limit] final class Taken(val granted: Boolean, val left: Int, val seconds: Long)

/**
 * The buckets. Each is one number, the time at which it will be full (the generic cell rate algorithm), and needs none
 * once that is past.
 */
private[limit] final class Buckets(limit: RateLimit) {
  import Buckets._
  private val interval = limit.interval
  private val capacity = interval * limit.capacity
  private val shards   = Array.fill(Buckets.Shards)(new Shard(16, 0.75f, true)) // in the order of use
  private val most     = Math.max(1, limit.maxKeys / Buckets.Shards)

  def take(key: String, now: Long): Taken = {
    val shard = shards((key.hashCode * 0x9e3779b9) >>> 28)
    shard.synchronized {
      val known = shard.get(key)
      val full  = if (known == null || known - now < 0) now else known.longValue
      val next  = full + interval
      if (next - now > capacity) new Taken(false, 0, seconds(next - now - capacity))
      else {
        if (known == null && shard.size >= most) makeRoom(shard, now)
        shard.put(key, next)
        new Taken(true, ((capacity - (next - now)) / interval).toInt, seconds(next - now))
      }
    }
  }

  def size: Int = shards.map(shard => shard.synchronized(shard.size)).sum

  /** Forgets the bucket that has not been used for the longest time, and a few more that are full. */
  private def makeRoom(shard: Shard, now: Long): Unit = {
    val all = shard.values.iterator
    all.next()
    all.remove()
    var looks = Looks
    while (looks > 0 && all.hasNext) {
      looks -= 1
      if (all.next() - now < 0) all.remove()
    }
  }

  private def seconds(nanos: Long): Long = Math.max(1, (nanos + 999999999L) / 1000000000L)
}

private[limit] object Buckets {
  final val Shards = 16

  /** Maximum of entries that one request examines to make room. */
  final val Looks = 4

  type Shard = LinkedHashMap[String, java.lang.Long]
}
