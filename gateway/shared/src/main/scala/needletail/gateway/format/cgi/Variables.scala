package needletail.gateway.format.cgi

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.text.Latin1

/**
 * The variables of one request (RFC 3875 §4.1), of any protocol: offsets into bytes. Mutable and reused by its parser;
 * `kept` is a copy that lasts.
 */
private[needletail] final class Variables {
  var bytes: Array[Byte] = Variables.none
  var count: Int         = 0

  /** Four for each: start and end of the name, start and end of the value. */
  private var offsets = new Array[Int](4 * 32)

  def clear(bytes: Array[Byte]): Unit = {
    this.bytes = bytes
    count = 0
  }

  def add(nameFrom: Int, nameUntil: Int, valueFrom: Int, valueUntil: Int): Unit = {
    val at = 4 * count
    if (at == offsets.length) offsets = java.util.Arrays.copyOf(offsets, 2 * at)
    offsets(at) = nameFrom
    offsets(at + 1) = nameUntil
    offsets(at + 2) = valueFrom
    offsets(at + 3) = valueUntil
    count += 1
  }

  def nameFrom(i: Int): Int   = offsets(4 * i)
  def nameUntil(i: Int): Int  = offsets(4 * i + 1)
  def valueFrom(i: Int): Int  = offsets(4 * i + 2)
  def valueUntil(i: Int): Int = offsets(4 * i + 3)

  def name(i: Int): String  = Latin1.decode(bytes, nameFrom(i), nameUntil(i))
  def value(i: Int): String = Latin1.decode(bytes, valueFrom(i), valueUntil(i))

  /**
   * The index of the last one with that name, case-sensitive, or -1. nginx sends a variable twice that is set twice.
   */
  def indexOf(name: String): Int = {
    var i = count - 1
    while (i >= 0 && !isNamed(i, name)) i -= 1
    i
  }

  def isNamed(i: Int, name: String): Boolean =
    nameUntil(i) - nameFrom(i) == name.length && startsWith(i, name)

  /**
   * Whether it has that name, in upper case with `_`, when both are compared as field names: ignoring case, and `-`
   * equals `_`.
   */
  def isFieldNamed(i: Int, name: String): Boolean = {
    val from = nameFrom(i)
    var j    = nameUntil(i) - from - 1
    if (j + 1 != name.length) false
    else {
      while (j >= 0 && folded(bytes(from + j)) == name.charAt(j)) j -= 1
      j < 0
    }
  }

  private def folded(c: Byte): Int = if (c == '-') '_' else if (c >= 'a' && c <= 'z') c - 32 else c.toInt

  /** Whether a later one has the same name. */
  def isNamedAgain(i: Int): Boolean = {
    val length = nameUntil(i) - nameFrom(i)
    var k      = i + 1
    while (k < count && !(nameUntil(k) - nameFrom(k) == length && sameName(i, k, length))) k += 1
    k < count
  }

  /** From the end, since field names begin alike. */
  private def sameName(i: Int, k: Int, length: Int): Boolean = {
    val a = nameFrom(i)
    val b = nameFrom(k)
    var j = length - 1
    while (j >= 0 && bytes(a + j) == bytes(b + j)) j -= 1
    j < 0
  }

  def startsWith(i: Int, prefix: String): Boolean = {
    val from = nameFrom(i)
    nameUntil(i) - from >= prefix.length && {
      var k = 0
      while (k < prefix.length && (bytes(from + k) & 0xff) == prefix.charAt(k)) k += 1
      k == prefix.length
    }
  }

  /** The value of that name, null if there is none; an empty one is the same as none (RFC 3875 §4.1). */
  def get(name: String): String = {
    val i = indexOf(name)
    if (i < 0 || valueFrom(i) == valueUntil(i)) null else value(i)
  }

  def toList: List[(String, String)] = List.tabulate(count)(i => (name(i), value(i)))

  /** A copy with bytes of its own. */
  def kept: Variables = {
    var least = Int.MaxValue
    var most  = 0
    var i     = 0
    while (i < count) {
      least = Math.min(least, nameFrom(i))
      most = Math.max(most, valueUntil(i))
      i += 1
    }
    val copy = new Variables
    if (count > 0) {
      copy.clear(java.util.Arrays.copyOfRange(bytes, least, most))
      i = 0
      while (i < count) {
        copy.add(nameFrom(i) - least, nameUntil(i) - least, valueFrom(i) - least, valueUntil(i) - least)
        i += 1
      }
    }
    copy
  }
}

private[needletail] object Variables {
  private val none = new Array[Byte](0)

  /** The variables of those pairs, as UTF-8. */
  def of(pairs: Iterable[(String, String)]): Variables =
    ofEnvironment(pairs.map { case (name, value) => s"$name=$value\u0000" }.mkString.getBytes(UTF_8))

  /**
   * The variables of an environment as the kernel has it: `NAME=value`, each followed by a NUL. Bytes, since a
   * platform decodes them by the locale, which web servers do not set.
   */
  def ofEnvironment(rawBytes: Array[Byte]): Variables = {
    val variables = new Variables
    variables.clear(rawBytes)
    var from = 0
    while (from < rawBytes.length) {
      var equals = -1
      var until  = from
      while (until < rawBytes.length && rawBytes(until) != 0) {
        if (equals < 0 && rawBytes(until) == '=') equals = until
        until += 1
      }
      if (equals > from) variables.add(from, equals, equals + 1, until)
      from = until + 1
    }
    variables
  }
}
