package needletail.load.scenario

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.concurrent.duration._

import needletail.load.plan._
import needletail.testing.{Language, Location, Suite}

class ScenarioSuite extends Suite {
  private val here = Paths.get("some", "scenario.yaml")

  private def plan(yaml: String)(implicit at: Location): LoadPlan =
    Scenario.parse(yaml.stripMargin, here).fold(e => fail(e.toString), identity)

  /** Line and reason of the mistake in a text. */
  private def mistake(yaml: String, path: Path = here)(implicit at: Location): String =
    Scenario.parse(yaml.stripMargin, path) match {
      case Left(e)     => s"${e.line}: ${e.reason}"
      case Right(plan) => fail(s"no mistake was found: $plan")
    }

  /** A scenario with the rest as given, from line 5 on. */
  private def with_(rest: String): String =
    "target: http://a:1\nusers:\n  count: 1\n  requests: 1\n" + rest.stripMargin

  test("the least there can be") {
    val read = plan("""target: http://localhost:8080
                      |users: {count: 10, requests: 50}
                      |kinds:
                      |  - name: index
                      |    get: /""")
    val kind = Kind("index", Vector(RequestTemplate("GET", "http://localhost:8080/")))
    assertEquals(read, LoadPlan("scenario", Vector(kind), Load.Closed(10, Some(50), None)))
  }

  test("every method is one, whatever the machine's language is") {
    for (language <- Seq("en-US", "tr-TR"))
      Language.of(language) {
        val read = plan(with_("kinds:\n  - name: a\n    options: /"))
        assertEquals(read.kinds.flatMap(_.requests.map(_.method)), Vector("OPTIONS"))
      }
  }

  test("everything of the closed model") {
    val read = plan("""name: all of it
                      |target: http://localhost:8080/
                      |timeout: 2 s
                      |connect-timeout: 500 ms
                      |keep-alive: false
                      |loops: 2
                      |sources: [127.0.0.2, 127.0.0.3]
                      |good-statuses: [200, 201]
                      |headers:
                      |  Accept: text/html
                      |  X-General: all
                      |users:
                      |  count: 30
                      |  duration: 1 min
                      |  ramp: 10 s
                      |  pause: {from: 500 ms, to: 1.5 s}
                      |kinds:
                      |  - name: pay
                      |    users: 5
                      |    pause: {mean: 1 s, deviation: 500 ms}
                      |    post: /payments
                      |    headers: {accept: application/json}
                      |    form: {amount: 10 €, a b: "1&2"}
                      |    check:
                      |      status: 201
                      |      headers: {Location: /payments/}
                      |      body-contains: [paid, thanks]
                      |      body-matches: '^\{'
                      |  - name: session
                      |    weight: 2
                      |    pause: 3 s
                      |    requests:
                      |      - get: http://other/basket
                      |        extract:
                      |          id: 'id=(\d+)'
                      |          place: {header: Location}
                      |      - put: /orders/${id}
                      |        json: '{"at": "${place}"}'
                      |      - delete: ${place}/x""".replace("${place}/x", "/${place}"))
    assertEquals(
      read.copy(kinds = Vector.empty),
      LoadPlan(
        "all of it",
        Vector.empty,
        Load.Closed(30, None, Some(1.minute), 10.seconds, Pause.Uniform(500.millis, 1500.millis)),
        timeout = 2.seconds,
        connectTimeout = 500.millis,
        keepAlive = false,
        goodStatuses = Set(200, 201),
        loops = 2,
        sources = Vector("127.0.0.2", "127.0.0.3")
      )
    )
    val server  = "http://localhost:8080"
    val general = Vector("Accept" -> "text/html", "X-General" -> "all")
    assertEquals(
      read.kinds(0),
      Kind(
        "pay",
        Vector(RequestTemplate(
          "POST",
          s"$server/payments",
          Vector(
            "X-General"    -> "all",
            "accept"       -> "application/json",
            "Content-Type" -> "application/x-www-form-urlencoded"
          ),
          Some("amount=10%20%E2%82%AC&a%20b=1%262"),
          Vector(
            Check.Status(Set(201)),
            Check.Header("Location", "/payments/"),
            Check.BodyContains("paid"),
            Check.BodyContains("thanks"),
            Check.BodyMatches("^\\{")
          )
        )),
        users = Some(5),
        pause = Some(Pause.Normal(1.second, 500.millis))
      )
    )
    assertEquals(
      read.kinds(1),
      Kind(
        "session",
        Vector(
          RequestTemplate(
            "GET",
            "http://other/basket",
            general,
            extractions =
              Vector(Extraction("id", None, "id=(\\d+)"), Extraction("place", Some("Location"), ".*"))
          ),
          RequestTemplate(
            "PUT",
            server + "/orders/${id}",
            general :+ ("Content-Type" -> "application/json"),
            Some("{\"at\": \"${place}\"}")
          ),
          RequestTemplate("DELETE", server + "/${place}", general)
        ),
        weight = 2,
        pause = Some(Pause.Constant(3.seconds))
      )
    )
  }

  test("the open model") {
    def load(yaml: String) = plan(s"target: http://a\nkinds: [{name: k, get: /}]\narrivals: $yaml").load
    assertEquals(load("{rate: 200, duration: 10 s}"), Load.Open(Vector(Load.Step(200, 200, 10.seconds))))
    assertEquals(
      load(
        "{steps: [{from: 0, to: 2.5, duration: 1 min}, {rate: 7, duration: 1 h}], distances: random, connections: 5}"
      ),
      Load.Open(Vector(Load.Step(0, 2.5, 1.minute), Load.Step(7, 7, 1.hour)), poisson = true, connections = 5)
    )
  }

  test("feeders from files beside it") {
    val folder                                  = Files.createTempDirectory("scenario")
    def write(name: String, text: String): Path = Files.write(folder.resolve(name), text.getBytes(UTF_8))
    try {
      write("words.csv", "word, page\r\nred shoes,1\r\n\r\n\"a, \"\"b\"\"\",  2 \n")
      write("short.csv", "a,b\n1\n")
      write("names.csv", "a\n")
      write("open.csv", "a\n\"b\n")
      write("twice.csv", "a,b,a\n1,2,3\n")
      write("marked.csv", "\uFEFFword,page\r\nx,1\r\n") // as a spreadsheet writes it
      val yaml = with_("""kinds:
                         |  - name: k
                         |    feeders: [words.csv, {file: words.csv, order: random}]
                         |    get: /${word}?${page}""")
      val path = write("scenario.yaml", yaml)
      val rows = Vector(Vector("red shoes", "1"), Vector("a, \"b\"", "2"))
      assertEquals(
        Scenario.read(path).map(_.kinds.head.requests.head.feeders),
        Right(Vector(false, true).map(Feeder(Vector("word", "page"), rows, _)))
      )

      def bad(file: String) = mistake(yaml.replace("[words.csv", s"[$file"), path)
      assertEquals(bad("none.csv"), "7: feeder none.csv: there is no such file or directory")
      assertEquals(bad("short.csv"), "7: feeder short.csv: row 2 has 1 values, and there are 2 names")
      assertEquals(
        bad("names.csv"),
        "7: feeder names.csv: there must be a row of names and at least one of values"
      )
      assertEquals(bad("twice.csv"), "7: feeder twice.csv: two columns have the name 'a'")
      assertEquals(
        Scenario.parse(yaml.replace("[words.csv", "[marked.csv"), path).map(
          _.kinds.head.requests.head.feeders.head.columns
        ),
        Right(Vector("word", "page"))
      )
      assertEquals(bad("open.csv"), "7: feeder open.csv: a quotation mark is not closed")
      assertEquals(
        bad("{file: words.csv, order: odd}"),
        "7: the order must be sequential or random, not 'odd'"
      )
    } finally {
      Option(folder.toFile.listFiles).toVector.flatten.foreach(_.delete())
      Files.delete(folder)
    }
  }

  test("a mistake has its line and column") {
    def place(yaml: String) = Scenario.parse(yaml, here).left.map(e => (e.line, e.column)).left.toOption
    assertEquals(place("target: http://a\nusers: {count: x, requests: 1}\nkinds: [{get: /}]"), Some((2, 16)))
    assertEquals(place(with_("kinds:\n  - name: a\n    get: /\n    weigth: 2")), Some((8, 5)))
    assertEquals(place("target: http://a\nusers: {count: 1\nkinds: [}").map(_._1 > 1), Some(true))
  }

  test("a file that is not there, and one that is none") {
    assertEquals(
      Scenario.read(Paths.get("/nowhere/x.yaml")),
      Left(ScenarioError("/nowhere/x.yaml", 0, 0, "there is no such file or directory"))
    )
    assertEquals(ScenarioError("x.yaml", 3, 7, "why").toString, "x.yaml:3:7: why")
    assertEquals(mistake(""), "1: it is empty")
    val noYaml = mistake("target: http://a\nusers: {count: 1\nkinds: [}")
    assert(noYaml.matches("[23]: this is not YAML: .*"), noYaml)
    assertEquals(
      mistake("just text"),
      "1: the scenario must be a mapping of names to values, not 'just text'"
    )
  }

  test("mistakes are told by their line") {
    assertEquals(
      mistake(with_("kind: x")),
      "5: unknown key 'kind' in the scenario; known keys are name, target, timeout, connect-timeout, keep-alive, " +
        "pipelining, loops, sources, good-statuses, cacert, insecure, cert, key, tls-sessions, headers, users, " +
        "arrivals, kinds"
    )
    val get = "kinds:\n  - name: k\n    get: /\n"
    assertEquals(
      mistake(with_("timeout: 5\n" + get)),
      "5: timeout must be a duration such as 500 ms, 10 s or 2 min, not '5'"
    )
    assertEquals(mistake(with_("timeout: 0 s\n" + get)), "5: timeout must be above 0")
    assertEquals(
      mistake(with_("keep-alive: perhaps\n" + get)),
      "5: keep-alive must be true or false, not 'perhaps'"
    )
    assertEquals(
      mistake(with_("pipelining: none\n" + get)),
      "5: pipelining must be a whole number from 1 up, not 'none'"
    )
    assertEquals(mistake(with_("good-statuses: [200, 700]\n" + get)), "5: 700 is not a status")
    assertEquals(mistake(with_("target: http://b\n" + get)), "5: 'target' occurs twice in the scenario")
    assertEquals(mistake("target: http://a\n" + get), "1: there must be either users or arrivals")
    assertEquals(
      mistake(with_("arrivals: {rate: 1, duration: 1 s}\n" + get)),
      "5: users and arrivals exclude each other in the scenario"
    )
    assertEquals(mistake(with_("")), "1: the scenario lacks 'kinds'")
    assertEquals(
      mistake(with_("kinds: []")),
      "5: kinds must be a list with at least one element, not an empty list"
    )
    assertEquals(mistake(with_(get + "  - name: k\n    get: /b")), "8: two kinds have the name 'k'")
    assertEquals(
      mistake(s"users: {count: 1}\ntarget: http://a\n$get"),
      "1: users need requests (of each), or a duration"
    )
  }

  test("loads of nothing") {
    val kinds = "kinds:\n  - {name: a, get: /, weight: 0}\n  - {name: b, get: /, weight: 0}\n"
    assertEquals(mistake(with_(kinds)), "1: every kind has the weight 0")
    val others = "kinds:\n  - {name: a, get: /, users: 0}\n  - {name: b, get: /, users: 2}\n"
    assertEquals(plan(with_(others)).kinds.map(_.users), Vector(Some(0), Some(2)))
    val none = "kinds:\n  - {name: a, get: /, users: 0}\n"
    assertEquals(mistake(with_(none)), "1: every kind has the weight 0")
    assertEquals(
      mistake("target: http://a\narrivals: {rate: 0, duration: 1 s}\nkinds: [{name: a, get: /}]"),
      "2: the rate is 0 all the time"
    )
  }

  test("a header that contradicts keep-alive") {
    assertEquals(
      mistake(with_("kinds:\n  - name: k\n    get: /\n    headers: {connection: close}")),
      "6: the header Connection: close contradicts keep-alive; use keep-alive: false"
    )
  }

  test("a target that cannot be asked is told by its own line") {
    assertEquals(
      mistake("users: {count: 1, requests: 1}\ntarget: ftp://a\nkinds: [{name: a, get: /}]"),
      "2: ftp://a: a URL must begin with http:// or https://, or with http+unix:// and the path of a socket"
    )
  }

  test("mistakes in kinds") {
    def kind(lines: String*) =
      mistake(with_(("kinds:" +: ("  - name: k" +: lines.map("    " + _))).mkString("\n")))
    assertEquals(
      kind("weight: 2"),
      "6: a kind needs a method: one of get, head, post, put, patch, delete, options"
    )
    assertEquals(kind("get: /", "post: /"), "8: get and post exclude each other in a kind")
    assertEquals(kind("get: path"), "7: 'path' must begin with a slash, or with http:// or https://")
    assertEquals(
      kind("get: ftp://a/"),
      "7: ftp://a/: a URL must begin with http:// or https://, or with http+unix:// and the path of a socket"
    )
    assertEquals(
      kind("get: /a b"),
      "7: http://a:1/a b: a path or query contains a character that must be percent-encoded"
    )
    assertEquals(kind("get: /${id}"), "6: no feeder or extraction defines 'id'; there are none")
    assertEquals(
      kind("get: /${id}", "extract: {ID: x}"),
      "6: no feeder or extraction defines 'id'; there are ID"
    )
    assertEquals(kind("get: /", "check:", "  body-matches: '('"), "9: '(' is not a pattern: Unclosed group")
    assertEquals(kind("get: /", "extract: {x: '['}"), "8: '[' is not a pattern: Unclosed character class")
    assertEquals(kind("get: /", "headers: {a b: c}"), "8: 'a b' is not the name of a header")
    assertEquals(
      kind("get: /", "pause: {from: 2 s, to: 1 s}"),
      "8: a pause's 'to' must not be less than its 'from'"
    )
    assertEquals(
      kind("get: /", "pause: soon"),
      "8: pause must be a duration such as 500 ms, 10 s or 2 min, not 'soon'"
    )
    assertEquals(kind("get: /", "weight: -1"), "8: weight must be a number from 0 up, not '-1'")
    assertEquals(
      kind("requests:", "  - get: /", "get: /"),
      "9: 'get' belongs to one of the requests of kind 'k'"
    )
    assertEquals(
      kind("post: /", "form: {a: 1}", "json: '{}'"),
      "9: form and json exclude each other in a kind"
    )
    assertEquals(kind("get: /", "check: {body: x}").takeWhile(_ != ';'), "8: unknown key 'body' in check")
    assertEquals(
      mistake("users: {count: 1, requests: 1}\nkinds:\n  - name: k\n    get: /"),
      "4: there is no target for this path"
    )
  }

  test("a form with values of the session") {
    val yaml = with_("""kinds:
                       |  - name: k
                       |    requests:
                       |      - get: /
                       |        extract: {id: .+}
                       |      - post: /
                       |        form: {id: '${id}', a: 'x=${id}&${id}|'}""")
    assertEquals(plan(yaml).kinds.head.requests(1).body, Some("id=${id}&a=x%3D${id}%26${id}%7C"))
  }

  test("a value with ${ within braces or brackets has to be quoted, and the mistake says so") {
    def kind(text: String) = mistake(s"target: http://a\nusers: {count: 1, requests: 1}\nkinds:\n  - $text")
    val quote = "4: within braces or brackets, a value such as /x/${id} must be in quotes: '/x/${id}'"
    assertEquals(kind("{get: /x/${id}}"), quote)
    assertEquals(kind("{post: /, form: {id: ${id}}}"), quote)
    assertEquals(kind("{post: /, check: {body-contains: [${id}]}}"), quote)
    assert(kind("{get: /x/{id}}").startsWith("4: this is not YAML"), kind("{get: /x/{id}}"))
  }

  test("brackets nested too deeply are a mistake, not an overflow of the stack") {
    assertEquals(mistake("[" * 500000), "1: its brackets are nested too deeply")
  }

  test("a table with very many quotation marks in a value costs no more than its length") {
    val value = "a" + "\"" * 2000000
    assertEquals(Csv.parse(value), Right(Vector(Vector(value)))) // the square of that is minutes
  }
}
