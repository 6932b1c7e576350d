package needletail.bench.httparena

import java.nio.file.Path

import needletail.content._
import needletail.routing._
import needletail.websocket.webSocket

/** What HttpArena asks of a server over HTTP/1.1 and WebSockets, but for its databases. */
object Profiles {
  private val addends = ?("a", arg[Int]) + ?("b", arg[Int])

  private val number: Part[Int] =
    Body[String].refine(text => text.trim.toIntOption.toRight("the body must be a whole number".badRequest))

  /**
   * @param items the data set of `/json`
   * @param directory what is below `/static`. Its files are read from the disk for each request, as the board's rules
   *   for production ask for
   */
  def routes(items: Vector[Item], directory: Path, compression: CompressionConfig): Routes =
    Routes(
      GET / "pipeline" to "ok".ok,
      GET / "baseline11" + addends to { case (a, b) => (a.toLong + b).toString.ok },
      POST / "baseline11" + addends + number to { case (a, b, n) => (a.toLong + b + n).toString.ok },
      POST / "upload" + Body[ByteStream] to (body => body.fold(0L)(_ + _.length).map(_.toString.ok)),
      GET / "ws" to webSocket(socket => message => socket ! message)
    ) ++ json(items).compressed(compression) ++ files("/static", directory, FileConfig(cachedFile = 0))

  private def json(items: Vector[Item]): Routes = {
    val count =
      arg[Int]("count").filter(n => n >= 0 && n <= items.length, s"{NAME} must be 0 to ${items.length}")
    Routes(
      GET / "json" / count + ?("m", arg[Int].default(1)) to { case (count, m) =>
        Answer(items.take(count).map(PricedItem(_, m)), count).ok
      }
    )
  }
}
