package needletail.gateway.host

import needletail.gateway.host.backend.ByteText
import needletail.gateway.host.incoming.ScriptPath
import needletail.http.Request
import needletail.http.message.{Headers, HopByHop}
import needletail.http.text.Ascii

/**
 * The variables of a request for a program: those of RFC 3875 section 4.1, and others that programs expect
 * (REQUEST_URI, SCRIPT_FILENAME, DOCUMENT_ROOT, HTTPS, REMOTE_PORT, SERVER_ADDR, REDIRECT_STATUS). Names and values
 * are bytes, one in each character. No value contains a NUL, as no field value and no decoded path does.
 */
private[host] object CgiVariables {

  def of(
      request: Request,
      path: ScriptPath,
      contentLength: Long,
      config: ProgramHostConfig
  ): Seq[(String, String)] = {
    val headers                                = request.headersToPassOn
    val variables                              = Vector.newBuilder[(String, String)]
    def add(name: String, value: String): Unit = { variables += name -> value; () }

    val remote = endpoint(request.connection.remoteAddress)
    val local  = endpoint(request.connection.localAddress)
    add("GATEWAY_INTERFACE", "CGI/1.1")
    add("SERVER_SOFTWARE", "Needletail")
    add("SERVER_PROTOCOL", if (request.minorVersion == 0) "HTTP/1.0" else "HTTP/1.1")
    add("SERVER_NAME", config.serverName.map(ByteText.of).getOrElse(serverName(request, local)))
    add(
      "SERVER_PORT",
      if (local.port.nonEmpty) local.port else if (request.connection.isSecure) "443" else "80"
    )
    if (local.port.nonEmpty) add("SERVER_ADDR", local.host)
    add("REMOTE_ADDR", if (remote.port.nonEmpty) remote.host else "127.0.0.1") // a Unix socket: this machine
    if (remote.port.nonEmpty) {
      add("REMOTE_HOST", remote.host) // the address instead of a name, as the section allows
      add("REMOTE_PORT", remote.port)
    }
    add("REQUEST_METHOD", request.method.name)
    add("REQUEST_URI", request.target)
    add("REQUEST_SCHEME", if (request.connection.isSecure) "https" else "http")
    if (request.connection.isSecure) add("HTTPS", "on")
    add("QUERY_STRING", request.query.getOrElse(""))
    add("SCRIPT_NAME", path.script)
    if (path.info.nonEmpty) {
      add("PATH_INFO", path.info)
      if (path.root != null) add("PATH_TRANSLATED", path.root + path.info)
    }
    if (path.file != null) add("SCRIPT_FILENAME", path.file)
    if (path.root != null) add("DOCUMENT_ROOT", path.root)
    add("REDIRECT_STATUS", "200") // required by PHP
    if (contentLength > 0 || headers.contains("Content-Length")) add("CONTENT_LENGTH", contentLength.toString)
    headers.get("Content-Type").foreach(add("CONTENT_TYPE", _))
    fields(headers, config.passAuthorization).foreach { case (name, value) => add(name, value) }
    val own = variables.result()
    if (config.variables.isEmpty) own
    else
      own.filterNot(pair => config.variables.contains(pair._1)) ++
        config.variables.toSeq.map { case (name, value) => ByteText.of(name) -> ByteText.of(value) }
  }

  /**
   * The request's fields as HTTP_ variables (section 4.1.18). Only names of letters, digits and hyphens become one: a
   * name with an underscore would replace another one, so that a client could forge what a trusted proxy in front
   * sets. Proxy never does, since HTTP_PROXY means something else to programs (CVE-2016-5385).
   */
  private def fields(headers: Headers, withAuthorization: Boolean): Seq[(String, String)] = {
    val values = scala.collection.mutable.LinkedHashMap.empty[String, String]
    HopByHop.without(headers, notPassedOn).foreach { case (name, value) =>
      val lower = Ascii.lower(name)
      if (isSafe(lower) && (withAuthorization || !lower.endsWith("authorization"))) {
        val variable =
          "HTTP_" + lower.map(c => if (c == '-') '_' else if (c >= 'a' && c <= 'z') (c - 32).toChar else c)
        val separator = if (lower == "cookie") "; " else ", " // RFC 6265 section 5.4; RFC 9110 section 5.3
        values(variable) = values.get(variable).fold(value)(before => before + separator + value)
      }
    }
    values.toSeq
  }

  private def isSafe(name: String): Boolean =
    name.forall(c => (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')

  /** Fields that have a variable of their own, concern the server only, or are harmful. */
  private val notPassedOn = Set("proxy", "content-length", "content-type", "expect")

  private def serverName(request: Request, local: Endpoint): String = {
    val authority = request.authority
    val colon     = authority.lastIndexOf(':')
    val host      = if (colon > authority.lastIndexOf(']')) authority.substring(0, colon) else authority
    if (host.nonEmpty) host
    else if (local.host.isEmpty || local.port.isEmpty) "localhost"
    else if (local.host.indexOf(':') >= 0) s"[${local.host}]" // section 4.1.14
    else local.host
  }

  private final case class Endpoint(host: String, port: String)

  /** Host and port of `192.0.2.1:80` or `[2001:db8::1]:80`; no port if it has another form. */
  private def endpoint(address: String): Endpoint = {
    val colon = address.lastIndexOf(':')
    if (colon < 0 || address.startsWith("/")) Endpoint(address, "")
    else Endpoint(address.substring(0, colon).stripPrefix("[").stripSuffix("]"), address.substring(colon + 1))
  }
}
