package needletail.examples.services

import java.io.{BufferedReader, File, IOException, InputStreamReader}
import java.net.URI
import java.net.http.{HttpClient, WebSocket}
import java.nio.file.{Files, Path}
import java.util.Comparator
import java.util.concurrent.{CompletableFuture, CompletionStage, LinkedBlockingQueue, TimeUnit}

import needletail.json.Json

/** A headless Chromium with pages, spoken to by its DevTools protocol. One thread uses it. */
final class Browser private (process: Process, profile: Path, address: URI) extends AutoCloseable {
  private val messages = new LinkedBlockingQueue[Json]
  private var number   = 0L

  private val socket = HttpClient.newHttpClient.newWebSocketBuilder
    .buildAsync(
      address,
      new WebSocket.Listener {
        private val text = new StringBuilder

        override def onText(socket: WebSocket, part: CharSequence, last: Boolean): CompletionStage[?] = {
          text.append(part)
          if (last) {
            Json.parse(text.toString).foreach(messages.add(_))
            text.clear()
          }
          socket.request(1)
          null // the part may be used again
        }
      }
    )
    .get(20, TimeUnit.SECONDS)

  private var session: Option[String] = None

  /**
   * Opens a page, with that JavaScript run before its own. `evaluate` and `press` are about that one from now on; what is
   * returned is for `turnTo`.
   */
  def open(url: String, before: String): Browser.Page = {
    session = None
    val target = text(ask("Target.createTarget", "url" -> Json("about:blank")), "targetId")
    val page   = new Browser.Page(text(
      ask("Target.attachToTarget", "targetId" -> Json(target), "flatten" -> Json(true)),
      "sessionId"
    ))
    turnTo(page)
    ask("Page.enable")
    ask("Page.addScriptToEvaluateOnNewDocument", "source" -> Json(before))
    ask("Page.navigate", "url"                            -> Json(url))
    page
  }

  /** `evaluate` and `press` are about that page from now on. */
  def turnTo(page: Browser.Page): Unit = session = Some(page.session)

  /** The value of that JavaScript in the page; throws what the page throws. */
  def evaluate(script: String): Json = {
    val answer = ask("Runtime.evaluate", "expression" -> Json(script), "returnByValue" -> Json(true))
    answer.get("exceptionDetails").foreach(e => throw new IllegalStateException(s"$script: $e"))
    answer.get("result").flatMap(_.get("value")).getOrElse(Json.Null)
  }

  /** Presses a key that types that character. */
  def press(key: String): Unit =
    for (kind <- List("keyDown", "keyUp"))
      ask(
        "Input.dispatchKeyEvent",
        "type" -> Json(kind),
        "key"  -> Json(key),
        "text" -> Json(if (kind == "keyDown") key else "")
      )

  private def ask(method: String, parameters: (String, Json)*): Json = {
    number += 1
    val whole   = Json.obj("id" -> number, "method" -> method, "params" -> parameters.toMap)
    val message = session.fold(whole)(id => whole + ("sessionId" -> id))
    socket.sendText(message.toString, true).get(20, TimeUnit.SECONDS)
    var answer = messages.poll(20, TimeUnit.SECONDS)
    while (answer != null && !answer.get("id").contains(Json(number)))
      answer = messages.poll(20, TimeUnit.SECONDS)
    if (answer == null) throw new IllegalStateException(s"the browser does not answer $method")
    answer.get("error").foreach(e => throw new IllegalStateException(s"$method: $e"))
    answer.get("result").getOrElse(Json.Null)
  }

  private def text(json: Json, name: String): String =
    json.at(name).as[String].fold(e => throw new IllegalStateException(s"$e: $json"), identity)

  def close(): Unit = {
    socket.abort()
    process.descendants.forEach(child => { child.destroy(); () })
    process.destroy()
    if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly().waitFor()
    // its helpers may write to the last
    scala.util.Try(Files.walk(profile).sorted(Comparator.reverseOrder[Path]()).forEach(path => {
      path.toFile.delete(); ()
    }))
    ()
  }
}

object Browser {

  final class Page private[services] (private[services] val session: String)

  /** Why a suite that needs a browser is skipped. */
  def missing(suite: String): String =
    s"$suite needs a Chromium: none is on the PATH as chromium, chromium-browser or google-chrome, nor named by CHROME"

  /** What CHROME names, or one of those on the PATH. */
  val found: Option[String] = {
    val folders = sys.env.getOrElse("PATH", "").split(File.pathSeparatorChar).filter(_.nonEmpty)
    val onPath  = for {
      name   <- List("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
      folder <- folders
    } yield s"$folder${File.separator}$name"
    (sys.env.get("CHROME").filter(_.nonEmpty).toList ++ onPath).find(path => new File(path).canExecute)
  }

  def start(program: String): Browser = {
    val profile = Files.createTempDirectory("needletail-browser")
    // no sandbox: in containers and as root there can be none, and it sees no page but ours
    val process = new ProcessBuilder(
      program,
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--window-size=1440,900",
      s"--user-data-dir=$profile",
      "--remote-debugging-port=0",
      "about:blank"
    ).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
    new Browser(process, profile, whereItListens(process))
  }

  /** It says so on its standard error stream, which is read to its end so that it never blocks. */
  private def whereItListens(process: Process): URI = {
    val address = new CompletableFuture[URI]
    val reader  = new Thread(
      () => {
        val lines = new BufferedReader(new InputStreamReader(process.getErrorStream))
        val mark  = "DevTools listening on "
        try
          Iterator.continually(lines.readLine()).takeWhile(_ != null).foreach { line =>
            if (line.startsWith(mark)) address.complete(URI.create(line.drop(mark.length).trim))
          }
        catch { case _: IOException => () } // it was ended
        address.completeExceptionally(new IllegalStateException("the browser ended"))
        ()
      },
      "browser-errors"
    )
    reader.setDaemon(true)
    reader.start()
    address.get(30, TimeUnit.SECONDS)
  }
}
