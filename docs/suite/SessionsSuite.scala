package needletail.documents

import java.io.{BufferedReader, InputStreamReader}
import java.net.Socket
import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.Handler
import needletail.server.{Log, OverloadConfig, Server, ServerConfig}
import needletail.testing.Suite

/** The curl commands of the documents answer what the documents say, from the routes that they show. */
class SessionsSuite extends Suite {
  for ((place, handler, text) <- Sessions.all)
    test(place)(assertEquals(SessionsSuite.run(handler(), text), text))

  test("there are some") {
    assert(Sessions.all.size >= 9, Sessions.all.size)
  }
}

object SessionsSuite {

  /** The same text, with the output that the commands have now. */
  def run(handler: Handler, text: String): String = {
    val server = Server(
      handler,
      ServerConfig(loops = 1, overload = OverloadConfig.off, log = Log.none).withPort(0)
    ).start()
    try text.linesIterator.filter(_.startsWith("$ ")).flatMap(line =>
        List(line, answers(line.drop(2), server.port))
      ).filter(_.nonEmpty).mkString("\n")
    finally { server.close(); () }
  }

  /** The output of a command: one response for each URL, over one connection, as curl does. */
  private def answers(command: String, port: Int): String = {
    val curl   = Curl.parse(words(command).tail)
    val socket = new Socket("127.0.0.1", port)
    try {
      socket.setSoTimeout(20000)
      curl.paths.map(path => exchange(socket, curl, path)).mkString("\n")
    } finally socket.close()
  }

  private def exchange(socket: Socket, curl: Curl, path: String): String = {
    val body = (if (curl.body.startsWith("--xyz")) curl.body + "--xyz--\r\n" else curl.body).getBytes(UTF_8)
    val head = (s"${curl.method} $path HTTP/1.1" :: "Host: localhost:8080" :: curl.headers :::
      (if (body.isEmpty) Nil else List(s"Content-Length: ${body.length}"))).mkString("", "\r\n", "\r\n\r\n")
    socket.getOutputStream.write(head.getBytes(UTF_8) ++ body)
    val in     = new BufferedReader(new InputStreamReader(socket.getInputStream, "ISO-8859-1"))
    val status = in.readLine()
    val fields = Iterator.continually(in.readLine()).takeWhile(_.nonEmpty).toList
    val length = fields.find(_.toLowerCase.startsWith("content-length:")).fold(0)(_.drop(15).trim.toInt)
    val chars  = new Array[Char](if (curl.method == "HEAD") 0 else length)
    var n      = 0
    while (n < chars.length) n += in.read(chars, n, chars.length - n)
    val content = new String(new String(chars).getBytes("ISO-8859-1"), UTF_8).stripSuffix("\n")
    val shown   = // the documents leave out what every response has
      fields.filterNot(f =>
        List("date:", "content-length:", "content-type:", "server:").exists(f.toLowerCase.startsWith)
      )
    val heads = if (curl.showsHead) status :: shown else Nil
    (heads ++ (if (content.isEmpty) Nil else (if (curl.showsHead) List("") else Nil) :+ content)).mkString(
      "\n"
    )
  }

  /** A shell's words: single quotes and spaces. */
  private def words(line: String): List[String] =
    "'([^']*)'|(\\S+)".r.findAllMatchIn(line).map(m =>
      if (m.group(1) != null) m.group(1) else m.group(2)
    ).toList

  private final case class Curl(
      method: String = "GET",
      headers: List[String] = Nil,
      body: String = "",
      showsHead: Boolean = false,
      paths: List[String] = Nil
  )

  private object Curl {
    def parse(words: List[String], curl: Curl = Curl()): Curl = words match {
      case "-X" :: method :: rest   => parse(rest, curl.copy(method = method))
      case "-H" :: header :: rest   => parse(rest, curl.copy(headers = curl.headers :+ header))
      case "-b" :: cookies :: rest  => parse(rest, curl.copy(headers = curl.headers :+ s"Cookie: $cookies"))
      case "-d" :: text :: rest     => parse(rest, posting(curl, text, "application/x-www-form-urlencoded"))
      case "--json" :: text :: rest => parse(rest, posting(curl, text, "application/json"))
      case "-F" :: field :: rest    => parse(rest, posting(curl, curl.body + part(field), Multipart))
      case "-u" :: user :: rest     =>
        val encoded = java.util.Base64.getEncoder.encodeToString(user.getBytes("UTF-8"))
        parse(rest, curl.copy(headers = curl.headers :+ s"Authorization: Basic $encoded"))
      case "-i" :: rest => parse(rest, curl.copy(showsHead = true))
      case "-I" :: rest => parse(rest, curl.copy(method = "HEAD", showsHead = true))
      case url :: rest if url.startsWith("localhost:8080") =>
        parse(rest, curl.copy(paths = curl.paths :+ (if (url.endsWith("8080")) "/" else url.drop(14))))
      case other :: _ =>
        throw new IllegalArgumentException(s"$other is not an option that these commands may have")
      case Nil => curl
    }

    private val Multipart = "multipart/form-data; boundary=xyz"

    /** `name=value`, or `name=content;filename=name` for a file. */
    private def part(field: String): String = {
      val Array(name, rest)  = field.split("=", 2)
      val Array(value, file) = (rest + ";filename=").split(";filename=", -1).take(2)
      val named              = if (file.isEmpty) "" else "; filename=\"" + file + "\""
      "--xyz\r\nContent-Disposition: form-data; name=\"" + name + "\"" + named + "\r\n\r\n" + value + "\r\n"
    }

    private def posting(curl: Curl, text: String, mediaType: String): Curl = {
      val typed = curl.headers.exists(_.toLowerCase.startsWith("content-type:"))
      curl.copy(
        method = if (curl.method == "GET") "POST" else curl.method,
        headers = if (typed) curl.headers else curl.headers :+ s"Content-Type: $mediaType",
        body = text
      )
    }
  }
}
