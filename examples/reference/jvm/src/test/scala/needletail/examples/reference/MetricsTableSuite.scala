package needletail.examples.reference

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import needletail.async.{Async, Rejected}
import needletail.client.{Client, ClientConfig, ClientMetrics, RetryConfig}
import needletail.content.compression.CompressionMetrics
import needletail.gateway.host.{cgi, CgiConfig, HostMetrics, ProgramHostConfig}
import needletail.io.{Address, Tls, TlsCertificate, TlsClientAuth, TlsServerConfig}
import needletail.routing._
import needletail.server.{AdminConfig, Log, Server, ServerConfig}
import needletail.testing.{Suite, TemporaryDirectories}

/** The table in docs/metrics.md is what a server shows that has all sources of metrics. */
class MetricsTableSuite extends Suite with TemporaryDirectories {
  import MetricsTableSuite.Metric

  private val root: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(p => Files.exists(p.resolve("docs/metrics.md")))
      .getOrElse(fail("no docs/metrics.md above the working directory"))

  private def read(path: Path): String = new String(Files.readAllBytes(path), "UTF-8")

  private val documented: List[Metric] = read(root.resolve("docs/metrics.md")).linesIterator.collect {
    case s"| `needletail_$name` | $kind | $labels| $help |" =>
      Metric(
        s"needletail_$name",
        kind,
        labels.split(',').map(_.trim.replace("`", "")).filter(_.nonEmpty).toSet,
        help
      )
  }.toList

  /** In the order in which they are declared; the labels are those of any of its samples. */
  private def shown(page: String): List[Metric] =
    page.split("(?m)^# HELP ").toList.drop(1).map { family =>
      val lines              = family.linesIterator.toList
      val s"$name $help"     = lines.head: @unchecked
      val s"# TYPE $_ $kind" = lines(1): @unchecked
      val labels = lines.drop(2).flatMap("""(\w+)="(?:[^"\\]|\\.)*"""".r.findAllMatchIn(_)).map(_.group(1))
      assert(lines.length > 2, s"$name has no sample here, so that its labels are not known")
      Metric(name, kind, labels.toSet - "le", help)
    }

  /** What a server shows that has had a request, has refused one, and has called itself. */
  private def page(): String = {
    val authority = newAuthority()
    authority.revoke()
    val own      = authority.issue("DNS:localhost")
    val programs = new HostMetrics
    val client   = Client(ClientConfig(
      tls = Tls.trusting(authority.file),
      loops = 1,
      retry = RetryConfig(attempts = 1)
    ))
    val routes = Routes(
      GET / "a" to "a".ok,
      GET / "full" to (Async.fail(new Rejected("full")): Async[Response]),
      cgi(
        "/programs",
        temporaryDirectory().toString,
        CgiConfig(host = ProgramHostConfig(metrics = Some(programs)))
      )
    )
    val identity = Tls.server(TlsServerConfig(
      Seq(TlsCertificate(own.chain, own.key)),
      clients = Some(TlsClientAuth(authority.file, required = false, revoked = Some(authority.revoked)))
    ))
    val server = Server(
      routes,
      ServerConfig(
        address = Address.Tcp("localhost", 0),
        loops = 1,
        tls = Some(identity),
        metrics = Seq(new ClientMetrics("self" -> client), programs, CompressionMetrics),
        admin = Some(AdminConfig(0)),
        log = Log.none
      )
    ).start()
    try {
      assertEquals(client.get(s"${server.url}/a").await().status, Status.Ok)
      assertEquals(client.get(s"${server.url}/full").await().status, Status.ServiceUnavailable)
      val metrics = server.adminAddress.get match {
        case Address.Tcp(host, port) => s"http://$host:$port/metrics"
        case other                   => fail(s"not a port: $other")
      }
      client.get(metrics).await().text
    } finally {
      client.close()
      scala.concurrent.Await.result(server.close(), scala.concurrent.duration.Duration(20, "s"))
    }
  }

  test("each metric with its type, its labels and its meaning, and no other") {
    assume(Tls.isKnown, "no TLS")
    val all = shown(page())
    assertEquals(documented.mkString("\n"), all.mkString("\n"))
  }

  test("the sources of metrics are those of the table") {
    val modules = Files.list(root)
    val sources =
      try
        modules.iterator.asScala.toList
          .flatMap(module => Seq("shared", "jvm", "native").map(of => module.resolve(of).resolve("src/main")))
          .filter(Files.isDirectory(_))
          .flatMap { folder =>
            val files = Files.walk(folder)
            try files.iterator.asScala.filter(_.toString.endsWith(".scala")).toList
            finally files.close()
          }
      finally modules.close()
    val found =
      sources.filter(file => read(file).contains("extends MetricSource")).map(_.getFileName.toString)
    assertEquals(
      found.toSet,
      Set("ClientMetrics.scala", "CompressionMetrics.scala", "HostMetrics.scala")
    )
  }
}

private object MetricsTableSuite {

  /** As a row of the table has it. */
  final case class Metric(name: String, kind: String, labels: Set[String], help: String) {
    override def toString: String =
      s"| `$name` | $kind | ${labels.toSeq.sorted.map(label => s"`$label`").mkString(", ")} | $help |"
  }
}
