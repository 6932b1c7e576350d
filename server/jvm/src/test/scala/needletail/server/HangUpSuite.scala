package needletail.server

import java.io.{BufferedReader, InputStreamReader}
import java.net.Socket

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{Handler, Reply, Response}
import needletail.io.Address
import needletail.testing.{ClassPath, Suite}

class HangUpSuite extends Suite {

  // Where a terminal is closed, the shell passes the signal on, and the kernel sends it when the shell has ended.
  test("SIGHUP without TLS begins a drain, and the next one cuts nothing off") {
    val java  = System.getProperty("java.home") + "/bin/java"
    val child =
      new ProcessBuilder(java, "-cp", ClassPath.of(getClass.getClassLoader), "needletail.server.HangUpMain")
        .redirectErrorStream(true)
        .start()
    val output                         = new BufferedReader(new InputStreamReader(child.getInputStream))
    def lineWith(text: String): String = Iterator.continually(output.readLine()).find(_.contains(text)).get
    try {
      val socket = new Socket("127.0.0.1", lineWith("port ").drop(5).toInt)
      try {
        socket.getOutputStream.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes)
        lineWith("asked")
        hangUp(child)
        lineWith("draining")
        hangUp(child)
        val reply = new BufferedReader(new InputStreamReader(socket.getInputStream))
        assertEquals(reply.readLine(), "HTTP/1.1 200 OK")
      } finally socket.close()
      assertEquals(child.waitFor(), 0)
    } finally { child.destroyForcibly(); () }
  }

  private def hangUp(process: Process): Unit = {
    new ProcessBuilder("kill", "-HUP", process.pid.toString).start().waitFor()
    ()
  }
}

object HangUpMain {
  private val slow: Handler = _ => {
    println("asked")
    new Reply.Later(Async.sleep(2.seconds).map(_ => Response.ok))
  }

  def main(args: Array[String]): Unit =
    Server(slow, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1)).run(s =>
      println(s"port ${s.port}")
    )
}
