package needletail.load.plan

import needletail.http.message.PercentCoding

/** Text with places for a session's values: `text(0)` value `holes(0)` `text(1)` value `holes(1)` … */
private[load] final class Template(texts: Array[String], holes: Array[Int]) {

  /** Whether it has no places for values. */
  def isFixed: Boolean = holes.isEmpty

  /** The text with `values`, each encoded by `coding`; a null value is empty. */
  def render(values: Array[String], coding: String => String): String =
    if (isFixed) texts(0)
    else {
      val out = new StringBuilder(texts(0))
      var i   = 0
      while (i < holes.length) {
        val value = values(holes(i))
        out.append(coding(if (value == null) "" else value)).append(texts(i + 1))
        i += 1
      }
      out.toString
    }
}

private[load] object Template {
  private val Hole = """\$\{([^}]*)\}""".r

  /** The names in `${name}` in a text. */
  def names(text: String): Vector[String] = Hole.findAllMatchIn(text).map(_.group(1)).toVector

  /** The template of a text; `index` has the position of each of its names among a session's values. */
  def of(text: String, index: Map[String, Int]): Template =
    new Template(Hole.split(text + "\u0000").map(strip), names(text).map(index).toArray)

  // A mark at the end keeps `split` from dropping an empty text there.
  private def strip(text: String): String = text.stripSuffix("\u0000")

  /** Replaces every place by a letter, to validate the rest. */
  def sample(text: String): String = Hole.replaceAllIn(text, "x")

  val plain: String => String = identity

  /**
   * Encodes a value in a path or a query. Slashes are kept, so that a path that was taken from an answer can be
   * requested.
   */
  val inTarget: String => String = value => value.split("/", -1).map(PercentCoding.encode).mkString("/")

  val inForm: String => String = PercentCoding.encode

  /** Keeps a value from ending its header line. */
  val inHeader: String => String = value => value.map(c => if (c < ' ' && c != '\t' || c == 127) ' ' else c)
}
