package needletail.examples.chat

import scala.concurrent.duration._

import needletail.examples.services.{Browser, Running}
import needletail.json.Json
import needletail.testing.Suite

/** The page in a real browser. */
class ChatPageSuite extends Suite with Running {
  override def munitTimeout: Duration = 120.seconds

  private val noting = "window.failures = []; for (const kind of ['error', 'unhandledrejection']) " +
    "addEventListener(kind, e => failures.push(String(e.message ?? e.reason)))"

  private def browsing[A](body: (Browser, () => Browser.Page) => A): A = {
    assume(Browser.found.isDefined, Browser.missing("ChatPageSuite"))
    running(new Chat().routes) { server =>
      val browser = Browser.start(Browser.found.get)
      def open()  = {
        val page = browser.open(s"${server.url}/", before = noting)
        eventually(
          browser.evaluate("document.readyState === 'complete' && 'failures' in window") == Json(true)
        )
        page
      }
      try body(browser, () => open())
      finally browser.close()
    }
  }

  /** Fills in the field and submits its form, as a visitor does. */
  private def submit(browser: Browser, fields: (String, String)*): Unit = {
    for ((id, text) <- fields)
      browser.evaluate(s"document.getElementById('$id').value = ${Json(text)}")
    browser.evaluate(s"document.getElementById('${fields.last._1}').form.requestSubmit()")
    ()
  }

  private def lines(browser: Browser): List[String] =
    browser.evaluate("[...document.querySelectorAll('#log div')].map(line => line.textContent)")
      .as[List[String]].getOrElse(Nil)

  private def mayWrite(browser: Browser): Boolean =
    browser.evaluate("!document.getElementById('text').disabled") == Json(true)

  test("two pages in a room: what one sends the other shows, as text; a page in another room does not") {
    browsing { (browser, open) =>
      val ann = open()
      assert(!mayWrite(browser), "before one has entered")
      submit(browser, "room" -> "tea & cake", "name" -> "Ann")
      eventually(lines(browser) == List("* Ann is here"), lines(browser))
      eventually(mayWrite(browser))

      val cid = open()
      submit(browser, "room" -> "coffee", "name" -> "Cid")
      eventually(lines(browser) == List("* Cid is here"), lines(browser))

      val bob = open()
      submit(browser, "room" -> "tea & cake", "name" -> "Bob")
      eventually(lines(browser) == List("* Ann is here", "* Bob is here"), lines(browser))
      submit(browser, "text" -> "<b>höllo</b>")
      eventually(lines(browser).lastOption.contains("Bob: <b>höllo</b>"), lines(browser))
      assertEquals(browser.evaluate("document.getElementById('text').value"), Json(""))

      browser.turnTo(ann)
      val heard = List("* Ann is here", "* Bob is here", "Bob: <b>höllo</b>")
      eventually(lines(browser) == heard, lines(browser))
      submit(browser, "text" -> "hello, Bob")
      browser.turnTo(bob)
      eventually(lines(browser).lastOption.contains("Ann: hello, Bob"), lines(browser))

      browser.turnTo(cid)
      assertEquals(lines(browser), List("* Cid is here"))
      for (page <- List(ann, bob, cid)) {
        browser.turnTo(page)
        assertEquals(browser.evaluate("failures").toString, "[]")
      }
    }
  }

  test("whoever enters another room leaves the first") {
    browsing { (browser, open) =>
      val ann = open()
      submit(browser, "room" -> "tea", "name" -> "Ann")
      eventually(mayWrite(browser))
      val bob = open()
      submit(browser, "room" -> "tea", "name" -> "Bob")
      eventually(lines(browser).lastOption.contains("* Bob is here"), lines(browser))
      browser.turnTo(ann)
      submit(browser, "room" -> "coffee", "name" -> "Ann")
      eventually(lines(browser) == List("* Ann is here"), lines(browser))
      browser.turnTo(bob)
      eventually(lines(browser).lastOption.contains("* Ann has left"), lines(browser))
    }
  }
}
