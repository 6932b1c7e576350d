package needletail.examples.redis

import java.io.File
import java.nio.file.Files

import needletail.io.Address

/** A redis-server of its own, on a Unix socket, with nothing stored. */
final class RedisProcess(options: String*) {
  private val directory = Files.createTempDirectory("needletail-redis")
  val address: Address  = Address.Unix(directory.resolve("redis.sock").toString)

  private var process = begin()

  private def begin(): Process = {
    val command = Seq(
      RedisProcess.binary.get,
      "--port",
      "0",
      "--unixsocket",
      directory.resolve("redis.sock").toString,
      "--save",
      "",
      "--dir",
      directory.toString,
      "--enable-debug-command",
      "yes"
    ) ++ options
    new ProcessBuilder(command: _*)
      .redirectErrorStream(true)
      .redirectOutput(directory.resolve("log").toFile)
      .start()
  }

  /** Ends it as kill -9 does. */
  def kill(): Unit = {
    process.destroyForcibly().waitFor()
    ()
  }

  def restart(): Unit = process = begin()

  def close(): Unit = {
    kill()
    Option(directory.toFile.listFiles).toSeq.flatten.foreach(_.delete())
    Files.deleteIfExists(directory)
    ()
  }
}

object RedisProcess {
  val binary: Option[String] =
    Seq("/usr/bin/redis-server", "/usr/local/bin/redis-server").find(new File(_).canExecute)
}
