package needletail.json

/**
 * Limits of a parser; beyond them, parsing fails with a [[JsonError]].
 *
 * @param maxBytes bytes of a document in UTF-8
 * @param maxDepth objects and arrays within each other; 1 to 1,000, as each level takes stack
 * @param maxValues values in a document, of all kinds: bounds the memory that a document takes once it is parsed
 * @param maxNumberLength characters of a number: bounds what its conversion costs, which is quadratic
 * @param duplicates what to do about a name that an object has twice
 */
final case class JsonLimits(
    maxBytes: Int = 16 * 1024 * 1024,
    maxDepth: Int = 64,
    maxValues: Int = 1000000,
    maxNumberLength: Int = 1000,
    duplicates: DuplicateNames = DuplicateNames.Refuse
) {
  if (maxBytes < 1) throw new IllegalArgumentException(s"maxBytes must be positive, not $maxBytes")
  if (maxDepth < 1 || maxDepth > 1000)
    throw new IllegalArgumentException(s"maxDepth must be 1 to 1000, not $maxDepth")
  if (maxValues < 1) throw new IllegalArgumentException(s"maxValues must be positive, not $maxValues")
  if (maxNumberLength < 1)
    throw new IllegalArgumentException(s"maxNumberLength must be positive, not $maxNumberLength")
}

object JsonLimits {

  /** The limits that apply where none are given. */
  val default: JsonLimits = JsonLimits()
}

/**
 * Members of an object with the same name: RFC 8259 §4 leaves to the parser what they mean, and parsers that differ
 * have been used to pass one's checks and deceive the next. I-JSON (RFC 7493 §2.3) forbids them.
 */
sealed abstract class DuplicateNames

object DuplicateNames {

  /** An error. */
  case object Refuse extends DuplicateNames

  /** The last one counts, as in JavaScript. */
  case object Last extends DuplicateNames
}
