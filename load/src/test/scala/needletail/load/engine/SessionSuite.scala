package needletail.load.engine

import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import needletail.http.{Handler, Method, Response}
import needletail.io.Address
import needletail.load.plan._
import needletail.testing.Suite

/** Requests that differ: values from feeders and from answers, checks, several servers and addresses. */
class SessionSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes

  private final class Recorder(answer: String => Response) {
    val seen             = new ConcurrentLinkedQueue[String]
    val handler: Handler = request => {
      seen.add(request.target)
      answer(request.target)
    }
    def targets: Vector[String] = seen.asScala.toVector
  }

  test("rows of a feeder, one after the other, over all loops") {
    val recorder = new Recorder(_ => Response.ok("ok"))
    serving(recorder.handler) { server =>
      val feeder =
        Feeder(Vector("q", "page"), Vector.tabulate(5)(i => Vector(s"a b&$i", s"$i")), random = false)
      val request =
        RequestTemplate("GET", server.url + "/search?q=${q}&page=${page}", feeders = Vector(feeder))
      val plan = closed(server.url, 2, 5).copy(kinds = Vector(Kind("k", Vector(request))), loops = 2)
      assertEquals(outcomes(run(plan)), Map("good" -> 10L))
      val expected = Vector.tabulate(5)(i => s"/search?q=a%20b%26$i&page=$i")
      assertEquals(recorder.targets.sorted, (expected ++ expected).sorted)
    }
  }

  test("a value extracted from an answer goes into the next request of its session")(undisturbed {
    val recorder = new Recorder({
      case "/basket" => Response.ok("""{"id": "b-17", "items": []}""").header("X-Token", "t42")
      case t if t.startsWith("/orders/b-17") => Response.ok("done")
      case _                                 => Response.notFound
    })
    serving(recorder.handler) { server =>
      val first = get(server.url + "/basket").copy(
        extractions =
          Vector(Extraction("id", None, """"id": "([^"]+)""""), Extraction("token", Some("x-token"), ".+"))
      )
      val second = get(server.url + "/orders/${id}?token=${token}")
      val kinds  = Vector(Kind("k", Vector(first, second)))
      assertEquals(outcomes(run(closed(server.url, 3, 4).copy(kinds = kinds))), Map("good" -> 12L))
      assertEquals(recorder.targets.count(_ == "/orders/b-17?token=t42"), 6)
      // Open: each arrival is a session. Those that the end of the load finds between two requests end there.
      recorder.seen.clear()
      val good = outcomes(run(open(server.url, 50, 200.millis).copy(kinds = kinds)))
      assertEquals(recorder.targets.count(_ == "/basket"), 10)
      val orders = recorder.targets.filter(_ != "/basket")
      assert(orders.length <= 10 && orders.forall(_ == "/orders/b-17?token=t42"), s"$orders")
      assertEquals(good, Map("good" -> (10L + orders.length)))
      bound(orders.nonEmpty, "no session's second request")
    }
  })

  test("an extraction that finds nothing fails its request, and the session begins anew") {
    val recorder = new Recorder(_ => Response.ok("nothing here"))
    serving(recorder.handler) { server =>
      val first = get(server.url + "/a").copy(extractions = Vector(Extraction("id", None, "id=(\\d+)")))
      val kinds = Vector(Kind("k", Vector(first, get(server.url + "/b/${id}"))))
      assertEquals(outcomes(run(closed(server.url, 1, 3).copy(kinds = kinds))), Map("check" -> 3L))
      assertEquals(recorder.targets, Vector.fill(3)("/a"))
    }
  }

  test("checks of status, header and body") {
    serving(_ => Response.ok("all is well").header("X-Kind", "good; really")) { server =>
      def outcome(checks: Check*) = {
        val request = get(server.url).copy(checks = checks.toVector)
        outcomes(run(closed(server.url, 1, 1).copy(kinds = Vector(Kind("k", Vector(request)))))).head._1
      }
      assertEquals(outcome(Check.BodyContains("is well"), Check.Header("x-kind", "really")), "good")
      assertEquals(outcome(Check.BodyMatches("^all .* well$")), "good")
      assertEquals(outcome(Check.BodyMatches("ill")), "check")
      assertEquals(outcome(Check.BodyContains("ill")), "check")
      assertEquals(outcome(Check.Header("x-kind", "bad")), "check")
      assertEquals(outcome(Check.Header("x-none", "")), "check")
      assertEquals(outcome(Check.Status(Set(404))), "status")
    }
  }

  test("a pattern that a long response makes too complex is a failed check, and the load goes on") {
    serving(_ => Response.ok("xy" * 200000)) { server =>
      val request = get(server.url + "/").copy(checks = Vector(Check.BodyMatches("^(x|y)*$")))
      val result  = run(closed(server.url, 2, 3).copy(kinds = Vector(Kind("k", Vector(request)))))
      assertEquals(outcomes(result), Map("check" -> 6L))
      assert(result.reasons.exists(_._2.contains("too complex")), result.reasons)
    }
  }

  test("a pattern that backtracks for ever is given up, and the load goes on") {
    serving(_ => Response.ok("x" * 5000)) { server =>
      val checked   = get(server.url + "/").copy(checks = Vector(Check.BodyMatches("^(x+x+)+y$")))
      val extracted = get(server.url + "/").copy(extractions = Vector(Extraction("id", None, "^(x+x+)+y$")))
      for (request <- Seq(checked, extracted)) {
        val began  = System.nanoTime()
        val result = run(closed(server.url, 1, 2).copy(kinds = Vector(Kind("k", Vector(request)))))
        val most   = (System.nanoTime() - began) / 1000000 // of one loop
        assertEquals(outcomes(result), Map("check" -> 2L))
        assert(result.reasons.exists(_._2.contains("pattern '^(x+x+)+y$' was given up")), result.reasons)
        val searched = result.intervals.map(_.self.searchMillis).sum
        assert(searched > 0 && searched <= most, (searched, most))
      }
    }
  }

  test("a form's values are encoded, and lengths are those of bytes") {
    val bodies           = new ConcurrentLinkedQueue[String]
    val handler: Handler = request =>
      request.body.bytes.map { bytes =>
        bodies.add(new String(bytes, "UTF-8"))
        Response.ok("ok")
      }
    serving(handler) { server =>
      val feeder = Feeder(Vector("amount"), Vector(Vector("1 ä&2")), random = true)
      val form   = RequestTemplate(
        "POST",
        server.url + "/payments",
        Vector("Content-Type" -> "application/x-www-form-urlencoded"),
        Some("amount=${amount}"),
        feeders = Vector(feeder)
      )
      val json = form.copy(
        headers = Vector("Content-Type" -> "application/json"),
        body = Some("{\"a\": \"${amount}\"}")
      )
      val kinds = Vector(Kind("form", Vector(form)), Kind("json", Vector(json)))
      assertEquals(outcomes(run(closed(server.url, 2, 1).copy(kinds = kinds))), Map("good" -> 2L))
      assertEquals(bodies.asScala.toSet, Set("amount=1%20%C3%A4%262", "{\"a\": \"1 ä&2\"}"))
    }
  }

  test("HEAD has no body") {
    serving(request => if (request.method == Method.HEAD) Response.ok("12345") else Response.notFound) {
      server =>
        val plan = closed(server.url, 2, 3)
        val head = plan.copy(kinds = Vector(Kind("k", Vector(RequestTemplate("HEAD", server.url)))))
        assertEquals(outcomes(run(head)), Map("good" -> 6L))
    }
  }

  test("several servers, one by a Unix socket")(undisturbed {
    val folder = Files.createTempDirectory("needletail")
    val path   = folder.resolve("socket")
    try
      serving(_ => Response.ok("tcp")) { tcp =>
        serving(_ => Response.ok("unix!"), serverConfig.copy(address = Address.Unix(path.toString))) { _ =>
          val url    = "http+unix://" + path.toString.replace("/", "%2F") + "/x"
          val both   = Vector(kind(tcp.url, "tcp"), kind(url, "unix"))
          val result = run(closed(tcp.url, 4, 10).copy(kinds = both))
          assertEquals(result.kinds.indices.map(i => result.figures(i).good), IndexedSeq(20L, 20L))
          assertEquals(result.kinds.indices.map(i => result.figures(i).received), IndexedSeq(60L, 100L))
          val session = Vector(Kind("k", Vector(get(tcp.url), get(url))))
          assertEquals(outcomes(run(closed(tcp.url, 4, 10).copy(kinds = session))), Map("good" -> 40L))
          // Open: the end of the load may find sessions between their two requests, which end there.
          val open20 = outcomes(run(open(tcp.url, 100, 200.millis).copy(kinds = session)))
          assert(open20.keySet == Set("good") && open20("good") >= 20 && open20("good") <= 40, open20)
          bound(open20("good") > 20, s"${open20("good")} answers to 20 sessions")
        }
      }
    finally {
      Files.deleteIfExists(path)
      Files.delete(folder)
    }
  })

  test("several source addresses, in turn") {
    val peers = new ConcurrentLinkedQueue[String]
    serving { request =>
      peers.add(request.connection.remoteAddress.takeWhile(_ != ':'))
      Response.ok("ok")
    } { server =>
      val sources = Vector("127.0.0.2", "127.0.0.3")
      assertEquals(outcomes(run(closed(server.url, 4, 2).copy(sources = sources))), Map("good" -> 8L))
      assertEquals(
        peers.asScala.groupBy(identity).map { case (peer, n) => peer -> n.size },
        sources.map(_ -> 4).toMap
      )
    }
  }

  test("a plan that cannot be run says why") {
    val plan = closed("http://a/", 1, 1)

    def mistake(plan: LoadPlan) = PlanCheck.mistake(plan).getOrElse("none")
    assertEquals(mistake(plan), "none")
    assertEquals(mistake(plan.copy(kinds = Vector.empty)), "there is no kind of requests")
    assertEquals(
      mistake(plan.copy(kinds = Vector(kind("ftp://a/")))),
      "ftp://a/: a URL must begin with http:// or https://, or with http+unix:// and the path of a socket"
    )
    assertEquals(mistake(plan.copy(kinds = Vector(kind("https://a/")))), "none")
    assertEquals(
      mistake(plan.copy(trust = Trust.Certificates("/no/such/file"))),
      "cannot use TLS: /no/such/file cannot be read: No such file or directory"
    )
    assertEquals(
      mistake(plan.copy(kinds = Vector(kind("http://a/${id}")))),
      "kind 'one': no feeder or extraction defines 'id', used in the URL"
    )
    assertEquals(
      mistake(plan.copy(pipelining = 2, keepAlive = false)),
      "pipelining needs connections that are kept alive"
    )
    assertEquals(
      mistake(plan.copy(sources = Vector("127.0.0.1", "192.0.2.1"))),
      "the source 192.0.2.1 is not an address of this machine"
    )
    assertEquals(mistake(plan.copy(load = Load.Open(Vector.empty))), "there are no steps of a rate")
    assertEquals(
      mistake(plan.copy(load = Load.Open(Vector(Load.Step(0, 0, 1.second))))),
      "the rate is 0 all the time"
    )
    val bad = get("http://a/").copy(checks = Vector(Check.BodyMatches("(")))
    assertEquals(
      mistake(plan.copy(kinds = Vector(Kind("k", Vector(bad))))),
      "'(' is not a pattern: Unclosed group"
    )
    interceptMessage(plan.copy(kinds = Vector.empty))
  }

  private def interceptMessage(plan: LoadPlan): Unit = {
    val e = intercept[IllegalArgumentException](run(plan))
    assertEquals(e.getMessage, "there is no kind of requests")
  }
}
