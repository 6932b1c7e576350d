package needletail.load.report.data

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.analysis.search.Ladder
import needletail.load.analysis.verdict.Measurement
import needletail.testing.Suite

class CsvSuite extends Suite {
  test("a cell is quoted where it must be, and no formula comes from outside") {
    assertEquals(Csv.cell("plain"), "plain")
    assertEquals(Csv.cell("a,b"), "\"a,b\"")
    assertEquals(Csv.cell("say \"so\""), "\"say \"\"so\"\"\"")
    assertEquals(Csv.cell("two\nlines"), "\"two\nlines\"")
    assertEquals(Csv.cell("=1+1"), "'=1+1")
    assertEquals(Csv.cell("@SUM(A1)"), "'@SUM(A1)")
    assertEquals(Csv.cell("-1.5"), "-1.5")
  }

  test("a row for each second and kind, and as many cells in each") {
    val run   = new ModelDriver(ModelServer(errors = 0.1)).run(Plans.open(200, 3.seconds), _ => true)
    val lines = Csv.seconds(Vector(new Measurement("run", run, None))).split("\r\n").toVector
    assertEquals(lines.size, 1 + run.intervals.size)
    assertEquals(lines.map(_.split(",", -1).length).distinct.size, 1)
    assert(lines.head.startsWith("run,second,length_ms,kind,requests,good,rate,p50_ms"))
    val good = lines.tail.map(_.split(",")(5).toLong).sum
    assertEquals(good, run.total().good)
  }

  test("connections and TLS handshakes of each second, and empty cells where there were none") {
    val cells = Csv.seconds(Vector(new Measurement("run", Handshakes.run, None))).split("\r\n").toVector
      .map(_.split(",", -1).takeRight(6).toVector.map(cell =>
        cell.toDoubleOption.fold(cell)(_.round.toString)
      ))
    assertEquals(
      cells,
      Vector(
        Vector("connect_p50_ms", "connect_p99_ms", "handshakes", "resumed", "tls_p50_ms", "tls_p99_ms"),
        Vector("1", "2", "3", "2", "4", "9"),
        Vector("", "", "0", "0", "", "")
      )
    )
  }

  test("the ladder has the documents' columns first") {
    val run = new ModelDriver(ModelServer()).run(Plans.closed(10, requests = Some(50)), _ => true)
    val csv = Csv.ladder(Vector(Ladder.Climbed(Ladder.row(10), new Measurement("10 users", run, None))))
    assert(csv.startsWith("users,requests,p50_ms,p99_ms,error_rate,"), csv)
    assert(csv.contains("\r\n10,500,10."), csv)
    assertEquals(csv.split("\r\n").toVector.map(_.split(',').last), Vector("most_users_at_once", "10"))
  }

  test("a criterion's details are rows below it, with an empty cell for an end that is not known") {
    val details = Vector(Detail("backlog", 1.5, Some(1.5), "s"), Detail("recovery", 30, None, "s"))
    val verdict = VerdictText("UNCERTAIN", Vector("why"))
    assertEquals(
      Csv.criteria(Vector(Criterion(
        "Error handling",
        "",
        2,
        2,
        "%",
        verdict,
        details
      ))).split("\r\n").toVector.tail,
      Vector(
        "Error handling,2,2,%,UNCERTAIN,why",
        "Error handling: backlog,1.5,1.5,s,,",
        "Error handling: recovery,30,,s,,"
      )
    )
  }
}
