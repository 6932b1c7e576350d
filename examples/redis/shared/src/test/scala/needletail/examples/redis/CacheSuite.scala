package needletail.examples.redis

import java.net.ServerSocket
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.io.Address
import needletail.server.{Answer, RunningServer}
import needletail.tcp.{TcpClientConfig, TcpClientError}
import needletail.testing.Suite

/** The cache is a help and no dependency: whatever Redis does, the function's answer comes. */
class CacheSuite extends Suite {
  private def await[A](f: Future[A]): A = Await.result(f, 20.seconds)

  private def using[A](address: Address, config: RedisConfig = RedisConfig())(body: Redis => A): A = {
    val redis = Redis(address, config)
    try body(redis)
    finally redis.close()
  }

  private def get(redis: Redis, limit: FiniteDuration = 20.seconds): (String, String) = {
    val cache  = new Cache(redis, 10.seconds, limit)
    val cached = await(redis.run(cache("key")(Async.value("computed".getBytes))))
    (new String(cached.value), cached.how)
  }

  test("a miss computes and stores with an expiry, a hit does neither") {
    @volatile var stored   = Map.empty[String, String]
    @volatile var commands = Vector.empty[String]
    FakeRedis.serving { command =>
      val words = command.words.map(new String(_))
      commands :+= words.mkString(" ")
      command.name match {
        case "HELLO" => Answer("%1\r\n+proto\r\n:3\r\n")
        case "GET"   => Answer(stored.get(words(1)).fold("_\r\n")(v => s"$$${v.length}\r\n$v\r\n"))
        case _       =>
          stored += words(1) -> words(2)
          Answer("+OK\r\n")
      }
    } { server =>
      using(server.address) { redis =>
        assertEquals(get(redis), ("computed", "miss"))
        eventually(stored.nonEmpty)
        assertEquals(get(redis), ("computed", "hit"))
        // each connection begins with HELLO, and there may be a second one while the SET is under way
        assertEquals(
          commands.filter(_ != "HELLO 3"),
          Vector("GET key", "SET key computed PX 10000", "GET key")
        )
      }
    }
  }

  test("nobody listens, nobody answers, errors, and answers of a wrong type") {
    val socket = new ServerSocket(0)
    val port   = socket.getLocalPort
    socket.close()
    using(Address.Tcp("127.0.0.1", port))(redis =>
      for (_ <- 1 to 3) assertEquals(get(redis), ("computed", "off"))
    )
    def answering(what: Command => Async[Answer[String]]): Unit =
      FakeRedis.serving(what) { server =>
        using(server.address)(redis =>
          for (_ <- 1 to 3) assertEquals(get(redis, 50.millis), ("computed", "off"))
        )
      }
    answering(_ => new AsyncPromise[Answer[String]])
    answering(_ => Answer("-ERR no\r\n"))
    answering(_ => Answer("nonsense\r\n"))
    answering(_ => Answer.close)
    answering(c => if (c.name == "HELLO") Answer("+OK\r\n") else Answer(":1\r\n"))
    answering(c => if (c.name == "HELLO") Answer("+OK\r\n") else new AsyncPromise[Answer[String]])
  }

  test("a late answer is not the next key's") {
    val count = new AtomicInteger
    FakeRedis.serving { c =>
      if (c.name == "HELLO") Answer("+OK\r\n")
      else {
        val value = new String(c.words(1))
        (if (count.incrementAndGet() == 1) Async.sleep(200.millis) else Async.unit)
          .flatMap(_ => Answer(s"$$${value.length}\r\n$value\r\n"))
      }
    } { server =>
      using(server.address, RedisConfig(client = TcpClientConfig(connections = 1))) { redis =>
        intercept[TcpClientError.TimedOut](await(redis.run(redis.within(20.millis).get("slow"))))
        for (i <- 1 to 5)
          assertEquals(await(redis.run(redis.get(s"key$i"))).map(new String(_)), Some(s"key$i"))
        assertEquals(redis.statistics.opened, 1L)
      }
    }
  }

  private def greeted(config: RedisConfig)(
      hello: String,
      others: Command => String
  ): (Vector[String], Boolean) = {
    @volatile var commands = Vector.empty[String]
    FakeRedis.serving { c =>
      commands :+= c.words.map(new String(_)).mkString(" ")
      Answer(if (c.name == "HELLO") hello else others(c))
    } { (server: RunningServer) =>
      using(server.address, config) { redis =>
        val works = await(redis.run(redis.get("a").map(_ => true).recover { case _: TcpClientError =>
          false
        }))
        (commands, works)
      }
    }
  }

  test("greetings: RESP3, and RESP2 for servers that do not know it; with password, user, database") {
    val full = RedisConfig(user = Some("ann"), password = Some("secret"), database = 3)
    assertEquals(
      greeted(full)("%0\r\n", c => if (c.name == "GET") "_\r\n" else "+OK\r\n")._1,
      Vector("HELLO 3 AUTH ann secret", "SELECT 3", "GET a")
    )
    for (unknown <- Seq("-ERR unknown command 'HELLO'\r\n", "-NOPROTO unsupported protocol version\r\n")) {
      assertEquals(greeted(RedisConfig())(unknown, _ => "$-1\r\n"), (Vector("HELLO 3", "GET a"), true))
      assertEquals(
        greeted(full)(unknown, c => if (c.name == "GET") "$-1\r\n" else "+OK\r\n"),
        (Vector("HELLO 3 AUTH ann secret", "AUTH ann secret", "SELECT 3", "GET a"), true)
      )
      assertEquals(
        greeted(RedisConfig(password =
          Some("x")
        ))(unknown, c => if (c.name == "AUTH") "-ERR invalid password\r\n" else "$-1\r\n"),
        (Vector("HELLO 3 AUTH default x", "AUTH x"), false)
      )
    }
    assertEquals(greeted(full)("-WRONGPASS\r\n", _ => "_\r\n"), (Vector("HELLO 3 AUTH ann secret"), false))
    assert(!full.toString.contains("secret"))
  }

  test("lists that begin like messages are answers, where nothing subscribes") {
    FakeRedis.serving(c =>
      Answer(if (c.name == "HELLO") "-ERR unknown command\r\n" else "*1\r\n$7\r\nmessage\r\n")
    ) {
      server =>
        using(server.address) { redis =>
          assertEquals(
            await(redis.run(redis.command(Command.of("LRANGE", "l", "0", "-1")))).toString,
            "Items(Vector(Bulk(7 bytes)))"
          )
        }
    }
  }
}
