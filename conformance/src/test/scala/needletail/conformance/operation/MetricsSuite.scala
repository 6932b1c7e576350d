package needletail.conformance.operation

import java.io.{BufferedReader, InputStreamReader}
import java.net.{InetAddress, ServerSocket, URI}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.file.{Files, Paths}
import java.time.Duration
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import needletail.conformance.harness.Program
import needletail.testing.Suite

/**
 * What `/metrics` says is read by Prometheus' own programs: `promtool check metrics` where it is installed, which also
 * judges names and units, else the parser of Prometheus' client for Python.
 */
class MetricsSuite extends Suite {
  for (name <- Seq("store", "store-native"))
    test(s"$name: its metrics are what Prometheus expects, of the server and of its client, good and bad") {
      val reader = MetricsReader.found.getOrElse {
        val missing = "neither promtool nor python3-prometheus-client is installed"
        System.err.println(s"SKIPPED: MetricsSuite: $missing")
        assume(false, missing)
        throw new AssertionError(missing) // not reached
      }
      val admin = freePort()
      // The services are not there: what fails has figures too.
      val program = Program.run(
        name,
        Seq(
          "--port",
          "0",
          "--workers",
          "2",
          "--admin",
          admin.toString,
          "--search",
          none,
          "--payment",
          none
        ): _*
      )
      try {
        val statuses =
          Seq("/", "/search?query=a", "/no%22such%5Cpath", "/search").map(ask(program.port, _).statusCode)
        assertEquals(statuses, Seq(200, 502, 404, 400))
        val text = ask(admin, "/metrics").body
        assert(
          text.contains("needletail_requests_total{") && text.contains("needletail_client_calls_total{"),
          text
        )
        assertEquals(reader(text), "")
      } finally program.kill()
    }

  private def freePort(): Int = {
    val socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    try socket.getLocalPort
    finally socket.close()
  }

  private def none = s"http://127.0.0.1:${freePort()}"

  private val client = HttpClient.newHttpClient()

  private def ask(port: Int, target: String): HttpResponse[String] = {
    val request =
      HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port$target")).timeout(Duration.ofSeconds(5))
    client.send(request.build(), HttpResponse.BodyHandlers.ofString())
  }
}

/** A program that reads metrics from standard input; its complaints, empty when it has none. */
private final class MetricsReader(command: String*) {
  def apply(metrics: String): String = {
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
    try {
      process.getOutputStream.write(metrics.getBytes("UTF-8"))
      process.getOutputStream.close()
      val reader = new BufferedReader(new InputStreamReader(process.getInputStream, "UTF-8"))
      val said   = Iterator.continually(reader.readLine()).takeWhile(_ != null).mkString("\n")
      assert(process.waitFor(20, TimeUnit.SECONDS), s"${command.head} does not end")
      if (process.exitValue == 0) said else s"exit status ${process.exitValue}: $said"
    } finally { process.destroyForcibly(); () }
  }
}

private object MetricsReader {
  private val parse =
    "import sys; from prometheus_client.parser import text_string_to_metric_families as parse; " +
      "sys.exit(0 if list(parse(sys.stdin.read())) else 'no metrics')"

  /** Prometheus' own tool, else its client for the system's Python. */
  lazy val found: Option[MetricsReader] = {
    val paths    = sys.env.getOrElse("PATH", "").split(':').map(Paths.get(_, "promtool"))
    val promtool =
      paths.find(Files.isExecutable(_)).map(path => new MetricsReader(path.toString, "check", "metrics"))
    promtool.orElse(Seq("/usr/bin/python3", "python3").find(hasClient).map(new MetricsReader(_, "-c", parse)))
  }

  private def hasClient(python: String): Boolean =
    try new ProcessBuilder(python, "-c", "import prometheus_client").start().waitFor() == 0
    catch { case NonFatal(_) => false }
}
