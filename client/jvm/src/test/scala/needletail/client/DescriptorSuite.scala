package needletail.client

import java.io.{FileInputStream, IOException}

import needletail.async.Async
import needletail.client.config.{BreakerConfig, ClientConfig, RetryConfig}
import needletail.io.ChildProcess
import needletail.testing.Suite

class DescriptorSuite extends Suite {

  test(
    "out of descriptors: calls fail with a clear error, those on open connections go on, all go on afterwards"
  ) {
    val child = ChildProcess.start("ulimit -n 80; " + DescriptorShortageMain.command)
    assertEquals(ChildProcess.result(child), Some(("as it should be\n", 0)))
  }
}

/** What happens to calls when the process runs out of descriptors; in a process of its own. */
object DescriptorShortageMain {

  def command: String = ChildProcess.command(
    "needletail.client.DescriptorShortageMain",
    classOf[Client],
    classOf[Scripted],
    classOf[needletail.http.Headers],
    classOf[needletail.metrics.MetricText],
    needletail.testing.Ports.getClass
  )

  def main(args: Array[String]): Unit = {
    val server = new Scripted((peer, _) => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    val config = ClientConfig(
      loops = 1,
      retry = RetryConfig(attempts = 1),
      breaker = BreakerConfig(enabled = false)
    )
    val client                    = Client(config)
    val calls                     = client.service(server.url)
    def many(n: Int): Seq[String] = client.await {
      Async.all((1 to n).map(_ => calls.get("/").text.recover { case e: ClientError => e.getMessage }))
    }
    many(
      10
    ) // everything has run once before it gets tight: on the JVM loading a class takes a descriptor too
    client.await(client.get(server.url).text.flatMap(_ =>
      Async.fail(new RuntimeException).recover { case _ => "" }
    ))
    val refused = new Scripted((peer, _) => peer.close())
    scala.util.Try(client.get(refused.url).await())
    refused.close()

    val taken = fill()
    val tight = many(30)
    taken.foreach(_.close())
    check(tight.count(_ == "ok") >= 10, s"open connections serve on: $tight")
    check(tight.exists(_.toLowerCase.contains("too many open files")), s"the error says why: $tight")
    check(
      calls.statistics.inFlight == 0 && calls.statistics.waiting == 0,
      s"nothing hangs: ${calls.statistics}"
    )
    check(many(30).forall(_ == "ok"), "all is well when descriptors are back")
    println("as it should be")
    sys.exit(0)
  }

  /** Takes all descriptors that are left. */
  private def fill(): Vector[FileInputStream] = {
    var taken = Vector.empty[FileInputStream]
    try while (taken.length < 100000) taken :+= new FileInputStream("/dev/null")
    catch { case _: IOException => () }
    taken
  }

  private def check(condition: Boolean, what: String): Unit = if (!condition) throw new AssertionError(what)
}
