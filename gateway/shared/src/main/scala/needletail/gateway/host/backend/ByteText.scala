package needletail.gateway.host.backend

/** Bytes as a String with one character each (ISO 8859-1), which preserves CGI's variables in any encoding. */
private[host] object ByteText {
  import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

  /** The UTF-8 bytes of `text`. */
  def of(text: String): String = new String(text.getBytes(UTF_8), ISO_8859_1)

  /** The text of `bytes`, decoded as UTF-8. */
  def text(bytes: String): String = new String(bytes.getBytes(ISO_8859_1), UTF_8)
}
