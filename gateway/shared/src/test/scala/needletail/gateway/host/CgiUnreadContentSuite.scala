package needletail.gateway.host

import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.gateway.host.process.Spawner
import needletail.server.{RawClient, RunningServer}

/**
 * Programs that respond before they have read their whole request. What they get of it is all of it; if it is cut off,
 * they are ended before they could take the part for the whole.
 */
class CgiUnreadContentSuite extends Hosted {
  override def hostConfig: ProgramHostConfig = super.hostConfig.copy(bufferRequests = false)

  sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")

  /** More than pipes and sockets take. */
  private val size = 20000000

  /** A program that responds, says so, and reads when it may. It goes on when its input ends, whatever it is sent. */
  private def early(name: String, response: String, next: String = ":"): Unit = sh(
    name,
    "trap '' TERM",
    s"printf '$response'",
    next,
    s": > $directory/$name.responded",
    s"while [ ! -e $directory/$name.may ]; do sleep 0.02; done",
    s"cat > $directory/$name.got",
    s": > $directory/$name.whole"
  )

  private def path(name: String): Path       = directory.resolve(name)
  private def exists(name: String): Boolean  = Files.exists(path(name))
  private def mayRead(name: String): Unit    = { Files.createFile(path(s"$name.may")); () }
  private def responded(name: String): Unit  = eventually(exists(s"$name.responded"))
  private def connect(server: RunningServer) = {
    val client = new RawClient(server.port)
    client.socket.setSoTimeout(20000)
    client
  }

  private def head(method: String, name: String) =
    s"$method /cgi-bin/$name HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: $size\r\n\r\n"

  /** Sends it from another thread, as not all of it is taken before the program reads. */
  private def sending(client: RawClient, text: String): Thread = {
    val thread = new Thread(() =>
      try { client.send(text); () }
      catch { case _: java.io.IOException => () } // the connection was closed
    )
    thread.setDaemon(true)
    thread.start()
    thread
  }

  for (
    (name, method, response, status, body) <- List(
      ("bodiless", "POST", "Status: 204\\n\\n", 204, ""),
      ("sized", "POST", "Content-Length: 2\\n\\nok", 200, "ok"),
      ("empty", "POST", "Content-Length: 0\\n\\n", 200, ""),
      ("head", "HEAD", "Content-Type: text/plain\\n\\nok", 200, ""),
      ("endless", "POST", "Content-Type: text/plain\\n\\nok", 200, "ok")
    )
  )
    test(s"a program that responds first gets all of its content: $name") {
      early(name, response)
      safely { server =>
        val client = connect(server)
        val thread = sending(client, head(method, name) + "x" * size)
        responded(name)
        mayRead(name)
        val answer = Answer(client.readAll())
        assertEquals((answer.status, answer.body), (status, body), answer.raw)
        eventually(exists(s"$name.whole"))
        assertEquals(Files.size(path(s"$name.got")), size.toLong)
        thread.join(20000)
        client.close()
      }
    }

  test("a program whose client leaves within the content never sees an end of it") {
    early("left", "Content-Length: 2\\n\\nok")
    safely { server =>
      val client = connect(server).send(head("POST", "left") + "x" * 1000)
      responded("left")
      mayRead("left")
      eventually(exists("left.got") && Files.size(path("left.got")) == 1000)
      client.close()
      eventually(processes(s"$directory/left").isEmpty)
      assert(!exists("left.whole"))
    }
  }

  test("a program that ends its output before it has read its content") {
    early("ends", "Content-Type: text/plain\\n\\nok", next = "exec >&-")
    safely { server =>
      val client = connect(server)
      sending(client, head("POST", "ends") + "x" * size)
      responded("ends")
      if (Spawner.handsOverSockets) {
        assertEquals(Answer(client.readAll()).body, "ok") // natively its output ends with the pipe
        mayRead("ends")
        eventually(processes(s"$directory/ends").isEmpty)
        assert(!exists("ends.whole"))
        assert(
          log.text.contains("/cgi-bin/ends: it ended its output before it had read its request"),
          log.text
        )
      } else {
        mayRead("ends")
        assertEquals(Answer(client.readAll()).body, "ok")
        assertEquals(Files.size(path("ends.got")), size.toLong)
      }
      client.close()
    }
  }

  test("a program that is killed while its response without content waits for the request to be read: 502") {
    sh("killed", "printf 'Status: 204\\n\\n'", "kill -9 $$")
    safely { server =>
      val client = connect(server).send(head("POST", "killed") + "x" * 1000)
      assertEquals(Answer(client.readAll()).status, 502)
      client.close()
    }
  }

  for ((name, response) <- List("bare" -> "Status: 204\\n\\n", "full" -> "Content-Length: 5\\n\\nabcde"))
    test(s"nor is a program that is killed with most of its content unread said to have succeeded: $name") {
      sh(
        name,
        s"printf '$response'",
        s": > $directory/$name.responded",
        s"while [ ! -e $directory/$name.may ]; do sleep 0.02; done",
        "kill -9 $$"
      )
      safely { server =>
        val client = connect(server)
        sending(client, head("POST", name) + "x" * size)
        responded(name)
        mayRead(name)
        val answer = Answer(client.readAll())
        assert(answer.status == 502 || answer.status == 200 && answer.body.isEmpty, answer.raw)
        client.close()
      }
    }

  test("a program that responds and reads nothing is ended in time: 504") {
    early("deaf", "Status: 204\\n\\n")
    early("mute", "Content-Length: 2\\n\\nok")
    hosting(cgiConfig.copy(host = hostConfig.copy(timeout = 300.millis))) { server =>
      get(server, "/cgi-bin/ok")
      leavingNothing {
        for (name <- List("deaf", "mute")) {
          val client = connect(server)
          sending(client, head("POST", name) + "x" * size)
          assertEquals(Answer(client.readAll()).status, 504)
          assert(log.text.contains(s"/cgi-bin/$name: it took too long"), log.text)
          client.close()
        }
      }
      assert(!exists("deaf.whole") && !exists("mute.whole"))
    }
  }

  test("a program that ends without reading has responded, whatever its client still sends") {
    sh("refuses", "printf 'Status: 413\\nContent-Length: 3\\n\\nbig'")
    safely { server =>
      val client = connect(server).send(head("POST", "refuses") + "x" * 1000)
      val answer = client.readUntil("big") // and not only once the rest has come
      assertEquals(Answer(answer).status, 413)
      client.close()
    }
  }
}
