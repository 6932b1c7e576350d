package needletail.http.text

/** Host and port, as in Host, an absolute target and CONNECT: uri-host [":" port] (RFC 9110 §7.2, RFC 3986 §3.2). */
private[needletail] object Authority {

  /** Whether these bytes are a host that is not empty, and optionally a port. User information is not allowed. */
  def isValid(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    val end = hostEnd(bytes, from, until)
    end > from && (end == until || (bytes(end) == ':' && isPort(bytes, end + 1, until)))
  }

  /** Whether these bytes are a host and a port, both not empty, as CONNECT requires (RFC 9110 §9.3.6). */
  def hasPort(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    val end = hostEnd(bytes, from, until)
    end > from && end + 1 < until && isValid(bytes, from, until)
  }

  /** Where the host ends, at a colon or at `until`; -1 if it is malformed. */
  private def hostEnd(bytes: Array[Byte], from: Int, until: Int): Int =
    if (from < until && bytes(from) == '[') {
      var p = from + 1
      while (p < until && bytes(p) != ']') p += 1
      if (p < until && (isIpv6(bytes, from + 1, p) || isFuture(bytes, from + 1, p))) p + 1 else -1
    } else {
      var p = from
      while (p < until && bytes(p) != ':') {
        if (Grammar.is(bytes(p), Grammar.Name)) p += 1
        else if (Grammar.isEscape(bytes, p, until) && !(bytes(p + 1) == '0' && bytes(p + 2) == '0')) p += 3
        else return -1
      }
      p
    }

  /** Whether these bytes are empty or the digits of a TCP port (RFC 3986 §3.2.3). */
  private def isPort(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var port = 0
    var p    = from
    while (p < until) {
      if (!Grammar.is(bytes(p), Grammar.Digit)) return false
      port = port * 10 + (bytes(p) - '0')
      if (port > 65535) return false
      p += 1
    }
    true
  }

  /** IPv6address: eight groups of 16 bits, the last two perhaps as IPv4, and one run of zeros left out as "::". */
  private def isIpv6(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var p      = from
    var groups = 0
    var gap    = false
    if (until - from >= 2 && bytes(p) == ':' && bytes(p + 1) == ':') {
      gap = true
      p += 2
    }
    while (p < until) {
      val group = p
      while (p < until && Grammar.is(bytes(p), Grammar.Hex)) p += 1
      if (p == group) return false
      if (p < until && bytes(p) == '.') {
        groups += 2
        return isIpv4(bytes, group, until) && (if (gap) groups <= 7 else groups == 8)
      }
      if (p - group > 4) return false
      groups += 1
      if (p < until) {
        if (bytes(p) != ':') return false
        p += 1
        if (p < until && bytes(p) == ':') {
          if (gap) return false
          gap = true
          p += 1
        } else if (p == until) return false
      }
    }
    if (gap) groups <= 7 else groups == 8
  }

  private def isIpv4(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var p        = from
    var rawBytes = 0
    while (rawBytes < 4) {
      val start = p
      var value = 0
      while (p < until && Grammar.is(bytes(p), Grammar.Digit) && p - start < 3) {
        value = value * 10 + (bytes(p) - '0')
        p += 1
      }
      if (p == start || value > 255 || (bytes(start) == '0' && p - start > 1)) return false
      rawBytes += 1
      if (rawBytes < 4) {
        if (p == until || bytes(p) != '.') return false
        p += 1
      }
    }
    p == until
  }

  /** IPvFuture: "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ) */
  private def isFuture(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var p = from + 1
    while (p < until && Grammar.is(bytes(p), Grammar.Hex)) p += 1
    if (from == until || (bytes(from) | 0x20) != 'v' || p == from + 1 || p + 1 >= until || bytes(p) != '.')
      false
    else {
      p += 1
      while (p < until && (Grammar.is(bytes(p), Grammar.Name) || bytes(p) == ':')) p += 1
      p == until
    }
  }
}
