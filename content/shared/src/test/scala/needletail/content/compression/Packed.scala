package needletail.content.compression

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.zip.{DeflaterOutputStream, GZIPOutputStream}

/** Contents as peers compress them. */
object Packed {
  def gzip(content: Array[Byte]): Array[Byte] = packed(content, new GZIPOutputStream(_))
  def zlib(content: Array[Byte]): Array[Byte] = packed(content, new DeflaterOutputStream(_))

  private def packed(content: Array[Byte], by: OutputStream => OutputStream): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out   = by(bytes)
    out.write(content)
    out.close()
    bytes.toByteArray
  }
}
