package needletail.simulation.service

import needletail.async.Async
import needletail.content._
import needletail.http.{Reply, ToReply}
import needletail.json.{Json, JsonFormat, JsonReader, JsonWriter}
import needletail.routing._
import needletail.simulation.reader.Mark
import needletail.simulation.world.World

/** Routes with a function in each place that a pattern has for one; each throws at times. */
final class RoutedCode(world: World, code: UserCode) {
  import RoutedCode._

  private implicit val readSize: Read[Size] = Read.of("Size") { text =>
    code.at("a Read")
    text.toIntOption.map(Size(_))
  }

  private implicit val contentOfMarked: Content[Marked] = (status, marked) => {
    code.at("a Content")
    Response(status).header("X-Mark", marked.mark).bytes(marked.content)
  }

  private implicit val replyOfMarked: ToReply[Marked] = marked => {
    code.at("a ToReply")
    marked.ok
  }

  private implicit val jsonOfText: JsonFormat[Text] = JsonFormat.of[Text](
    JsonReader.of[String].map { text => code.at("a reader of JSON"); Text(text) }
      .filter { _ => code.at("a filter of JSON"); true },
    JsonWriter[Text] { text => code.at("a writer of JSON"); Json.Str(text.text) }
  )

  private val ownBytes: BodyReader[Array[Byte]] = BodyReader.of[Array[Byte]]("own") { request =>
    code.at("a reader of bodies")
    request.body.bytes.map { bytes => code.at("a reader of bodies, later"); bytes }
  }.map { bytes => code.at("a map of a reader of bodies"); bytes }

  private val mark = header("X-Mark", arg[String]).map { mark => code.at("a map of a header"); mark }

  private val size = header("X-Size", arg[Size].map { size => code.at("a map of a value"); size })
    .filter { _ => code.at("a filter of a header"); true }
    .default { code.at("a default"); Size(0) }

  /** Those of a header that nobody sends. */
  private val missing = header("X-Missing", arg[Int]).recover { _ => code.at("a recover of a header"); 1 } +
    header("X-Missing", arg[Int]).default { code.at("a default"); 1 } +
    header("X-Missing", arg[Int].optional).map { none => code.at("a map of a header"); none }

  private val checked: Part[Unit] = Filter("checked") { _ =>
    code.at("a check of a filter")
    later("a later check of a filter")(Right(()))
  }

  private val basic = Authentication.basic("simulation") { (user, _) =>
    code.at("a check of a password")
    later("a later check of a password")(Some(user))
  }

  private val bearer = Authentication.bearer("simulation") { token =>
    code.at("a check of a token")
    later("a later check of a token")(Some(token))
  }

  private def later[A](place: String)(result: A): Async[A] =
    if (world.random.percent(60)) Async.value(result) else Async.yieldNow.map { _ => code.at(place); result }

  private val typed = GET / "typed"

  val routes: Routes = Routes(
    typed / "values" + mark + size to { case (mark, size) => Marked(mark, size) },
    typed / "missing" + mark + size + missing to { case (mark, size, _, _, _) => Marked(mark, size).ok },
    typed / "refined" + mark + size.refine { size =>
      code.at("a refine"); Right(size): Either[Response, Size]
    } to {
      case (mark, size) => Marked(mark, size): Marked
    },
    typed / "checked" + mark + size + checked to { case (mark, size) => Marked(mark, size) },
    typed / "basic" + mark + size + basic to { case (mark, size, _) => Marked(mark, size) },
    typed / "bearer" + mark + size + bearer to { case (mark, size, _) => Marked(mark, size) },
    typed / "valid" + mark + size.validate { size =>
      Validated(size).check("size", "is too small") { _ => code.at("a check of a value"); true }
    } to { case (mark, size) => Marked(mark, size) },
    POST / "typed" / "own" + mark + Body(ownBytes) to { case (mark, bytes) => Marked(mark, bytes) },
    POST / "typed" / "json" + mark + Body[Text] to { case (mark, text) =>
      text.ok.header("X-Mark", mark): Reply
    }
  )
}

object RoutedCode {
  private final case class Size(bytes: Int)
  private final case class Text(text: String)
  private final class Marked(val mark: String, val content: Array[Byte])
  private object Marked {
    def apply(mark: String, size: Size): Marked           = new Marked(mark, Mark.content(mark, size.bytes))
    def apply(mark: String, content: Array[Byte]): Marked = new Marked(mark, content)
  }

  val kinds: Seq[String] =
    Seq("values", "missing", "refined", "checked", "basic", "bearer", "valid").map("typed/" + _)
  val bodyKinds: Seq[String] = Seq("typed/own", "typed/json")

  /** What a client has to send for it as Authorization; null for nothing. */
  def authorization(kind: String): String = kind match {
    case "typed/basic"  => "Basic dTpw"
    case "typed/bearer" => "Bearer t"
    case _              => null
  }
}
