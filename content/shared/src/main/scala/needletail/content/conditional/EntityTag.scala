package needletail.content.conditional

import needletail.http.text.Excerpt

/**
 * An entity tag (RFC 9110 §8.8.3). `opaque` is what stands between the quotes; IllegalArgumentException for a character
 * that must not stand there.
 */
final case class EntityTag(opaque: String, isWeak: Boolean = false) {
  if (!opaque.forall(EntityTag.isTagChar))
    throw new IllegalArgumentException(
      s"the entity tag '${Excerpt(opaque)}' has a character that is not allowed in one (RFC 9110 §8.8.3): " +
        Excerpt.first(opaque, EntityTag.isTagChar) +
        (if (opaque.contains('"')) "; write it without the quotes around it" else "")
    )

  /** Whether both are the same and strong. */
  def isStrongly(other: EntityTag): Boolean = !isWeak && !other.isWeak && opaque == other.opaque

  /** Whether both are the same, weak or not. */
  def isWeakly(other: EntityTag): Boolean = opaque == other.opaque

  /** The same as a weak tag. */
  def weak: EntityTag = if (isWeak) this else EntityTag(opaque, isWeak = true)

  /** As in ETag. */
  override def toString: String = if (isWeak) "W/\"" + opaque + "\"" else "\"" + opaque + "\""
}

object EntityTag {

  /** The tag that a field value is; None if it is malformed. */
  def parse(value: String): Option[EntityTag] = parseList(value) match {
    case Some(List(tag)) => Some(tag)
    case _               => None
  }

  /** The tags of a list; None if it is malformed. */
  private[content] def parseList(value: String): Option[List[EntityTag]] = {
    val tags = List.newBuilder[EntityTag]
    var i    = 0
    while (i < value.length) {
      val c = value.charAt(i)
      if (c == ' ' || c == '\t' || c == ',') i += 1
      else {
        val weak = value.startsWith("W/\"", i)
        val from = if (weak) i + 3 else i + 1
        if (!weak && c != '"') return None
        val until = value.indexOf('"', from)
        if (until < 0) return None
        val opaque = value.substring(from, until)
        if (!opaque.forall(isTagChar)) return None
        tags += EntityTag(opaque, weak)
        i = until + 1
        while (i < value.length && (value.charAt(i) == ' ' || value.charAt(i) == '\t')) i += 1
        if (i < value.length && value.charAt(i) != ',') return None
      }
    }
    Some(tags.result())
  }

  // etagc
  private def isTagChar(c: Char): Boolean = c == '!' || (c >= '#' && c != 0x7f && c <= 0xff)
}
