package needletail.content.answer

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.text.Grammar

/** Content-Disposition of a response (RFC 6266). */
private[content] object Download {

  /** For a file of that name, which is to be saved; `inline`, to be shown. */
  def disposition(fileName: String, inline: Boolean): String = {
    val kind  = if (inline) "inline" else "attachment"
    val clean = fileName.filter(c => c >= ' ' && c != 0x7f)
    val ascii = clean.map(c => if (c < 127 && c != '"' && c != '\\' && c != '%') c else '_')
    val plain = s"$kind; filename=\"$ascii\""
    if (ascii == clean) plain else s"$plain; filename*=UTF-8''${extended(clean)}"
  }

  /** RFC 8187 §3.2.1: everything but attr-char as percent-encoded UTF-8. */
  private def extended(text: String): String = {
    val out = new java.lang.StringBuilder
    text.getBytes(UTF_8).foreach { b =>
      val c = (b & 0xff).toChar
      if (b > 0 && Grammar.isToken(c.toString) && c != '*' && c != '\'' && c != '%') out.append(c)
      else out.append(
        '%'
      ).append("0123456789ABCDEF".charAt((b >> 4) & 15)).append("0123456789ABCDEF".charAt(b & 15))
    }
    out.toString
  }
}
