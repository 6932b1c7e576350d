package needletail.load.engine

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import needletail.http.{Handler, Response}
import needletail.load.plan.{Load, Pause}
import needletail.load.result.Lateness
import needletail.testing.{Pause => Blocked, Suite}

class EngineSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes

  test("users make as many requests as they are to") {
    serving(ok) { server =>
      val result = run(closed(server.url, users = 20, requests = 50).copy(loops = 2))
      assertEquals(outcomes(result), Map("good" -> 1000L))
      assertEquals(result.total().status(200), 1000L)
      assertEquals(result.total().received, 13000L)
      assertEquals(result.intervals.map(_.self.due).sum, 1000L)
      assertEquals(result.intervals.map(_.self.opened).sum, 20L)
    }
  }

  test("users ask until the time is over") {
    serving(ok) { server =>
      val plan   = closed(server.url, users = 10, requests = 1)
      val result = run(plan.copy(load = Load.Closed(10, None, Some(1200.millis))))
      assertEquals(outcomes(result).keySet, Set("good"))
      assert(result.total().good > 10, result.total().good)
      assertEquals(result.loadMillis, 1200L)
      assertEquals(result.intervals.take(1).map(i => (i.startMillis, i.lengthMillis)), Vector((0L, 1200L)))
    }
  }

  test("arrivals come at their rate, whatever the answers do")(undisturbed {
    serving(ok) { server =>
      val result = run(open(server.url, rate = 1000, duration = 1500.millis))
      assertEquals(outcomes(result), Map("good" -> 1500L))
      val first = result.intervals.head.kinds.head.good
      bound((first - 1000).abs < 20, first)
    }
  })

  test("several kinds have their shares, and figures of their own") {
    serving(r => if (r.path == "/b") Response.ok("b") else Response.ok("aaaa")) { server =>
      val kinds  = Vector(kind(server.url + "/a", "a").copy(weight = 3), kind(server.url + "/b", "b"))
      val result = run(open(server.url, 400, 1.second).copy(kinds = kinds))
      assertEquals(result.kinds.indices.map(i => result.figures(i).good), IndexedSeq(300L, 100L))
      assertEquals(result.figures(0).received, 1200L)
      val users = Load.Closed(9, Some(10), None)
      val named = Vector(kinds(0), kinds(1), kinds(1).copy(name = "c", users = Some(5)))
      val other = run(closed(server.url, 0, 0).copy(kinds = named, load = users))
      assertEquals(other.kinds.indices.map(i => other.figures(i).good), IndexedSeq(30L, 10L, 50L))
    }
  }

  test("the time between arrivals at random tells nothing about their kinds") {
    val seen            = new ConcurrentLinkedQueue[(Long, Boolean)]
    val noting: Handler = request => {
      seen.add((System.nanoTime(), request.path == "/b"))
      Response.ok
    }
    serving(noting) { server =>
      val kinds = Vector(kind(server.url + "/a", "a"), kind(server.url + "/b", "b"))
      val load  = Load.Open(Vector(Load.Step(200, 200, 2.seconds)), poisson = true)
      run(open(server.url, 200, 2.seconds).copy(kinds = kinds, load = load))
      val all    = seen.asScala.toVector
      val gaps   = all.zip(all.drop(1)).map { case ((before, _), (at, isB)) => (at - before, isB) }
      val median = gaps.map(_._1).sorted.apply(gaps.size / 2)
      val after  = gaps.count { case (gap, isB) => (gap >= median) == isB }.toDouble / gaps.size
      assert((after - 0.5).abs < 0.15, s"$after of ${gaps.size}") // six standard deviations
    }
  }

  test("how late each arrival was is kept, also of those that waited for a connection") {
    serving(ok) { server =>
      val plan   = open(server.url, rate = 2000, duration = 500.millis)
      val result =
        run(plan.copy(load = Load.Open(Vector(Load.Step(2000, 2000, 500.millis)), connections = 1)))
      assertEquals(result.intervals.map(_.self.due).sum, 1000L)
      assertEquals(result.lateness.histogram.getTotalCount, 1000L)
      assertEquals(run(closed(server.url, users = 2, requests = 2)).lateness, Lateness.none)
    }
  }

  test("how many users were there at once is told, though they are gone before the second's end") {
    serving(ok) { server =>
      val all    = Load.Closed(40, Some(1), None, ramp = 800.millis)
      val result = run(closed(server.url, 1, 1).copy(load = all, loops = 2))
      assertEquals(result.total().good, 40L)
      assert(result.mostUsers >= 1, result.mostUsers)
      assertEquals(result.intervals.last.self.users, 0)
      // nobody leaves before the last has come
      val load  = Load.Closed(12, Some(2), None, ramp = 100.millis, pause = Pause.Constant(2.seconds))
      val stays = run(closed(server.url, 1, 1).copy(load = load, loops = 2))
      assertEquals(stays.mostUsers, 12)
    }
  }

  test("users who pause as the time ends were there until then") {
    serving(ok) { server =>
      val load = Load.Closed(100, None, Some(1500.millis), pause = Pause.Constant(1.second))
      // who collects the counts is late, and tells no loop of the end before it comes to it by itself
      val result = run(
        closed(server.url, 1, 1).copy(load = load),
        i => {
          if (i.startMillis == 0) Blocked(800.millis)
          true
        }
      )
      val last = result.intervals.filter(_.startMillis < result.loadMillis).last
      assertEquals((last.startMillis, last.lengthMillis, last.self.users), (1000L, 500L, 100))
    }
  }

  test("how long requests still waited for a connection after the load's end is told") {
    serving(KnownServer.delayed(20.millis)) { server =>
      def of(connections: Int) = {
        val load = Load.Open(Vector(Load.Step(100, 100, 500.millis)), connections = connections)
        run(open(server.url, 100, 1.second).copy(load = load))
      }
      // 50 requests one after the other take a second at least, and the last is sent 20 ms before its end
      val waiting = of(connections = 1)
      assertEquals(waiting.total().good, 50L)
      assert(waiting.backlogMillis >= 470, waiting.backlogMillis)
      val ended = waiting.intervals.last.startMillis + waiting.intervals.last.lengthMillis
      assert(waiting.backlogMillis < ended - waiting.loadMillis, (waiting.backlogMillis, ended))
      assertEquals(run(closed(server.url, 2, 2)).backlogMillis, 0L)
    }
  }

  test("the ends of ramp and load are ends of intervals, so that later answers do not count in the rate") {
    serving(KnownServer.delayed(100.millis)) { server =>
      def ends(load: Load) = run(open(server.url, 1, 1.second).copy(load = load)).intervals
        .map(i => i.startMillis + i.lengthMillis).dropRight(1)
      val steps = Vector(Load.Step(0, 100, 300.millis), Load.Step(100, 100, 1200.millis))
      assertEquals(ends(Load.Open(steps)), Vector(300L, 1000L, 1500L))
      assertEquals(
        ends(Load.Closed(10, None, Some(1400.millis), ramp = 600.millis)),
        Vector(600L, 1000L, 1400L)
      )
    }
  }

  test("it can be stopped") {
    serving(ok) { server =>
      val from   = System.nanoTime()
      val result = run(open(server.url, 100, 1.minute), _ => false)
      assert(System.nanoTime() - from < 25.seconds.toNanos)
      assertEquals(result.intervals.headOption.map(_.lengthMillis), Some(1000L))
    }
  }
}
