package needletail.examples.redis

import scala.concurrent.duration._

import needletail.async.Async
import needletail.examples.{Listening, Options}
import needletail.gateway.GatewayArguments
import needletail.routing._

/** A server whose slow answers are kept in Redis. */
object Main {
  private val options =
    Options("redis", "Serves GET /slow/NAME, which is slow, and caches its responses in Redis.")
  private val listening = new Listening(options)
  private val server    =
    options.text("redis", "127.0.0.1:6379", "address of Redis: HOST:PORT or the path of a socket")
  private val takes  = options.duration("takes", 300.millis, "time that a response takes without the cache")
  private val expiry = options.duration("expiry", 10.seconds, "how long a response is cached")

  def routes(cache: Cache, takes: FiniteDuration): Routes = {
    def slowly(name: String): Async[Array[Byte]] =
      Async.sleep(takes).map(_ => s"Hello, $name!\n".getBytes("UTF-8"))
    GET / "slow" / arg[String] to { name =>
      cache(s"slow:$name")(slowly(name)).map(c => new String(c.value, "UTF-8").ok.header("X-Cache", c.how))
    }
  }

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    GatewayArguments.address(chosen(server)) match {
      case Right(address) =>
        val redis = Redis(address)
        listening.serve(chosen, routes(new Cache(redis, chosen(expiry)), chosen(takes)))
        redis.close()
      case Left(problem) =>
        System.err.println(problem)
        sys.exit(2)
    }
  }
}
