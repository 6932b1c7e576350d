package needletail.client.config

import scala.concurrent.duration._

import needletail.async.BlockingConfig
import needletail.client.Client
import needletail.client.config.{BalancingConfig, BreakerConfig, ClientConfig, RetryConfig}
import needletail.http.TimeLimit
import needletail.io.{Address, ConnectionOptions}
import needletail.io.platform.ListenOptions
import needletail.server.{OverloadConfig, ServerConfig}
import needletail.server.config.AdminConfig
import needletail.testing.Suite

/** Fault 13: a wrong setting is said when it is made, with its name, its value and what is allowed. */
class SettingsSuite extends Suite {
  private val second  = 1.second
  private val tooLong = 106000.days // as much as a FiniteDuration can hold, nearly

  private def assertRefused(setting: String, value: Any)(make: => Any): Unit =
    scala.util.Try(make) match {
      case scala.util.Failure(e: IllegalArgumentException) =>
        assert(
          e.getMessage.startsWith(
            s"$setting is $value, but must be "
          ) && e.getMessage.length > setting.length + 25,
          e.getMessage
        )
      case other => fail(s"$setting = $value: $other")
    }

  private val server = ServerConfig()

  private val serverTimes: List[(String, FiniteDuration => ServerConfig, Boolean)] = List(
    ("crowdedIdleTimeout", d => server.copy(crowdedIdleTimeout = d), true),
    ("headTimeout", d => server.copy(headTimeout = d), false),
    ("bodyTimeout", d => server.copy(bodyTimeout = d), false),
    ("bodyGrace", d => server.copy(bodyGrace = d), true),
    ("idleTimeout", d => server.copy(idleTimeout = d), false),
    ("writeTimeout", d => server.copy(writeTimeout = d), false),
    ("handlerTimeout", d => server.copy(handlerTimeout = d), false),
    ("halfCloseGrace", d => server.copy(halfCloseGrace = d), true),
    ("lingerTimeout", d => server.copy(lingerTimeout = d), true),
    ("drainDelay", d => server.copy(drainDelay = d), true),
    ("drainGrace", d => server.copy(drainGrace = d), true),
    ("drainTimeout", d => server.copy(drainTimeout = d), true),
    ("blockedLoop", d => server.copy(blockedLoop = d), true)
  )

  for ((name, make, mayBeZero) <- serverTimes)
    test(s"fault 13: ServerConfig.$name is validated") {
      assertRefused(s"ServerConfig.$name", -second)(make(-second))
      assertRefused(s"ServerConfig.$name", tooLong)(make(tooLong))
      assertRefused(s"ServerConfig.$name", null)(make(null))
      if (mayBeZero) make(Duration.Zero)
      else assertRefused(s"ServerConfig.$name", Duration.Zero)(make(Duration.Zero))
      make(3650.days)
    }

  test("fault 13: sizes and counts of ServerConfig are validated") {
    assertRefused("ServerConfig.loops", -1)(server.copy(loops = -1))
    assertRefused("ServerConfig.maxConnections", 0)(server.copy(maxConnections = 0))
    assertRefused("ServerConfig.maxConnections", Int.MaxValue)(server.copy(maxConnections = Int.MaxValue))
    assertRefused("ServerConfig.backlog", 0)(server.copy(backlog = 0))
    assertRefused("ServerConfig.maxTarget", 0)(server.copy(maxTarget = 0))
    assertRefused("ServerConfig.maxHead", 100)(server.copy(maxHead = 100))
    assertRefused("ServerConfig.maxHead", 63)(server.copy(maxTarget = 1, maxHead = 63))
    assertRefused("ServerConfig.maxHead", 1)(server.copy(maxTarget = 1, maxHead = 1))
    assertRefused("ServerConfig.maxHead", 65536)(server.copy(maxHead = 65536))
    assertRefused("ServerConfig.maxHeaders", 0)(server.copy(maxHeaders = 0))
    assertRefused("ServerConfig.maxBody", -1)(server.copy(maxBody = -1))
    assertRefused("ServerConfig.maxBodyInMemory", -1)(server.copy(maxBodyInMemory = -1))
    assertRefused("ServerConfig.maxUnreadBody", -1)(server.copy(maxUnreadBody = -1))
    assertRefused("ServerConfig.minBodyRate", -1)(server.copy(minBodyRate = -1))
    assertRefused("ServerConfig.maxPipelined", 0)(server.copy(maxPipelined = 0))
    assertRefused("ServerConfig.maxPendingOutput", 0)(server.copy(maxPendingOutput = 0))
    assertRefused("ServerConfig.serverHeader", Some("a\nb"))(server.copy(serverHeader = Some("a\nb")))
    for (wrong <- List(-second, tooLong, 32768.seconds, null)) // more is not known to TCP_KEEPIDLE
      assertRefused("ServerConfig.streamKeepAlive", wrong)(server.copy(streamKeepAlive = wrong))
    for (right <- List(Duration.Zero, 32767.seconds)) server.copy(streamKeepAlive = right)
    assertRefused("AdminConfig.port", 70000)(AdminConfig(70000))
    assertRefused("Address.Tcp.port", -1)(Address.Tcp("localhost", -1))
    assertRefused("Address.Tcp.port", 65536)(server.withPort(65536))
  }

  test("fault 13: withPort does not make TCP of a Unix socket") {
    val unix = server.copy(address = Address.Unix("/run/shop.sock"))
    assertRefused("ServerConfig.address", "/run/shop.sock, which has no port to set to 80")(
      scala.util.Try(unix.withPort(80)).recover {
        // says it in words of its own
        case e => throw new IllegalArgumentException(s"${e.getMessage}, but must be an address with a port")
      }.get
    )
    assertEquals(server.withPort(81).address, Address.Tcp("127.0.0.1", 81): Address)
  }

  test("fault 13: OverloadConfig is validated") {
    val overload = OverloadConfig()
    assertRefused("OverloadConfig.target", Duration.Zero)(overload.copy(target = Duration.Zero))
    assertRefused("OverloadConfig.interval", 1.milli)(overload.copy(interval = 1.milli))
    assertRefused("OverloadConfig.interval", tooLong)(overload.copy(interval = tooLong))
    assertRefused("OverloadConfig.grace", -second)(overload.copy(grace = -second))
    assertRefused("OverloadConfig.leastInFlight", 0)(overload.copy(leastInFlight = 0))
    assertRefused("OverloadConfig.initialInFlight", 1)(overload.copy(initialInFlight = 1))
    assertRefused("OverloadConfig.maxInFlight", 0)(overload.copy(maxInFlight = 0))
    assertRefused("OverloadConfig.retryAfter", -second)(overload.copy(retryAfter = -second))
  }

  private val client = ClientConfig()

  private val clientTimes: List[(String, FiniteDuration => ClientConfig)] = List(
    ("queueTimeout", d => client.copy(queueTimeout = d)),
    ("connectTimeout", d => client.copy(connectTimeout = d)),
    ("requestTimeout", d => client.copy(requestTimeout = d)),
    ("attemptTimeout", d => client.copy(attemptTimeout = Some(d))),
    ("bodyTimeout", d => client.copy(bodyTimeout = d)),
    ("idleTimeout", d => client.copy(idleTimeout = d)),
    ("continueTimeout", d => client.copy(continueTimeout = d))
  )

  for ((name, make) <- clientTimes)
    test(s"fault 13: ClientConfig.$name is validated") {
      for (wrong <- List(-second, Duration.Zero, tooLong))
        assertRefused(s"ClientConfig.$name", wrong)(make(wrong))
      make(3650.days)
    }

  test("fault 13: sizes and counts of ClientConfig, and what belongs to it, are validated") {
    assertRefused("ClientConfig.loops", -1)(client.copy(loops = -1))
    assertRefused("ClientConfig.connectionsPerHost", 0)(client.copy(connectionsPerHost = 0))
    assertRefused("ClientConfig.maxQueued", -1)(client.copy(maxQueued = -1))
    assertRefused("ClientConfig.maxHead", 0)(client.copy(maxHead = 0))
    assertRefused("ClientConfig.maxHead", 32768)(client.copy(socket = ConnectionOptions(maxLeftover = 1024)))
    assertRefused("ClientConfig.maxHosts", 0)(client.copy(maxHosts = 0))
    assertRefused("ClientConfig.pipelining", 0)(client.copy(pipelining = 0))
    assertRefused("RetryConfig.attempts", 0)(RetryConfig(attempts = 0))
    assertRefused("RetryConfig.maxDelay", 1.milli)(RetryConfig(maxDelay = 1.milli))
    assertRefused("RetryConfig.maxDelay", tooLong)(RetryConfig(maxDelay = tooLong))
    assertRefused("RetryConfig.budget", 1.5)(RetryConfig(budget = 1.5))
    assertRefused("BreakerConfig.window", 1.milli)(BreakerConfig(window = 1.milli))
    assertRefused("BreakerConfig.openFor", tooLong)(BreakerConfig(openFor = tooLong))
    assertRefused("BreakerConfig.failureRatio", Double.NaN)(BreakerConfig(failureRatio = Double.NaN))
    assertRefused("BalancingConfig.ejectFor", Duration.Zero)(BalancingConfig(ejectFor = Duration.Zero))
    assertRefused("BalancingConfig.maxEjected", 2.0)(BalancingConfig(maxEjected = 2.0))
    assertRefused("ConnectionOptions.maxLeftover", 0)(ConnectionOptions(maxLeftover = 0))
    assertRefused("ConnectionOptions.sendBuffer", 0)(ConnectionOptions(sendBuffer = Some(0)))
    assertRefused("ConnectionOptions.receiveBuffer", -1)(ConnectionOptions(receiveBuffer = Some(-1)))
    assertRefused("ListenOptions.backlog", 0)(ListenOptions(backlog = 0))
    assertRefused("BlockingConfig.threads", 0)(BlockingConfig(threads = 0))
    assertRefused("BlockingConfig.idle", tooLong)(BlockingConfig(idle = tooLong))
  }

  test("fault 13: a time limit that is too long to be told apart from the past is none of the past") {
    assert(!TimeLimit.in(106751.days).hasPassed)
    assert(TimeLimit.in(106751.days).timeLeft.exists(_ > 3000.days))
  }

  test("fault 13: a service without an address is refused when it is made") {
    val client = Client()
    try
      assertEquals(
        intercept[IllegalArgumentException](client.service("http://a", Seq.empty[Address]*)).getMessage,
        "Client.service.addresses is empty, but must be one address or more"
      )
    finally client.close()
  }
}
