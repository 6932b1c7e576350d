package needletail.conformance.webserver

import java.nio.file.{Files, Path, Paths}

/**
 * Apache httpd, with the modules that it needs for `behind`.
 *
 * @param extra a module of them that has a package of its own, and that package
 */
final class Apache(
    mpm: String,
    modules: Seq[String],
    behind: (Path, Int) => String,
    extra: Option[(String, String)] = None
) extends WebServer.Kind {
  def name: String     = extra.fold("Apache httpd") { case (module, _) => s"Apache httpd with mod_$module" }
  def packages: String = ("apache2" +: extra.map(_._2).toSeq).mkString(" ")
  def binary: Option[Path] =
    WebServer.find("apache2").filter(_ =>
      extra.forall { case (module, _) => Files.exists(Apache.file(module)) }
    )

  /** In a session of its own: as it ends, it ends all of its process group, which would be whoever runs this. */
  def command(binary: Path, configuration: Path): Seq[String] =
    Seq("setsid", binary.toString, "-DFOREGROUND", "-f", configuration.toString)

  def configuration(directory: Path, port: Int): String = {
    val user = if (WebServer.isRoot) "User nobody\nGroup nogroup\n" else ""
    val load = (Seq(s"mpm_$mpm", "authz_core") ++ modules)
      .map(module => s"LoadModule ${module}_module ${Apache.file(module)}")
      .mkString("\n")
    s"""ServerRoot $directory
       |PidFile $directory/pid
       |DefaultRuntimeDir $directory
       |Mutex file:$directory default
       |ErrorLog $directory/error.log
       |ServerName shop.test
       |Listen 127.0.0.1:$port
       |$load
       |${user}DocumentRoot $directory
       |<Directory />
       |  Require all granted
       |</Directory>
       |${behind(directory, port)}
       |""".stripMargin
  }
}

object Apache {

  /** Programs in `cgi-bin`, by mod_cgi, which forks processes, or mod_cgid, for servers with threads. */
  def cgi: Apache = new Apache("prefork", Seq("alias", "cgi"), (directory, _) => scripts(directory))

  def cgid: Apache = new Apache(
    "event",
    Seq("alias", "cgid"),
    (directory, _) => s"ScriptSock $directory/cgid.sock\n${scripts(directory)}"
  )

  private def scripts(directory: Path) = s"ScriptAlias /cgi-bin/ $directory/cgi-bin/"

  private def file(module: String): Path = Paths.get(s"/usr/lib/apache2/modules/mod_$module.so")

  /** Programs in `cgi-bin` that mod_fcgid starts, as many as are asked for, each with a socket as standard input. */
  def fcgid: Apache = new Apache(
    "event",
    Seq("alias", "fcgid"),
    (directory, _) => s"""FcgidIPCDir $directory
         |FcgidProcessTableFile $directory/fcgid.table
         |FcgidMaxRequestLen 100000000
         |${scripts(directory)}
         |<Directory $directory/cgi-bin>
         |  SetHandler fcgid-script
         |  Options +ExecCGI
         |</Directory>""".stripMargin,
    extra = Some("fcgid" -> "libapache2-mod-fcgid")
  )

  def fastCgi(program: Int): Apache =
    new Apache(
      "event",
      Seq("proxy", "proxy_fcgi"),
      (_, _) => s"ProxyPass / fcgi://127.0.0.1:$program/ enablereuse=on"
    )

  def scgi(program: Int): Apache =
    new Apache("event", Seq("proxy", "proxy_scgi"), (_, _) => s"ProxyPass / scgi://127.0.0.1:$program/")

  def http(program: Int): Apache = new Apache(
    "event",
    Seq("headers", "proxy", "proxy_http"),
    (_, _) => ProxyPage.example("apache").replace(ProxyPage.Program, s"127.0.0.1:$program")
  )
}

/** nginx, with that text within `http`, where `listen` says where it listens. */
final class Nginx(servers: String => String) extends WebServer.Kind {
  def name: String         = "nginx"
  def packages: String     = "nginx-light"
  def binary: Option[Path] = WebServer.find("nginx")

  def command(binary: Path, configuration: Path): Seq[String] =
    Seq(binary.toString, "-e", s"${configuration.getParent}/error.log", "-c", configuration.toString)

  def configuration(directory: Path, port: Int): String = {
    val temporary = Seq("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
      .map(kind => s"  ${kind}_temp_path $directory/$kind;")
      .mkString("\n")
    s"""${if (WebServer.isRoot) "user root;" else ""}
       |worker_processes 1;
       |daemon off;
       |pid $directory/pid;
       |error_log $directory/error.log info;
       |events { worker_connections 512; }
       |http {
       |  access_log off;
       |$temporary
       |${servers(s"listen 127.0.0.1:$port;")}
       |}
       |""".stripMargin
  }
}

object Nginx {

  /** `location` is what stands in its only location. */
  private def one(upstream: String, location: String) = new Nginx(listen =>
    s"""  client_max_body_size 100m;
       |  upstream program { $upstream }
       |  server {
       |    $listen
       |    server_name shop.test;
       |    location / { $location }
       |  }""".stripMargin
  )

  def http(program: Int): Nginx = new Nginx(listen =>
    ProxyPage.example("nginx")
      .replace(ProxyPage.Program, s"127.0.0.1:$program")
      .replace("listen 80;", listen)
  )

  /** With connections that are kept, or one for each request. */
  def fastCgi(program: Int, isKept: Boolean, isBuffered: Boolean = true): Nginx = one(
    s"server 127.0.0.1:$program;" + (if (isKept) " keepalive 8;" else ""),
    "include /etc/nginx/fastcgi_params; fastcgi_pass program;" +
      (if (isKept) " fastcgi_keep_conn on;" else "") +
      (if (isBuffered) "" else " fastcgi_request_buffering off; fastcgi_buffering off;")
  )

  def scgi(program: Int): Nginx =
    one(s"server 127.0.0.1:$program;", "include /etc/nginx/scgi_params; scgi_pass program;")
}

/** lighttpd, with that module, unless it is null, and configuration of it. */
final class Lighttpd(module: String, behind: Path => String) extends WebServer.Kind {
  def name: String         = "lighttpd"
  def packages: String     = "lighttpd"
  def binary: Option[Path] = WebServer.find("lighttpd")

  def command(binary: Path, configuration: Path): Seq[String] =
    Seq(binary.toString, "-D", "-f", configuration.toString)

  def configuration(directory: Path, port: Int): String =
    s"""server.document-root = "$directory"
       |server.bind = "127.0.0.1"
       |server.port = $port
       |server.errorlog = "$directory/error.log"
       |server.upload-dirs = ( "$directory" )
       |server.modules = ( "mod_alias" ${if (module == null) "" else s", \"$module\""} )
       |${behind(directory)}
       |""".stripMargin
}

object Lighttpd {
  def cgi: Lighttpd = new Lighttpd(
    "mod_cgi",
    directory =>
      s"""alias.url = ( "/cgi-bin/" => "$directory/cgi-bin/" )
         |$$HTTP["url"] =~ "^/cgi-bin/" { cgi.assign = ( "" => "" ) }""".stripMargin
  )

  def fastCgi(program: Int): Lighttpd = new Lighttpd(
    "mod_fastcgi",
    _ => s"""fastcgi.server = ( "/" => (( "host" => "127.0.0.1", "port" => $program, $whole )) )"""
  )

  /** It starts the program itself, and leaves it a socket as standard input. */
  def spawning(command: Path => Path): Lighttpd = new Lighttpd(
    "mod_fastcgi",
    directory =>
      s"""fastcgi.server = ( "/" => (( "socket" => "$directory/program.sock",
         |  "bin-path" => "${command(directory)}", "max-procs" => 1, $whole )) )""".stripMargin
  )

  def scgi(program: Int): Lighttpd = new Lighttpd(
    "mod_scgi",
    _ => s"""scgi.server = ( "/" => (( "host" => "127.0.0.1", "port" => $program, $whole )) )"""
  )

  def http(program: Int): Lighttpd = new Lighttpd(
    null,
    _ => ProxyPage.example("lighttpd").replace(""""port" => 8080""", s""""port" => $program""")
  )

  private val whole = """"check-local" => "disable", "fix-root-scriptname" => "enable""""
}

/** The page that shows how to configure proxies. */
object ProxyPage {

  /** Where the program is in its examples. */
  final val Program = "127.0.0.1:8080"

  private lazy val text = new String(Files.readAllBytes(Paths.get("docs/reverse-proxy.md")), "UTF-8")

  /** Its block in that language. */
  def example(language: String): String =
    s"(?s)```$language\n(.*?)```".r.findFirstMatchIn(text).map(_.group(1)).getOrElse(
      throw new IllegalStateException(s"docs/reverse-proxy.md has no block of $language")
    )
}

/** Programs as CGI finds them: in a directory, as commands. */
object Scripts {

  /** Makes `cgi-bin/program`, which runs the program at `path`, whoever it is run as. */
  def install(path: Path)(directory: Path): Unit = {
    val scripts = Files.createDirectories(directory.resolve("cgi-bin"))
    val script  = scripts.resolve("program")
    if (path.getFileName.toString.endsWith("-native")) Files.copy(path, script)
    else Files.write(script, s"#!/bin/sh\nexec ${path.toAbsolutePath} \"$$@\"\n".getBytes("UTF-8"))
    script.toFile.setExecutable(true, false)
    ()
  }
}
