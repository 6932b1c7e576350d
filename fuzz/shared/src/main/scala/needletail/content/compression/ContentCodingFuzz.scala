package needletail.content.compression

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, InputStream}
import java.util.zip.{GZIPInputStream, InflaterInputStream}

import scala.util.{Failure, Success}

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.http.message.HttpError
import needletail.http.{ByteStream, MessageBody}
import needletail.testkit.ManualLoop

/**
 * Compressed contents by [[Decompressing]]: gzip if the first byte is even, else deflate. The same wherever they are
 * split, never longer than the limit, and what is accepted is what the JDK's streams read.
 */
object ContentCodingFuzz extends FuzzTarget("content-coding") {
  private final val Most      = 1 << 18
  private final val HeaderSum = 2

  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val isGzip = (data(0) & 1) == 0
    val coded  = data.drop(1)
    val whole  = decoded(isGzip, Iterator(coded))
    if (coded.length <= 4096)
      Pieces.of(coded.length).foreach { ends =>
        val pieces = (0 +: ends).zip(ends).iterator.map { case (from, until) => coded.slice(from, until) }
        Check.same(s"in pieces to ${ends.mkString(" ")}", text(decoded(isGzip, pieces)), text(whole))
      }
    whole match {
      case Right(plain) =>
        Check(plain.length <= Most, s"${plain.length} bytes")
        if (!isGzip)
          Check.same("another reader", reread(new InflaterInputStream(_), coded), Check.text(plain))
        else if ((coded(3) & HeaderSum) == 0) {
          // the JDK's ignores a member that has a malformed header, other than the first, and looks at sums of headers
          val first = reread(new GZIPInputStream(_), coded)
          Check(Check.text(plain).startsWith(first), s"another reader:\n  $first\n  ${Check.text(plain)}")
        }
      case Left(status) => Check(status == 400 || status == 413, s"status $status")
    }
  }

  override def read(data: Array[Byte]): Unit = { decoded((data(0) & 1) == 0, Iterator(data.drop(1))); () }

  private def text(result: Either[Int, Array[Byte]]) = result.map(Check.text)

  private def decoded(isGzip: Boolean, pieces: Iterator[Array[Byte]]): Either[Int, Array[Byte]] = {
    var open   = 0
    val source = ByteStream.fromIterator(pieces)
    val plain  = new Decompressing(
      source,
      () => {
        open += 1
        new InflatingDecoder(
          isGzip,
          raw =>
            new java.util.zip.Inflater(raw) {
              override def end(): Unit = {
                open -= 1
                super.end()
              }
            }
        )
      },
      DecodingLimits(size = Most.toLong, ratio = Int.MaxValue)
    )
    val result = new ManualLoop().run(MessageBody.streamed(plain, -1).bytes)
    Check(open == 0, s"$open decoders are left open")
    result match {
      case Success(bytes)        => Right(bytes)
      case Failure(e: HttpError) => Left(e.status.code)
      case Failure(e)            => throw e
    }
  }

  private def reread(by: InputStream => InputStream, coded: Array[Byte]): String = {
    val out    = new ByteArrayOutputStream
    val buffer = new Array[Byte](8192)
    try {
      val in = by(new ByteArrayInputStream(coded))
      var n  = 0
      while (n >= 0) {
        n = in.read(buffer)
        if (n > 0) out.write(buffer, 0, n)
      }
    } catch { case e: IOException => throw new AssertionError(s"another reader refuses it: $e") }
    Check.text(out.toByteArray)
  }
}
