package needletail.content.multipart

import scala.util.{Failure, Success}

import needletail.async.Async
import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.http.message.{Headers, HttpError, Method}
import needletail.http.{ByteStream, MessageBody, Request}
import needletail.testkit.ManualLoop

/**
 * Multipart forms with the boundary `b`: the same parts wherever they are split, within the limits; written by
 * [[FormData]] and read again they are the same.
 */
object MultipartFuzz extends FuzzTarget("multipart") {
  private val limits = MultipartLimits(parts = 20, headerBytes = 400, partSize = 2000, total = 20000)

  private type Parts = List[(String, Option[String], String, String)] // name, file name, type, content

  def check(data: Array[Byte]): Unit = {
    val whole = parts(Iterator(data), "multipart/form-data; boundary=b")
    if (data.length <= 2048)
      Pieces.of(data.length).foreach { ends =>
        val pieces = (0 +: ends).zip(ends).iterator.map { case (from, until) => data.slice(from, until) }
        Check.same(
          s"in pieces to ${ends.mkString(" ")}",
          parts(pieces, "multipart/form-data; boundary=b"),
          whole
        )
      }
    whole match {
      case Right(all) =>
        Check(all.length <= limits.parts, s"${all.length} parts")
        all.foreach(part => Check(part._4.length <= limits.partSize, s"a part of ${part._4.length} bytes"))
        val form = all.foldLeft(FormData()) {
          case (form, (name, Some(file), kind, content)) => form.file(name, file, kind, Check.bytes(content))
          case (form, (name, None, _, content)) => form.file(name, "-", "text/plain", Check.bytes(content))
        }
        val again = parts(form.stream, form.contentType, MultipartLimits())
        Check.same(
          "written and read",
          again.map(_.map(part => (escaped(part._1), part._4))),
          Right(all.map(part => (escaped(part._1), part._4)))
        )
      case Left(status) => Check(status == 400 || status == 413, s"status $status")
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val much = MultipartLimits(parts = Int.MaxValue, totalHeaderBytes = Int.MaxValue)
    parts(ByteStream.fromIterator(data.grouped(16384)), "multipart/form-data; boundary=b", much)
    ()
  }

  /** Some characters of names are sent percent-encoded, as by browsers, and not decoded. */
  private def escaped(name: String) =
    name.replace("\r", "%0D").replace("\n", "%0A").replace("\"", "%22")

  private def parts(pieces: Iterator[Array[Byte]], kind: String): Either[Int, Parts] =
    parts(ByteStream.fromIterator(pieces), kind, limits)

  private def parts(body: ByteStream, kind: String, limits: MultipartLimits): Either[Int, Parts] = {
    val request =
      Request(Method.POST, "/", Headers("Content-Type" -> kind), MessageBody.streamed(body, -1))
    val form = Multipart.of(request, limits).fold(throw _, identity)
    new ManualLoop().run(form.each { part =>
      part.content.fold(List.empty[Array[Byte]])((all, piece) => piece :: all).map { pieces =>
        (part.name, part.fileName, part.contentType, pieces.reverseIterator.map(Check.text).mkString)
      }: Async[(String, Option[String], String, String)]
    }) match {
      case Success(all)          => Right(all)
      case Failure(e: HttpError) => Left(e.status.code)
      case Failure(e)            => throw e
    }
  }
}
