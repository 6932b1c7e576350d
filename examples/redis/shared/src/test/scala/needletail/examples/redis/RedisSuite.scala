package needletail.examples.redis

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.tcp.{TcpClientConfig, TcpClientError}
import needletail.testing.Suite

/** The client against a real redis-server. Each test is skipped, by name, where there is none. */
class RedisSuite extends Suite {
  override def munitTimeout: Duration = 3.minutes

  private def await[A](f: Future[A]): A = Await.result(f, 60.seconds)

  private def needsRedis(name: String)(body: => Unit): Unit =
    if (RedisProcess.binary.isDefined) test(name)(body)
    else test(s"$name (SKIPPED: there is no redis-server)".ignore)(())

  private val quick = TcpClientConfig(
    loops = 1,
    reconnectDelay = 5.millis,
    maxReconnectDelay = 50.millis,
    requestTimeout = 20.seconds,
    stallTimeout = 30.seconds
  )
  private val config = RedisConfig(client = quick)

  /** A server that answers. */
  private def serving[A](options: String*)(body: RedisProcess => A): A = {
    val process = new RedisProcess(options: _*)
    try {
      isUp(process)
      body(process)
    } finally process.close()
  }

  private def isUp(process: RedisProcess): Unit = {
    val redis = Redis(process.address, config)
    try eventually(answers(redis), "redis-server does not start")
    finally redis.close()
  }

  /** Any answer, also one that asks for a password. */
  private def answers(redis: Redis): Boolean =
    Try(await(redis.run(redis.command(Command.of("PING"))))) match {
      case Success(_)                 => true
      case Failure(_: RedisError)     => true
      case Failure(e: TcpClientError) => Option(e.getCause).exists(_.isInstanceOf[RedisError])
      case Failure(_)                 => false
    }

  private def using[A](process: RedisProcess, config: RedisConfig = config)(body: Redis => A): A = {
    val redis = Redis(process.address, config)
    try body(redis)
    finally redis.close()
  }

  private def text(value: Option[Array[Byte]]): Option[String] = value.map(new String(_, "UTF-8"))

  needsRedis("values, none, counters, keys that go, binary ones") {
    serving() { process =>
      using(process) { redis =>
        val result = await(redis.run(for {
          none  <- redis.get("a")
          _     <- redis.set("a", "ä".getBytes("UTF-8"))
          a     <- redis.get("a")
          n     <- redis.increment("n")
          m     <- redis.increment("n")
          gone  <- redis.delete("a", "n", "x")
          _     <- redis.set("short", "x".getBytes, 1.milli)
          other <- redis.command(Command.of("PTTL", "short"))
        } yield (none, text(a), n, m, gone, other)))
        assertEquals(result.copy(_6 = ""), (None, Some("ä"), 1L, 2L, 2L, ""))
        eventually(await(redis.run(redis.get("short"))).isEmpty)
        val all = Array.tabulate[Byte](256)(_.toByte)
        assertEquals(
          await(redis.run(redis.set("all", all).flatMap(_ => redis.get("all")))).map(_.toVector),
          Some(all.toVector)
        )
      }
    }
  }

  for (resp3 <- Seq(true, false))
    needsRedis(s"the types of answers, with RESP${if (resp3) 3 else 2}") {
      serving((if (resp3) Nil else Seq("--rename-command", "HELLO", "")): _*) { process =>
        using(process) { redis =>
          def ask(words: String*): RespValue =
            await(redis.run(redis.command(Command.of(words.head, words.tail: _*))))
          assertEquals(ask("PING"), RespValue.Simple("PONG"))
          ask("HSET", "h", "f", "v")
          (ask("HGETALL", "h"), resp3) match {
            case (RespValue.Fields(Vector((RespValue.Text("f"), RespValue.Text("v")))), true) => ()
            case (RespValue.Items(Vector(RespValue.Text("f"), RespValue.Text("v"))), false)   => ()
            case other => fail(s"$other")
          }
          assertEquals(ask("GET", "none"), RespValue.Null)
          ask("RPUSH", "l", "message", "x") match {
            case RespValue.Number(2) => ()
            case other               => fail(s"$other")
          }
          ask("LRANGE", "l", "0", "-1") match {
            case RespValue.Items(Vector(RespValue.Text("message"), RespValue.Text("x"))) => ()
            case other                                                                   => fail(s"$other")
          }
          for (
            kind <- Seq(
              "string",
              "integer",
              "double",
              "bignum",
              "null",
              "array",
              "set",
              "map",
              "attrib",
              "verbatim",
              "true",
              "false"
            )
          )
            if (resp3 || kind != "attrib") ask("DEBUG", "PROTOCOL", kind)
        }
      }
    }

  needsRedis("errors of Redis are those of their command alone") {
    serving() { process =>
      using(process) { redis =>
        await(redis.run(redis.set("text", "x".getBytes)))
        val outcomes = await(redis.run(Async.all(Seq(
          redis.increment("n").map(_.toString),
          redis.command(Command.of("LPUSH", "text", "y")).map(_.toString),
          redis.command(Command.of("NOSUCH")).map(_.toString),
          redis.increment("n").map(_.toString)
        ).map(_.recover { case e: RedisError => e.code }))))
        assertEquals(outcomes, Seq("1", "WRONGTYPE", "ERR", "2"))
        assertEquals(redis.statistics.notOpened, 0L)
      }
    }
  }

  needsRedis("10,000 SET and GET at once") {
    serving() { process =>
      using(process, config.copy(client = quick.copy(maxQueued = 20000))) { redis =>
        val n = 10000
        await(redis.run(Async.all((1 to n).map(i => redis.set(s"k$i", s"v$i".getBytes)))))
        val values = await(redis.run(Async.all((1 to n).map(i => redis.get(s"k$i")))))
        assertEquals(values.map(text), (1 to n).map(i => Some(s"v$i")))
        assert(redis.statistics.opened <= 4, redis.statistics)
        eventually(redis.statistics.inFlight == 0)
      }
    }
  }

  needsRedis("values of 16 MiB; a longer one fails, and the next connection goes on") {
    serving() { process =>
      using(process) { redis =>
        val big = new Array[Byte](16 * 1024 * 1024)
        new java.util.Random(1).nextBytes(big)
        val back = await(redis.run(redis.set("big", big).flatMap(_ => redis.get("big"))))
        assert(back.exists(java.util.Arrays.equals(_, big)))
        await(redis.run(redis.command(Command.of("APPEND", "big", "x" * 100000))))
        val e = intercept[TcpClientError.Malformed](await(redis.run(redis.get("big"))))
        assert(e.getMessage.contains("longer than"), e.getMessage)
        assertEquals(
          text(await(redis.run(redis.set("small", "x".getBytes).flatMap(_ => redis.get("small"))))),
          Some("x")
        )
      }
    }
  }

  needsRedis("a wrong password is an error, and says so; the right one works, for both versions") {
    for (options <- Seq(Nil, Seq("--rename-command", "HELLO", "")))
      serving("--requirepass" +: "secret" +: options: _*) { process =>
        for (password <- Seq(None, Some("wrong")))
          using(process, config.copy(password = password)) { redis =>
            val e     = intercept[Exception](await(redis.run(redis.get("a"))))
            val cause = if (e.isInstanceOf[RedisError]) e else e.getCause
            assert(Seq("WRONGPASS", "NOAUTH").contains(cause.asInstanceOf[RedisError].code), e.getMessage)
            assert(!e.getMessage.contains("wrong "), e.getMessage)
          }
        using(process, config.copy(password = Some("secret"), database = 2)) { redis =>
          assertEquals(await(redis.run(redis.increment("n"))), 1L)
        }
      }
  }

  for (resp3 <- Seq(true, false))
    needsRedis(
      s"messages of channels, also after the server was restarted, with RESP${if (resp3) 3 else 2}"
    ) {
      serving((if (resp3) Nil else Seq("--rename-command", "HELLO", "")): _*) { process =>
        val seen       = new ConcurrentLinkedQueue[String]
        val subscriber = new RedisSubscriber(process.address, config)((channel, message) => {
          seen.add(s"$channel: ${new String(message)}")
          ()
        })
        try {
          await(subscriber.subscribe("news"))
          await(subscriber.subscribe("weather"))
          using(process) { redis =>
            assertEquals(await(redis.run(redis.publish("news", "a".getBytes))), 1L)
            assertEquals(await(redis.run(redis.publish("weather", "b".getBytes))), 1L)
            eventually(seen.size == 2)
            assertEquals(seen.asScala.toList, List("news: a", "weather: b"))
            await(subscriber.unsubscribe("weather"))
            assertEquals(await(redis.run(redis.publish("weather", "c".getBytes))), 0L)
          }
          process.kill()
          process.restart()
          isUp(process)
          using(process) { redis =>
            eventually(await(redis.run(redis.publish("news", "d".getBytes))) == 1L, "it subscribes again")
            eventually(seen.asScala.toList.lastOption.contains("news: d"), seen)
            assertEquals(await(redis.run(redis.publish("weather", "c".getBytes))), 0L)
          }
        } finally subscriber.close()
      }
    }

  needsRedis("keys that were read and change are reported, and all of them at the end of a connection") {
    serving() { process =>
      val told  = new ConcurrentLinkedQueue[Option[Seq[String]]]
      val redis = Redis.tracking(process.address, config) { keys => told.add(keys); () }
      try {
        assertEquals(await(redis.run(redis.get("watched"))), None)
        using(process)(other => await(other.run(other.set("watched", "x".getBytes))))
        eventually(!told.isEmpty)
        assertEquals(told.poll(), Some(Seq("watched")))
        process.kill()
        eventually(told.contains(None), told)
      } finally redis.close()
    }
  }

  needsRedis(
    "killed and started again under load: errors meanwhile, then all is well, and no answer is another's"
  ) {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    serving() { process =>
      using(process) { redis =>
        val stop                     = new AtomicBoolean
        val good                     = new AtomicInteger
        val failed                   = new AtomicInteger
        val strange                  = new ConcurrentLinkedQueue[String]
        def one(i: Int): Async[Unit] = {
          val key = s"key$i"
          redis.set(key, key.getBytes).flatMap(_ => redis.get(key)).map { value =>
            if (text(value).contains(key)) good.incrementAndGet()
            else if (value.isEmpty) failed.incrementAndGet() // it was lost with the server
            else strange.add(s"${text(value)} for $key")
            ()
          }.recover {
            case _: TcpClientError => failed.incrementAndGet(); ()
            case e: RedisError     => if (e.code != "LOADING") strange.add(e.getMessage); ()
          }
        }
        def loop(i: Int): Async[Unit] =
          if (stop.get) Async.unit else one(i).flatMap(_ => Async.sleep(1.milli)).flatMap(_ => loop(i))
        val load = Future.sequence((1 to 50).map(i => redis.run(loop(i))))
        for (_ <- 1 to 3) {
          val before = good.get
          eventually(good.get > before + 100, "the load goes on", within = 60.seconds)
          val lost = failed.get
          process.kill()
          eventually(failed.get > lost)
          process.restart()
        }
        val before = good.get
        eventually(good.get > before + 100, "the load goes on at last", within = 60.seconds)
        stop.set(true)
        await(load)
        assertEquals(strange.asScala.toList, Nil)
        eventually(redis.statistics.inFlight == 0 && redis.statistics.waiting == 0, redis.statistics)
      }
    }
  }

  needsRedis(
    "a server that is stopped for a while: the cache answers without it, and with it again afterwards"
  ) {
    serving() { process =>
      using(process) { redis =>
        val cache                    = new Cache(redis, 10.minutes)
        def get(key: String): String = await(redis.run(cache(key)(Async.value("computed".getBytes)))).how
        eventually(get("a") == "hit") // the first ones may miss, or be too slow
        val asleep = redis.run(redis.command(Command.of("DEBUG", "SLEEP", "1")))
        eventually(get("a") == "off")
        await(asleep)
        eventually(get("a") == "hit")
      }
    }
  }
}
