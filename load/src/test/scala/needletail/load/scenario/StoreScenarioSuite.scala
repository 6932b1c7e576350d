package needletail.load.scenario

import java.nio.file.{Files, Path, Paths}

import scala.concurrent.duration._

import needletail.load.plan.{Load, Pause, PlanCheck}
import needletail.testing.Suite

/** The scenarios that are shipped can be read, and are what they say. */
class StoreScenarioSuite extends Suite {

  /** Tests run in the folder of the build, or of the module. */
  private def root: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(folder => Files.exists(folder.resolve("examples/store/load.yaml")))
      .getOrElse(fail("examples/store/load.yaml is not there"))

  test("the store's load is three kinds of 300 users") {
    val plan = Scenario.read(root.resolve("examples/store/load.yaml")).fold(e => fail(e.toString), identity)
    assertEquals(
      plan.kinds.map(k => (k.name, k.users, k.requests.map(r => s"${r.method} ${r.url}"))),
      Vector(
        ("index", Some(300), Vector("GET http://127.0.0.1:8080/")),
        ("search", Some(300), Vector("GET http://127.0.0.1:8080/search?query=${query}")),
        ("payments", Some(300), Vector("POST http://127.0.0.1:8080/payments"))
      )
    )
    assertEquals(
      plan.load,
      Load.Closed(0, None, Some(60.seconds), 10.seconds, Pause.Normal(1.second, 500.millis))
    )
    assertEquals(plan.kinds(2).requests.head.body, Some("amount=20"))
    assertEquals(PlanCheck.mistake(plan), None)
  }

  test("every scenario of the documentation can be read") {
    val text   = new String(Files.readAllBytes(root.resolve("docs/load-scenarios.md")), "UTF-8")
    val blocks =
      "(?s)```yaml\n(.*?)```".r.findAllMatchIn(text).map(_.group(1)).filter(_.contains("kinds:")).toVector
    assert(blocks.size >= 3, blocks.size)
    blocks.foreach { yaml =>
      val read = Scenario.parse(yaml, root.resolve("examples/store/documented.yaml"))
      assert(read.isRight, read)
    }
  }
}
