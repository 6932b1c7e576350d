package needletail.examples.cgihost

import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.gateway.host.ProgramHostConfig
import needletail.server.{RawClient, ServerFixture}
import needletail.testing.{ClassPath, Suite}

/** Functions as processes that are kept. This program is one itself, as every program is that takes `--fastcgi`. */
class FunctionsSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  private val self =
    s"""#!/bin/sh
       |exec "${System.getProperty("java.home")}/bin/java" -cp "${ClassPath.of(
        getClass.getClassLoader
      )}" \\
       |  needletail.examples.cgihost.Main "$$@"
       |""".stripMargin

  private def inFolder(body: Path => Unit): Unit = {
    val folder = Files.createTempDirectory("functions")
    try body(folder)
    finally {
      folder.toFile.listFiles().foreach(_.delete())
      Files.delete(folder)
    }
  }

  test("a function answers below its name, from a process that was started once") {
    inFolder { folder =>
      val program = Files.writeString(folder.resolve("health-of-host"), self).toFile
      assert(program.setExecutable(true))
      Files.writeString(folder.resolve("notes.txt"), "not a program")
      val functions = Programs.functions(folder.toString, 1, ProgramHostConfig()).fold(fail(_), identity)
      try ServerFixture.serving(functions.routes) { server =>
          def ask(path: String): String = {
            val client = new RawClient(server.port)
            try client.send(s"GET $path HTTP/1.0\r\n\r\n").readAll()
            finally client.close()
          }
          def answers(reply: String): Boolean = reply.startsWith("HTTP/1.1 200") && reply.endsWith("ok")
          // a JVM takes a while to start
          eventually(answers(ask("/functions/health-of-host/health")), within = 60.seconds)
          assert(answers(ask("/functions/health-of-host/health")))
          assert(ask("/functions/health-of-host/other").startsWith("HTTP/1.1 404"))
          assert(ask("/functions/notes.txt/health").startsWith("HTTP/1.1 404"))
        }
      finally functions.close()
    }
  }

  test("a folder that has no programs") {
    inFolder { folder =>
      val none    = Programs.functions(folder.toString, 1, ProgramHostConfig())
      val nowhere = Programs.functions(folder.resolve("nowhere").toString, 1, ProgramHostConfig())
      assertEquals(none.left.toOption, Some(s"there is no executable file in $folder"))
      assertEquals(nowhere.left.toOption, Some(s"$folder/nowhere is not a readable directory"))
    }
  }
}
