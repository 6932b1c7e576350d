package needletail.documents

import java.nio.file.{Files, Paths}

import needletail.client.{BalancingConfig, BreakerConfig, ClientConfig, RetryConfig}
import needletail.content._
import needletail.server.{AdminConfig, OverloadConfig, ServerConfig}
import needletail.tcp.TcpClientConfig
import needletail.testing.Suite
import needletail.websocket.WebSocketConfig

/** The page of a module names each of its settings. */
class SettingsSuite extends Suite {
  private def page(name: String): String = new String(Files.readAllBytes(Paths.get("docs", name)), "UTF-8")

  private def named(document: String, prefix: String, settings: Product): Unit =
    test(s"$document names the settings of ${settings.productPrefix}") {
      val code    = "`[^`\n]+`|(?s)```.*?\n```".r.findAllIn(page(document)).mkString("\n")
      val missing = settings.productElementNames.filterNot { name =>
        s"`${java.util.regex.Pattern.quote(prefix + name)}`|\\b$name = ".r.findFirstIn(code).isDefined
      }
      assertEquals(missing.toList, Nil)
    }

  named("server.md", "", ServerConfig())
  named("server.md", "AdminConfig.", AdminConfig(0))
  named("server.md", "overload.", OverloadConfig())
  named("client.md", "", ClientConfig())
  named("client.md", "retry.", RetryConfig())
  named("client.md", "breaker.", BreakerConfig())
  named("client.md", "balancing.", BalancingConfig())
  named("content.md", "", FileConfig())
  named("content.md", "", CompressionConfig())
  named("content.md", "DecodingLimits.", DecodingLimits())
  named("content.md", "", MultipartLimits())
  named("content.md", "", CorsConfig(Set.empty[String]))
  named("content.md", "", SecurityHeaders())
  named("content.md", "", RateLimit(1, scala.concurrent.duration.FiniteDuration(1, "s")))
  named("content.md", "", ProxyConfig())
  named("websocket.md", "", WebSocketConfig())
  named("tcp.md", "", TcpClientConfig())
}
