package needletail.content.multipart

import needletail.async.Setting

/**
 * Limits of a multipart form. Exceeding them is answered with 413.
 *
 * @param parts number of parts
 * @param headerBytes bytes of the header lines of one part
 * @param totalHeaderBytes bytes of the header lines of all parts together
 * @param partSize bytes of the content of one part
 * @param total bytes of the whole body; the server's own limit applies too
 */
final case class MultipartLimits(
    parts: Int = 1000,
    headerBytes: Int = 8192,
    totalHeaderBytes: Int = 256 * 1024,
    partSize: Long = 64L * 1024 * 1024,
    total: Long = 256L * 1024 * 1024
) {
  private def check(): Unit = {
    val is = Setting("MultipartLimits")
    is.positive("parts", parts)
    is.positive("headerBytes", headerBytes)
    is.positive("totalHeaderBytes", totalHeaderBytes)
    is.positive("partSize", partSize)
    is.positive("total", total)
  }
  check()
}
