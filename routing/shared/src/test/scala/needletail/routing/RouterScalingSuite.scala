package needletail.routing

import needletail.routing.internal.table.Table
import needletail.testkit._

/** How much a look-up does, counted and not timed: nodes and routes looked at. */
class RouterScalingSuite extends needletail.testing.Suite {

  private final class Counting(routes: Routes) extends Table(routes.all.map(_.compiled)) {
    var steps                           = 0
    override protected def step(): Unit = steps += 1

    def count(target: String): Int = {
      steps = 0
      val reply = apply(Request.get(target)).asInstanceOf[Response]
      assertEquals(reply.status, Status.Ok, target)
      steps
    }
  }

  private def literals(n: Int): Counting =
    new Counting(Routes((0 until n).map(i => GET / "api" / s"resource$i" / "list" to "it".ok)*))

  test("a look-up among 10,000 literal routes takes as many steps as among one") {
    val few  = literals(1)
    val many = literals(10000)
    assertEquals(few.count("/api/resource0/list"), 4)
    Seq(0, 1, 777, 5000, 9999).foreach(i => assertEquals(many.count(s"/api/resource$i/list"), 4))
  }

  test("steps follow the segments of the path, not those of the routes") {
    val table = new Counting(
      (GET / "a" to "it".ok) ++
        Routes((0 until 1000).map(i =>
          GET / "a" / s"b$i" / arg[Int] / arg[String] / "c" / s"$i" to (_ => "it".ok)
        )*)
    )
    assertEquals(table.count("/a"), 2)
    assertEquals(table.count("/a/b7/1/x/c/7"), 7)
  }

  test("literals with the same hash are told apart") {
    // "Aa" and "BB" have the same polynomial hash, and so have all words made of them
    val words  = (1 to 8).foldLeft(Seq(""))((ws, _) => ws.flatMap(w => Seq(w + "Aa", w + "BB")))
    val routes = Routes(words.map(w => GET / w to w.ok)*)
    words.foreach(w => assertEquals(routes.test(Request.get("/" + w)).text, w))
    assertEquals(routes.test(Request.get("/" + words.head.dropRight(2) + "AA")).status, Status.NotFound)
  }

  test("captured siblings of many literals cost one step more") {
    val table = new Counting(
      Routes((0 until 1000).map(i => GET / s"name$i" to "literal".ok)*) ++ (GET / arg[String] to (_ =>
        "captured".ok
      ))
    )
    assertEquals(table.count("/name500"), 2)
    assertEquals(table.count("/other"), 2)
  }

  test("a path that backtracks is bounded by the trie: each node is looked at once") {
    // /a/a/a/… with literal and captured children everywhere, and no end that matches
    def paths(depth: Int): Seq[Path[Unit]] =
      if (depth == 0) Seq(GET / "end")
      else paths(depth - 1).flatMap(p => Seq(p / "a", p / arg[String].map(_ => ())))
    val routes = Routes(paths(8).map(_ to "it".ok)*)
    val table  = new Counting(routes)
    table.steps = 0
    val reply = table(Request.get("/end" + "/a" * 7 + "/b/b")).asInstanceOf[Response]
    assertEquals(reply.status, Status.NotFound)
    assert(table.steps <= 2 + 512, table.steps)
  }
}
