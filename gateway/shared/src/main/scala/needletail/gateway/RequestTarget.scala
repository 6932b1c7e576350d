package needletail.gateway

import needletail.http.{ByteWriter, Grammar}

/**
 * The target that routes are to see: what lies below the place where the server in front has put the program. Its
 * path comes from REQUEST_URI as far as possible, the only variable that still has the escapes.
 *
 * What comes before that place, `scriptName`, is
 *  1. `mount`, where the program was told;
 *  1. else SCRIPT_NAME, where PATH_INFO says that something follows it (RFC 3875 §4.1.5, §4.1.13);
 *  1. else, for a script, SCRIPT_NAME, and its root was asked for;
 *  1. else nothing: servers that pass whole sites on put the whole path into SCRIPT_NAME.
 */
private[gateway] final class RequestTarget(variables: Variables, mount: String, isScript: Boolean) {
  private val uri      = variables.indexOf("REQUEST_URI")
  private val script   = variables.indexOf("SCRIPT_NAME")
  private val info     = variables.indexOf("PATH_INFO")
  private val bytes    = variables.bytes
  private val uriUntil = if (uri < 0) 0 else variables.valueUntil(uri)
  private val uriFrom  = if (uri < 0) 0 else pathStart(variables.valueFrom(uri), uriUntil)
  private val question = find('?', uriFrom, uriUntil)

  /** What `write` found to come before the target's path, as it was sent or, where that is not known, decoded. */
  var scriptName: String = ""

  /** Writes the target. What it then holds is for the parser to judge, but for white space: see [[RequestHead]]. */
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
    // QUERY_STRING first: rewriting changes it, and leaves REQUEST_URI as it came
    val i = variables.indexOf("QUERY_STRING")
    if (hasValue(i)) {
      w.writeByte('?')
      w.write(bytes, variables.valueFrom(i), variables.valueUntil(i) - variables.valueFrom(i))
    } else if (i < 0 && question < uriUntil) w.write(bytes, question, uriUntil - question)
  }

  /** Behind scheme and authority, where a proxy's client sent them; an empty path is where it would be. */
  private def pathStart(from: Int, until: Int): Int = {
    val colon = find(':', from, until)
    if (
      from == until || bytes(from) == '/' || colon + 2 >= until || bytes(colon + 1) != '/' || bytes(
        colon + 2
      ) != '/'
    )
      from
    else find('/', colon + 3, until)
  }

  /** Behind `prefix`, where the octets from `from` begin with it as a whole number of segments; else `from`. */
  private def below(octets: Array[Byte], from: Int, until: Int, prefix: String): Int = {
    var i = 0
    while (i < prefix.length && from + i < until && octets(from + i) == prefix.charAt(i)) i += 1
    if (i == prefix.length && (from + i == until || octets(from + i) == '/')) from + i else from
  }

  /**
   * Where in REQUEST_URI's path PATH_INFO begins: decoded, the path must be SCRIPT_NAME and PATH_INFO one after the
   * other; -1 where it is not, as the server has rewritten it.
   */
  private def infoStart(): Int = {
    var p     = behind(uriFrom, script)
    val start = p
    if (p >= 0) p = behind(p, info)
    if (p == question) start else -1
  }

  /** Behind the octets from `from` that stand for that variable's value, escaped or not; -1 where they do not. */
  private def behind(from: Int, variable: Int): Int = {
    var p     = from
    var k     = if (variable < 0) 0 else variables.valueFrom(variable)
    val until = if (variable < 0) 0 else variables.valueUntil(variable)
    while (k < until && p < question) {
      val octet =
        if (Grammar.isEscape(bytes, p, question)) {
          p += 3
          ((Grammar.hex(bytes(p - 2)) << 4) | Grammar.hex(bytes(p - 1))).toByte
        } else {
          p += 1
          bytes(p - 1)
        }
      if (octet != bytes(k)) return -1
      k += 1
    }
    if (k == until) p else -1
  }

  private def raw(w: ByteWriter, from: Int, until: Int): Unit =
    if (from == until) w.writeByte('/') else w.write(bytes, from, until - from)

  /** A path that has been decoded: its slashes are slashes, all that may not stand in a path is escaped. */
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

  private def find(octet: Char, from: Int, until: Int): Int = {
    var p = from
    while (p < until && bytes(p) != octet) p += 1
    p
  }
}
