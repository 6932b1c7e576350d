package needletail.client

import java.io.File
import java.nio.file.Files
import java.util.concurrent.TimeUnit

import needletail.testing.{Authority, Suite}

/** Servers that are installed on this machine, for one test. */
trait OtherPrograms { self: Suite =>

  /** The path of a program; None if it is not installed. */
  def find(name: String): Option[String] =
    (sys.env.getOrElse("PATH", "").split(File.pathSeparator).toSeq ++ Seq("/usr/sbin", "/usr/local/sbin"))
      .map(folder => new File(folder, name))
      .find(_.canExecute)
      .map(_.getPath)

  def freePort(): Int = {
    val socket = new java.net.ServerSocket(0)
    try socket.getLocalPort
    finally socket.close()
  }

  /** Runs a program that listens at `port` while `body` runs. */
  def listening[A](port: Int, command: String*)(body: => A): A = {
    val process = new ProcessBuilder(command: _*)
      .redirectErrorStream(true)
      .redirectOutput(new File("/dev/null"))
      .start()
    try {
      eventually(
        scala.util.Try(new java.net.Socket("127.0.0.1", port).close()).isSuccess,
        "it does not listen"
      )
      body
    } finally {
      process.destroy()
      if (!process.waitFor(5, TimeUnit.SECONDS)) { process.destroyForcibly(); () }
    }
  }

  /**
   * The command that starts nginx, `program`.
   *
   * @param folder for its files
   * @param http lines of its configuration, its servers among them
   */
  def nginxCommand(program: String, folder: File, http: String): Seq[String] = {
    val config = new File(folder, "nginx.conf")
    write(
      config,
      s"""daemon off; master_process off; pid $folder/pid; error_log $folder/error.log;
         |events { worker_connections 64; }
         |http {
         |  access_log off; client_body_temp_path $folder/body; proxy_temp_path $folder/p;
         |  fastcgi_temp_path $folder/f; uwsgi_temp_path $folder/u; scgi_temp_path $folder/s;
         |  $http
         |}""".stripMargin
    )
    Seq(program, "-p", folder.getPath, "-c", config.getPath)
  }

  /** As `nginxCommand`, of a server over TLS that answers `hello`, with these lines more for it. */
  def tlsNginxCommand(
      program: String,
      folder: File,
      port: Int,
      issued: Authority#Issued,
      more: String = ""
  ): Seq[String] =
    nginxCommand(
      program,
      folder,
      s"""server {
         |  listen 127.0.0.1:$port ssl; ssl_certificate ${issued.chain}; ssl_certificate_key ${issued.key};
         |  $more
         |  location / { return 200 "hello"; }
         |}""".stripMargin
    )

  /** Compiles a Go program in `folder`. Returns its path. */
  def compiled(go: String, folder: File, source: String): String = {
    write(new File(folder, "server.go"), source)
    val program = new File(folder, "server")
    build(folder, go, "build", "-o", program.getPath, "server.go")
    assert(program.canExecute, s"$program is missing")
    program.getPath
  }

  /** Compiles a Java program whose class is `Server` in `folder`. Returns its class path. */
  def compiledJava(javac: String, folder: File, source: String): File = {
    write(new File(folder, "Server.java"), source)
    build(folder, javac, "Server.java")
    folder
  }

  private def build(folder: File, command: String*): Unit = {
    val log   = new File(folder, "log")
    val build =
      new ProcessBuilder(command: _*).directory(folder).redirectErrorStream(true).redirectOutput(log)
    build.environment.put("GOTOOLCHAIN", "local")
    val process = build.start()
    val isOver  = process.waitFor(100, TimeUnit.SECONDS)
    if (!isOver) process.destroyForcibly()
    assert(
      isOver && process.exitValue == 0,
      s"it was not built: ${new String(Files.readAllBytes(log.toPath))}"
    )
  }

  def write(file: File, text: String): Unit = { Files.write(file.toPath, text.getBytes("UTF-8")); () }
}
