package needletail.gateway.host.process

import java.io.IOException
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.scalanative.unsafe.*

import needletail.gateway.host.backend.ByteText

/** See Program.scala. */
private[host] object Spawner {
  val handsOverSockets: Boolean = true

  /** A result of needletail_host_kind: another process is writing to the file (ETXTBSY). */
  private final val Busy = 5

  def start(launch: Launch): StartedProgram = {
    val arguments   = launch.program +: launch.arguments
    val environment = launch.environment.map { case (name, value) => s"$name=$value" }
    val started     = new Array[Int](5)
    def tried()     = HostKernel.start(
      flat(arguments).at(0),
      arguments.length,
      flat(environment).at(0),
      environment.length,
      flat(List(launch.directory)).at(0),
      if (launch.listening == null) -1 else launch.listening.fd,
      started.at(0)
    )
    var result = tried()
    var tries  = 0
    // for a moment after it was written, by this process or by a program that is being started
    while (result < 0 && HostKernel.kind(-result) == Busy && tries < 5) {
      new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS)
      tries += 1
      result = tried()
    }
    if (result < 0)
      throw new LaunchFailed(
        if (HostKernel.kind(-result) == Busy) LaunchFailed.Other else HostKernel.kind(-result),
        s"${ByteText.text(launch.program)}: ${fromCString(HostKernel.message(-result))}"
      )
    new StartedProgram(started)
  }

  def listen(path: String): Listening = {
    val fd = HostKernel.listen(flat(List(ByteText.of(path))).at(0))
    if (fd < 0) throw new IOException(s"cannot listen on $path: ${fromCString(HostKernel.message(-fd))}")
    new Listening(fd)
  }

  /** The bytes of texts, each followed by a NUL; never empty, so that there is one to point at. */
  private def flat(texts: Seq[String]): Array[Byte] = {
    val all = new Array[Byte](texts.map(_.length + 1).sum + 1)
    var at  = 0
    texts.foreach { text =>
      var i = 0
      while (i < text.length) {
        // a NUL inside would truncate the text
        if (text.charAt(i) == 0)
          throw new LaunchFailed(
            LaunchFailed.Other,
            "NUL in an argument or environment variable of a program"
          )
        all(at + i) = text.charAt(i).toByte
        i += 1
      }
      at += text.length + 1
    }
    all
  }
}
