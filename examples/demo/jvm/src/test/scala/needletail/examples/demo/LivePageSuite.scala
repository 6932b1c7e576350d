package needletail.examples.demo

import scala.concurrent.duration._

import needletail.examples.services.{Browser, Running}
import needletail.json.Json
import needletail.io.Address
import needletail.server.{Log, Server, ServerConfig}
import needletail.testing.Suite

/** The page in a real browser. */
class LivePageSuite extends Suite with Running {
  override def munitTimeout: Duration = 120.seconds

  private def browsing[A](body: Browser => A): A = {
    assume(Browser.found.isDefined, Browser.missing("LivePageSuite"))
    val demo   = new Demo(0, Log.none)
    val config = demo.config(ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1))
    val server = Server(demo.routes, config).start()
    try {
      demo.opened(server)
      val browser = Browser.start(Browser.found.get)
      try {
        browser.open(
          s"${server.url}/live",
          before =
            "window.failures = []; for (const kind of ['error', 'unhandledrejection', 'securitypolicyviolation']) " +
              "addEventListener(kind, e => failures.push(String(e.message ?? e.reason ?? e.blockedURI)))"
        )
        eventually(script(
          browser,
          "document.readyState === 'complete' && 'failures' in window"
        ) == Json(true))
        body(browser)
      } finally browser.close()
    } finally {
      await(server.close())
      demo.close()
    }
  }

  /** The figure that a chart's card shows, in whatever unit. */
  private def figure(browser: Browser, kind: String, of: String): Double = {
    val shown = browser.evaluate(
      s"document.querySelector('#$kind [data-of=$of]')?.textContent ?? ''"
    ).as[String].getOrElse("")
    shown.filter(c => c.isDigit || c == '.').toDoubleOption.getOrElse(0.0)
  }

  private def badge(browser: Browser, kind: String): Option[String] =
    browser.evaluate(s"document.querySelector('#$kind .badge')?.textContent ?? ''").as[String].toOption

  private def line(browser: Browser, kind: String, of: String): Int =
    browser.evaluate(
      s"document.querySelector('#$kind .line.$of')?.getAttribute('d')?.length ?? 0"
    ).as[Int].getOrElse(0)

  private def script(browser: Browser, text: String): Json = browser.evaluate(text)

  test("it loads, three charts get data, the switch makes search fail alone, and it comes back") {
    browsing { browser =>
      eventually(script(browser, "document.querySelectorAll('#charts svg').length") == Json(3L))
      for (kind <- Kind.all) {
        for (of <- List("p50", "p90", "p99"))
          eventually(line(browser, kind.name, of) > 50, s"$of of ${kind.name}")
        eventually(figure(browser, kind.name, "good") > 10, kind.name)
        eventually(
          badge(browser, kind.name).contains("healthy"),
          s"${kind.name} is ${badge(browser, kind.name)}"
        )
      }
      eventually(script(browser, "document.getElementById('down').disabled") == Json(false))
      eventually(script(browser, "document.getElementById('connections').textContent > 0") == Json(true))

      script(browser, "document.getElementById('down').click()")
      eventually(badge(browser, "search").contains("failing"), badge(browser, "search"))
      val errors = figure(browser, "search", "errors")
      eventually(figure(browser, "search", "errors") > errors + 100)
      for (kind <- List("index", "payments")) {
        eventually(badge(browser, kind).contains("healthy"), s"$kind is ${badge(browser, kind)}")
        assert(figure(browser, kind, "good") > 10, kind)
      }
      assert(
        script(browser, "document.querySelectorAll('#index .hanging').length").as[Long].exists(_ > 0),
        "the time is marked"
      )

      script(browser, "document.getElementById('down').click()")
      eventually(badge(browser, "search").contains("healthy"), badge(browser, "search"))
    }
  }

  test("it can be used by keyboard alone") {
    browsing { browser =>
      eventually(script(browser, "document.getElementById('down').disabled") == Json(false))
      val focusable =
        "[...document.querySelectorAll('input')].map(i => (i.focus(), document.activeElement === i))"
      assertEquals(script(browser, focusable).toString, "[true,true,true]")
      script(browser, "document.activeElement.blur()")
      browser.press("h")
      eventually(badge(browser, "search").contains("failing"), badge(browser, "search"))
      assertEquals(script(browser, "document.getElementById('down').checked"), Json(true))
      browser.press("-")
      eventually(script(
        browser,
        "document.getElementById('customersShown').textContent"
      ).as[String].contains("250"))
    }
  }

  test("no error on the page, nothing fetched from elsewhere") {
    browsing { browser =>
      eventually(figure(browser, "index", "good") > 10)
      assertEquals(script(browser, "failures").toString, "[]")
      val elsewhere =
        "performance.getEntriesByType('resource').map(r => new URL(r.name).hostname).filter(h => h !== '127.0.0.1' && h !== '')"
      assertEquals(script(browser, elsewhere).toString, "[]")
    }
  }
}
