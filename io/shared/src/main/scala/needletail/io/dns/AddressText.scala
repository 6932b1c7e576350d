package needletail.io.dns

/** Formats and parses IP addresses, in the same way on every platform. */
private[io] object AddressText {

  /**
   * Parses `127.0.0.1`, four decimal numbers and nothing shorter (RFC 3986 section 3.2.2), or IPv6 (RFC 4291 section
   * 2.2) without brackets and zone, to 4 or 16 bytes. Null for anything else.
   */
  def parse(text: String): Array[Byte] =
    if (text.indexOf(':') >= 0) parseV6(text)
    else {
      val ip = new Array[Byte](4)
      if (parseV4(text, 0, ip, 0)) ip else null
    }

  /** Whether `text` is an IPv6 address with a zone, such as `fe80::1%eth0` (RFC 4007 section 11). */
  def isScoped(text: String): Boolean = {
    val percent = text.indexOf('%')
    percent > 0 && percent < text.length - 1 && text.indexOf(':') >= 0 &&
    (parse(text.substring(0, percent)) ne null)
  }

  /** Parses `text` from `from` to its end into four bytes. */
  private def parseV4(text: String, from: Int, ip: Array[Byte], to: Int): Boolean = {
    var at    = from
    var count = 0
    var good  = true
    while (good && count < 4) {
      val begin = at
      var n     = 0
      while (at < text.length && at - begin < 3 && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        n = 10 * n + (text.charAt(at) - '0')
        at += 1
      }
      // Some parsers read a number with a leading zero as octal.
      good = at > begin && n <= 255 && (at - begin == 1 || text.charAt(begin) != '0')
      if (good) ip(to + count) = n.toByte
      count += 1
      if (good && count < 4) {
        good = at < text.length && text.charAt(at) == '.'
        at += 1
      }
    }
    good && at == text.length
  }

  private def parseV6(text: String): Array[Byte] = {
    val ip    = new Array[Byte](16)
    var at    = 0
    var count = 0  // bytes read
    var gap   = -1 // where "::" stands in them
    var good  = true
    if (text.startsWith("::")) {
      gap = 0
      at = 2
    }
    while (good && at < text.length) {
      val end  = text.indexOf(':', at)
      val stop = if (end < 0) text.length else end
      if (end < 0 && text.indexOf('.', at) >= 0) {
        good = count <= 12 && parseV4(text, at, ip, count)
        count += 4
        at = text.length
      } else {
        val n = field(text, at, stop)
        good = n >= 0 && count < 16
        if (good) {
          ip(count) = (n >> 8).toByte
          ip(count + 1) = n.toByte
          count += 2
          at = stop + 1
          if (end >= 0)
            if (at < text.length && text.charAt(at) == ':') {
              good = gap < 0
              gap = count
              at += 1
            } else good = at < text.length // no ":" at the end
        }
      }
    }
    if (!good || (if (gap < 0) count != 16 else count > 14)) null
    else if (gap < 0) ip
    else {
      val whole = new Array[Byte](16)
      System.arraycopy(ip, 0, whole, 0, gap)
      System.arraycopy(ip, gap, whole, 16 - (count - gap), count - gap)
      whole
    }
  }

  /** One to four hexadecimal digits; -1 for anything else. */
  private def field(text: String, from: Int, until: Int): Int =
    if (until <= from || until - from > 4) -1
    else {
      var n = 0
      var i = from
      while (n >= 0 && i < until) {
        val c     = text.charAt(i)
        val digit = if (c < 128) Character.digit(c, 16) else -1
        n = if (digit < 0) -1 else 16 * n + digit
        i += 1
      }
      n
    }

  /** `127.0.0.1:80` or `[::1]:80`; `ip` is 4 or 16 bytes, most significant first. */
  def render(ip: Array[Byte], port: Int): String = {
    val text = new java.lang.StringBuilder(48)
    if (ip.length == 4) appendV4(text, ip, 0)
    else if (isMapped(ip)) appendV4(text, ip, 12)
    else {
      text.append('[')
      appendV6(text, ip)
      text.append(']')
    }
    text.append(':').append(port).toString
  }

  /** `127.0.0.1` or `::1`; `ip` is 4 or 16 bytes, most significant first. */
  def host(ip: Array[Byte]): String = {
    val text = render(ip, 0)
    text.substring(0, text.lastIndexOf(':')).stripPrefix("[").stripSuffix("]")
  }

  /** Whether it is an IPv4 peer of a dual-stack socket: ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
  private[dns] def isMapped(ip: Array[Byte]): Boolean = {
    var i = 0
    while (i < 10 && ip(i) == 0) i += 1
    i == 10 && ip(10) == -1 && ip(11) == -1
  }

  private def appendV4(text: java.lang.StringBuilder, ip: Array[Byte], at: Int): Unit = {
    var i = 0
    while (i < 4) {
      if (i > 0) text.append('.')
      text.append(ip(at + i) & 0xff)
      i += 1
    }
  }

  /** RFC 5952 section 4: no leading zeros, lower case, the first longest run of two or more zero fields as "::". */
  private def appendV6(text: java.lang.StringBuilder, ip: Array[Byte]): Unit = {
    var runStart  = -1
    var runLength = 1
    var i         = 0
    while (i < 8) {
      var end = i
      while (end < 8 && field(ip, end) == 0) end += 1
      if (end - i > runLength) {
        runStart = i
        runLength = end - i
      }
      i = if (end > i) end else i + 1
    }
    i = 0
    while (i < 8)
      if (i == runStart) {
        text.append("::")
        i += runLength
      } else {
        if (i > 0 && i != runStart + runLength) text.append(':')
        text.append(Integer.toHexString(field(ip, i)))
        i += 1
      }
  }

  private def field(ip: Array[Byte], i: Int): Int = ((ip(2 * i) & 0xff) << 8) | (ip(2 * i + 1) & 0xff)
}
