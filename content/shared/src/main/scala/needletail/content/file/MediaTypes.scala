package needletail.content.file

import java.util.HashMap

import needletail.http.MediaType
import needletail.http.text.Ascii

/** Media types of files, by the suffix of their names. */
object MediaTypes {
  private lazy val bySuffix: HashMap[String, String] = {
    val all = new HashMap[String, String](4096)
    for {
      (half, rows) <- MediaTypeTable.groups
      row          <- rows.split(' ')
    } {
      val equals    = row.indexOf('=')
      val mediaType = complete(s"$half/${row.substring(0, equals)}")
      row.substring(equals + 1).split(',').foreach(all.put(_, mediaType))
    }
    all
  }

  /** The value of Content-Type for a file of that name; application/octet-stream if the suffix is not known. */
  def ofName(name: String): String = {
    val dot   = name.lastIndexOf('.')
    val found = if (dot < 0) null else bySuffix.get(Ascii.lower(name.substring(dot + 1)))
    if (found == null) MediaType.Bytes else found
  }

  /** Texts are taken to be UTF-8. */
  private def complete(mediaType: String): String =
    if (mediaType.startsWith("text/")) s"$mediaType; charset=utf-8" else mediaType
}
