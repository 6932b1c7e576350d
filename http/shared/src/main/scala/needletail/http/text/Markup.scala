package needletail.http.text

/** HTML and XML. */
private[needletail] object Markup {

  /** Appends `text` so that it is text within an element, or within an attribute in quotes of either kind. */
  def escape(text: String, out: java.lang.StringBuilder): Unit = {
    var i = 0
    while (i < text.length) {
      text.charAt(i) match {
        case '&'  => out.append("&amp;")
        case '<'  => out.append("&lt;")
        case '>'  => out.append("&gt;")
        case '"'  => out.append("&quot;")
        case '\'' => out.append("&#39;")
        case c    => out.append(c)
      }
      i += 1
    }
  }
}
