package needletail.gateway

import scala.concurrent.duration._
import scala.util.{Failure, Try}

import needletail.gateway.host.{CgiConfig, ProgramHostConfig, UpstreamConfig, WorkersConfig}
import needletail.gateway.serve.GatewayConfig
import needletail.testing.Suite

/** Fault 13, for the gateway and its host. */
class GatewaySettingsSuite extends Suite {
  private val wrong = List[(String, () => Any)](
    "GatewayConfig.mount is Some(app)"         -> (() => GatewayConfig(mount = Some("app"))),
    "GatewayConfig.maxVariables is 0"          -> (() => GatewayConfig(maxVariables = 0)),
    "ProgramHostConfig.timeout is 0 days"      -> (() => ProgramHostConfig(timeout = Duration.Zero)),
    "ProgramHostConfig.maxTime is 106000 days" -> (() => ProgramHostConfig(maxTime = 106000.days)),
    "ProgramHostConfig.maxSpool is -1"         -> (() => ProgramHostConfig(maxSpool = -1)),
    "ProgramHostConfig.maxSpoolTotal is 99" -> (() => ProgramHostConfig(maxSpool = 100, maxSpoolTotal = 99)),
    "CgiConfig.processes is 0"              -> (() => CgiConfig(processes = 0)),
    "CgiConfig.queueTime is -1 seconds"     -> (() => CgiConfig(queueTime = -1.second)),
    "CgiConfig.killGrace is -1 seconds"     -> (() => CgiConfig(killGrace = -1.second)),
    "UpstreamConfig.idleTimeout is 0 days"  -> (() => UpstreamConfig(idleTimeout = Duration.Zero)),
    "UpstreamConfig.connectTimeout is null" -> (() => UpstreamConfig(connectTimeout = null)),
    "UpstreamConfig.multiplex is 0"         -> (() => UpstreamConfig(multiplex = 0)),
    "UpstreamConfig.front is Some(/a/b)" -> (() => UpstreamConfig(root = Some("/a"), front = Some("/a/b"))),
    "WorkersConfig.count is 0"           -> (() => WorkersConfig(List("/bin/x"), count = 0)),
    "WorkersConfig.stopGrace is -1 seconds" -> (() => WorkersConfig(List("/bin/x"), stopGrace = -1.second)),
    "WorkersConfig.maxRestartDelay is 1 millisecond" ->
      (() => WorkersConfig(List("/bin/x"), maxRestartDelay = 1.milli))
  )

  for ((beginning, make) <- wrong)
    test(s"fault 13: $beginning is refused in words") {
      Try(make()) match {
        case Failure(e: IllegalArgumentException) =>
          assert(e.getMessage.startsWith(s"$beginning, but must be "), e.getMessage)
        case other => fail(s"$other")
      }
    }
}
