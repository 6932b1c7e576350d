package needletail.io

/** Renders IP addresses, alike on every platform. */
private[io] object AddressText {

  /** `127.0.0.1:80` or `[::1]:80`; `ip` is 4 or 16 octets, most significant first. */
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

  /** An IPv4 peer of a dual-stack socket: ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
  private def isMapped(ip: Array[Byte]): Boolean = {
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
