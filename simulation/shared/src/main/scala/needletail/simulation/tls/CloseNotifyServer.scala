package needletail.simulation.tls

import scala.collection.mutable

import needletail.simulation.reader.Mark
import needletail.simulation.service.Service
import needletail.simulation.world.{Endpoint, World}

/**
 * A server that answers each connection once, with content up to the end of the stream. It says that this has come, or
 * ends the connection without a word: then the client cannot know whether it has all.
 */
final class CloseNotifyServer(world: World, engines: TlsEngines) {
  private val random = world.random.split()
  private val said   = mutable.Set.empty[String]

  val port: Int = world.network.listen(0, end => { new Serving(end); () })

  /** Whether it has said the end of its response to the request of that mark. */
  def hasSaidEnd(mark: String): Boolean = said(mark)

  def close(): Unit = world.network.unlisten(port)

  private final class Serving(end: Endpoint) {
    private val plan =
      if (random.percent(50)) TlsPeerConnection.Plan.plain else TlsPeerConnection.Plan(random)
    private val line    = new TlsPeerConnection(world, end, engines.server(), plan, Long.MaxValue / 4)
    private val scratch = new Array[Byte](16384)
    private val asked   = new StringBuilder
    private var mark    = ""
    private var answer  = Array.emptyByteArray
    private var at      = -1 // in the answer

    line.onChange = () => act()
    world.after(60L * 1000 * 1000 * 1000)(line.abort())

    private def act(): Unit = {
      var n = line.take(scratch, 0, scratch.length)
      while (n > 0) {
        if (at < 0) asked.append(new String(scratch, 0, n, "ISO-8859-1"))
        n = line.take(scratch, 0, scratch.length)
      }
      if (at < 0 && asked.endsWith("\r\n\r\n")) begin()
      if (at >= 0 && at < answer.length) {
        at += line.put(answer, at, answer.length - at)
        if (at == answer.length) finish()
      }
      if (line.isReset || line.hasEnd) line.close()
    }

    private def field(name: String): String =
      asked.toString.linesIterator.collectFirst {
        case l if l.toLowerCase.startsWith(name) => l.substring(name.length)
      }
        .getOrElse("").trim

    private def begin(): Unit = {
      mark = field("x-mark:")
      val size = field("x-size:").toIntOption.getOrElse(0)
      answer =
        Service.ascii(s"HTTP/1.1 200 OK\r\nX-Mark: $mark\r\nConnection: close\r\n\r\n") ++ Mark.content(
          mark,
          size
        )
      if (random.percent(30)) answer = answer.take(random.below(answer.length + 1))
      else willSay = random.percent(60)
      at = 0
      if (answer.length == 0) finish()
    }
    private var willSay = false

    private def finish(): Unit =
      if (willSay) {
        said += mark
        line.endOutput()
      } else if (random.percent(50)) line.cut()
      else line.abort()
  }
}
