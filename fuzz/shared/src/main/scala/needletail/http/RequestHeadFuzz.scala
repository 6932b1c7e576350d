package needletail.http

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.http.http1.{Head, HeadLimits, HeadParser}
import needletail.http.message.HttpError
import needletail.http.text.Latin1

/**
 * Successive request heads by [[HeadParser]]; the first byte determines the limits. The same whole, in pieces and a
 * second time, when fields come from the cache; the same as for [[StrictRequest]]; and the same when they are written
 * and parsed again.
 */
object RequestHeadFuzz extends FuzzTarget("request-head") {
  private val limits = Array(
    HeadLimits(),
    HeadLimits(relaxedTarget = true),
    HeadLimits(maxTarget = 40, maxHead = 160, maxHeaders = 4, maxMethod = 10),
    HeadLimits(maxTarget = 40, maxHead = 160, maxHeaders = 4, maxMethod = 10, relaxedTarget = true)
  )

  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val bounds = limits(data(0) & 3)
    val secure = (data(0) & 4) != 0
    val bytes  = data.drop(1)
    val parser = make(bounds, secure)
    val whole  = heads(parser, bytes, Array(bytes.length), 'A')
    parser.reset()
    Check.same("a second time", heads(parser, bytes, Array(bytes.length), '\n'), whole)
    Pieces.of(bytes.length).foreach(ends =>
      Check.same(s"in ${ends.length} pieces", heads(make(bounds, secure), bytes, ends, '\r'), whole)
    )
    val strict = new StrictRequest(bounds, secure)
    var at     = 0
    whole.foreach { outcome =>
      val text = Check.text(bytes.drop(at))
      (strict.read(text), outcome) match {
        case (StrictRequest.Read(expected), Read(found, length)) =>
          Check.same("another reader", found, expected)
          again(text.take(length), bounds, secure)
          at += length
        case (StrictRequest.Bad(_), Refused(_)) | (StrictRequest.More, Refused(_) | More) => ()
        case (other, found) => throw new AssertionError(s"another reader: $other, $found")
      }
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val parser = make(HeadLimits(data.length, data.length, data.length), secure = true)
    parser.parse(data, 0, data.length)
    ()
  }

  /** A parsed head, written and parsed again, is the same: paths are in their normal form. */
  private def again(text: String, bounds: HeadLimits, secure: Boolean): Unit = {
    val parser = make(bounds, secure)
    val bytes  = Check.bytes(text)
    parser.parse(bytes, 0, bytes.length)
    val head   = parser.view
    val sent   = head.text(head.targetFrom, head.targetUntil)
    val target =
      if (sent.startsWith("/"))
        path(head) + (if (head.queryFrom < 0) "" else "?" + head.text(head.queryFrom, head.queryUntil))
      else sent
    val fields  = head.toHeaders.toList.map { case (name, value) => s"$name: $value\r\n" }.mkString
    val written = s"${head.method.name} $target HTTP/1.${head.minor}\r\n$fields\r\n"
    if (written.length <= bounds.maxHead && target.length <= bounds.maxTarget) {
      val second   = make(bounds, secure)
      val rawBytes = Check.bytes(written)
      val n        = second.parse(rawBytes, 0, rawBytes.length)
      Check(n == rawBytes.length, s"written again it is $n ${second.error}: $written")
      Check.same("written again", rendered(second.head), rendered(head))
    }
    Check.same("a copy", rendered(head.copied), rendered(head))
  }

  sealed abstract class Outcome
  final case class Read(head: String, length: Int) extends Outcome
  final case class Refused(error: HttpError)       extends Outcome
  case object More                                 extends Outcome

  private def make(bounds: HeadLimits, secure: Boolean): RequestParser = {
    val parser = new RequestParser(bounds)
    parser.secure = secure
    parser
  }

  private def heads(
      parser: HeadParser,
      bytes: Array[Byte],
      ends: Array[Int],
      filler: Byte
  ): Vector[Outcome] = {
    val out  = Vector.newBuilder[Outcome]
    var at   = 0
    var over = false
    Pieces.feed(bytes, ends, filler) { (array, from, until) =>
      var go = !over
      while (go)
        parser.parse(array, from + at, until) match {
          case HeadParser.More => go = false
          case HeadParser.Bad  =>
            out += Refused(parser.error)
            over = true
            go = false
          case n =>
            Check(n > 0 && n <= until - from - at, s"$n bytes of ${until - from - at}")
            out += Read(rendered(parser.head), n)
            at += n
        }
    }
    if (!over) out += More
    out.result()
  }

  private def path(head: Head): String = Latin1.decode(head.pathBytes, head.pathStart, head.pathEnd)

  private def rendered(head: Head): String = {
    def text(from: Int, until: Int) = if (from < 0) null else head.text(from, until)
    Check.same("an escaped path", head.pathEscaped && head.rewrittenPath != null, path(head).contains('%'))
    StrictRequest.rendered(
      head.method.name,
      head.minor,
      path(head),
      text(head.queryFrom, head.queryUntil),
      text(head.authorityFrom, head.authorityUntil),
      head.contentLength,
      head.chunked,
      head.keepAlive,
      head.expectContinue,
      head.toHeaders.toList
    )
  }
}
