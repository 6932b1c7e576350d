package needletail.gateway.format.cgi

import needletail.http.text.{ByteWriter, Grammar}

/**
 * The target that routes see: the part of the path below the place where the web server has mounted the program. It is
 * taken from REQUEST_URI if possible, the only variable that preserves escapes.
 *
 * The prefix, `scriptName`, is
 * 1. `mount`, if it is configured;
 * 1. otherwise SCRIPT_NAME, if PATH_INFO follows it (RFC 3875 §4.1.5, §4.1.13);
 * 1. otherwise, for a script, SCRIPT_NAME, and its root was requested;
 * 1. otherwise empty: web servers that forward whole sites put the whole path into SCRIPT_NAME.
 *
 * The web server has checked its rules for SCRIPT_NAME and PATH_INFO: unless it has rewritten the path, that is
 * REQUEST_URI decoded, with one slash for several, and without dot segments. The parser refuses a path that it would
 * resolve to another one (`PathNormaliser`).
 */
private[gateway] final class RequestTarget(variables: Variables, mount: String, isScript: Boolean) {
  private val uri      = variables.indexOf("REQUEST_URI")
  private val script   = variables.indexOf("SCRIPT_NAME")
  private val info     = variables.indexOf("PATH_INFO")
  private val bytes    = variables.bytes
  private val uriUntil = if (uri < 0) 0 else variables.valueUntil(uri)
  private val uriFrom  = if (uri < 0) 0 else pathStart(variables.valueFrom(uri), uriUntil)
  private val question = find('?', uriFrom, uriUntil)

  /** The prefix that `write` found, as it was sent or, if that is not known, decoded. */
  var scriptName: String = ""

  /** Writes the target. The parser validates it, except for white space: see [[RequestHead]]. */
  def write(w: ByteWriter): Unit =
    if (uriFrom < uriUntil && bytes(uriFrom) == '*') w.writeByte('*') // OPTIONS *
    else {
      path(w)
      query(w)
    }

  private def path(w: ByteWriter): Unit = {
    val hasUri = uriFrom < question && bytes(uriFrom) == '/'
    if (mount != null) {
      val from =
        if (hasUri) below(bytes, uriFrom, question, mount)
        else uriFrom
      if (hasUri) {
        if (from > uriFrom) scriptName = mount
        raw(w, from, question)
      } else {
        val whole = text(script) + text(info)
        val under =
          whole.startsWith(mount) && (whole.length == mount.length || whole.charAt(mount.length) == '/')
        if (under) scriptName = mount
        encoded(w, if (under) whole.substring(mount.length) else whole)
      }
    } else if (hasValue(info)) {
      scriptName = text(script)
      val from = if (hasUri) infoStart() else -1
      if (from >= 0) raw(w, from, question) else encoded(w, text(info))
    } else if (isScript) {
      scriptName = text(script)
      w.writeByte('/')
    } else if (hasUri) raw(w, uriFrom, question)
    else encoded(w, text(script))
  }

  private def query(w: ByteWriter): Unit = {
    // QUERY_STRING first: rewriting changes it, and leaves REQUEST_URI as it was
    val i = variables.indexOf("QUERY_STRING")
    if (hasValue(i)) {
      w.writeByte('?')
      w.write(bytes, variables.valueFrom(i), variables.valueUntil(i) - variables.valueFrom(i))
    } else if (i < 0 && question < uriUntil) w.write(bytes, question, uriUntil - question)
  }

  /**
   * Skips scheme and authority (RFC 3986 §3.1, §3.2), if the client sent them as to a proxy; if the path is empty,
   * where it would be. A query may have the bytes that separate them, so nothing is searched for beyond its beginning:
   * the path would not be the one that the web server has checked.
   */
  private def pathStart(from: Int, until: Int): Int = {
    var p = from
    while (p < until && isScheme(bytes(p))) p += 1
    if (p == from || p + 2 >= until || bytes(p) != ':' || bytes(p + 1) != '/' || bytes(p + 2) != '/') from
    else {
      p += 3
      while (p < until && bytes(p) != '/' && bytes(p) != '?' && bytes(p) != '#') p += 1
      p
    }
  }

  private def isScheme(byte: Byte): Boolean =
    (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z' || byte >= '0' && byte <= '9' || byte == '+' || byte == '-' ||
      byte == '.'

  /** The index after `prefix`, if the bytes from `from` begin with it as whole segments; otherwise `from`. */
  private def below(rawBytes: Array[Byte], from: Int, until: Int, prefix: String): Int = {
    var i = 0
    while (i < prefix.length && from + i < until && rawBytes(from + i) == prefix.charAt(i)) i += 1
    if (i == prefix.length && (from + i == until || rawBytes(from + i) == '/')) from + i else from
  }

  /**
   * Where PATH_INFO begins in REQUEST_URI's path: decoded, the path must be SCRIPT_NAME followed by PATH_INFO. -1 if
   * it is not, as the web server has rewritten it.
   */
  private def infoStart(): Int = {
    var p     = behind(uriFrom, script)
    val start = p
    if (p >= 0) p = behind(p, info)
    if (p == question) start else -1
  }

  /**
   * The index after the bytes from `from` that are that variable's value, escaped or not; -1 if they are not. Apache
   * leaves encoded slashes as they are, and decodes the rest (`AllowEncodedSlashes NoDecode`).
   */
  private def behind(from: Int, variable: Int): Int = {
    var p     = from
    var k     = if (variable < 0) 0 else variables.valueFrom(variable)
    val until = if (variable < 0) 0 else variables.valueUntil(variable)
    while (k < until && p < question) {
      val isEscape = Grammar.isEscape(bytes, p, question)
      val byte     =
        if (isEscape) ((Grammar.hex(bytes(p + 1)) << 4) | Grammar.hex(bytes(p + 2))).toByte else bytes(p)
      if (byte == bytes(k)) k += 1
      else if (isEscape && byte == '/' && isEncodedSlash(k, until)) k += 3
      else return -1
      p += (if (isEscape) 3 else 1)
    }
    if (k == until) p else -1
  }

  private def isEncodedSlash(at: Int, until: Int): Boolean =
    at + 2 < until && bytes(at) == '%' && bytes(at + 1) == '2' && (bytes(at + 2) | 0x20) == 'f'

  private def raw(w: ByteWriter, from: Int, until: Int): Unit =
    if (from == until) w.writeByte('/') else w.write(bytes, from, until - from)

  /** Writes a decoded path: everything that is not allowed in a path is escaped, slashes are not. */
  private def encoded(w: ByteWriter, path: String): Unit = {
    if (!path.startsWith("/")) w.writeByte('/')
    var i = 0
    while (i < path.length) {
      val c = path.charAt(i)
      if (c != '%' && Grammar.is(c.toByte, Grammar.Path)) w.writeByte(c.toInt)
      else {
        w.writeByte('%')
        w.writeByte("0123456789ABCDEF".charAt(c >> 4).toInt)
        w.writeByte("0123456789ABCDEF".charAt(c & 15).toInt)
      }
      i += 1
    }
  }

  private def hasValue(i: Int): Boolean = i >= 0 && variables.valueFrom(i) < variables.valueUntil(i)
  private def text(i: Int): String      = if (i < 0) "" else variables.value(i)

  private def find(byte: Char, from: Int, until: Int): Int = {
    var p = from
    while (p < until && bytes(p) != byte) p += 1
    p
  }
}
