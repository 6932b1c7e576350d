package needletail.gateway

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http.Latin1

/**
 * The variables of one request (RFC 3875 §4.1), however they came: offsets into octets. Mutable and reused by whoever
 * reads them; `kept` is a copy that lasts.
 */
private[needletail] final class Variables {
  var bytes: Array[Byte] = Variables.none
  var count: Int         = 0

  /** Four for each: name from, name until, value from, value until. */
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

  /** The place of the last one of that name, names compared as they are, or -1: nginx sends what was set twice twice. */
  def indexOf(name: String): Int = {
    var i = count - 1
    while (i >= 0 && !isNamed(i, name)) i -= 1
    i
  }

  def isNamed(i: Int, name: String): Boolean =
    nameUntil(i) - nameFrom(i) == name.length && startsWith(i, name)

  def startsWith(i: Int, prefix: String): Boolean = {
    val from = nameFrom(i)
    nameUntil(i) - from >= prefix.length && {
      var k = 0
      while (k < prefix.length && bytes(from + k) == prefix.charAt(k)) k += 1
      k == prefix.length
    }
  }

  /** The value of that name, `null` where there is none; an empty one is no different from none (RFC 3875 §4.1). */
  def get(name: String): String = {
    val i = indexOf(name)
    if (i < 0 || valueFrom(i) == valueUntil(i)) null else value(i)
  }

  def toList: List[(String, String)] = List.tabulate(count)(i => (name(i), value(i)))

  /** With octets of its own. */
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

  /** Those of an environment; characters beyond Latin-1 become what UTF-8 makes of them. */
  def of(pairs: Iterable[(String, String)]): Variables = {
    val parts = Vector.newBuilder[Array[Byte]]
    var total = 0
    for ((name, value) <- pairs; text <- List(name, value)) {
      val octets = if (text.forall(_ < 256)) text.getBytes(ISO_8859_1) else text.getBytes("UTF-8")
      parts += octets
      total += octets.length
    }
    val all       = new Array[Byte](total)
    val variables = new Variables
    variables.clear(all)
    var at = 0
    parts.result().grouped(2).foreach { pair =>
      val (name, value) = (pair(0), pair(1))
      System.arraycopy(name, 0, all, at, name.length)
      System.arraycopy(value, 0, all, at + name.length, value.length)
      variables.add(at, at + name.length, at + name.length, at + name.length + value.length)
      at += name.length + value.length
    }
    variables
  }
}
