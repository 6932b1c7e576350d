package needletail.content.multipart

import java.nio.charset.StandardCharsets.UTF_8

import needletail.content.file.Boundary
import needletail.http.ByteStream
import needletail.stream.Stream

/**
 * A multipart form to send (RFC 7578). Immutable; but a stream in it is read once.
 *
 * Names of fields and files are written as browsers do, which is ambiguous: a quote as `%22`, which `Multipart` reads as a
 * quote, also where a name has that text; a line break as `%0D` and `%0A`, which `Multipart` does not decode, as a file name
 * must have no control characters. Other control characters, except a tab, are an IllegalArgumentException.
 *
 * {{{
 * val form = FormData().field("title", "Holiday").file("photo", "sea.jpg", "image/jpeg", bytes)
 * service.post("/photos").header("Content-Type", form.contentType).body(form.stream, form.length)
 * }}}
 */
final class FormData private (boundary: String, parts: Vector[FormData.Part]) {

  /** With a field. */
  def field(name: String, value: String): FormData =
    add(
      "name=" + FormData.quoted(name),
      None,
      ByteStream.of(value.getBytes(UTF_8)),
      value.getBytes(UTF_8).length.toLong
    )

  /** With a file. The array must not change afterwards. */
  def file(name: String, fileName: String, contentType: String, content: Array[Byte]): FormData =
    file(name, fileName, contentType, ByteStream.of(content), content.length.toLong)

  /** With a file of exactly `length` bytes; -1 if that is not known. */
  def file(name: String, fileName: String, contentType: String, content: ByteStream, length: Long): FormData =
    add(
      s"name=${FormData.quoted(name)}; filename=${FormData.quoted(fileName)}",
      Some(contentType),
      content,
      length
    )

  /** The value of Content-Type. */
  def contentType: String = s"multipart/form-data; boundary=$boundary"

  /** Bytes; -1 if the length of a part is not known. */
  def length: Long =
    if (parts.exists(_.length < 0)) -1
    else parts.iterator.map(part => part.head.length + part.length + 2).sum + last.length

  /** The content, to be read once. */
  def stream: ByteStream = {
    val all = parts.map(part => Stream(part.head) ++ part.content ++ Stream(FormData.lineEnd))
    all.foldRight(Stream(last): Stream[Array[Byte]])(_ ++ _)
  }

  private def last: Array[Byte] = s"--$boundary--\r\n".getBytes(UTF_8)

  private def add(parameters: String, kind: Option[String], content: ByteStream, length: Long): FormData = {
    kind.foreach(value =>
      if (value.exists(c => c < ' ' || c == 0x7f))
        throw new IllegalArgumentException("a malformed media type")
    )
    val lines = s"--$boundary\r\nContent-Disposition: form-data; $parameters\r\n" +
      kind.fold("")(value => s"Content-Type: $value\r\n") + "\r\n"
    new FormData(boundary, parts :+ new FormData.Part(lines.getBytes(UTF_8), content, length))
  }
}

object FormData {

  /** A form without parts. */
  def apply(): FormData = apply(Boundary.fresh())

  /** A form whose parts are between this boundary, which none of them must contain. */
  private[needletail] def apply(boundary: String): FormData = new FormData(boundary, Vector.empty)

  private final class Part(val head: Array[Byte], val content: ByteStream, val length: Long)

  private val lineEnd = "\r\n".getBytes(UTF_8)

  /** As browsers write it (HTML standard, multipart/form-data encoding). */
  private def quoted(text: String): String = {
    if (text.exists(c => c < ' ' && c != '\r' && c != '\n' && c != '\t' || c == 0x7f))
      throw new IllegalArgumentException("the name of a part has a control character")
    "\"" + text.replace("\r", "%0D").replace("\n", "%0A").replace("\"", "%22") + "\""
  }
}
